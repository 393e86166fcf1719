// What has to hold of a run: what the equations conserve, and its last step by plain formulas.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "codes/shallow/plain.hpp"
#include "core/values/random_bits.hpp"
#include "proxies/common/faults.hpp"

namespace machmeter::shallow {

// Sums over all cells; heights are masses of cells.
struct Sums {
    double mass = 0;
    double energy = 0;
    double enstrophy = 0;
};

// With what rounding loses (Neumaier, Z. Angew. Math. Mech. 54, 1974).
class ExactSum {
   public:
    void add(double value) {
        const double sum = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
        sum_ = sum;
    }
    [[nodiscard]] double value() const { return sum_ + lost_; }

   private:
    double sum_ = 0;
    double lost_ = 0;
};

// The energy is that of the layer above the mean: what the flow can exchange with its motion.
inline Sums sums_of_row(const Plain& plain, std::size_t columns, long j, double mean_height) {
    ExactSum mass;
    Sums row;
    for (long i = 0; i < static_cast<long>(columns); ++i) {
        const double above = plain.p(i, j) - mean_height;
        const double vorticity = plain.vorticity(i, j);
        mass.add(plain.p(i, j));
        row.energy += above * above / 2 + plain.p(i, j) * plain.kinetic(i, j);
        row.enstrophy += plain.height_at_corner(i, j) * vorticity * vorticity / 2;
    }
    row.mass = mass.value();
    return row;
}

inline Sums sums_of(const Model& model) {
    const Grid& grid = model.grid();
    const Plain plain(grid, model.physics(), *model.levels().now);
    std::vector<Sums> rows(grid.rows);
#pragma omp parallel for num_threads(model.threads()) schedule(static)
    for (std::size_t row = 0; row < grid.rows; ++row) {
        rows[row] =
            sums_of_row(plain, grid.columns, static_cast<long>(row), model.physics().mean_height);
    }
    ExactSum mass;
    Sums all;
    for (const Sums& row : rows) {
        mass.add(row.mass);
        all.energy += row.energy;
        all.enstrophy += row.enstrophy;
    }
    all.mass = mass.value();
    return all;
}

// One number of all bits of the newest level: the same for any team.
inline std::uint64_t fingerprint_of(const Model& model) {
    const Grid& grid = model.grid();
    std::uint64_t sum = 0;
#pragma omp parallel for num_threads(model.threads()) schedule(static) reduction(+ : sum)
    for (std::size_t row = 0; row < grid.rows; ++row) {
        const MovedRows rows = model.levels().now->rows(row);
        std::uint64_t own = row;
        for (const double* field : {rows.u, rows.v, rows.p}) {
            for (std::size_t i = 0; i < grid.columns; ++i) {
                std::uint64_t bits = 0;
                std::memcpy(&bits, field + i, sizeof bits);
                own = mix(own + golden_step + bits);
            }
        }
        sum += own;
    }
    return sum;
}

// The largest error of the last step, in units of what rounding does to a value of that size;
// infinite where a value is no number.
//
// The old level went into the filtered one, f = n + a (x - 2 n + o), where n is the level before
// the step and x = o + 2 dt T(n) the one after it; without o: f = n + 2 a (x - n - dt T(n)). An
// error of x is seen a times as large, which rounding hides only where it is below 1e-13 / a.
inline double error_of_last_step(const Model& model) {
    const Grid& grid = model.grid();
    const Physics& physics = model.physics();
    const Levels& levels = model.levels();
    const Plain before(grid, physics, *levels.next);
    const Plain after(grid, physics, *levels.now);
    const Plain filtered(grid, physics, *levels.old);
    // Typical sizes of u, v and p.
    const Triple sizes = {10, 10, physics.mean_height};
    constexpr double unit = std::numeric_limits<double>::epsilon();
    double largest = 0;
#pragma omp parallel for num_threads(model.threads()) schedule(static) reduction(max : largest)
    for (std::size_t row = 0; row < grid.rows; ++row) {
        const auto j = static_cast<long>(row);
        for (long i = 0; i < static_cast<long>(grid.columns); ++i) {
            const Triple changes = before.changes(i, j);
            const Triple n = {before.u(i, j), before.v(i, j), before.p(i, j)};
            const Triple x = {after.u(i, j), after.v(i, j), after.p(i, j)};
            const Triple f = {filtered.u(i, j), filtered.v(i, j), filtered.p(i, j)};
            for (std::size_t k = 0; k < n.size(); ++k) {
                const double expected =
                    n[k] + 2 * physics.filter * (x[k] - n[k] - physics.step * changes[k]);
                const double error = std::abs(f[k] - expected) / (unit * sizes[k]);
                largest = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                            : std::max(largest, error);
            }
        }
    }
    return largest;
}

// Relative to the start. Correct runs of 24 steps stay within 2e-5 in energy and 3e-9 in enstrophy,
// those of 50,000 to 100,000 steps with 64 to 96 cells within 0.014 and 6e-5.
inline constexpr double most_of_mass = 1e-13;
inline constexpr double most_of_energy = 0.05;
inline constexpr double most_of_enstrophy = 1e-3;
// In units of rounding.
inline constexpr double most_of_last_step = 8;

// What is wrong; empty where nothing is. first: the fingerprint of another run of as many steps.
inline std::string fault_of(const Model& model, const Sums& start, std::uint64_t first) {
    const Sums end = sums_of(model);
    const double mass = std::abs(end.mass / start.mass - 1);
    const double energy = std::abs(end.energy / start.energy - 1);
    const double enstrophy = std::abs(end.enstrophy / start.enstrophy - 1);
    const double last = error_of_last_step(model);
    const auto text = [](double one) { return proxies::short_text(one); };
    return proxies::first_fault({
        {mass <= most_of_mass, "the mass changed by " + text(mass) + " of itself"},
        {energy <= most_of_energy, "the energy changed by " + text(energy) + " of itself"},
        {enstrophy <= most_of_enstrophy,
         "the potential enstrophy changed by " + text(enstrophy) + " of itself"},
        {last <= most_of_last_step, "the last step differs from plain formulas by " + text(last) +
                                        " times the rounding of a value"},
        {fingerprint_of(model) == first, "two runs from the same start differ at the end"},
    });
}

}  // namespace machmeter::shallow
