// What a pair of atoms adds to Born radii, energy and forces: pairwise descreening (Hawkins, Cramer
// and Truhlar, J. Phys. Chem. 100, 1996) and generalized Born energies (Still et al., J. Am. Chem.
// Soc. 112, 1990).
#pragma once

#include <algorithm>
#include <cmath>

namespace machmeter::born {

// (1 - 1/epsilon) of water, times what makes it kcal/mol of charges and angstroms.
inline constexpr double water = 332.0637 * (1 - 1 / 78.5);

struct WithSlope {
    double value;
    // By the distance.
    double slope;
};

// By how much a sphere of radius `screen` at that distance lowers 1/R of an atom, doubled: it
// keeps water from within it. The atom's center is outside of the sphere.
inline WithSlope descreening(double distance, double radius, double screen) {
    const double upper = 1 / (distance + screen);
    // The part of the sphere within the atom itself keeps nothing away.
    const double lower = 1 / std::max(distance - screen, radius);
    const double per_distance = 1 / distance;
    const double ratio = std::log(upper / lower);
    const double squares = upper * upper - lower * lower;
    const double inner = screen * screen * per_distance;
    const double value =
        lower - upper + (distance - inner) / 4 * squares + ratio * per_distance / 2;
    // The ends of the integral move with the distance and add nothing: shells around the atom just
    // touch the sphere there, or stay at the radius.
    const double slope =
        (1 + inner * per_distance) / 4 * squares - ratio * per_distance * per_distance / 2;
    return {value, slope};
}

struct PairEnergy {
    double value;
    // By the distance, over the distance: radii as they are.
    double slope;
    double by_first_radius;
    double by_second_radius;
};

// -(1 - 1/epsilon) q_i q_j / sqrt(r^2 + R_i R_j exp(-r^2 / 4 R_i R_j)).
inline PairEnergy pair_energy(double square, double charges, double first, double second) {
    const double product = first * second;
    const double exponent = square / (4 * product);
    const double decay = std::exp(-exponent);
    const double inverse = 1 / std::sqrt(square + product * decay);
    const double value = -water * charges * inverse;
    const double by_square = -value * inverse * inverse / 2;
    const double by_product = by_square * decay * (1 + exponent);
    return {value, 2 * by_square * (1 - decay / 4), by_product * second, by_product * first};
}

}  // namespace machmeter::born
