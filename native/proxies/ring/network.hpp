// The network: cells in rings, dealt to ranks in turn. Each cell excites the next of its ring after
// a delay; nothing is sooner, so that every group of cells takes all steps of a delay by itself, in
// cache, before all ranks exchange their spikes (as in Arbor: Abi Akar et al., PDP 2019).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/ring/cable.hpp"
#include "proxies/ring/cells.hpp"
#include "proxies/ring/groups.hpp"

namespace machmeter::proxies::ring {

inline constexpr std::uint64_t steps_per_ms = 40;
// Of a spike on its way, 5 ms, and between exchanges.
inline constexpr std::uint64_t delay_steps = 5 * steps_per_ms;

struct Problem {
    std::uint64_t rings = 1;
    // Of a ring.
    std::uint64_t cells = 8;
    int levels = 3;
    // More compartments of every second cell.
    std::uint64_t extra_percent = 0;

    [[nodiscard]] std::uint64_t all() const { return rings * cells; }
    [[nodiscard]] std::uint64_t next(std::uint64_t cell) const {
        return cell % cells == cells - 1 ? cell - (cells - 1) : cell + 1;
    }
    [[nodiscard]] std::uint64_t previous(std::uint64_t cell) const {
        return cell % cells == 0 ? cell + (cells - 1) : cell - 1;
    }
    [[nodiscard]] bool is_large(std::uint64_t cell) const {
        return extra_percent > 0 && cell % 2 == 0;
    }
    // The first cell of each ring gets a spike from outside, of four neighboring rings 1 ms apart.
    [[nodiscard]] bool is_started(std::uint64_t cell) const { return cell % cells == 0; }
    [[nodiscard]] std::uint64_t start_step(std::uint64_t cell) const {
        return (2 + cell / cells % 4) * steps_per_ms;
    }
};

template <class Ranks, class Kernel = CableSteps>
class Network {
   public:
    Network(Ranks& ranks, Phases& phases, const Problem& problem)
        : ranks_(ranks),
          phases_(phases),
          problem_(problem),
          usual_(problem.levels, 0),
          large_(problem.levels, problem.extra_percent) {
        place_cells();
#pragma omp parallel for schedule(static, 1)
        for (Group& group : groups_) {
            lay_out(group, *group.shape);
        }
    }

    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    // All cells at rest, with the spike from outside on its way to each ring.
    void reset() {
#pragma omp parallel for schedule(static, 1)
        for (Group& group : groups_) {
            put_to_rest(group);
        }
        starts_.clear();
        for (std::size_t own = 0; own < slots_.size(); ++own) {
            if (problem_.is_started(cell_of(own))) {
                starts_.push_back({problem_.start_step(cell_of(own)), own});
            }
        }
        admit_starts(0);
    }

    // So many steps, once after each reset.
    void run(std::uint64_t steps) {
        for (std::uint64_t begin = 0; begin < steps; begin += delay_steps) {
            const std::uint64_t end = std::min(begin + delay_steps, steps);
            advance(begin, end, steps);
            if (end < steps) {
                exchange(begin);
                admit_starts(end);
            }
        }
    }

    [[nodiscard]] const Problem& problem() const { return problem_; }
    [[nodiscard]] std::vector<Group>& groups() { return groups_; }
    // Of this rank, whatever lane they are in.
    [[nodiscard]] std::size_t own() const { return slots_.size(); }
    [[nodiscard]] std::uint64_t cell_of(std::size_t own) const {
        return own * static_cast<std::uint64_t>(ranks_.size()) +
               static_cast<std::uint64_t>(ranks_.rank());
    }
    [[nodiscard]] Group& group_of(std::size_t own) { return groups_[slots_[own] / lane_count]; }
    [[nodiscard]] std::size_t lane_of(std::size_t own) const { return slots_[own] % lane_count; }
    // Of all own cells.
    [[nodiscard]] double nodes() const {
        double sum = 0;
        for (const Group& group : groups_) {
            sum += static_cast<double>(group.used * group.parent.size());
        }
        return sum;
    }

   private:
    struct Start {
        std::uint64_t step;
        std::size_t own;
    };

    // Groups of the usual cells, then of the large ones.
    void place_cells() {
        const auto size = static_cast<std::uint64_t>(ranks_.size());
        const auto rank = static_cast<std::uint64_t>(ranks_.rank());
        slots_.resize(problem_.all() / size + (rank < problem_.all() % size ? 1 : 0));
        for (const bool large : {false, true}) {
            std::size_t lane = lane_count;
            for (std::size_t own = 0; own < slots_.size(); ++own) {
                if (problem_.is_large(cell_of(own)) != large) {
                    continue;
                }
                if (lane == lane_count) {
                    groups_.emplace_back().shape = large ? &large_ : &usual_;
                    lane = 0;
                }
                Group& group = groups_.back();
                group.cells[lane] = cell_of(own);
                group.used = lane + 1;
                slots_[own] = (groups_.size() - 1) * lane_count + lane++;
            }
        }
    }

    void admit(std::size_t own, std::uint64_t step, bool is_first) {
        group_of(own).coming.push_back({step, lane_of(own), is_first});
    }

    // Of the interval that begins at this step.
    void admit_starts(std::uint64_t begin) {
        for (const Start& start : starts_) {
            if (start.step >= begin && start.step < begin + delay_steps) {
                admit(start.own, start.step, true);
            }
        }
    }

    void advance(std::uint64_t begin, std::uint64_t end, std::uint64_t steps) {
        const auto span = phases_.in(Phase::compute);
#pragma omp parallel
        {
            Rows rows;
#pragma omp for schedule(static, 1)
            for (Group& group : groups_) {
                std::stable_sort(group.coming.begin(), group.coming.end(),
                                 [](const Event& a, const Event& b) { return a.step < b.step; });
                // The checks need the state before the last step of all.
                const std::uint64_t pause = end == steps ? end - 1 : end;
                kernel_.advance(group, rows, begin, pause);
                if (pause < end) {
                    group.before = group.state;
                    kernel_.advance(group, rows, pause, end);
                }
                group.coming.clear();
                group.delivered_of_coming = 0;
            }
        }
    }

    // One word for each spike: its cell and its step within the interval.
    void exchange(std::uint64_t begin) {
        const auto span = phases_.in(Phase::collective);
        sent_.clear();
        for (Group& group : groups_) {
            for (; group.sent < group.spikes.size(); ++group.sent) {
                const Event& spike = group.spikes[group.sent];
                sent_.push_back(group.cells[spike.lane] * delay_steps + (spike.step - begin));
            }
        }
        ranks_.gather_everywhere(sent_, all_);
        const auto size = static_cast<std::uint64_t>(ranks_.size());
        for (const std::uint64_t word : all_) {
            const std::uint64_t target = problem_.next(word / delay_steps);
            if (target % size == static_cast<std::uint64_t>(ranks_.rank())) {
                admit(target / size, begin + word % delay_steps + delay_steps, false);
            }
        }
    }

    Ranks& ranks_;
    Phases& phases_;
    Problem problem_;
    Shape usual_;
    Shape large_;
    std::vector<Group> groups_;
    // Of each own cell: its group and lane as one number.
    std::vector<std::size_t> slots_;
    std::vector<Start> starts_;
    std::vector<std::uint64_t> sent_;
    std::vector<std::uint64_t> all_;
    Kernel kernel_;
};

}  // namespace machmeter::proxies::ring
