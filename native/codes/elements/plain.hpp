// The same forces by plain formulas, an element at a time: nothing of the blocks is used.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "codes/elements/material.hpp"
#include "codes/elements/mesh.hpp"

namespace machmeter::elements {

using PlainCorners = std::array<Vector<double>, corners>;

// Of a hexahedron between any eight corners (Dukowicz, 1988): linear in each coordinate.
inline double plain_volume(const PlainCorners& x) {
    const auto between = [&](std::size_t a, std::size_t b) {
        return Vector<double>{x[a][0] - x[b][0], x[a][1] - x[b][1], x[a][2] - x[b][2]};
    };
    const auto sum = [](const Vector<double>& a, const Vector<double>& b) {
        return Vector<double>{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
    };
    const auto product = [](const Vector<double>& a, const Vector<double>& b,
                            const Vector<double>& c) { return dot(a, cross(b, c)); };
    return (product(sum(between(2, 1), between(6, 3)), between(7, 2), between(3, 0)) +
            product(sum(between(4, 2), between(5, 6)), between(7, 4), between(6, 0)) +
            product(sum(between(1, 4), between(3, 5)), between(7, 1), between(5, 0))) /
           12;
}

// The slopes of the volume are its differences: it is linear in each coordinate.
inline PlainCorners plain_gradients(const PlainCorners& rest) {
    PlainCorners found{};
    const double volume = plain_volume(rest);
    for (std::size_t a = 0; a < corners; ++a) {
        for (std::size_t i = 0; i < 3; ++i) {
            PlainCorners moved = rest;
            moved[a][i] += 1;
            found[a][i] = (plain_volume(moved) - volume) / volume;
        }
    }
    return found;
}

// shear (F - F^-T) + lame (J - 1) J F^-T.
inline Matrix<double> plain_stress(const Stiffness& of, const Matrix<double>& f) {
    Matrix<double> found{};
    Matrix<double> adjugate{};
    for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j1 = (j + 1) % 3;
            const std::size_t j2 = (j + 2) % 3;
            const std::size_t i1 = (i + 1) % 3;
            const std::size_t i2 = (i + 2) % 3;
            adjugate[j][i] = f[j1][i1] * f[j2][i2] - f[j1][i2] * f[j2][i1];
        }
    }
    const double volume =
        f[0][0] * adjugate[0][0] + f[0][1] * adjugate[0][1] + f[0][2] * adjugate[0][2];
    for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 3; ++i) {
            const double inverse = adjugate[j][i] / volume;
            found[j][i] =
                of.shear * (f[j][i] - inverse) + of.lame * (volume - 1) * volume * inverse;
        }
    }
    return found;
}

// Where an increasing function is zero, by chords (Illinois: Dowell and Jarratt, BIT 11, 1971).
template <class Function>
double zero_of(double low, double high, Function&& function) {
    constexpr double enough = 1e-15;
    double at_low = function(low);
    double at_high = function(high);
    bool was_low = false;
    bool was_high = false;
    double found = low;
    for (int i = 0; i < 100; ++i) {
        found = (low * at_high - high * at_low) / (at_high - at_low);
        const double value = function(found);
        if (std::abs(value) <= enough) {
            break;
        }
        const bool is_low = value < 0;
        (is_low ? low : high) = found;
        (is_low ? at_low : at_high) = value;
        if (is_low ? was_low : was_high) {
            (is_low ? at_high : at_low) /= 2;
        }
        was_low = is_low;
        was_high = !is_low;
    }
    return found;
}

// Layers share a traction t across them: along c = f0 x f1 it is found by chords, and so is the
// volume of each layer; then the stress of each by its own F, of which they take the mean.
inline Matrix<double> plain_layered_stress(const Matrix<double>& f) {
    const Vector<double> c = cross(f[0], f[1]);
    const auto volume_at = [&](const Stiffness& of, double pull) {
        return zero_of(0.2, 5, [&](double volume) {
            return of.shear * volume + volume_slope(of, volume) * dot(c, c) - pull;
        });
    };
    const double whole = dot(c, f[2]);
    const double pull = zero_of(-4, 4, [&](double tried) {
        double sum = 0;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            sum += volume_at(layer_material(layer), tried);
        }
        return sum / layers - whole;
    });
    double soft = 0;
    double slopes = 0;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        const Stiffness of = layer_material(layer);
        soft += 1 / of.shear;
        slopes += volume_slope(of, volume_at(of, pull)) / of.shear;
    }
    Matrix<double> mean{};
    for (std::size_t layer = 0; layer < layers; ++layer) {
        const Stiffness of = layer_material(layer);
        const double slope = volume_slope(of, volume_at(of, pull));
        Matrix<double> own = f;
        for (std::size_t i = 0; i < 3; ++i) {
            const double traction = (layers * f[2][i] + slopes * c[i]) / soft;
            own[2][i] = (traction - slope * c[i]) / of.shear;
        }
        const Matrix<double> stress = plain_stress(of, own);
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t i = 0; i < 3; ++i) {
                mean[j][i] += stress[j][i] / layers;
            }
        }
    }
    return mean;
}

struct PlainElement {
    PlainCorners gradients;
    double volume;
    double stiffness;
    Matrix<double> strain;
    // Sums of places by the hourglass pattern of each axis left out, and of all, beyond F.
    std::array<Vector<double>, 4> hourglass;
    std::array<std::array<double, corners>, 4> shapes;
};

inline double plain_sign(std::size_t corner, std::size_t axis) {
    return corner_along(corner, axis) == 1 ? 1 : -1;
}

inline PlainElement plain_element(const PlainCorners& rest, const PlainCorners& places) {
    PlainElement found{plain_gradients(rest), plain_volume(rest), 0, {}, {}, {}};
    double squares = 0;
    for (std::size_t a = 0; a < corners; ++a) {
        squares += dot(found.gradients[a], found.gradients[a]);
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t i = 0; i < 3; ++i) {
                found.strain[j][i] += places[a][i] * found.gradients[a][j];
            }
        }
    }
    found.stiffness = 0.05 * (1.5 + 2 * 1) / 8 * found.volume * squares;
    for (std::size_t p = 0; p < 4; ++p) {
        Vector<double> sums{};
        std::array<double, corners> signs{};
        for (std::size_t a = 0; a < corners; ++a) {
            signs[a] = 1;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                signs[a] *= axis == p ? 1 : plain_sign(a, axis);
            }
            for (std::size_t i = 0; i < 3; ++i) {
                sums[i] += signs[a] * rest[a][i];
            }
        }
        for (std::size_t a = 0; a < corners; ++a) {
            found.shapes[p][a] = signs[a] - dot(sums, found.gradients[a]);
            for (std::size_t i = 0; i < 3; ++i) {
                found.hourglass[p][i] += found.shapes[p][a] * places[a][i];
            }
        }
    }
    return found;
}

inline Vector<double> plain_force(const PlainElement& of, std::size_t corner, bool layered) {
    const Matrix<double> stress =
        layered ? plain_layered_stress(of.strain) : plain_stress(even_material, of.strain);
    Vector<double> force{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            force[i] -= of.volume * stress[j][i] * of.gradients[corner][j];
        }
        for (std::size_t p = 0; p < 4; ++p) {
            force[i] -= of.stiffness * of.shapes[p][corner] * of.hourglass[p][i];
        }
    }
    return force;
}

inline double plain_energy(const PlainElement& of, bool layered) {
    double hourglass = 0;
    for (const Vector<double>& one : of.hourglass) {
        hourglass += dot(one, one);
    }
    return of.volume * (layered ? layered_energy(of.strain) : even_energy(of.strain)) +
           of.stiffness / 2 * hourglass;
}

}  // namespace machmeter::elements
