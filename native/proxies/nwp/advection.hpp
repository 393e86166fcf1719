// What the flow carries: fluxes of fifth order along x and y and of third order upwards, which lean
// upwind (Wicker and Skamarock, Mon. Wea. Rev. 130, 2002).
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/nwp/atmosphere.hpp"
#include "proxies/nwp/patch.hpp"
#include "proxies/nwp/state.hpp"

namespace machmeter::proxies::nwp {

// From the three values before a face and the three from it on, each `step` further.
inline double flux_of_fifth(const double* values, std::int64_t step, double mass) {
    const double near = values[0] + values[-step];
    const double next = values[step] + values[-2 * step];
    const double far = values[2 * step] + values[-3 * step];
    const double near_slope = values[0] - values[-step];
    const double next_slope = values[step] - values[-2 * step];
    const double far_slope = values[2 * step] - values[-3 * step];
    return (mass * (37 * near - 8 * next + far) -
            std::abs(mass) * (10 * near_slope - 5 * next_slope + far_slope)) *
           (1.0 / 60);
}

inline double flux_of_third(const double* values, std::int64_t step, double mass) {
    const double near = values[0] + values[-step];
    const double next = values[step] + values[-2 * step];
    const double near_slope = values[0] - values[-step];
    const double next_slope = values[step] - values[-2 * step];
    return (mass * (7 * near - next) - std::abs(mass) * (3 * near_slope - next_slope)) * (1.0 / 12);
}

// Of a value of second order, that the acoustic steps add.
inline double flux_of_second(const double* values, std::int64_t step, double mass) {
    return mass * 0.5 * (values[0] + values[-step]);
}

// Operations of a cell for the three fluxes of a variable.
inline constexpr double flops_per_advection = 2 * 23 + 16 + 3 + 6;

// A test puts a faulty one in its place.
struct Advection {
    // change = - div(momenta values), of values on the faces across dimension `of`, or in cells
    // where it is 3; there without the flux of second order.
    void operator()(const Patch& patch, const State& state, const double* values, std::size_t of,
                    double* change) const {
        const std::int64_t rows = patch.count[1];
#pragma omp parallel
        {
            const int threads = omp_get_num_threads();
            const int thread = omp_get_thread_num();
            // The rows that for_slabs gives to a thread, in one piece.
            Sweep sweep(patch, state, values, of, change);
            const std::int64_t whole = rows / threads;
            const std::int64_t more = rows % threads;
            const std::int64_t begin = thread * whole + std::min<std::int64_t>(thread, more);
            sweep.run(begin, begin + whole + (thread < more ? 1 : 0));
        }
    }

   private:
    // Along y, with the fluxes of the row before kept.
    class Sweep {
       public:
        Sweep(const Patch& patch, const State& state, const double* values, std::size_t of,
              double* change)
            : patch_(patch),
              state_(state),
              values_(values),
              of_(of),
              change_(change),
              begin_(of == 2 ? 1 : 0),
              south_(static_cast<std::size_t>(patch.count[0] * patch.levels)),
              west_(static_cast<std::size_t>(patch.count[0] + 1)),
              below_(static_cast<std::size_t>(patch.count[0])) {}

        void run(std::int64_t begin, std::int64_t end) {
            for (std::int64_t k = begin_; begin < end && k < patch_.levels; ++k) {
                fluxes<1>(k, begin, patch_.count[0],
                          [&](std::int64_t i, double flux) { south(k)[i] = flux; });
            }
            for (std::int64_t j = begin; j < end; ++j) {
                fluxes<2>(begin_, j, patch_.count[0],
                          [&](std::int64_t i, double flux) { below_[at(i)] = flux; });
                for (std::int64_t k = begin_; k < patch_.levels; ++k) {
                    row(k, j);
                }
            }
        }

       private:
        static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
        double* south(std::int64_t k) { return south_.data() + k * patch_.count[0]; }

        void row(std::int64_t k, std::int64_t j) {
            const std::int64_t count = patch_.count[0];
            double* const west = west_.data();
            double* const below = below_.data();
            double* const to_south = south(k);
            double* const change = change_ + patch_.at(0, k, j);
            constexpr double per_spacing = 1 / spacing;
            fluxes<0>(k, j, count + 1, [=](std::int64_t i, double flux) { west[i] = flux; });
#pragma omp simd
            for (std::int64_t i = 0; i < count; ++i) {
                change[i] = (west[i] - west[i + 1] + to_south[i] + below[i]) * per_spacing;
            }
            fluxes<1>(k, j + 1, count, [=](std::int64_t i, double flux) {
                to_south[i] = flux;
                change[i] -= flux * per_spacing;
            });
            fluxes<2>(k + 1, j, count, [=](std::int64_t i, double flux) {
                below[i] = flux;
                change[i] -= flux * per_spacing;
            });
        }

        // `use(i, flux)` for the faces towards smaller x, y or z of a row, by dimension.
        template <std::size_t dimension, class Use>
        void fluxes(std::int64_t k, std::int64_t j, std::int64_t count, Use&& use) const {
            const std::int64_t step = patch_.steps()[dimension];
            const std::int64_t begin = patch_.at(0, k, j);
            const double* const values = values_ + begin;
            const double* const momentum = state_[dimension] + begin;
            const std::int64_t back = of_ < 3 ? patch_.steps()[of_] : 0;
            const bool without_second = of_ == 3;
#pragma omp simd
            for (std::int64_t i = 0; i < count; ++i) {
                const double mass = 0.5 * (momentum[i] + momentum[i - back]);
                double flux = dimension < 2 ? flux_of_fifth(values + i, step, mass)
                                            : flux_of_third(values + i, step, mass);
                flux -= without_second ? flux_of_second(values + i, step, mass) : 0;
                use(i, flux);
            }
        }

        Patch patch_;
        const State& state_;
        const double* values_;
        std::size_t of_;
        double* change_;
        std::int64_t begin_;
        std::vector<double> south_;
        std::vector<double> west_;
        std::vector<double> below_;
    };
};

}  // namespace machmeter::proxies::nwp
