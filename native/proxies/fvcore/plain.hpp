// The steps of the scheme, one value at a time and by its definitions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "proxies/fvcore/block.hpp"
#include "proxies/fvcore/sphere.hpp"

namespace machmeter::proxies::fvcore {

// Slope over a cell, none at an extremum.
inline double plain_slope(double before, double value, double after) {
    if ((after - value) * (value - before) <= 0) {
        return 0;
    }
    const double most = 2 * std::min(std::abs(after - value), std::abs(value - before));
    const double size = std::min(std::abs(after - before) / 2, most);
    return after > before ? size : -size;
}

// Mean of a share of the middle one of five values, beside its last edge (or its first): Colella
// and Woodward, J. Comput. Phys. 54, 1984, eq. 1.12.
template <class Of>
double plain_part(Of&& of, double share, bool is_last) {
    const double value = of(0);
    const double slope = plain_slope(of(-1), value, of(1));
    const auto limited = [&](double edge) {
        const double most = std::abs(slope);
        const double away = std::min(std::abs(edge - value), most);
        return away;
    };
    const auto edge = [&](int right) {
        return (of(right - 1) + of(right)) / 2 -
               (plain_slope(of(right - 1), of(right), of(right + 1)) -
                plain_slope(of(right - 2), of(right - 1), of(right))) /
                   6;
    };
    const double sign = slope < 0 ? -1 : 1;
    const double left = value - sign * limited(edge(0));
    const double right = value + sign * limited(edge(1));
    const double curve = 6 * (value - (left + right) / 2);
    return is_last ? right - share / 2 * (right - left - (1 - 2 * share / 3) * curve)
                   : left + share / 2 * (right - left + (1 - 2 * share / 3) * curve);
}

// One level before a step; rows count from the first of the rank, those of its halo too.
class PlainLevel {
   public:
    PlainLevel(const Sphere& sphere, const Block& block, const double* level, const Wind& wind)
        : sphere_(sphere), block_(block), level_(level), wind_(wind) {}

    // Of all fields after the step.
    [[nodiscard]] std::vector<double> after(std::int64_t row, std::int64_t i) const {
        const std::int64_t global = block_.rows.first + row;
        const double area = sphere_.area(global);
        std::vector<double> gains;
        for (std::int64_t f = 0; f < block_.fields; ++f) {
            if (sphere_.is_cap(global)) {
                double sum = 0;
                for (std::int64_t n = 0; n < block_.longitudes; ++n) {
                    sum += north_flux(f, row, n) - north_flux(f, row + 1, n);
                }
                gains.push_back(sum / area / static_cast<double>(block_.longitudes));
            } else {
                gains.push_back(east_flux(f, row, i) - east_flux(f, row, i + 1) +
                                (north_flux(f, row, i) - north_flux(f, row + 1, i)) / area);
            }
        }
        std::vector<double> values{of(0, row, i) + gains[0]};
        for (std::int64_t f = 1; f < block_.fields; ++f) {
            values.push_back((of(0, row, i) * of(f, row, i) + gains[static_cast<std::size_t>(f)]) /
                             values[0]);
        }
        return values;
    }

   private:
    [[nodiscard]] double of(std::int64_t f, std::int64_t row, std::int64_t i) const {
        return level_[block_.at(0, f, row) + around(i)];
    }
    [[nodiscard]] std::int64_t around(std::int64_t i) const {
        return (i % block_.longitudes + block_.longitudes) % block_.longitudes;
    }

    [[nodiscard]] double east(std::int64_t row, std::int64_t i) const {
        const std::int64_t ghost = block_.rows.first + row;
        const std::int64_t real = sphere_.real_row(ghost);
        if (sphere_.is_cap(real)) {
            return 0;
        }
        const std::int64_t k = around(i + sphere_.shift(ghost));
        const double step = std::numbers::pi / static_cast<double>(sphere_.latitudes());
        const double flow = sphere_.stream(wind_, k, real) - sphere_.stream(wind_, k, real + 1);
        const double south = std::cos(sphere_.latitude(real) - step / 2);
        const double north = std::cos(sphere_.latitude(real) + step / 2);
        return flow / sphere_.area(real) +
               wind_.spread * (south + north) / 2 * std::sin(step * static_cast<double>(k));
    }
    [[nodiscard]] double north_area(std::int64_t row, std::int64_t i) const {
        const std::int64_t edge = block_.rows.first + row;
        return sphere_.stream(wind_, around(i + 1), edge) - sphere_.stream(wind_, around(i), edge);
    }
    [[nodiscard]] double north(std::int64_t row, std::int64_t i) const {
        const std::int64_t edge = block_.rows.first + row;
        if (edge == 0 || edge == sphere_.latitudes()) {
            return 0;
        }
        const double step = std::numbers::pi / static_cast<double>(sphere_.latitudes());
        return north_area(row, i) / (std::cos(sphere_.latitude(edge) - step / 2) * step * step);
    }

    // Half of it from where it departed along the circle.
    [[nodiscard]] double advected_along(std::int64_t f, std::int64_t row, std::int64_t i) const {
        const double courant = (east(row, i) + east(row, i + 1)) / 2;
        const auto whole = static_cast<std::int64_t>(courant);
        const double share = courant - static_cast<double>(whole);
        const double near = of(f, row, i - whole);
        const double far = of(f, row, share > 0 ? i - whole - 1 : i - whole + 1);
        return (of(f, row, i) + (1 - std::abs(share)) * near + std::abs(share) * far) / 2;
    }
    [[nodiscard]] double advected_across(std::int64_t f, std::int64_t row, std::int64_t i) const {
        const double courant = (north(row, i) + north(row + 1, i)) / 2;
        const double share = std::abs(courant);
        const double far = of(f, courant > 0 ? row - 1 : row + 1, i);
        return (of(f, row, i) + (1 - share) * of(f, row, i) + share * far) / 2;
    }

    [[nodiscard]] double east_flux(std::int64_t f, std::int64_t row, std::int64_t i) const {
        const double courant = east(row, i);
        const auto value = [&](std::int64_t n) { return advected_across(f, row, n); };
        const int sign = courant > 0 ? 1 : -1;
        const std::int64_t donor = courant > 0 ? i - 1 : i;
        const auto whole = static_cast<std::int64_t>(std::abs(courant));
        double sum = 0;
        for (std::int64_t n = 0; n < whole; ++n) {
            sum += value(donor - sign * n);
        }
        const double share = std::abs(courant) - static_cast<double>(whole);
        const double part =
            plain_part([&](int k) { return value(donor - sign * whole + k); }, share, courant > 0);
        if (f == 0) {
            return sign * (sum + share * part);
        }
        const double mean = whole == 0 ? part : (sum + share * part) / std::abs(courant);
        return east_flux(0, row, i) * mean;
    }
    [[nodiscard]] double north_flux(std::int64_t f, std::int64_t row, std::int64_t i) const {
        const double courant = north(row, i);
        const std::int64_t donor = courant > 0 ? row - 1 : row;
        const auto value = [&](int k) { return advected_along(f, donor + k, i); };
        const double mean = plain_part(value, std::abs(courant), courant > 0);
        return mean * (f == 0 ? north_area(row, i) : north_flux(0, row, i));
    }

    const Sphere& sphere_;
    const Block& block_;
    const double* level_;
    Wind wind_;
};

// Mixing ratios of a column cut anew at equal shares of its mass: integrals of every layer's linear
// profile over the part of it that each new layer holds.
inline std::vector<double> plain_remap(const std::vector<double>& air,
                                       const std::vector<double>& ratio) {
    const std::size_t levels = air.size();
    double total = 0;
    for (const double mass : air) {
        total += mass;
    }
    std::vector<double> cut(levels, 0);
    double begin = 0;
    for (std::size_t k = 0; k < levels; ++k) {
        double slope = 0;
        if (k > 0 && k + 1 < levels) {
            const double above = ratio[k] - ratio[k - 1];
            const double below = ratio[k + 1] - ratio[k];
            const double mean = (above + below) / ((air[k - 1] + air[k + 1]) / 2 + air[k]);
            const double most = 2 * std::min(std::abs(above), std::abs(below)) / air[k];
            slope = above * below > 0 ? std::copysign(std::min(std::abs(mean), most), mean) : 0;
        }
        const double end = begin + air[k];
        for (std::size_t n = 0; n < levels; ++n) {
            const double width = total / static_cast<double>(levels);
            const double low = std::max(begin, width * static_cast<double>(n));
            const double high = std::min(end, width * static_cast<double>(n + 1));
            if (low < high) {
                const double away = (low + high - begin - end) / 2;
                cut[n] += (high - low) * (ratio[k] + slope * away) / width;
            }
        }
        begin = end;
    }
    return cut;
}

}  // namespace machmeter::proxies::fvcore
