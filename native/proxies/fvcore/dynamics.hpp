// Steps of the flow: transport on every level, and every few steps the layers of all columns anew.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "core/session/phases.hpp"
#include "core/values/random_bits.hpp"
#include "proxies/fvcore/block.hpp"
#include "proxies/fvcore/halo.hpp"
#include "proxies/fvcore/remap.hpp"
#include "proxies/fvcore/sphere.hpp"
#include "proxies/fvcore/transport.hpp"
#include "proxies/fvcore/transpose.hpp"

namespace machmeter::proxies::fvcore {

// Tracer 1 is 1 everywhere; the others are bells (Williamson et al., J. Comput. Phys. 102, 1992)
// around places of their own, on some noise.
inline double start_of(const Sphere& sphere, std::int64_t field, std::int64_t level,
                       std::int64_t row, std::int64_t i) {
    if (field < 2) {
        return 1;
    }
    constexpr std::uint64_t seed = 1;
    constexpr double radius = 0.8;
    const std::int64_t column = sphere.is_cap(row) ? 0 : i;
    const double longitude = sphere.longitude(column);
    const double latitude = sphere.latitude(row);
    const double center = 0.5 * static_cast<double>(field - 2);
    const double away =
        std::numbers::pi + static_cast<double>(field) +
        0.5 * static_cast<double>(level) / static_cast<double>(sphere.problem().levels);
    const double cosine = std::sin(center) * std::sin(latitude) +
                          std::cos(center) * std::cos(latitude) * std::cos(longitude - away);
    const double distance = std::acos(std::clamp(cosine, -1.0, 1.0)) / radius;
    const double bell = distance < 1 ? 0.5 * (1 + std::cos(std::numbers::pi * distance)) : 0;
    const auto number = static_cast<std::uint64_t>(
        ((field * sphere.problem().levels + level) * sphere.latitudes() + row) *
            sphere.longitudes() +
        column);
    return 0.1 + bell + 0.01 * uniform(seed, number);
}

// Some columns of a row before and after the last remap: [level][field][column].
struct Witness {
    static constexpr std::int64_t most_columns = 32;

    // Every so many of the row, as many as that are.
    std::int64_t step = 1;
    std::int64_t columns = 0;
    std::vector<double> before;
    std::vector<double> after;

    explicit Witness(const Block& block) {
        const std::int64_t longitudes = block.columns_of(block.layer).count;
        step = 1 + longitudes / most_columns;
        columns = (longitudes + step - 1) / step;
        before.resize(static_cast<std::size_t>(block.all_levels * block.fields * columns));
        after = before;
    }

    void save(const Columns& all, std::vector<double>& values) const {
        auto value = values.begin();
        for (std::int64_t k = 0; k < all.levels; ++k) {
            for (std::int64_t f = 0; f < all.fields; ++f) {
                const double* const row = all.at(k, f, all.rows / 2);
                for (std::int64_t i = 0; i < columns; ++i) {
                    *value++ = row[i * step];
                }
            }
        }
    }
};

template <class Ranks, class Transporter = Sweep, class Remapper = Remap>
class Dynamics {
   public:
    Dynamics(Ranks& ranks, Phases& phases, const Problem& problem)
        : phases_(phases),
          sphere_(problem),
          block_(problem, ranks.rank(), ranks.size()),
          halo_(ranks, block_),
          transpose_(ranks, phases, block_),
          now_(block_),
          next_(block_),
          remaps_(static_cast<std::size_t>(omp_get_max_threads())),
          witness_(block_) {
        for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
            sweeps_.emplace_back(sphere_, block_);
        }
    }

    void reset() {
        for_parts(block_, [&](std::int64_t level, std::int64_t first, std::int64_t end) {
            for (std::int64_t f = 0; f < block_.fields; ++f) {
                for (std::int64_t j = first; j < end; ++j) {
                    double* const row = now_.data() + block_.at(level, f, j);
                    for (std::int64_t i = 0; i < block_.longitudes; ++i) {
                        row[i] = start_of(sphere_, f, block_.levels.first + level,
                                          block_.rows.first + j, i);
                    }
                }
            }
        });
        steps_ = 0;
        remapped_ = 0;
        // So that no connection is made in the timed part.
        halo_.exchange(now_.data());
        transpose_.to_columns(now_.data());
        transpose_.to_state(now_.data());
    }

    // Layers are cut anew before a step, so that the last is one of transport.
    void run(std::int64_t steps) {
        const std::int64_t end = steps_ + steps;
        while (steps_ < end) {
            if (steps_ > 0 && steps_ % remap_interval == 0) {
                remap(steps_ + remap_interval >= end);
            }
            {
                const auto span = phases_.in(Phase::halo);
                halo_.exchange(now_.data());
            }
            transport();
            std::swap(now_, next_);
            ++steps_;
        }
    }

    [[nodiscard]] const Sphere& sphere() const { return sphere_; }
    [[nodiscard]] const Block& block() const { return block_; }
    [[nodiscard]] Halo<Ranks>& halo() { return halo_; }
    [[nodiscard]] const State& now() const { return now_; }
    // Before the last step, with its halo.
    [[nodiscard]] const State& before() const { return next_; }
    [[nodiscard]] std::int64_t steps() const { return steps_; }

    [[nodiscard]] const Witness& witness() const { return witness_; }
    [[nodiscard]] std::int64_t remaps() const { return remapped_; }

   private:
    void transport() {
        const auto span = phases_.in(Phase::compute);
        for_parts(block_, [&](std::int64_t level, std::int64_t first, std::int64_t end) {
            const std::int64_t at = level * block_.level_size();
            sweeps_[static_cast<std::size_t>(omp_get_thread_num())](
                sphere_.wind(steps_, block_.levels.first + level), now_.data() + at,
                next_.data() + at, first, end);
        });
    }

    void remap(bool is_last) {
        const Columns columns = transpose_.to_columns(now_.data());
        {
            const auto span = phases_.in(Phase::compute);
            if (is_last) {
                witness_.save(columns, witness_.before);
            }
            cut(columns);
            if (is_last) {
                witness_.save(columns, witness_.after);
            }
        }
        transpose_.to_state(now_.data());
        ++remapped_;
    }

    // Pieces of rows, so that what is kept of one stays in the cache.
    void cut(const Columns& columns) {
        const std::int64_t pieces = (columns.longitudes + longest_piece - 1) / longest_piece;
#pragma omp parallel for schedule(static)
        for (std::int64_t n = 0; n < columns.rows * pieces; ++n) {
            Columns part = columns;
            const Share piece = share_of(columns.longitudes, n % pieces, pieces);
            part.values += piece.first;
            part.longitudes = piece.count;
            remaps_[static_cast<std::size_t>(omp_get_thread_num())](part, n / pieces);
        }
    }

    Phases& phases_;
    Sphere sphere_;
    Block block_;
    Halo<Ranks> halo_;
    Transpose<Ranks> transpose_;
    State now_;
    State next_;
    std::vector<Transporter> sweeps_;
    std::vector<Remapper> remaps_;
    Witness witness_;
    std::int64_t steps_ = 0;
    std::int64_t remapped_ = 0;
};

}  // namespace machmeter::proxies::fvcore
