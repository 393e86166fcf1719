// network.consistency: ping-pong of many pairs of ranks, in rounds in which no rank takes part
// twice. All pairs of a round run at the same time; ranks without a partner wait for the round's
// end.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/record/not_measured.hpp"
#include "core/record/phase_report.hpp"
#include "mpi/benchmark.hpp"
#include "mpi/message_memory.hpp"
#include "network/pairs/two_rank_team.hpp"
#include "patterns/message_data.hpp"
#include "patterns/pair_rounds.hpp"

namespace machmeter {
namespace {

// As in network.latency, which measures the same event.
constexpr double clock_share = 0.01;

// From this size on a message tells of bandwidth too.
constexpr std::size_t least_for_bandwidth = 65536;

using PairTeam = TwoRankTeam<const MpiTransport>;

// The pairs asked for at one size, with the numbers of their points.
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

// What a first end knows at the end of its round, in numbers that can be gathered.
struct PairOutcome {
    Samples taken;
    bool right = false;

    // right, batch, timed seconds, number of samples, samples; as long for every rank.
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

// One more round trip with known bytes, after the timed ones and over the same buffers.
bool exchange_is_right(MpiSession& session, PairTeam& pair, const End& end,
                       const MessageBuffers& buffers, std::size_t bytes) {
    const std::uint64_t seed = session.own().seed();
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
    Session& own = session.own();
    PairTeam pair(session.transport(), end);
    PairOutcome outcome;
    outcome.taken = sample_together(
        pair, own.clock(), own.clock_facts(), own.limits(), clock_share, [&](std::uint64_t rounds) {
            ping_pong(session.transport(), end, buffers.out(), buffers.in(), bytes, rounds);
        });
    for (double& seconds : outcome.taken.seconds) {
        seconds /= 2;
    }
    outcome.right = exchange_is_right(session, pair, end, buffers, bytes);
    return outcome;
}

PointResult result_of(const Parameters& point, std::size_t bytes, std::size_t pairs_at_once,
                      PairOutcome outcome, std::size_t page_bytes) {
    PointResult result{point,
                       {{"seconds", std::move(outcome.taken.seconds)}},
                       outcome.taken.batch,
                       outcome.right,
                       "both ranks received the other's bytes and nothing behind them",
                       {{"bytes", static_cast<double>(bytes)},
                        {"pairs_at_once", static_cast<double>(pairs_at_once)}},
                       {{"event", "half a round trip; a batch is counted in round trips"},
                        {"pairs_at_once", std::to_string(pairs_at_once) +
                                              ", each of other ranks, each with its own samples"},
                        {"transfer", "MPI_Send, MPI_Recv of " + content_words(bytes)},
                        {"buffer", "reused"}},
                       page_bytes};
    if (bytes >= least_for_bandwidth) {
        result.facts.emplace_back("bytes_one_way", static_cast<double>(bytes));
    }
    return result;
}

// A launch that hangs says of every rank what it was at: its own pair, or that it has none.
void begin_round(MpiSession& session, const Pairs& asked, const Round& round) {
    const int rank = session.team().rank();
    const auto point_of = [&](std::size_t number) -> const Parameters& {
        return session.own().points()[asked.points[number]];
    };
    std::string phase = "waiting for the " + std::to_string(round.size()) +
                        " pairs of a round without this rank, size=" + std::to_string(asked.bytes);
    for (const std::size_t number : round) {
        session.begin(point_of(number));
        if (asked.pairs[number].has(rank)) {
            phase = "measuring " + point_of(number).to_text();
        }
    }
    PhaseReport::set("machmeter-mpi: rank " + std::to_string(rank), phase);
}

// One round: its pairs together, then their samples to the leader, which records each.
void run_round(MpiSession& session, const MessageBuffers& buffers, const Pairs& asked,
               const Round& round) {
    const MpiTeam& team = session.team();
    Session& own = session.own();
    begin_round(session, asked, round);
    const std::optional<End> end = end_in(asked.pairs, round, team.rank());
    team.meet();
    const PairOutcome mine = end ? sample_pair(session, *end, buffers, asked.bytes) : PairOutcome{};
    team.meet();
    const std::uint64_t page_bytes = team.smallest(buffers.page_bytes());
    const std::vector<std::vector<double>> all =
        team.gather(mine.numbers(static_cast<std::size_t>(own.limits().most)));
    if (!team.leads()) {
        return;
    }
    double longest = 0;
    for (const std::size_t number : round) {
        const auto first = static_cast<std::size_t>(asked.pairs[number].first);
        PairOutcome outcome = PairOutcome::from(all[first]);
        longest = std::max(longest, outcome.taken.timed_seconds);
        own.record(result_of(own.points()[asked.points[number]], asked.bytes, round.size(),
                             std::move(outcome), page_bytes));
    }
    own.add_timed(longest);
}

// Where memory lacks for a size, its points say so, and the launch goes on.
void record_lacking(MpiSession& session, const Pairs& asked, const std::string& why) {
    for (const std::size_t number : asked.points) {
        const Parameters& point = session.own().points()[number];
        session.begin(point);
        session.own().record(not_measured(point, why));
    }
}

void run_consistency(MpiSession& session) {
    const MessageMemory memory(session.team());
    for (const Pairs& asked : pairs_by_size(session.own().points(), session.team().size())) {
        const std::string lacking = memory.why_not(2 * static_cast<double>(asked.bytes));
        if (!lacking.empty()) {
            record_lacking(session, asked, lacking);
            continue;
        }
        const MessageBuffers buffers(asked.bytes, session.own().page_bytes());
        for (const Round& round : rounds_without_shared_ranks(asked.pairs)) {
            run_round(session, buffers, asked, round);
        }
    }
}

const RegisterMpiBenchmark registered("network.consistency", {"pair", "size"}, any_ranks,
                                      &run_consistency);

}  // namespace
}  // namespace machmeter
