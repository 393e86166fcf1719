// Populations of a list of cells, in one copy: steps in pairs, of which the first reads and writes
// a cell's own places, the second those of its neighbors (Bailey et al., ICPP 2009).
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "codes/common/touch.hpp"
#include "codes/lbm/collide.hpp"
#include "codes/lbm/runs.hpp"
#include "core/memory/memory.hpp"

namespace machmeter::lbm {

class Lattice {
   public:
    Lattice(Geometry geometry, const Fluid& fluid, codes::Touch touch, std::size_t page_bytes,
            int threads)
        : geometry_(std::move(geometry)),
          fluid_(fluid),
          threads_(threads),
          runs_(runs_of(geometry_)),
          shares_(shares_of(runs_, geometry_.fluid(), threads)) {
        constexpr std::size_t line = 8;
        for (std::size_t q = 0; q < directions; ++q) {
            // So that those of one cell lie in unlike sets of a cache.
            const std::size_t before = q * 5 * line;
            memory_.emplace_back((geometry_.fluid() + before) * sizeof(double), page_bytes);
            codes::touch_pages(memory_.back(), touch, page_bytes, threads);
            populations_[q] = memory_.back().as<double>() + before;
        }
    }

    [[nodiscard]] const Geometry& geometry() const { return geometry_; }
    [[nodiscard]] const Fluid& fluid() const { return fluid_; }
    [[nodiscard]] int threads() const { return threads_; }
    [[nodiscard]] std::size_t cells() const { return geometry_.fluid(); }
    [[nodiscard]] std::size_t runs() const { return runs_.size(); }
    // What arrived at a cell, where the number of steps is even.
    [[nodiscard]] double* population(std::size_t direction) const {
        return populations_[direction];
    }
    [[nodiscard]] double data_bytes() const {
        return static_cast<double>(cells() * directions * sizeof(double) + list_bytes() +
                                   geometry_.bytes());
    }
    // Every population read and written in each step, the list read in every other.
    [[nodiscard]] double moved_in_two_steps() const {
        return static_cast<double>(4 * cells() * directions * sizeof(double) + list_bytes());
    }

    // The same velocity everywhere.
    void start(const std::array<double, 3>& velocity) {
#pragma omp parallel num_threads(threads_)
        {
            const auto [begin, end] = own_cells();
            for (std::size_t q = 0; q < directions; ++q) {
                const Offset offset = offset_of(q);
                const double value =
                    weight_of(q) * (1 + 3 * (offset[0] * velocity[0] + offset[1] * velocity[1] +
                                             offset[2] * velocity[2]));
                for (std::size_t cell = begin; cell < end; ++cell) {
                    populations_[q][cell] = value;
                }
            }
        }
    }

    void run(std::uint64_t pairs_of_steps) {
#pragma omp parallel num_threads(threads_)
        for (std::uint64_t pair = 0; pair < pairs_of_steps; ++pair) {
            step_in_place();
#pragma omp barrier
            step_to_neighbors();
#pragma omp barrier
        }
    }

   private:
    [[nodiscard]] std::size_t list_bytes() const { return runs_.size() * sizeof(Run); }

    [[nodiscard]] std::pair<std::size_t, std::size_t> own_runs() const {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        return {shares_[thread], shares_[thread + 1]};
    }
    [[nodiscard]] std::size_t first_cell(std::size_t run) const {
        return run == runs_.size() ? cells() : static_cast<std::size_t>(runs_[run].first);
    }
    [[nodiscard]] std::pair<std::size_t, std::size_t> own_cells() const {
        const auto [begin, end] = own_runs();
        return {first_cell(begin), first_cell(end)};
    }

    // What arrived at a cell collides; what leaves along a direction lies where its opposite was.
    void step_in_place() const {
        const auto [begin, end] = own_cells();
        Places places = populations_;
        for (double*& place : places) {
            place += begin;
        }
        collide_cells(fluid_, places, end - begin);
    }

    // What left the neighbors is read from there, and what leaves is written to where it arrives:
    // no place belongs to two cells.
    void step_to_neighbors() const {
        const auto [begin, end] = own_runs();
        for (std::size_t number = begin; number < end; ++number) {
            const Run& run = runs_[number];
            Places places = populations_;
            for (std::size_t q = 0; q < directions; ++q) {
                const bool wall = (run.from_wall >> q & 1U) != 0;
                places[q] = populations_[wall ? q : opposite(q)] + run.first + run.offsets[q];
            }
            collide_cells(fluid_, places, static_cast<std::size_t>(run.cells));
        }
    }

    Geometry geometry_;
    Fluid fluid_;
    int threads_;
    std::vector<Run> runs_;
    std::vector<std::size_t> shares_;
    std::vector<Memory> memory_;
    Places populations_{};
};

}  // namespace machmeter::lbm
