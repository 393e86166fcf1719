// Algorithms of collective operations as schedules: who sends how many bytes to whom in each round.
// The root is rank 0. Sources: Thakur, Rabenseifner, Gropp 2005 for all that is not named below.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "simulate/rounds.hpp"

namespace machmeter::simulate::schedules {

using Count = std::uint64_t;

inline Count rounds_of(Count ranks) { return std::bit_width(ranks - 1); }
inline double times(Count blocks, double bytes) { return static_cast<double>(blocks) * bytes; }

// Hensgen, Finkel, Manber 1988.
inline Schedule dissemination(Count ranks) {
    return {"dissemination", rounds_of(ranks), [ranks](Count round, Count rank) {
                return Send{(rank + (Count{1} << round)) % ranks};
            }};
}

// The ranks that remain when the others have given their data to a neighbor, so that they are a
// power of two: of the first pairs the odd ones, and all after them.
struct Folded {
    explicit Folded(Count all) : power(std::bit_floor(all)), extra(all - power) {}
    [[nodiscard]] bool folds(Count rank) const { return rank < 2 * extra; }
    [[nodiscard]] bool idle(Count rank) const { return folds(rank) && rank % 2 == 0; }
    [[nodiscard]] Count number(Count rank) const { return folds(rank) ? rank / 2 : rank - extra; }
    [[nodiscard]] Count rank(Count number) const {
        return number < extra ? 2 * number + 1 : number + extra;
    }
    Count power;
    Count extra;
};

// `inner(round, number)` among the folded ranks, by their numbers, with the fold around it.
template <class Inner>
Schedule folded(std::string name, Count ranks, double bytes, double reduced, Count inner_rounds,
                Inner inner) {
    const Folded fold(ranks);
    const Count before = fold.extra > 0 ? 1 : 0;
    return {std::move(name), inner_rounds + 2 * before, [=](Count round, Count rank) {
                if (before > 0 && round == 0) {
                    return fold.idle(rank) ? Send{rank + 1, bytes, reduced} : Send{rank};
                }
                if (round == inner_rounds + before) {
                    return fold.folds(rank) && rank % 2 == 1 ? Send{rank - 1, bytes} : Send{rank};
                }
                if (fold.idle(rank)) {
                    return Send{rank};
                }
                Send send = inner(round - before, fold.number(rank));
                send.to = fold.rank(send.to);
                return send;
            }};
}

inline Schedule recursive_doubling(Count ranks, double bytes, bool reduces) {
    const double reduced = reduces ? bytes : 0;
    return folded("recursive doubling", ranks, bytes, reduced, rounds_of(std::bit_floor(ranks)),
                  [=](Count round, Count number) {
                      return Send{number ^ (Count{1} << round), bytes, reduced};
                  });
}

// Halves of the vector to ever farther ranks, then back (Rabenseifner 2004).
inline Schedule rabenseifner(Count ranks, double bytes) {
    const Count half = rounds_of(std::bit_floor(ranks));
    return folded(
        "reduce-scatter by recursive halving, then allgather by recursive doubling "
        "(Rabenseifner)",
        ranks, bytes, bytes, 2 * half, [=](Count round, Count number) {
            const bool scatters = round < half;
            const Count step = scatters ? round : 2 * half - 1 - round;
            const double part = bytes / static_cast<double>(Count{2} << step);
            return Send{number ^ (Count{1} << step), part, scatters ? part : 0};
        });
}

inline Schedule ring_allreduce(Count ranks, double bytes) {
    const double block = bytes / static_cast<double>(ranks);
    return {"ring", 2 * (ranks - 1), [=](Count round, Count rank) {
                return Send{(rank + 1) % ranks, block, round < ranks - 1 ? block : 0};
            }};
}

inline Schedule ring_allgather(Count ranks, double block) {
    return {"ring", ranks - 1,
            [=](Count /*round*/, Count rank) { return Send{(rank + 1) % ranks, block}; }};
}

// Of a power of two of ranks.
inline Schedule doubling_allgather(Count ranks, double block) {
    return {"recursive doubling", rounds_of(ranks), [=](Count round, Count rank) {
                return Send{rank ^ (Count{1} << round), times(Count{1} << round, block)};
            }};
}

// Bruck et al. 1997.
inline Schedule bruck_allgather(Count ranks, double block) {
    return {"Bruck", rounds_of(ranks), [=](Count round, Count rank) {
                const Count step = Count{1} << round;
                return Send{(rank + ranks - step) % ranks,
                            times(std::min(step, ranks - step), block)};
            }};
}

// Of an even number of ranks: one block with one neighbor, then two with each in turn (Chen et al.
// 2005).
inline Schedule neighbor_allgather(Count ranks, double block) {
    return {"neighbor exchange", ranks / 2, [=](Count round, Count rank) {
                const bool up = (rank + round) % 2 == 0;
                const Count to = up ? (rank + 1) % ranks : (rank + ranks - 1) % ranks;
                return Send{to, round == 0 ? block : 2 * block};
            }};
}

// Blocks below a rank of a binomial tree that sends over `step`.
inline Count below(Count ranks, Count child, Count step) { return std::min(step, ranks - child); }

inline Schedule binomial_down(std::string name, Count ranks, double bytes, bool parts) {
    const Count rounds = rounds_of(ranks);
    return {std::move(name), rounds, [=](Count round, Count rank) {
                const Count step = Count{1} << (rounds - 1 - round);
                const Count child = rank + step;
                if (rank % (2 * step) != 0 || child >= ranks) {
                    return Send{rank};
                }
                return Send{child, parts ? times(below(ranks, child, step), bytes) : bytes};
            }};
}

inline Schedule binomial_up(std::string name, Count ranks, double bytes, bool parts, bool reduces) {
    return {std::move(name), rounds_of(ranks), [=](Count round, Count rank) {
                const Count step = Count{1} << round;
                if (rank % (2 * step) != step) {
                    return Send{rank};
                }
                return Send{rank - step, parts ? times(below(ranks, rank, step), bytes) : bytes,
                            reduces ? bytes : 0};
            }};
}

// Rabenseifner's reduction to a root: the halves, gathered.
inline Schedule halving_reduce(Count ranks, double bytes) {
    const Count half = rounds_of(std::bit_floor(ranks));
    const Folded fold(ranks);
    const Count before = fold.extra > 0 ? 1 : 0;
    const auto both = rabenseifner(ranks, bytes);
    return {"reduce-scatter by recursive halving, then binomial gather", before + 2 * half,
            [=](Count round, Count rank) {
                if (round < before + half || fold.idle(rank)) {
                    return round < before + half ? both.send(round, rank) : Send{rank};
                }
                const Count step = 2 * half - 1 - (round - before);
                const Count number = fold.number(rank);
                const bool sends = number >> step == 1;
                if (!sends) {
                    return Send{rank};
                }
                return Send{fold.rank(number - (Count{1} << step)),
                            bytes / static_cast<double>(Count{2} << step)};
            }};
}

inline Schedule bruck_alltoall(Count ranks, double block) {
    return {"Bruck", rounds_of(ranks), [=](Count round, Count rank) {
                const Count step = Count{1} << round;
                const Count whole = ranks / (2 * step) * step;
                const Count rest = ranks % (2 * step);
                const Count blocks = whole + (rest > step ? rest - step : 0);
                return Send{(rank + step) % ranks, times(blocks, block)};
            }};
}

inline Schedule pairwise_alltoall(Count ranks, double block, bool by_exclusive_or) {
    const bool flips = by_exclusive_or && std::has_single_bit(ranks);
    return {flips ? "pairwise exchange by exclusive or" : "pairwise exchange", ranks - 1,
            [=](Count round, Count rank) {
                const Count step = round + 1;
                return Send{flips ? rank ^ step : (rank + step) % ranks, block};
            }};
}

// The pipeline of a chain: in round t rank r passes segment t - r on.
inline Schedule chain_down(Count ranks, double bytes, double segment) {
    const auto segments = static_cast<Count>(std::max(1.0, std::ceil(bytes / segment)));
    const double part = bytes / static_cast<double>(segments);
    return {"pipeline in segments", segments + ranks - 2, [=](Count round, Count rank) {
                const bool has = round >= rank && round - rank < segments && rank + 1 < ranks;
                return has ? Send{rank + 1, part} : Send{rank};
            }};
}

// The same the other way, from the last rank to the root, with sums.
inline Schedule chain_up(Count ranks, double bytes, double segment) {
    Schedule down = chain_down(ranks, bytes, segment);
    return {down.name, down.rounds, [ranks, send = down.send](Count round, Count rank) {
                const Send forward = send(round, ranks - 1 - rank);
                const Count to = ranks - 1 - forward.to;
                return to == rank ? Send{rank} : Send{to, forward.bytes, forward.bytes};
            }};
}

// The rounds after which a rank of a binary tree has its first segment, the root's being 0: a left
// child one after its parent, a right one two. Children of r are 2 r + 1 and 2 r + 2.
inline Count first_round(Count rank) {
    Count rounds = 0;
    while (rank > 0) {
        rounds += rank % 2 == 1 ? 1 : 2;
        rank = (rank - 1) / 2;
    }
    return rounds;
}

// The rank at the same place below the root's other child.
inline Count mirrored(Count rank) {
    const Count level = std::bit_floor(rank + 1);
    const Count place = rank + 1 - level;
    return level + (place + level / 2) % level - 1;
}

// Half of the bytes down the left side of a binary tree and half down the right, in segments; then
// both sides exchange them.
inline Schedule split_binary_tree(Count ranks, double bytes, double segment) {
    const auto segments = static_cast<Count>(std::max(1.0, std::ceil(bytes / 2 / segment)));
    const double part = bytes / 2 / static_cast<double>(segments);
    const Count depth = std::bit_width(ranks);
    const Count down = 2 * (segments + depth);
    return {"split binary tree in segments", down + 1, [=](Count round, Count rank) {
                if (round == down) {
                    const Count other = rank > 0 ? mirrored(rank) : 0;
                    return other < ranks ? Send{other, bytes / 2} : Send{rank};
                }
                const Count first = first_round(rank);
                const Count child = 2 * rank + 1 + (round + first) % 2;
                const bool has = round >= first && (round - first) / 2 < segments && child < ranks;
                return has ? Send{child, part} : Send{rank};
            }};
}

}  // namespace machmeter::simulate::schedules
