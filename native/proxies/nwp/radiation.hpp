// Heat radiation in every column by itself, band by band: up and down beams in gray bands, as the
// column physics of a weather model does it, with more bands by day.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/common/lane_math.hpp"
#include "proxies/common/lanes.hpp"
#include "proxies/nwp/atmosphere.hpp"
#include "proxies/nwp/patch.hpp"
#include "proxies/nwp/state.hpp"

namespace machmeter::proxies::nwp {

inline constexpr int night_bands = 8;
// So that more bands are whole ones.
inline constexpr int percent_per_step = 25;
inline constexpr double stefan_boltzmann = 5.670374e-8;  // W/(m^2 K^4)
// Of a band for a unit of air above, m^2/kg: from nearly clear to opaque.
inline double absorption(int band) {
    constexpr double least = 1e-5;
    double value = least;
    for (int i = 0; i < band % night_bands; ++i) {
        value *= 2.5;
    }
    return value;
}

// Operations of a cell for one band: one exponential function, both beams 5 each, and 3 for heat
// and depth.
inline constexpr double flops_per_band = flops_per_exp + 13;

// By day, in the half of the domain with larger y, every column has so many percent more bands.
struct Sky {
    std::int64_t edge = 0;
    int more = 0;

    [[nodiscard]] int bands(std::int64_t y) const {
        return 2 * y < edge ? night_bands : night_bands + night_bands * more / 100;
    }
    // Of all columns, on the average.
    [[nodiscard]] double mean_bands() const {
        double sum = 0;
        for (std::int64_t y = 0; y < edge; ++y) {
            sum += bands(y);
        }
        return sum / static_cast<double>(edge);
    }
};

// A test puts a faulty one in its place.
struct Radiation {
    // Adds to the heat what the air takes up in so many seconds. Columns in groups of four; the
    // last one of a row reaches into the halo, which is filled anew before it is read.
    void operator()(const Patch& patch, const Atmosphere& air, const Diagnosed& diagnosed,
                    const Sky& sky, const State& state, double seconds) const {
#pragma omp parallel
        {
            const auto levels = static_cast<std::size_t>(patch.levels);
            std::vector<Lanes> kept(levels);
            std::vector<Lanes> source(levels);
            std::vector<Lanes> gained(levels);
            std::vector<Lanes> column(levels);
#pragma omp for schedule(static)
            for (std::int64_t j = 0; j < patch.count[1]; ++j) {
                for (std::int64_t i = 0; i < patch.count[0]; i += lane_count) {
                    Column at{patch, air, diagnosed, state, patch.at(i, 0, j)};
                    at.prepare(column, source, gained);
                    const int bands = sky.bands(patch.first[1] + j);
                    for (int band = 0; band < bands; ++band) {
                        beams(absorption(band), column, source, kept, gained);
                    }
                    at.warm(gained, seconds / bands);
                }
            }
        }
    }

   private:
    struct Column {
        const Patch& patch;
        const Atmosphere& air;
        const Diagnosed& diagnosed;
        const State& state;
        std::int64_t begin;

        // Air of each level, kg/m^2, and what it radiates as a black body.
        void prepare(std::vector<Lanes>& column, std::vector<Lanes>& source,
                     std::vector<Lanes>& gained) const {
            for (std::int64_t k = 0; k < patch.levels; ++k) {
                const auto level = static_cast<std::size_t>(k);
                const std::int64_t at = begin + k * patch.row();
                const Lanes warmth = load(diagnosed.warmth.data() + at) * air.exner(k);
                const Lanes square = warmth * warmth;
                column[level] = (load(state[density] + at) + air.density(k)) * spacing;
                source[level] = square * square * stefan_boltzmann;
                gained[level] = Lanes{};
            }
        }

        void warm(const std::vector<Lanes>& gained, double seconds) const {
            for (std::int64_t k = 0; k < patch.levels; ++k) {
                double* const to = state[heat] + begin + k * patch.row();
                const double factor = seconds / (heat_capacity * spacing * air.exner(k));
                store(to, load(to) + factor * gained[static_cast<std::size_t>(k)]);
            }
        }
    };

    // No beam comes from above; the ground is as warm as the air on it.
    static void beams(double absorbed, const std::vector<Lanes>& column,
                      const std::vector<Lanes>& source, std::vector<Lanes>& kept,
                      std::vector<Lanes>& gained) {
        Lanes down{};
        for (std::size_t k = column.size(); k-- > 0;) {
            kept[k] = exp_of(-absorbed * column[k]);
            const Lanes after = source[k] + (down - source[k]) * kept[k];
            gained[k] += down - after;
            down = after;
        }
        Lanes up = source[0];
        for (std::size_t k = 0; k < column.size(); ++k) {
            const Lanes after = source[k] + (up - source[k]) * kept[k];
            gained[k] += up - after;
            up = after;
        }
    }
};

}  // namespace machmeter::proxies::nwp
