// Four elements of one integration point with hourglass stiffness (Flanagan and Belytschko, Int. J.
// Numer. Methods Eng. 17, 1981), an element a lane: their shape at rest, and forces on corners.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "codes/elements/material.hpp"
#include "codes/elements/mesh.hpp"

namespace machmeter::elements {

// Mean gradients of the shape functions, sums of places by the hourglass patterns, volume and
// hourglass stiffness, all at rest; numbers of nodes.
struct Block {
    std::array<Vector<Lanes>, corners> gradients;
    std::array<Vector<Lanes>, 4> twists;
    Lanes volume;
    Lanes stiffness;
    std::array<std::array<std::uint32_t, block_size>, corners> nodes;
};

inline constexpr double hourglass_share = 0.05;

// Signs of corners multiplied along these axes, as bits.
inline constexpr std::array<std::size_t, 4> patterns = {3, 6, 5, 7};
inline double sign_of(std::size_t pattern, std::size_t corner) {
    return __builtin_popcountll(pattern & ~corner) % 2 == 0 ? 1 : -1;
}

using Corners = std::array<Vector<Lanes>, corners>;

// Sums of corners by signs: after this, place `p` holds the sum by pattern p.
inline void transform(Corners& of) {
    for (std::size_t bit = 1; bit < corners; bit *= 2) {
        for (std::size_t a = 0; a < corners; ++a) {
            if ((a & bit) != 0) {
                continue;
            }
            for (std::size_t i = 0; i < 3; ++i) {
                const Lanes low = of[a][i];
                const Lanes high = of[a + bit][i];
                of[a][i] = high + low;
                of[a + bit][i] = high - low;
            }
        }
    }
}

// The other way: each corner becomes the sum over patterns by its signs.
inline void spread(Corners& of) {
    for (std::size_t bit = 1; bit < corners; bit *= 2) {
        for (std::size_t a = 0; a < corners; ++a) {
            if ((a & bit) != 0) {
                continue;
            }
            for (std::size_t i = 0; i < 3; ++i) {
                const Lanes even = of[a][i];
                const Lanes odd = of[a + bit][i];
                of[a][i] = even - odd;
                of[a + bit][i] = even + odd;
            }
        }
    }
}

inline Corners gathered(const Block& block, const Lanes* from) {
    Corners found;
    for (std::size_t a = 0; a < corners; ++a) {
        const auto& at = block.nodes[a];
        const proxies::Columns columns =
            proxies::columns_of(from[at[0]], from[at[1]], from[at[2]], from[at[3]]);
        found[a] = {columns.x, columns.y, columns.z};
    }
    return found;
}

// The 2 x 2 x 2 points of Gauss's rule integrate the gradients exactly: they are slopes of the
// volume, so that a uniform stress leaves no force on an inner node.
inline void shape(Block& block, const Corners& rest) {
    const double at = std::sqrt(1.0 / 3);
    block.gradients = {};
    block.volume = Lanes{};
    for (std::size_t point = 0; point < 8; ++point) {
        Matrix<Lanes> jacobian{};
        std::array<Vector<double>, corners> slopes;
        for (std::size_t a = 0; a < corners; ++a) {
            Vector<double> factor;
            for (std::size_t i = 0; i < 3; ++i) {
                factor[i] = (1 + sign_of(1U << i, a) * sign_of(1U << i, point) * at) / 2;
            }
            slopes[a] = {sign_of(1, a) / 2 * factor[1] * factor[2],
                         sign_of(2, a) / 2 * factor[2] * factor[0],
                         sign_of(4, a) / 2 * factor[0] * factor[1]};
            for (std::size_t j = 0; j < 3; ++j) {
                for (std::size_t i = 0; i < 3; ++i) {
                    jacobian[j][i] += slopes[a][j] * rest[a][i];
                }
            }
        }
        const Matrix<Lanes> cofactors{cross(jacobian[1], jacobian[2]),
                                      cross(jacobian[2], jacobian[0]),
                                      cross(jacobian[0], jacobian[1])};
        block.volume += dot(jacobian[0], cofactors[0]);
        for (std::size_t a = 0; a < corners; ++a) {
            for (std::size_t i = 0; i < 3; ++i) {
                block.gradients[a][i] += slopes[a][0] * cofactors[0][i] +
                                         slopes[a][1] * cofactors[1][i] +
                                         slopes[a][2] * cofactors[2][i];
            }
        }
    }
    Lanes squares{};
    for (Vector<Lanes>& gradient : block.gradients) {
        for (Lanes& component : gradient) {
            component /= block.volume;
        }
        squares += dot(gradient, gradient);
    }
    block.stiffness = hourglass_share * (even_material.lame + 2 * even_material.shear) / 8 *
                      block.volume * squares;
    Corners sums = rest;
    transform(sums);
    for (std::size_t p = 0; p < patterns.size(); ++p) {
        block.twists[p] = sums[patterns[p]];
    }
}

// F, and what the hourglass patterns see beyond it.
struct Strain {
    Matrix<Lanes> gradient;
    std::array<Vector<Lanes>, 4> hourglass;
};

inline Strain strain_of(const Block& block, Corners places) {
    Strain strain{};
    for (std::size_t a = 0; a < corners; ++a) {
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t i = 0; i < 3; ++i) {
                strain.gradient[j][i] += places[a][i] * block.gradients[a][j];
            }
        }
    }
    transform(places);
    for (std::size_t p = 0; p < patterns.size(); ++p) {
        for (std::size_t i = 0; i < 3; ++i) {
            strain.hourglass[p][i] = places[patterns[p]][i] -
                                     strain.gradient[0][i] * block.twists[p][0] -
                                     strain.gradient[1][i] * block.twists[p][1] -
                                     strain.gradient[2][i] * block.twists[p][2];
        }
    }
    return strain;
}

// On the corners of the elements of a block.
inline Corners forces_of(const Block& block, const Corners& places, bool layered) {
    const Strain strain = strain_of(block, places);
    Matrix<Lanes> pull = layered ? layered_stress(strain.gradient) : even_stress(strain.gradient);
    Corners forces{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            pull[j][i] *= block.volume;
        }
        for (std::size_t p = 0; p < patterns.size(); ++p) {
            const Lanes hourglass = block.stiffness * strain.hourglass[p][i];
            forces[patterns[p]][i] = hourglass;
            for (std::size_t j = 0; j < 3; ++j) {
                pull[j][i] -= hourglass * block.twists[p][j];
            }
        }
    }
    spread(forces);
    for (std::size_t a = 0; a < corners; ++a) {
        for (std::size_t i = 0; i < 3; ++i) {
            forces[a][i] = -forces[a][i] - pull[0][i] * block.gradients[a][0] -
                           pull[1][i] * block.gradients[a][1] - pull[2][i] * block.gradients[a][2];
        }
    }
    return forces;
}

}  // namespace machmeter::elements
