// Where the time of an event goes on one rank: phases that a program marks itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/record/point.hpp"
#include "core/session/team.hpp"

namespace machmeter {

// halo: messages with neighbors, waiting for them included; collective: operations of all ranks,
// likewise.
enum class Phase { compute, halo, collective };

inline constexpr std::array<std::pair<Phase, const char*>, 3> all_phases{{
    {Phase::compute, "compute"},
    {Phase::halo, "halo"},
    {Phase::collective, "collective"},
}};

class Phases {
   public:
    explicit Phases(const Clock& clock) : clock_(clock) {}

    // Counts as a phase until it ends. Phases do not nest.
    class Span {
       public:
        Span(Phases& phases, Phase phase)
            : phases_(phases), phase_(phase), begin_(phases.clock_.now()) {
            phases.current_ = phase;
        }
        Span(const Span&) = delete;
        Span& operator=(const Span&) = delete;
        ~Span() {
            phases_.add(phase_, seconds_between(begin_, phases_.clock_.now()));
            phases_.current_.reset();
        }

       private:
        Phases& phases_;
        Phase phase_;
        std::uint64_t begin_;
    };

    [[nodiscard]] Span in(Phase phase) { return {*this, phase}; }
    [[nodiscard]] bool are_in(Phase phase) const { return current_ == phase; }

    void add(Phase phase, double seconds) { seconds_[static_cast<std::size_t>(phase)] += seconds; }
    [[nodiscard]] double seconds(Phase phase) const {
        return seconds_[static_cast<std::size_t>(phase)];
    }
    void clear() { seconds_ = {}; }

   private:
    Clock clock_;
    std::optional<Phase> current_;
    std::array<double, all_phases.size()> seconds_{};
};

// Adds each phase's share of the ranks' time, and the imbalance: the share of it that the mean rank
// lacks of the computing of the busiest, 1 - mean / most. What is 0 is left out. Every rank calls
// this; `event_seconds` is the root's time of the events that the phases are of.
template <GatheringTeam T>
void describe_phases(T& team, const Phases& phases, double event_seconds, PointResult& result) {
    std::vector<double> mine;
    for (const auto& [phase, name] : all_phases) {
        mine.push_back(phases.seconds(phase));
    }
    const std::vector<std::vector<double>> by_rank = team.gather(mine);
    if (by_rank.empty() || event_seconds <= 0) {
        return;
    }
    const auto add = [&](std::string name, double value) {
        if (value > 0) {
            result.quantity(name, value);
        }
    };
    const auto ranks = static_cast<double>(by_rank.size());
    for (std::size_t i = 0; i < all_phases.size(); ++i) {
        double sum = 0;
        double most = 0;
        for (const std::vector<double>& of_rank : by_rank) {
            sum += of_rank[i];
            most = std::max(most, of_rank[i]);
        }
        add(std::string(all_phases[i].second) + "_share", sum / ranks / event_seconds);
        if (all_phases[i].first == Phase::compute && most > 0) {
            add("imbalance", 1 - sum / ranks / most);
        }
    }
}

}  // namespace machmeter
