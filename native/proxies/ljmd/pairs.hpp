// The list of near pairs of a rank: for each own atom all others within reach, own or images.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/common/shares.hpp"
#include "proxies/ljmd/atoms.hpp"
#include "proxies/ljmd/lattice.hpp"

namespace machmeter::proxies::ljmd {

// Cells of half the reach over a brick and what is around it. Those of a row are one after the
// other, so that a row of neighbors is one stretch of memory.
class CellGrid {
   public:
    explicit CellGrid(const Brick& brick) {
        for (std::size_t d = 0; d < 3; ++d) {
            const double width = brick.width(d) + 2 * reach;
            counts_[d] = std::max(1, static_cast<int>(width / (reach / 2)));
            low_[d] = brick.low(d) - reach;
            per_length_[d] = counts_[d] / width;
        }
        for (int z = -layers; z <= layers; ++z) {
            for (int y = -layers; y <= layers; ++y) {
                rows_.push_back({y, z});
            }
        }
    }

    // Sorts atoms into cells; `order` is what is in each cell, one after the other.
    void sort(const std::vector<Lanes>& position) {
        const std::size_t atoms = position.size();
        cell_of_.resize(atoms);
        begins_.assign(cells() + 1, 0);
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < atoms; ++i) {
            cell_of_[i] = cell_at(position[i]);
        }
        for (const std::uint32_t cell : cell_of_) {
            begins_[cell + 1] += 1;
        }
        for (std::size_t cell = 0; cell < cells(); ++cell) {
            begins_[cell + 1] += begins_[cell];
        }
        order_.resize(atoms);
        std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
        for (std::size_t i = 0; i < atoms; ++i) {
            order_[next[cell_of_[i]]++] = static_cast<std::uint32_t>(i);
        }
    }

    [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

    // Calls `use(begin, end)` with the stretches of `order` that hold all within reach of atom i.
    template <class Use>
    void near(std::size_t i, Use&& use) const {
        const int cell = static_cast<int>(cell_of_[i]);
        const int x = cell % counts_[0];
        const int y = cell / counts_[0] % counts_[1];
        const int z = cell / counts_[0] / counts_[1];
        const int first = std::max(0, x - layers);
        const int last = std::min(counts_[0] - 1, x + layers);
        for (const auto& [step_y, step_z] : rows_) {
            const int row_y = y + step_y;
            const int row_z = z + step_z;
            if (row_y >= 0 && row_y < counts_[1] && row_z >= 0 && row_z < counts_[2]) {
                const auto row = static_cast<std::size_t>(counts_[0]) *
                                 static_cast<std::size_t>(row_y + counts_[1] * row_z);
                use(begins_[row + static_cast<std::size_t>(first)],
                    begins_[row + static_cast<std::size_t>(last) + 1]);
            }
        }
    }

   private:
    static constexpr int layers = 2;

    [[nodiscard]] std::size_t cells() const {
        return static_cast<std::size_t>(counts_[0]) * static_cast<std::size_t>(counts_[1]) *
               static_cast<std::size_t>(counts_[2]);
    }

    // Of a position outside the nearest one: rounding may put it there, and one atom is far away.
    [[nodiscard]] std::uint32_t cell_at(const Lanes& position) const {
        std::array<int, 3> at{};
        for (std::size_t d = 0; d < 3; ++d) {
            const double place = (position[static_cast<int>(d)] - low_[d]) * per_length_[d];
            at[d] = static_cast<int>(std::clamp(place, 0.0, counts_[d] - 1.0));
        }
        return static_cast<std::uint32_t>(at[0] + counts_[0] * (at[1] + counts_[1] * at[2]));
    }

    std::array<int, 3> counts_{};
    Vector low_{};
    Vector per_length_{};
    std::vector<std::array<int, 2>> rows_;
    std::vector<std::uint32_t> cell_of_;
    std::vector<std::uint32_t> begins_;
    std::vector<std::uint32_t> order_;
};

// What one thread of the team works on: own atoms first <= i < last, and their neighbors.
struct ThreadPairs {
    std::size_t first = 0;
    std::size_t last = 0;
    // Neighbors of atom i: from begins[i - first], filled up to whole lanes with an atom far away.
    std::vector<std::uint32_t> neighbors;
    std::vector<std::size_t> begins;
    std::uint64_t pairs = 0;
};

class PairList {
   public:
    // far: the number of an atom that is near none.
    void build(const CellGrid& grid, const Atoms& atoms, std::uint32_t far) {
        copies_.resize(atoms.all());
        const std::vector<std::uint32_t>& order = grid.order();
#pragma omp parallel for schedule(static)
        for (std::size_t k = 0; k < order.size(); ++k) {
            copies_[k] = atoms.position[order[k]];
        }
        threads_.resize(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
        {
            const int thread = omp_get_thread_num();
            const auto share = share_of(atoms.own, thread, omp_get_num_threads());
            ThreadPairs& mine = threads_[static_cast<std::size_t>(thread)];
            mine.first = share.first;
            mine.last = share.end();
            list(grid, atoms, far, mine);
        }
    }

    [[nodiscard]] const std::vector<ThreadPairs>& threads() const { return threads_; }

    // Pairs listed, each from both of its atoms.
    [[nodiscard]] std::uint64_t pairs() const {
        std::uint64_t sum = 0;
        for (const ThreadPairs& one : threads_) {
            sum += one.pairs;
        }
        return sum;
    }

   private:
    void list(const CellGrid& grid, const Atoms& atoms, std::uint32_t far, ThreadPairs& mine) {
        mine.begins.assign(1, 0);
        mine.pairs = 0;
        std::size_t end = 0;
        for (std::size_t i = mine.first; i < mine.last; ++i) {
            const std::size_t begin = end;
            const Lanes at = atoms.position[i];
            grid.near(i, [&](std::uint32_t first, std::uint32_t last) {
                end = add_near(at, grid.order(), first, last, end, mine.neighbors);
            });
            end = leave_out(static_cast<std::uint32_t>(i), begin, end, mine.neighbors);
            mine.pairs += end - begin;
            while (end % lane_count != 0) {
                mine.neighbors[end++] = far;
            }
            mine.begins.push_back(end);
        }
    }

    // Appends those of a stretch that are within reach; without a branch that nobody can predict.
    std::size_t add_near(const Lanes& at, const std::vector<std::uint32_t>& order,
                         std::uint32_t first, std::uint32_t last, std::size_t end,
                         std::vector<std::uint32_t>& neighbors) const {
        const std::size_t most = end + (last - first) + lane_count;
        if (neighbors.size() < most) {
            neighbors.resize(most + most / 2);
        }
        std::uint32_t* const out = neighbors.data();
        for (std::uint32_t k = first; k < last; ++k) {
            const Lanes d = copies_[k] - at;
            const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            out[end] = order[k];
            end += square < reach * reach ? 1 : 0;
        }
        return end;
    }

    // An atom is no neighbor of itself.
    static std::size_t leave_out(std::uint32_t atom, std::size_t begin, std::size_t end,
                                 std::vector<std::uint32_t>& neighbors) {
        const auto from = neighbors.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto to = neighbors.begin() + static_cast<std::ptrdiff_t>(end);
        return begin + static_cast<std::size_t>(std::remove(from, to, atom) - from);
    }

    std::vector<Lanes> copies_;
    std::vector<ThreadPairs> threads_;
};

}  // namespace machmeter::proxies::ljmd
