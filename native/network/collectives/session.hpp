// What benchmarks of collective operations share: hosts, the global clock, rounds that begin
// together, and their quantities and attributes.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/host/memory_size.hpp"
#include "mpi/hosts.hpp"
#include "mpi/runtime.hpp"
#include "mpi/team.hpp"
#include "network/clocks/global_clock.hpp"
#include "network/collectives/collective.hpp"
#include "network/collectives/round_report.hpp"
#include "network/collectives/round_start.hpp"

namespace machmeter {

// Throws UsageError.
inline Start start_of(const Parameters& point) {
    return point.choice<Start>("start", {{"time", Start::time}, {"barrier", Start::barrier}});
}

// A periodic grid of two dimensions by MPI_Dims_create, or a ring where one of them would be 1.
// Ranks keep their numbers.
class NeighborGroup {
   public:
    explicit NeighborGroup(MPI_Comm all) {
        int ranks = 0;
        MPI_Comm_size(all, &ranks);
        std::array<int, 2> lengths{};
        MPI_Dims_create(ranks, 2, lengths.data());
        const int dimensions = lengths[1] > 1 ? 2 : 1;
        const std::array<int, 2> periodic{1, 1};
        MPI_Comm group = MPI_COMM_NULL;
        MPI_Cart_create(all, dimensions, lengths.data(), periodic.data(), 0, &group);
        group_ = std::make_unique<OwnCommunicator>(group);
        for (int dimension = 0; dimension < dimensions; ++dimension) {
            int before = 0;
            int after = 0;
            MPI_Cart_shift(group, dimension, 1, &before, &after);
            neighbors_.push_back(static_cast<std::uint64_t>(before));
            neighbors_.push_back(static_cast<std::uint64_t>(after));
        }
        text_ = dimensions == 1 ? "periodic ring of " + std::to_string(ranks)
                                : "periodic grid of " + std::to_string(lengths[0]) + " x " +
                                      std::to_string(lengths[1]);
    }

    [[nodiscard]] MPI_Comm get() const { return group_->get(); }

    // In MPI's order: of each dimension the rank before, then the one after (MPI 3.1, 7.6).
    [[nodiscard]] const std::vector<std::uint64_t>& neighbors() const { return neighbors_; }

    [[nodiscard]] const std::string& to_text() const { return text_; }

   private:
    std::unique_ptr<OwnCommunicator> group_;
    std::vector<std::uint64_t> neighbors_;
    std::string text_;
};

class CollectiveSession {
   public:
    explicit CollectiveSession(MpiSession& session)
        : session_(session),
          hosts_(session.team()),
          clock_(session.team(), hosts_, session.clock()),
          neighbors_(session.team().group()) {}

    [[nodiscard]] MpiSession& session() { return session_; }
    [[nodiscard]] const MpiTeam& team() const { return session_.team(); }
    [[nodiscard]] const Clock& clock() const { return session_.clock(); }
    [[nodiscard]] const ClockModel& model() const { return clock_.model(); }
    [[nodiscard]] double clock_bound() const { return clock_.bound(); }

    // Measures the clocks again: the largest error of any rank's global time before, seconds.
    double renew_clock() { return clock_.renew(); }

    [[nodiscard]] const RankHosts& hosts() const { return hosts_; }
    [[nodiscard]] const std::string& neighbor_text() const { return neighbors_.to_text(); }

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

    // What an operation lacks, memory included; the same text on every rank.
    [[nodiscard]] std::string why_not(const CollectiveShape& shape, Element element,
                                      Form form) const {
        const std::string lacks = lacking(shape, element, form);
        return lacks.empty() ? lacking_memory(shape) : lacks;
    }

    // Rounds of `event(i)`, whose cost is known, that begin together; `group` of them belong
    // together. Repeated where the clocks drifted apart during them.
    template <class Event>
    Rounds rounds(const EventCost& cost, Start start, std::uint64_t group, Event&& event) {
        constexpr int most_attempts = 3;
        const RoundPlan plan = plan_rounds(cost, session_.clock_facts(), session_.limits(), start,
                                           hosts_.crowded(), group);
        const CpuWatch watch = session_.watch_cpu();
        Rounds taken;
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            if (start == Start::time) {
                renew_clock();
            }
            taken = take_rounds(team(), clock(), clock_.model(), session_.limits(), plan, event);
            session_.add_timed(taken.timed_seconds);
            taken.clock_error_seconds = start == Start::time ? renew_clock() : 0;
            if (clock_is_right(taken, cost)) {
                break;
            }
        }
        return taken;
    }

    template <class Event>
    [[nodiscard]] EventCost cost(Event&& event) const {
        return measure_cost(team(), clock(), session_.limits().seconds / 2, event);
    }

    // Adds what concerns the start of rounds to a result.
    void describe(PointResult& result, const Rounds& rounds, Start start,
                  const EventCost& cost) const {
        describe_rounds(result, rounds, start);
        describe_clock_share(result, share_of_clock(session_.clock_facts(), cost.event_seconds));
        result.quantity("ranks", team().size()).quantity("nodes", hosts_.nodes());
        if (start == Start::time) {
            const double bound = clock_bound();
            result.quantity("clock_error_seconds", rounds.clock_error_seconds)
                .quantity("clock_bound_seconds", bound);
            const bool is_sure = bound <= largest_clock_error * cost.event_seconds;
            result.attribute(
                "clocks", clock_.to_text() + (is_sure ? ""
                                                      : "; an error under 5 % of the event is as "
                                                        "observed, not as bounded"));
        }
    }

    // Records `measure(buffers, planned)` of each of `all`, or that it is not measured, where its
    // `why_not` is not empty. The buffers fit the largest `shape` of the others.
    template <class Planned, class Measure>
    void record_each(const std::vector<Planned>& all, Measure&& measure) {
        std::uint64_t out = 0;
        std::uint64_t in = 0;
        for (const Planned& planned : all) {
            if (planned.why_not.empty()) {
                out = std::max(out, out_bytes(planned.shape));
                in = std::max(in, in_bytes(planned.shape));
            }
        }
        const MessageBuffers buffers(out, in, session_.page_bytes());
        for (const Planned& planned : all) {
            session_.begin(planned.point);
            session_.record(planned.why_not.empty() ? measure(buffers, planned)
                                                    : not_measured(planned.point, planned.why_not));
        }
    }

   private:
    // Buffers of all ranks of a node may take a quarter of its available memory.
    [[nodiscard]] std::string lacking_memory(const CollectiveShape& shape) const {
        constexpr double largest_share = 0.25;
        const auto mine = static_cast<double>(out_bytes(shape) + in_bytes(shape));
        const double needed = hosts_.machine().sum(mine);
        if (team().all(needed <= largest_share * available_memory_bytes())) {
            return {};
        }
        return "the buffers of the ranks of a node need " + std::to_string(needed / 1e9) +
               " GB, over a quarter of its available memory: request smaller sizes or fewer ranks";
    }

    MpiSession& session_;
    RankHosts hosts_;
    GlobalClock clock_;
    NeighborGroup neighbors_;
};

}  // namespace machmeter
