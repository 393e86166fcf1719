// The particles of one rank, an array for each of position, velocity and number, and where four of
// them are in the grid: their cells and how far into them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "proxies/beampic/domain.hpp"
#include "proxies/common/lanes.hpp"

namespace machmeter::proxies::beampic {

// x, y, z; velocities along them; the particle's number.
inline constexpr std::size_t columns = 7;
inline constexpr std::size_t number_column = 6;
using Particle = std::array<double, columns>;

class Particles {
   public:
    [[nodiscard]] std::int64_t count() const { return count_; }
    // Of four; the last may go beyond the last particle, into memory that is there.
    [[nodiscard]] std::int64_t groups() const { return groups_of(count_); }
    [[nodiscard]] double* operator[](std::size_t column) const {
        return values_[column].get() + static_cast<std::int64_t>(column) * apart;
    }
    [[nodiscard]] Particle at(std::int64_t i) const {
        Particle one{};
        for (std::size_t c = 0; c < columns; ++c) {
            one[c] = (*this)[c][i];
        }
        return one;
    }
    void put(std::int64_t i, const Particle& one) const {
        for (std::size_t c = 0; c < columns; ++c) {
            (*this)[c][i] = one[c];
        }
    }

    void resize(std::int64_t count) {
        if (count + lane_count > stride_) {
            grow(count);
        }
        count_ = count;
    }

   private:
    // Room for those that are likely to arrive, touched first by the threads that move them; one
    // array after the other, so that no more than one is there twice. They begin at unlike places
    // of a page, so that they do not share the lines of a cache.
    void grow(std::int64_t count) {
        const std::int64_t stride = count + count / 8 + 64;
        for (std::size_t c = 0; c < columns; ++c) {
            const std::int64_t begin = static_cast<std::int64_t>(c) * apart;
            std::unique_ptr<double[]> larger(new double[static_cast<std::size_t>(begin + stride)]);
            double* const to = larger.get() + begin;
            const double* const from = (*this)[c];
#pragma omp parallel for schedule(static)
            for (std::int64_t i = 0; i < stride; ++i) {
                to[i] = i < count_ ? from[i] : 0;
            }
            values_[c] = std::move(larger);
        }
        stride_ = stride;
    }

    static constexpr std::int64_t apart = 72;

    std::array<std::unique_ptr<double[]>, columns> values_;
    std::int64_t stride_ = 0;
    std::int64_t count_ = 0;
};

// Operations for each: three to the whole part, three to the rest.
inline constexpr double flops_per_place = 6;

struct Cells {
    // Offset of the cell's lowest point in a block without layers below.
    LaneIndices low;
    Lanes x;
    Lanes y;
    Lanes z;
};

// The cell, within 0 and `last` even where a particle is lost, and what is left of the position.
inline LaneIndices cell_of(Lanes& position, std::int64_t last) {
    LaneIndices cell = __builtin_convertvector(position, LaneIndices);
    const auto most = static_cast<std::int32_t>(last);
    const LaneIndices highest{most, most, most, most};
    cell = cell > highest ? highest : cell;
    cell = cell < 0 ? LaneIndices{} : cell;
    position -= __builtin_convertvector(cell, Lanes);
    return cell;
}

// What a rank needs of its domain to find cells in a block.
struct Lattice {
    std::int64_t last_x;
    std::int64_t last_y;
    std::int64_t last_z;
    double first_y;
    double first_z;
    std::int64_t row;
    std::int64_t plane;

    Lattice(const Domain& domain, std::int64_t width, std::int64_t rows)
        : last_x(domain.edge - 2),
          last_y(domain.y.count - 1),
          last_z(domain.z.count - 1),
          first_y(static_cast<double>(domain.y.first)),
          first_z(static_cast<double>(domain.z.first)),
          row(width),
          plane(width * rows) {}

    [[nodiscard]] Cells cells(const Particles& particles, std::int64_t first) const {
        Lanes x = load(particles[0] + first);
        Lanes y = load(particles[1] + first) - first_y;
        Lanes z = load(particles[2] + first) - first_z;
        const LaneIndices at_x = cell_of(x, last_x);
        const LaneIndices at_y = cell_of(y, last_y);
        const LaneIndices at_z = cell_of(z, last_z);
        const auto row_step = static_cast<std::int32_t>(row);
        const auto plane_step = static_cast<std::int32_t>(plane);
        return {at_x + at_y * row_step + at_z * plane_step, x, y, z};
    }
};

}  // namespace machmeter::proxies::beampic
