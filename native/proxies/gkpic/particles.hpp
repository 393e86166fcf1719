// The particles of one rank: an array for each of their properties.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/values/random_bits.hpp"
#include "proxies/common/lanes.hpp"
#include "proxies/gkpic/geometry.hpp"

namespace machmeter::proxies::gkpic {

// radius, poloidal and toroidal angle, velocity along the field, weight, and all five at the begin
// of the step; the velocity across the field at B = 1, and the particle's number.
enum Column : std::uint8_t {
    radius,
    poloidal,
    toroidal,
    parallel,
    weight,
    radius_before,
    poloidal_before,
    toroidal_before,
    parallel_before,
    weight_before,
    across,
    number,
    columns
};
inline constexpr std::size_t moving = 5;

class Particles {
   public:
    using Values = std::array<double, columns>;

    [[nodiscard]] std::int64_t count() const { return count_; }
    // Of four; the last may go beyond the last particle, into memory that is there.
    [[nodiscard]] std::int64_t groups() const { return (count_ + lane_count - 1) / lane_count; }
    [[nodiscard]] double* operator[](std::size_t column) const {
        return storage_.get() + column * stride_;
    }

    [[nodiscard]] Values at(std::int64_t i) const {
        Values values{};
        for (std::size_t c = 0; c < columns; ++c) {
            values[c] = (*this)[c][i];
        }
        return values;
    }
    void put(std::int64_t i, const Values& values) const {
        for (std::size_t c = 0; c < columns; ++c) {
            (*this)[c][i] = values[c];
        }
    }

    // Of what `of` makes of each weight, in blocks: as many numbers one after the other would lose
    // digits.
    template <class Of>
    [[nodiscard]] double sum(Of&& of) const {
        constexpr std::int64_t block = 1024;
        const double* const weights = (*this)[weight];
        double all = 0;
#pragma omp parallel for schedule(static) reduction(+ : all)
        for (std::int64_t begin = 0; begin < count_; begin += block) {
            double sum = 0;
            for (std::int64_t i = begin; i < std::min(count_, begin + block); ++i) {
                sum += of(weights[i]);
            }
            all += sum;
        }
        return all;
    }

    // New ones are 0, touched first by the threads that will move them.
    void resize(std::int64_t count) {
        if (count + lane_count > capacity_) {
            grow(count);
        }
        count_ = count;
    }

   private:
    // Room for what is likely to arrive from the neighbors. Arrays begin at unlike places of a
    // page: of as many at like ones, the first-level cache would hold no more than eight lines.
    void grow(std::int64_t count) {
        constexpr std::int64_t page = 4096 / sizeof(double);
        constexpr std::int64_t apart = 40;
        const std::int64_t old = count_;
        const std::int64_t capacity = (count + count / 16 + 1024) / page * page + page;
        const auto stride = static_cast<std::size_t>(capacity + apart);
        std::unique_ptr<double[]> larger(new double[columns * stride]);
        for (std::size_t c = 0; c < columns; ++c) {
            double* const to = larger.get() + c * stride;
            const double* const from = (*this)[c];
#pragma omp parallel for schedule(static)
            for (std::int64_t i = 0; i < count; ++i) {
                to[i] = i < old ? from[i] : 0;
            }
            std::fill(to + count, to + capacity, 0.0);
        }
        storage_ = std::move(larger);
        stride_ = stride;
        capacity_ = capacity;
    }

    std::unique_ptr<double[]> storage_;
    std::size_t stride_ = 0;
    std::int64_t count_ = 0;
    std::int64_t capacity_ = 0;
};

// Particles of the whole torus at the start, the same on any ranks: uniform in space, a few near
// every grid point of each interval between planes, Maxwellian, with small weights: a wave and
// noise.
struct Loading {
    std::int64_t per_cell = 0;

    [[nodiscard]] std::int64_t in_interval(const Grid& grid) const {
        return per_cell * (grid.surfaces - 1) * grid.points;
    }
    // Every so many-th of an interval belongs to a copy.
    [[nodiscard]] std::int64_t in_interval(const Grid& grid, const Domain& domain) const {
        return (in_interval(grid) - domain.copy + domain.copies - 1) / domain.copies;
    }

    [[nodiscard]] Particles::Values particle(const Grid& grid, std::int64_t interval,
                                             std::int64_t index) const {
        constexpr double amplitude = 1e-3;
        const std::int64_t id = interval * in_interval(grid) + index;
        const auto random = [&](std::uint64_t stream) {
            return uniform(stream, static_cast<std::uint64_t>(id));
        };
        const std::int64_t cell = index / per_cell;
        const std::int64_t ring = cell / grid.points;
        const double area =
            (static_cast<double>(ring) + random(1)) / static_cast<double>(grid.surfaces - 1);
        constexpr double inner = inner_radius * inner_radius;
        Particles::Values one{};
        one[radius] = std::sqrt(inner + area * (outer_radius * outer_radius - inner));
        one[poloidal] = (static_cast<double>(cell % grid.points) + random(2)) /
                        static_cast<double>(grid.points);
        one[toroidal] =
            (static_cast<double>(interval) + random(3)) / static_cast<double>(grid.planes);
        // Speeds end at 5 thermal ones (Box and Muller, Ann. Math. Stat. 29, 1958).
        const auto speed = [&](std::uint64_t stream) {
            return std::sqrt(-2 * std::log(std::max(1 - random(stream), std::exp(-12.5))));
        };
        const double turn = radians_per_turn * random(5);
        one[parallel] = speed(4) * std::cos(turn);
        const double field =
            1 - one[radius] / major_radius * std::cos(radians_per_turn * one[poloidal]);
        one[across] = speed(6) / std::sqrt(field);
        const double wave = radians_per_turn * (7 * one[poloidal] - 5 * one[toroidal]);
        one[weight] = amplitude * (std::cos(wave) + random(7) - 0.5);
        one[number] = static_cast<double>(id);
        for (std::size_t c = 0; c < moving; ++c) {
            one[radius_before + c] = one[c];
        }
        return one;
    }

    void fill(const Grid& grid, const Domain& domain, Particles& particles) const {
        const std::int64_t each = in_interval(grid, domain);
        particles.resize(each * domain.count);
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < particles.count(); ++i) {
            particles.put(
                i, particle(grid, domain.first + i / each, domain.copy + i % each * domain.copies));
        }
    }
};

}  // namespace machmeter::proxies::gkpic
