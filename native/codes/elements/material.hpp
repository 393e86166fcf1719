// Stresses of a compressible neo-Hookean material, W = shear/2 (F:F - 3 - 2 ln J) + lame/2 (J-1)^2,
// and of layers of such materials that share their deformation in the plane and their traction
// across it: found by a local Newton iteration, and so the costlier of the two.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "proxies/common/lanes.hpp"

namespace machmeter::elements {

using proxies::Lanes;

struct Stiffness {
    double shear;
    double lame;
};

inline constexpr Stiffness even_material{1, 1.5};
inline constexpr std::size_t layers = 16;
inline Stiffness layer_material(std::size_t layer) {
    const double shear = 0.6 + 0.05 * static_cast<double>(layer);
    return {shear, 1.5 * shear};
}

// Of a number, or of a number of each of four elements.
template <class Number>
using Vector = std::array<Number, 3>;
// By its columns: derivatives along the axes at rest.
template <class Number>
using Matrix = std::array<Vector<Number>, 3>;

template <class Number>
Number dot(const Vector<Number>& a, const Vector<Number>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class Number>
Vector<Number> cross(const Vector<Number>& a, const Vector<Number>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline double root(double value) { return std::sqrt(value); }
inline Lanes root(const Lanes& value) {
    return Lanes{std::sqrt(value[0]), std::sqrt(value[1]), std::sqrt(value[2]),
                 std::sqrt(value[3])};
}
inline double largest_size(double value) { return std::abs(value); }
inline double largest_size(const Lanes& value) {
    return std::max(std::max(std::abs(value[0]), std::abs(value[1])),
                    std::max(std::abs(value[2]), std::abs(value[3])));
}

// dW/dJ by itself.
template <class Number>
Number volume_slope(const Stiffness& of, const Number& volume) {
    return of.lame * (volume - 1) - of.shear / volume;
}

// First Piola-Kirchhoff: shear F + dW/dJ cof F.
template <class Number>
Matrix<Number> even_stress(const Matrix<Number>& f) {
    const Matrix<Number> cofactors{cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1])};
    const Number slope = volume_slope(even_material, dot(f[0], cofactors[0]));
    Matrix<Number> stress;
    for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 3; ++i) {
            stress[j][i] = even_material.shear * f[j][i] + slope * cofactors[j][i];
        }
    }
    return stress;
}

// What the layers of an element have in common: c = f0 x f1, its square, and t.c of the traction.
template <class Number>
struct Layered {
    Vector<Number> area;
    Number square;
    Number pull;

    // The volume of a layer solves shear J + dW/dJ c.c = t.c.
    [[nodiscard]] Number volume(const Stiffness& of, Number& slope) const {
        const Number square_term = of.shear + of.lame * square;
        const Number term = of.lame * square + pull;
        const Number discriminant = root(term * term + 4 * of.shear * square * square_term);
        const Number found = (term + discriminant) / (2 * square_term);
        slope = found / discriminant;
        return found;
    }
};

// The volumes of layers are convex functions of t.c, so that Newton's method finds the one that
// gives the volume of the element, from either side.
template <class Number>
Layered<Number> layered_of(const Matrix<Number>& f) {
    constexpr int most = 50;
    // The step after this is below rounding: errors are squared.
    constexpr double enough = 1e-8;
    Layered<Number> found{cross(f[0], f[1]), Number{}, Number{}};
    found.square = dot(found.area, found.area);
    const Number whole = dot(found.area, f[2]);
    for (int i = 0; i < most; ++i) {
        Number volume{};
        Number slope{};
        for (std::size_t layer = 0; layer < layers; ++layer) {
            Number own{};
            volume += found.volume(layer_material(layer), own);
            slope += own;
        }
        const Number missing = whole - volume / layers;
        found.pull += missing * layers / slope;
        if (largest_size(missing) <= enough) {
            break;
        }
    }
    return found;
}

// Column 2 of F of a layer is (t - dW/dJ c) / shear, that of the element the mean.
template <class Number>
Matrix<Number> layered_stress(const Matrix<Number>& f) {
    const Layered<Number> common = layered_of(f);
    double shear = 0;
    double soft = 0;
    Number once{};
    Number twice{};
    for (std::size_t layer = 0; layer < layers; ++layer) {
        const Stiffness of = layer_material(layer);
        Number unused{};
        const Number slope = volume_slope(of, common.volume(of, unused));
        shear += of.shear / layers;
        soft += 1 / (of.shear * layers);
        once += slope * (1 / (of.shear * layers));
        twice += slope * slope * (1 / (of.shear * layers));
    }
    Vector<Number> traction;
    Vector<Number> weighted;  // the mean of dW/dJ times column 2 of layers
    for (std::size_t i = 0; i < 3; ++i) {
        traction[i] = (f[2][i] + once * common.area[i]) * (1 / soft);
        weighted[i] = once * traction[i] - twice * common.area[i];
    }
    Matrix<Number> stress{cross(f[1], weighted), cross(weighted, f[0]), traction};
    for (std::size_t i = 0; i < 3; ++i) {
        stress[0][i] += shear * f[0][i];
        stress[1][i] += shear * f[1][i];
    }
    return stress;
}

inline double energy_of(const Stiffness& of, double squares, double volume) {
    return of.shear / 2 * (squares - 3 - 2 * std::log(volume)) +
           of.lame / 2 * (volume - 1) * (volume - 1);
}

inline double even_energy(const Matrix<double>& f) {
    return energy_of(even_material, dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]),
                     dot(f[0], cross(f[1], f[2])));
}

inline double layered_energy(const Matrix<double>& f) {
    const Layered<double> common = layered_of(f);
    const Vector<double> traction = layered_stress(f)[2];
    double sum = 0;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        const Stiffness of = layer_material(layer);
        double unused = 0;
        const double volume = common.volume(of, unused);
        const double slope = volume_slope(of, volume);
        Vector<double> across{};
        for (std::size_t i = 0; i < 3; ++i) {
            across[i] = (traction[i] - slope * common.area[i]) / of.shear;
        }
        sum += energy_of(of, dot(f[0], f[0]) + dot(f[1], f[1]) + dot(across, across), volume);
    }
    return sum / layers;
}

}  // namespace machmeter::elements
