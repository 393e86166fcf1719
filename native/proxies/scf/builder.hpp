// The Fock matrix of a density: tasks that ranks take from a counter they share, one pair with all
// before it.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/session/phases.hpp"
#include "core/values/random_bits.hpp"
#include "proxies/common/ranks.hpp"
#include "proxies/common/task_counter.hpp"
#include "proxies/scf/boys.hpp"
#include "proxies/scf/matrices.hpp"
#include "proxies/scf/pairs.hpp"
#include "proxies/scf/repulsion.hpp"

namespace machmeter::proxies::scf {

// What a thread added up.
struct alignas(128) Part {
    Matrix sum;
    // Of the numbers of its tasks.
    std::uint64_t marks = 0;
    double quartets = 0;
};

inline std::uint64_t mark_of(std::size_t task) { return mix(task + golden_step); }

// (ij|kl) of one pair ij and `count` others, with the times that it stands for, into two electrons'
// part of the Fock matrix: 2 J - K of the density, of which only the sum with its transpose counts.
inline void spread(const Pairs& pairs, std::size_t ij, std::size_t first, std::size_t count,
                   const double* values, const Matrix& density, Matrix& sum) {
    const auto [i, j, of_ij] = pairs[ij];
    const double times_of_ij = i == j ? 1 : 2;
    double direct = 0;
    for (std::size_t n = 0; n < count; ++n) {
        const auto [k, l, of_kl] = pairs[first + n];
        const double times = times_of_ij * (k == l ? 1 : 2) * (first + n == ij ? 1 : 2);
        const double value = times * values[n];
        const double exchanged = value / 4;
        direct += density(k, l) * value;
        sum(k, l) += density(i, j) * value;
        sum(i, k) -= density(j, l) * exchanged;
        sum(j, l) -= density(i, k) * exchanged;
        sum(i, l) -= density(j, k) * exchanged;
        sum(j, k) -= density(i, l) * exchanged;
    }
    sum(i, j) += direct;
}

template <class Ranks, TaskCounter Counter, class Kernel = Repulsion>
class Builder {
   public:
    Builder(Ranks& ranks, Phases& phases, Counter& counter, const std::vector<Position>& atoms)
        : ranks_(ranks),
          phases_(phases),
          counter_(counter),
          pairs_(atoms),
          parts_(static_cast<std::size_t>(omp_get_max_threads())) {
#pragma omp parallel
        parts_[static_cast<std::size_t>(omp_get_thread_num())].sum = Matrix(atoms.size());
    }

    // 2 J - K on every rank.
    void build(const Matrix& density, Matrix& result) {
        clear();
        const auto tasks = static_cast<std::int64_t>(pairs_.size());
        // So few that the last ones are short, so many that threads wait rarely.
        const std::int64_t chunk = 4 * static_cast<std::int64_t>(parts_.size());
        for (std::int64_t next = take(chunk); next < tasks; next = take(chunk)) {
            const auto span = phases_.in(Phase::compute);
            const std::int64_t end = std::min(next + chunk, tasks);
#pragma omp parallel for schedule(dynamic)
            for (std::int64_t task = next; task < end; ++task) {
                work(static_cast<std::size_t>(task), density,
                     parts_[static_cast<std::size_t>(omp_get_thread_num())]);
            }
        }
        add_up(result);
        counter_.clear(slot_);
        slot_ = 1 - slot_;
    }

    [[nodiscard]] const Pairs& pairs() const { return pairs_; }

    // Of the tasks that this rank took for the last matrix.
    [[nodiscard]] std::uint64_t marks() const {
        std::uint64_t sum = 0;
        for (const Part& part : parts_) {
            sum += part.marks;
        }
        return sum;
    }
    [[nodiscard]] double quartets() const {
        double sum = 0;
        for (const Part& part : parts_) {
            sum += part.quartets;
        }
        return sum;
    }

   private:
    void clear() {
        const auto span = phases_.in(Phase::compute);
#pragma omp parallel
        {
            Part& part = parts_[static_cast<std::size_t>(omp_get_thread_num())];
            std::fill(part.sum.values().begin(), part.sum.values().end(), 0.0);
            part.marks = 0;
            part.quartets = 0;
        }
    }

    // What rank 0 is asked for by another is a message there and back.
    std::int64_t take(std::int64_t count) {
        const auto span = phases_.in(Phase::collective);
        if (ranks_.rank() != 0) {
            ranks_.traffic().sent(ranks_.rank(), 0, sizeof count);
        }
        return counter_.take(slot_, count);
    }

    // The longest tasks, those of the last pairs, first.
    void work(std::size_t task, const Matrix& density, Part& part) const {
        const std::size_t ij = pairs_.size() - 1 - task;
        const std::size_t partners = pairs_.partners(ij);
        constexpr std::size_t most = 256;
        std::array<double, most> values;
        for (std::size_t first = 0; first < partners; first += most) {
            const std::size_t count = std::min(most, partners - first);
            std::fill_n(values.begin(), count, 0.0);
            kernel_(pairs_, boys_, ij, first, count, values.data());
            spread(pairs_, ij, first, count, values.data(), density, part.sum);
        }
        part.marks += mark_of(task);
        part.quartets += static_cast<double>(partners);
    }

    // Of all threads and ranks, with the transpose.
    void add_up(Matrix& result) {
        const std::size_t order = result.order();
        {
            const auto span = phases_.in(Phase::compute);
#pragma omp parallel for schedule(static)
            for (std::int64_t row = 0; row < static_cast<std::int64_t>(order); ++row) {
                const auto i = static_cast<std::size_t>(row);
                for (std::size_t j = 0; j < order; ++j) {
                    double sum = 0;
                    for (const Part& part : parts_) {
                        sum += (part.sum(i, j) + part.sum(j, i)) / 2;
                    }
                    result(i, j) = sum;
                }
            }
        }
        const auto span = phases_.in(Phase::collective);
        ranks_.sum(result.values());
    }

    Ranks& ranks_;
    Phases& phases_;
    Counter& counter_;
    Pairs pairs_;
    BoysTable boys_;
    Kernel kernel_;
    std::vector<Part> parts_;
    int slot_ = 0;
};

}  // namespace machmeter::proxies::scf
