// network.consistency: ping-pong of many pairs of ranks, in rounds in which no rank takes part
// twice. All pairs of a round run at the same time; ranks without a partner wait for the end of the
// round.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/record/phase_report.hpp"
#include "mpi/memory.hpp"
#include "mpi/runtime.hpp"
#include "network/pairs/two_rank_team.hpp"
#include "patterns/message_data.hpp"
#include "patterns/pair_rounds.hpp"

namespace machmeter {
namespace {

// As in network.latency, which measures the same event.
constexpr double clock_share = 0.01;

// From this size on a message shows bandwidth too.
constexpr std::size_t least_for_bandwidth = 65536;

using PairTeam = TwoRankTeam<const MpiTransport>;

// The pairs to measure at one size, with the numbers of their points.
struct Pairs {
    std::size_t bytes;
    std::vector<std::size_t> points;
    std::vector<RankPair> pairs;
};

// Sizes and pairs in the order of the points.
std::vector<Pairs> pairs_by_size(const std::vector<Parameters>& points, int ranks) {
    std::vector<Pairs> by_size;
    for (std::size_t number = 0; number < points.size(); ++number) {
        const std::size_t bytes = points[number].count("size");
        auto same = std::find_if(by_size.begin(), by_size.end(),
                                 [&](const Pairs& pairs) { return pairs.bytes == bytes; });
        if (same == by_size.end()) {
            same = by_size.insert(by_size.end(), Pairs{bytes, {}, {}});
        }
        same->points.push_back(number);
        same->pairs.push_back(parse_rank_pair(points[number].text("pair"), ranks));
    }
    return by_size;
}

// This rank's end of its pair of the round.
std::optional<End> end_in(const std::vector<RankPair>& pairs, const Round& round, int rank) {
    for (const std::size_t number : round) {
        const RankPair& pair = pairs[number];
        if (pair.has(rank)) {
            const bool first = rank == pair.first;
            return End{first, first ? pair.second : pair.first};
        }
    }
    return std::nullopt;
}

// The results of a first end after its round, as numbers that can be gathered.
struct PairOutcome {
    Samples taken;
    bool right = false;

    // right, batch, timed seconds, number of samples, samples; the same length on every rank.
    [[nodiscard]] std::vector<double> numbers(std::size_t most_samples) const {
        std::vector<double> all{right ? 1.0 : 0.0, static_cast<double>(taken.batch),
                                taken.timed_seconds, static_cast<double>(taken.seconds.size())};
        all.insert(all.end(), taken.seconds.begin(), taken.seconds.end());
        all.resize(4 + most_samples);
        return all;
    }

    static PairOutcome from(const std::vector<double>& all) {
        const auto samples = static_cast<std::ptrdiff_t>(all[3]);
        return {{{all.begin() + 4, all.begin() + 4 + samples},
                 static_cast<std::uint64_t>(all[1]),
                 all[2]},
                all[0] != 0};
    }
};

// One more round trip with known bytes over the same buffers.
bool exchange_is_right(MpiSession& session, PairTeam& pair, const End& end,
                       const MessageBuffers& buffers, std::size_t bytes) {
    const std::uint64_t seed = session.seed();
    fill_message(buffers.out(),
                 {seed, bytes, static_cast<std::uint64_t>(session.team().rank()), 0});
    prepare_receive(buffers.in(), bytes);
    ping_pong(session.transport(), end, buffers.out(), buffers.in(), bytes, 1);
    const auto theirs = static_cast<std::uint64_t>(end.peer);
    return pair.both(message_is_right(buffers.in(), {seed, bytes, theirs, 0}) &&
                     guard_is_whole(buffers.in(), bytes));
}

PairOutcome sample_pair(MpiSession& session, const End& end, const MessageBuffers& buffers,
                        std::size_t bytes) {
    PairTeam pair(session.transport(), end);
    PairOutcome outcome;
    auto round_trips = session.event([&](std::uint64_t rounds) {
        ping_pong(session.transport(), end, buffers.out(), buffers.in(), bytes, rounds);
    });
    outcome.taken =
        sample_together(pair, session.clock_facts(), session.limits(), clock_share, round_trips);
    for (double& seconds : outcome.taken.seconds) {
        seconds /= 2;
    }
    outcome.right = exchange_is_right(session, pair, end, buffers, bytes);
    return outcome;
}

PointResult result_of(const Parameters& point, std::size_t bytes, std::size_t pairs_at_once,
                      PairOutcome outcome, std::size_t page_bytes) {
    PointResult result(point);
    result.add_samples(std::move(outcome.taken));
    result.check(outcome.right, "both ranks received the other's bytes and nothing behind them");
    result.quantity("bytes", bytes).quantity("pairs_at_once", pairs_at_once);
    result.attribute("event", "half a round trip; the batch counts round trips")
        .attribute("pairs_at_once", std::to_string(pairs_at_once) +
                                        ", each of other ranks, each with its own samples")
        .attribute("transfer", "MPI_Send, MPI_Recv of " + content_text(bytes))
        .attribute("buffer", "reused");
    if (bytes >= least_for_bandwidth) {
        result.quantity("bytes_one_way", bytes);
    }
    result.page_bytes = page_bytes;
    return result;
}

// If the launch hangs, every rank reports its own pair, or that it has none.
void begin_round(MpiSession& session, const Pairs& wanted, const Round& round) {
    const int rank = session.team().rank();
    const auto point_of = [&](std::size_t number) -> const Parameters& {
        return session.points()[wanted.points[number]];
    };
    std::string phase = "waiting for the " + std::to_string(round.size()) +
                        " pairs of a round without this rank, size=" + std::to_string(wanted.bytes);
    for (const std::size_t number : round) {
        session.begin(point_of(number));
        if (wanted.pairs[number].has(rank)) {
            phase = "measuring " + point_of(number).to_text();
        }
    }
    phase_report::set(std::string(MpiRuntime::program) + ": rank " + std::to_string(rank), phase);
}

// Its pairs at the same time, then their samples to the root, which records each.
void run_round(MpiSession& session, const MessageBuffers& buffers, const Pairs& wanted,
               const Round& round) {
    const MpiTeam& team = session.team();
    begin_round(session, wanted, round);
    const std::optional<End> end = end_in(wanted.pairs, round, team.rank());
    team.barrier();
    const PairOutcome mine =
        end ? sample_pair(session, *end, buffers, wanted.bytes) : PairOutcome{};
    team.barrier();
    const std::uint64_t page_bytes = team.smallest(buffers.page_bytes());
    const std::vector<std::vector<double>> all =
        team.gather(mine.numbers(static_cast<std::size_t>(session.limits().most)));
    if (!team.is_root()) {
        return;
    }
    double longest = 0;
    for (const std::size_t number : round) {
        const auto first = static_cast<std::size_t>(wanted.pairs[number].first);
        PairOutcome outcome = PairOutcome::from(all[first]);
        longest = std::max(longest, outcome.taken.timed_seconds);
        session.record(result_of(session.points()[wanted.points[number]], wanted.bytes,
                                 round.size(), std::move(outcome), page_bytes));
    }
    session.add_timed(longest);
}

// The points of a size for which memory is short; the launch continues with the others.
void record_lacking(MpiSession& session, const Pairs& wanted, const std::string& why) {
    for (const std::size_t number : wanted.points) {
        const Parameters& point = session.points()[number];
        session.begin(point);
        session.record(not_measured(point, why));
    }
}

void run_consistency(MpiSession& session) {
    const NodeMemory memory(session.team());
    for (const Pairs& wanted : pairs_by_size(session.points(), session.team().size())) {
        const std::string lacking = memory.why_not(2 * static_cast<double>(wanted.bytes));
        if (!lacking.empty()) {
            record_lacking(session, wanted, lacking);
            continue;
        }
        const MessageBuffers buffers(wanted.bytes, session.page_bytes());
        for (const Round& round : rounds_without_shared_ranks(wanted.pairs)) {
            run_round(session, buffers, wanted, round);
        }
    }
}

const RegisterMpiBenchmark registered(
    {"network.consistency", {"pair", "size"}, &run_consistency, any_ranks});

}  // namespace
}  // namespace machmeter
