// What benchmarks of collective operations share: hosts, the global clock, rounds begun together,
// and what a record says of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/available_memory.hpp"
#include "mpi/hosts.hpp"
#include "mpi/session.hpp"
#include "network/clocks/global_clock.hpp"
#include "network/collectives/collective.hpp"
#include "network/collectives/neighbors.hpp"
#include "network/collectives/round_report.hpp"
#include "network/collectives/round_start.hpp"

namespace machmeter {

inline Start start_named(std::string_view name) {
    if (name != "time" && name != "barrier") {
        throw UsageError("start: '" + std::string(name) + "' is neither time nor barrier");
    }
    return name == "time" ? Start::time : Start::barrier;
}

class CollectiveSession {
   public:
    explicit CollectiveSession(MpiSession& session)
        : session_(session),
          hosts_(session.team()),
          clock_(session.team(), hosts_, session.own().clock()),
          neighbors_(session.team().group()) {}

    [[nodiscard]] MpiSession& session() { return session_; }
    [[nodiscard]] const MpiTeam& team() const { return session_.team(); }
    [[nodiscard]] const Clock& clock() const { return session_.own().clock(); }
    [[nodiscard]] const ClockModel& model() const { return clock_.model(); }
    [[nodiscard]] double clock_bound() const { return clock_.bound(); }

    // Measures the clocks once more: by how much any rank's global time was wrong before, seconds.
    double renew_clock() { return clock_.renew(); }

    [[nodiscard]] const RankHosts& hosts() const { return hosts_; }
    [[nodiscard]] const std::string& neighbor_words() const { return neighbors_.words(); }

    [[nodiscard]] CollectiveShape shape(Operation operation, std::uint64_t bytes) const {
        const auto ranks = static_cast<std::uint64_t>(team().size());
        return {operation,
                bytes,
                has_unequal_parts(operation) ? part_unit(bytes, ranks) : 1,
                ranks,
                static_cast<std::uint64_t>(team().rank()),
                neighbors_.neighbors()};
    }

    [[nodiscard]] MPI_Comm group_of(Operation operation) const {
        return is_among_neighbors(operation) ? neighbors_.get() : team().group();
    }

    // What an operation lacks, memory included; the same words on every rank.
    [[nodiscard]] std::string why_not(const CollectiveShape& shape, Element element,
                                      Form form) const {
        const std::string lacks = lacking(shape, element, form);
        return lacks.empty() ? lacking_memory(shape) : lacks;
    }

    // Rounds of `event(i)`, whose cost is known, begun together; `group` of them belong together.
    // Once more where the clocks came apart meanwhile.
    template <class Event>
    Rounds rounds(const EventCost& cost, Start start, std::uint64_t group, Event&& event) {
        constexpr int most_attempts = 3;
        Session& own = session_.own();
        const RoundPlan plan =
            plan_rounds(cost, own.clock_facts(), own.limits(), start, hosts_.crowded(), group);
        Rounds taken;
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            if (start == Start::time) {
                renew_clock();
            }
            taken = take_rounds(team(), own.clock(), clock_.model(), own.limits(), plan, event);
            own.add_timed(taken.timed_seconds);
            taken.clock_error_seconds = start == Start::time ? renew_clock() : 0;
            if (clock_is_right(taken, cost)) {
                break;
            }
        }
        return taken;
    }

    template <class Event>
    [[nodiscard]] EventCost cost(Event&& event) const {
        return measure_cost(team(), clock(), session_.own().limits().seconds / 2, event);
    }

    // Adds what concerns the start to a result.
    void describe(PointResult& result, const Rounds& rounds, Start start,
                  const EventCost& cost) const {
        describe_rounds(result, rounds, start);
        describe_clock_share(result,
                             share_of_clock(session_.own().clock_facts(), cost.event_seconds));
        result.facts.emplace_back("ranks", team().size());
        result.facts.emplace_back("nodes", static_cast<double>(hosts_.nodes()));
        if (start == Start::time) {
            const double bound = clock_bound();
            result.facts.emplace_back("clock_error_seconds", rounds.clock_error_seconds);
            result.facts.emplace_back("clock_bound_seconds", bound);
            const bool is_sure = bound <= largest_clock_error * cost.event_seconds;
            result.words.emplace_back(
                "clocks", clock_.words() + (is_sure ? ""
                                                    : "; that the error is under 5 % of the "
                                                      "event is as seen, not as bounded"));
        }
    }

   private:
    // Buffers of all ranks of a node may take a quarter of what it has left.
    [[nodiscard]] std::string lacking_memory(const CollectiveShape& shape) const {
        constexpr double largest_share = 0.25;
        const auto mine = static_cast<double>(out_bytes(shape) + in_bytes(shape));
        const double needed = hosts_.machine().sum(mine);
        if (team().all(needed <= largest_share * available_memory_bytes())) {
            return {};
        }
        return "the buffers of the ranks of a node need " + std::to_string(needed / 1e9) +
               " GB, over a quarter of the memory that one has available: ask for smaller sizes "
               "or fewer ranks";
    }

    MpiSession& session_;
    RankHosts hosts_;
    GlobalClock clock_;
    NeighborGroup neighbors_;
};

}  // namespace machmeter
