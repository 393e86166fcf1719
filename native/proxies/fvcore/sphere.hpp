// A sphere of radius 1 in cells of equal steps in longitude and latitude, and the wind on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace machmeter::proxies::fvcore {

// On each side of a rank's latitudes: what the parabolas at an edge take from beyond it.
inline constexpr std::int64_t halo_rows = 3;
// A vertical remap follows after so many steps.
inline constexpr int remap_interval = 4;

struct Problem {
    static constexpr double default_rotation = 0.35;

    std::int64_t latitudes = 90;
    std::int64_t levels = 26;
    std::int64_t tracers = 3;
    // Of the axis that the air turns about, from that of the sphere.
    double tilt = std::numbers::pi / 4;
    // Largest Courant numbers of a step, in cells at the equator: of the rotation, of the
    // deformation that reverses, of the divergent part that moves the layers.
    double rotation = default_rotation;
    double deformation = 0.1;
    double divergence = 0.1;

    [[nodiscard]] std::int64_t longitudes() const { return 2 * latitudes; }
    // Air, and the mixing ratios of the tracers.
    [[nodiscard]] std::int64_t fields() const { return tracers + 1; }
    // Steps of a full turn, after which the deformation has gone back too.
    [[nodiscard]] std::int64_t steps_of_turn() const {
        return static_cast<std::int64_t>(
            std::ceil(static_cast<double>(longitudes()) / default_rotation));
    }
};

// The wind of one level in one step.
struct Wind {
    // The stream function is z (-turn + twist z), with z the sine of the latitude about the tilted
    // axis: a rotation, and hemispheres that turn against each other.
    double turn = 0;
    double twist = 0;
    // Courant number at the equator, times the sine of longitude.
    double spread = 0;
};

// Row 0 and the last one are the caps: each is a single cell, with a copy for each longitude.
// Beyond a pole (rows below 0, and from `latitudes`) are the rows of the other side.
class Sphere {
   public:
    explicit Sphere(const Problem& problem)
        : problem_(problem),
          latitudes_(problem.latitudes),
          longitudes_(problem.longitudes()),
          step_(std::numbers::pi / static_cast<double>(problem.latitudes)) {
        for (std::int64_t j = 0; j <= latitudes_; ++j) {
            const bool is_pole = j == 0 || j == latitudes_;
            const double latitude = edge(j);
            sine_.push_back(std::sin(latitude));
            cosine_.push_back(is_pole ? 0 : std::cos(latitude));
        }
        // Around twice: rows beyond a pole begin half a turn further.
        for (std::int64_t i = 0; i <= 2 * longitudes_; ++i) {
            const double longitude = step_ * static_cast<double>(i % longitudes_);
            sine_of_longitude_.push_back(std::sin(longitude));
            tilted_.push_back(std::cos(longitude) * std::sin(problem.tilt));
        }
    }

    [[nodiscard]] const Problem& problem() const { return problem_; }
    [[nodiscard]] std::int64_t latitudes() const { return latitudes_; }
    [[nodiscard]] std::int64_t longitudes() const { return longitudes_; }
    [[nodiscard]] bool is_cap(std::int64_t row) const { return row == 0 || row == latitudes_ - 1; }

    // The row that lies there, and the longitude of its first cell.
    [[nodiscard]] std::int64_t real_row(std::int64_t row) const {
        if (row < 0) {
            return -1 - row;
        }
        return row < latitudes_ ? row : 2 * latitudes_ - 1 - row;
    }
    [[nodiscard]] std::int64_t shift(std::int64_t row) const {
        return row < 0 || row >= latitudes_ ? latitudes_ : 0;
    }

    [[nodiscard]] double longitude(std::int64_t i) const {
        return step_ * (static_cast<double>(i) + 0.5);
    }
    [[nodiscard]] double latitude(std::int64_t row) const { return edge(row) + step_ / 2; }
    // Of one cell; of a cap, its share of one longitude.
    [[nodiscard]] double area(std::int64_t row) const {
        return step_ * (sine_[at(row + 1)] - sine_[at(row)]);
    }

    // At the corner of cells, longitude `i` of an edge of latitude.
    [[nodiscard]] double stream(const Wind& wind, std::int64_t i, std::int64_t edge) const {
        const double z = sine_[at(edge)] * cosine_of_tilt_ - cosine_[at(edge)] * tilted_[at(i)];
        return z * (wind.twist * z - wind.turn);
    }

    // The share of a cell that crosses its western edge, for all longitudes and the first again.
    // Returns the largest amount.
    double eastward(const Wind& wind, std::int64_t ghost, double* __restrict courant) const {
        const std::int64_t row = real_row(ghost);
        const std::int64_t first = shift(ghost);
        if (is_cap(row)) {
            std::fill_n(courant, longitudes_ + 1, 0.0);
            return 0;
        }
        const double* const tilted = tilted_.data() + first;
        const double* const sine = sine_of_longitude_.data() + first;
        const double south_sine = sine_[at(row)] * cosine_of_tilt_;
        const double north_sine = sine_[at(row + 1)] * cosine_of_tilt_;
        const double south_cosine = cosine_[at(row)];
        const double north_cosine = cosine_[at(row + 1)];
        const double per_area = 1 / area(row);
        const double spread = wind.spread * (south_cosine + north_cosine) / 2;
        double largest = 0;
#pragma omp simd reduction(max : largest)
        for (std::int64_t i = 0; i <= longitudes_; ++i) {
            const double south = south_sine - south_cosine * tilted[i];
            const double north = north_sine - north_cosine * tilted[i];
            const double flow =
                south * (wind.twist * south - wind.turn) - north * (wind.twist * north - wind.turn);
            const double value = flow * per_area + spread * sine[i];
            courant[i] = value;
            largest = std::max(largest, std::abs(value));
        }
        return largest;
    }

    // The area that crosses the southern edge of a row, and its share of the cell it comes from.
    void northward(const Wind& wind, std::int64_t edge, double* __restrict area,
                   double* __restrict courant) const {
        const double* const tilted = tilted_.data();
        const double sine = sine_[at(edge)] * cosine_of_tilt_;
        const double cosine = cosine_[at(edge)];
        const double per_length = cosine > 0 ? 1 / (cosine * step_ * step_) : 0;
#pragma omp simd
        for (std::int64_t i = 0; i < longitudes_; ++i) {
            const double west = sine - cosine * tilted[i];
            const double east = sine - cosine * tilted[i + 1];
            const double flow =
                east * (wind.twist * east - wind.turn) - west * (wind.twist * west - wind.turn);
            area[i] = flow;
            courant[i] = flow * per_length;
        }
    }

    // In the middle of a step, of steps numbered from 0. The divergent part moves no boundary of
    // layers by more than 0.4 of a layer until it is remapped.
    [[nodiscard]] Wind wind(std::int64_t step, std::int64_t level) const {
        const double angle = 2 * std::numbers::pi / static_cast<double>(problem_.steps_of_turn());
        const double phase = std::cos(angle / 2 * (static_cast<double>(step) + 0.5));
        const auto levels = static_cast<double>(problem_.levels);
        const double height = (static_cast<double>(level) + 0.5) / levels;
        const double most = 0.4 * std::numbers::pi / (remap_interval * levels * step_);
        return {angle * problem_.rotation / Problem::default_rotation,
                problem_.deformation * step_ * phase * (1 - height / 2),
                std::min(problem_.divergence, most) * phase * std::cos(std::numbers::pi * height)};
    }

   private:
    static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] double edge(std::int64_t row) const {
        return step_ * static_cast<double>(row) - std::numbers::pi / 2;
    }

    Problem problem_;
    std::int64_t latitudes_;
    std::int64_t longitudes_;
    double step_;
    double cosine_of_tilt_ = std::cos(problem_.tilt);
    std::vector<double> sine_;
    std::vector<double> cosine_;
    std::vector<double> sine_of_longitude_;
    // Cosine of longitude times the sine of the tilt.
    std::vector<double> tilted_;
};

}  // namespace machmeter::proxies::fvcore
