// The potential of a charge in free space: convolution with the integrated Green function on the
// doubled grid, whose transform is computed once, as the grid is fixed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/session/phases.hpp"
#include "proxies/beampic/block.hpp"
#include "proxies/beampic/green.hpp"
#include "proxies/beampic/pencils.hpp"

namespace machmeter::proxies::beampic {

// Of all ranks in one solve, by the usual count of transforms: there and back along x (two rows at
// once), y and z; two products for each wave of the doubled grid.
inline double flops_of_solve(std::int64_t edge) {
    const auto n = static_cast<double>(edge);
    const double line = 5 * 2 * n * std::log2(2 * n);
    return 2 * line * (n * n / 2 + (n + 1) * n + (n + 1) * 2 * n) + 2 * (n + 1) * 4 * n * n;
}

// Charge and potential; the waves of rows, written and read there and back; those of columns,
// likewise and in the middle; the Green function.
inline double bytes_of_solve(std::int64_t edge) {
    const auto n = static_cast<double>(edge);
    const auto waves = static_cast<double>(wave_groups(edge) * lane_count);
    return sizeof(double) * (2 * n * n * n + 2 * waves * n * n * 4 + 2 * waves * 2 * n * n * 6 +
                             waves * 2 * n * (n + 1));
}

// Of all ranks: waves of rows and of columns, and the Green function.
inline double bytes_of_waves(std::int64_t edge) {
    const auto n = static_cast<double>(edge);
    const auto waves = static_cast<double>(wave_groups(edge) * lane_count);
    return sizeof(double) * (2 * waves * n * n + 2 * waves * 2 * n * n + waves * 2 * n * (n + 1));
}

template <class Ranks, class Work>
class Potential {
   public:
    Potential(Ranks& ranks, Phases& phases, const Domain& domain)
        : domain_(domain),
          green_(transformed_green(ranks, phases)),
          pencils_(ranks, phases, domain) {}

    // Of a charge whose guards were added up; the guards of the potential stay.
    void solve(const Block<double>& charge, const Block<double>& potential) {
        const std::int64_t rows = domain_.y.count;
        pencils_.there([&](std::int64_t r) { return charge.row(r % rows, r / rows); });
        const std::int64_t edge = domain_.edge;
        pencils_.each_column([&](std::int64_t at, Line& line, Line& work) {
            pencils_.fourier().transform(Way::forward, line, work);
            Work::multiply(line.data(), green_.get() + at * (edge + 1), edge);
            pencils_.fourier().transform(Way::backward, line, work);
        });
        pencils_.back([&](std::int64_t r) { return potential.row(r % rows, r / rows); });
    }

   private:
    [[nodiscard]] std::unique_ptr<Lanes[]> transformed_green(Ranks& ranks, Phases& phases) const {
        const std::int64_t edge = domain_.edge;
        Pencils<Ranks, Half::mirror> mirrored(ranks, phases, domain_);
        const std::int64_t width = groups_of(edge + 1) * lane_count;
        const Share& y = mirrored.rows();
        const Share& z = mirrored.planes();
        const std::unique_ptr<double[]> values(
            new double[static_cast<std::size_t>(width * y.count * z.count)]);
#pragma omp parallel for schedule(static)
        for (std::int64_t r = 0; r < y.count * z.count; ++r) {
            for (std::int64_t x = 0; x < width; ++x) {
                values[static_cast<std::size_t>(r * width + x)] =
                    potential_of_cell(x, y.first + r % y.count, z.first + r / y.count);
            }
        }
        mirrored.there([&](std::int64_t r) { return values.get() + r * width; });
        std::unique_ptr<Lanes[]> green(
            new Lanes[static_cast<std::size_t>(mirrored.columns() * (edge + 1))]);
        // Transforms there and back are without scaling.
        const double scale = 1 / std::pow(2 * static_cast<double>(edge), 3);
        mirrored.each_column([&](std::int64_t at, Line& line, Line& work) {
            mirrored.fourier().transform(Way::forward, line, work);
            for (std::int64_t k = 0; k <= edge; ++k) {
                green[static_cast<std::size_t>(at * (edge + 1) + k)] =
                    line[static_cast<std::size_t>(k)].re * scale;
            }
        });
        return green;
    }

    const Domain& domain_;
    // Of each line along z the waves from 0 to the highest: it is real and even. Before the
    // pencils, so that those of its transform are gone when they come.
    std::unique_ptr<Lanes[]> green_;
    Pencils<Ranks, Half::empty> pencils_;
};

}  // namespace machmeter::proxies::beampic
