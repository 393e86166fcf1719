// Charge of particles on the grid, cloud in cell (Birdsall and Fuss, J. Comput. Phys. 3, 1969):
// each thread adds to a block of its own.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "proxies/beampic/block.hpp"
#include "proxies/beampic/particles.hpp"

namespace machmeter::proxies::beampic {

// Three complements, a product with the charge, weights of four rows, and of eight points a product
// and a sum.
inline constexpr double flops_per_deposit = flops_per_place + 3 + 2 + 4 + 16;

// Two neighbors along x at once.
using PairOfPoints __attribute__((vector_size(16))) = double;

inline void add_pair(double* place, const PairOfPoints& value) {
    PairOfPoints sum;
    std::memcpy(&sum, place, sizeof(sum));
    sum += value;
    std::memcpy(place, &sum, sizeof(sum));
}

// Of the particles from `begin` to `end`, in groups of four.
inline void deposit(const Particles& particles, std::int64_t begin, std::int64_t end,
                    const Lattice& lattice, double charge, double* values) {
    for (std::int64_t group = begin; group < end; ++group) {
        const std::int64_t first = group * lane_count;
        const Cells cells = lattice.cells(particles, first);
        const Lanes high = cells.z * charge;
        const Lanes low = charge - high;
        const Lanes low_low = low * (1 - cells.y);
        const Lanes low_high = low * cells.y;
        const Lanes high_low = high * (1 - cells.y);
        const Lanes high_high = high * cells.y;
        const auto there =
            static_cast<int>(std::min<std::int64_t>(lane_count, particles.count() - first));
        for (int l = 0; l < there; ++l) {
            double* const at = values + cells.low[l];
            const PairOfPoints along{1 - cells.x[l], cells.x[l]};
            add_pair(at, along * low_low[l]);
            add_pair(at + lattice.row, along * low_high[l]);
            add_pair(at + lattice.plane, along * high_low[l]);
            add_pair(at + lattice.plane + lattice.row, along * high_high[l]);
        }
    }
}

// The charge of a domain, as the sum of what each thread adds in a block of its own.
class Charges {
   public:
    explicit Charges(const Domain& domain)
        : of_thread_(static_cast<std::size_t>(omp_get_max_threads())) {
#pragma omp parallel
        mine() = std::make_unique<Block<double>>(domain, charge_guards);
        for (auto& block : of_thread_) {
            if (!block) {
                block = std::make_unique<Block<double>>(domain, charge_guards);
            }
        }
    }

    [[nodiscard]] const Block<double>& sum() const { return *of_thread_[0]; }

    // `add(first group, end of groups, values of the thread)` for the share of each thread in so
    // many groups; then their sum.
    template <class Add>
    void add_all(std::int64_t groups, Add&& add) {
#pragma omp parallel
        {
            const Block<double>& block = *mine();
            std::fill_n(block.data(), block.size(), 0.0);
            const Share share = share_of(groups, omp_get_thread_num(), omp_get_num_threads());
            add(share.first, share.end(), block.data());
#pragma omp single
            used_ = omp_get_num_threads();
        }
        add_up();
    }

   private:
    [[nodiscard]] std::unique_ptr<Block<double>>& mine() {
        return of_thread_[static_cast<std::size_t>(omp_get_thread_num())];
    }

    void add_up() const {
        const Block<double>& all = sum();
        const std::int64_t size = all.size();
        for (int thread = 1; thread < used_; ++thread) {
            const double* const from = of_thread_[static_cast<std::size_t>(thread)]->data();
            double* const to = all.data();
#pragma omp parallel for simd schedule(static)
            for (std::int64_t i = 0; i < size; ++i) {
                to[i] += from[i];
            }
        }
    }

    std::vector<std::unique_ptr<Block<double>>> of_thread_;
    int used_ = 1;
};

}  // namespace machmeter::proxies::beampic
