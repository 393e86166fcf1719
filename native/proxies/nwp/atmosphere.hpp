// Dry air at rest, of the same potential temperature everywhere, in which a warm bubble rises. SI
// units.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace machmeter::proxies::nwp {

inline constexpr double gas_constant = 287;      // J/(kg K)
inline constexpr double heat_capacity = 1004.5;  // at constant pressure, J/(kg K)
inline constexpr double gamma = heat_capacity / (heat_capacity - gas_constant);
inline constexpr double gravity = 9.81;
inline constexpr double ground_pressure = 1e5;
inline constexpr double potential_temperature = 300;
inline constexpr double spacing = 500;  // of cells, along every edge, m
inline constexpr double time_step = 2;  // s
// Of the acoustic part in a whole step.
inline constexpr int substeps = 4;

// Of each level, from `margin` below the ground to as many above the top.
class Atmosphere {
   public:
    explicit Atmosphere(std::int64_t levels, std::int64_t margin) : margin_(margin) {
        for (std::int64_t k = -margin; k <= levels + margin; ++k) {
            const double height = spacing * (static_cast<double>(k) + 0.5);
            const double exner = 1 - gravity * height / (heat_capacity * potential_temperature);
            const double density = ground_pressure / (gas_constant * potential_temperature) *
                                   std::pow(exner, 1 / (gamma - 1));
            exner_.push_back(exner);
            density_.push_back(density);
        }
    }

    // Pressure to the power of R / cp, over that at the ground.
    [[nodiscard]] double exner(std::int64_t k) const { return exner_[place(k)]; }
    [[nodiscard]] double density(std::int64_t k) const { return density_[place(k)]; }
    // Density times potential temperature.
    [[nodiscard]] double heat(std::int64_t k) const { return density(k) * potential_temperature; }

   private:
    [[nodiscard]] std::size_t place(std::int64_t k) const {
        return static_cast<std::size_t>(k + margin_);
    }

    std::int64_t margin_;
    std::vector<double> exner_;
    std::vector<double> density_;
};

// How much warmer the bubble is at the start, K (as by Wicker and Skamarock, Mon. Wea. Rev. 126,
// 1998): in the middle of the domain, 2 km above the ground.
inline double bubble(double x, double y, double z, double length) {
    constexpr double warmest = 2;
    constexpr double radius = 2000;
    const double dx = x - length / 2;
    const double dy = y - length / 2;
    const double dz = z - radius;
    const double distance = std::sqrt(dx * dx + dy * dy + dz * dz) / radius;
    const double cosine = std::cos(std::numbers::pi / 2 * distance);
    return distance < 1 ? warmest * cosine * cosine : 0;
}

}  // namespace machmeter::proxies::nwp
