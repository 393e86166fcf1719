// What has to hold of a run: forces that balance and turn nothing, energy, the last step by plain
// formulas; and of small bodies: no stress of a rotation, a uniform stress of a uniform strain, and
// that all ways of adding forces agree.
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

#include "codes/elements/body.hpp"
#include "codes/elements/plain.hpp"
#include "core/values/random_bits.hpp"
#include "proxies/common/faults.hpp"

namespace machmeter::elements {

// Both propagate what is no number.
inline double larger(double largest, double error) {
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
}

inline Vector<double> vector_of(const Lanes& lanes) { return {lanes[0], lanes[1], lanes[2]}; }
inline double size_of(const Vector<double>& of) { return std::sqrt(dot(of, of)); }

// One number of all bits of places and velocities.
inline std::uint64_t fingerprint_of(const Body& body) {
    std::uint64_t sum = 0;
#pragma omp parallel for num_threads(body.threads()) schedule(static) reduction(+ : sum)
    for (std::size_t node = 0; node < body.mesh().nodes(); ++node) {
        std::uint64_t own = node;
        for (std::size_t i = 0; i < 6; ++i) {
            const double value = i < 3 ? body.places()[node][i] : body.velocities()[node][i - 3];
            std::uint64_t bits = 0;
            std::memcpy(&bits, &value, sizeof bits);
            own = mix(own + golden_step + bits);
        }
        sum += own;
    }
    return sum;
}

// Of the sums of forces and of their moments, by the sums of their sizes.
inline std::array<double, 2> unbalanced(const Body& body) {
    Vector<double> force{};
    Vector<double> moment{};
    double forces = std::numeric_limits<double>::min();
    double moments = std::numeric_limits<double>::min();
    for (std::size_t node = 0; node < body.mesh().nodes(); ++node) {
        const Vector<double> f = vector_of(body.forces()[node]);
        const Vector<double> x = vector_of(body.places()[node]);
        const Vector<double> turn = cross(x, f);
        for (std::size_t i = 0; i < 3; ++i) {
            force[i] += f[i];
            moment[i] += turn[i];
        }
        forces += size_of(f);
        moments += size_of(x) * size_of(f);
    }
    return {size_of(force) / forces, size_of(moment) / moments};
}

// Of the corners of an element by its first: at rest, and where `places_of(node)` says.
template <class PlacesOf>
PlainElement element_at(const Mesh& mesh, const Place& first, const PlacesOf& places_of) {
    PlainCorners rest{};
    PlainCorners places{};
    for (std::size_t a = 0; a < corners; ++a) {
        const Place at = corner_place(first, a);
        rest[a] = vector_of(mesh.rest(at));
        places[a] = vector_of(places_of(mesh.node(at)));
    }
    return plain_element(rest, places);
}

// Kinetic, by the mean of the steps before and after, and elastic: linear springs keep this sum
// without any error. Forces are those of the places.
inline double energy_of(const Body& body) {
    const Mesh& mesh = body.mesh();
    double sum = 0;
#pragma omp parallel num_threads(body.threads()) reduction(+ : sum)
    {
#pragma omp for schedule(static)
        for (std::size_t node = 0; node < mesh.nodes(); ++node) {
            const double inverse = body.inverse_mass()[node];
            const Vector<double> before = vector_of(body.velocities()[node]);
            const Vector<double> after =
                vector_of(body.velocities()[node] + time_step * inverse * body.forces()[node]);
            sum += dot(before, after) / (2 * inverse);
        }
#pragma omp for schedule(static)
        for (std::size_t element = 0; element < mesh.elements(); ++element) {
            Place first = mesh.block_place(element / block_size);
            first[0] += element % block_size;
            sum += plain_energy(
                element_at(mesh, first, [&](std::size_t node) { return body.places()[node]; }),
                body.layered(element / block_size));
        }
    }
    return sum;
}

// Some nodes and where they are after a step by plain formulas.
class Expected {
   public:
    static constexpr std::size_t most_nodes = 300;

    explicit Expected(const Body& body) {
        const std::size_t step = std::max<std::size_t>(1, body.mesh().nodes() / most_nodes) | 1U;
        for (std::size_t node = 0; node < body.mesh().nodes(); node += step) {
            nodes_.push_back(node);
        }
        places_.resize(nodes_.size());
#pragma omp parallel for num_threads(body.threads()) schedule(dynamic)
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            places_[i] = next_place(body, nodes_[i]);
        }
    }

    [[nodiscard]] double error_of(const Body& body) const {
        double largest = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const Vector<double> found = vector_of(body.places()[nodes_[i]]);
            for (std::size_t k = 0; k < 3; ++k) {
                largest = larger(largest, std::abs(found[k] - places_[i][k]));
            }
        }
        return largest;
    }

   private:
    static Vector<double> next_place(const Body& body, std::size_t node) {
        const Mesh& mesh = body.mesh();
        const Place at = mesh.place(node);
        Vector<double> force{};
        double mass = 0;
        for (std::size_t corner = 0; corner < corners; ++corner) {
            Place first = at;
            bool within = true;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                first[axis] -= corner_along(corner, axis);
                within = within && first[axis] < mesh.cells();
            }
            if (!within) {
                continue;
            }
            const PlainElement element =
                element_at(mesh, first, [&](std::size_t one) { return body.places()[one]; });
            const std::size_t number =
                first[0] + mesh.cells() * (first[1] + mesh.cells() * first[2]);
            const Vector<double> own =
                plain_force(element, corner, body.layered(number / block_size));
            mass += element.volume / 8;
            for (std::size_t i = 0; i < 3; ++i) {
                force[i] += own[i];
            }
        }
        Vector<double> place{};
        for (std::size_t i = 0; i < 3; ++i) {
            place[i] = body.places()[node][i] +
                       time_step * (body.velocities()[node][i] + time_step * force[i] / mass);
        }
        return place;
    }

    std::vector<std::size_t> nodes_;
    std::vector<Vector<double>> places_;
};

// A body of few elements whose nodes are where a matrix takes them, with its forces.
inline Body strained_body(const Matrix<double>& strain, std::size_t costly, Scatter scatter,
                          std::size_t page_bytes, int threads) {
    Body body(Mesh(8), scatter, costly, codes::Touch::owner, page_bytes, threads);
    body.start();
    for (std::size_t node = 0; node < body.mesh().nodes(); ++node) {
        const Lanes rest = body.places()[node];
        for (std::size_t i = 0; i < 3; ++i) {
            body.places()[node][i] =
                3 + strain[0][i] * rest[0] + strain[1][i] * rest[1] + strain[2][i] * rest[2];
        }
    }
    body.find_forces();
    return body;
}

// The largest force after a rotation, by one of a strain of 1.
inline double force_of_rotation(Scatter scatter, std::size_t page_bytes, int threads) {
    const double c = std::cos(0.7);
    const double s = std::sin(0.7);
    // About z, then about x.
    const Matrix<double> turn{{{c, s * c, s * s}, {-s, c * c, c * s}, {0, -s, c}}};
    const Body body = strained_body(turn, 40, scatter, page_bytes, threads);
    double largest = 0;
    for (std::size_t node = 0; node < body.mesh().nodes(); ++node) {
        largest = larger(largest, size_of(vector_of(body.forces()[node])));
    }
    return largest;
}

// Of a uniform strain of a mesh that is none: the largest force on an inner node, and the
// difference of the sum of f times place at rest from -volume times the stress of plain formulas.
inline double error_of_patch(std::size_t costly, Scatter scatter, std::size_t page_bytes,
                             int threads) {
    const Matrix<double> strain{{{1.1, 0.05, -0.03}, {0.02, 0.95, 0.04}, {-0.06, 0.01, 1.05}}};
    const Body body = strained_body(strain, costly, scatter, page_bytes, threads);
    const Mesh& mesh = body.mesh();
    double worst = 0;
    Matrix<double> moments{};
    for (std::size_t node = 0; node < mesh.nodes(); ++node) {
        const Place at = mesh.place(node);
        const Vector<double> force = vector_of(body.forces()[node]);
        const Lanes rest = mesh.rest(at);
        const bool inner = std::all_of(at.begin(), at.end(), [&](std::size_t along) {
            return along > 0 && along < mesh.cells();
        });
        worst = larger(worst, inner ? size_of(force) : 0);
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t i = 0; i < 3; ++i) {
                moments[j][i] += force[i] * rest[j];
            }
        }
    }
    double volume = 0;
    for (std::size_t block = 0; block < mesh.blocks(); ++block) {
        volume += proxies::sum_of_lanes(body.blocks()[block].volume);
    }
    const Matrix<double> stress =
        costly == 0 ? plain_stress(even_material, strain) : plain_layered_stress(strain);
    for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 3; ++i) {
            worst = larger(worst, std::abs(moments[j][i] / volume + stress[j][i]));
        }
    }
    return worst;
}

// Largest difference of places after some steps by the three ways.
inline double error_of_scatters(std::size_t page_bytes, int threads) {
    std::vector<Body> bodies;
    for (const Scatter scatter : {Scatter::colors, Scatter::corners, Scatter::own_arrays}) {
        bodies.emplace_back(Mesh(12), scatter, 20, codes::Touch::owner, page_bytes, threads);
        bodies.back().start();
        bodies.back().run(10);
    }
    double worst = 0;
    for (const Body& body : bodies) {
        for (std::size_t node = 0; node < body.mesh().nodes(); ++node) {
            worst = larger(worst,
                           size_of(vector_of(body.places()[node] - bodies.front().places()[node])));
        }
    }
    return worst;
}

// What a correct run has, made before it is timed.
struct Reference {
    double start_energy;
    std::uint64_t fingerprint;
    double last_step;
    double rotation;
    double patch;
    double scatters;
};

// A run whose last step is compared with plain formulas.
inline Reference reference_of(Body& body, Scatter scatter, std::uint64_t steps,
                              std::size_t page_bytes) {
    body.start();
    body.find_forces();
    const double energy = energy_of(body);
    body.run(steps - 1);
    const Expected expected(body);
    body.run(1);
    const int threads = body.threads();
    return {energy,
            fingerprint_of(body),
            expected.error_of(body),
            force_of_rotation(scatter, page_bytes, threads),
            larger(error_of_patch(0, scatter, page_bytes, threads),
                   error_of_patch(100, scatter, page_bytes, threads)),
            error_of_scatters(page_bytes, threads)};
}

inline constexpr double most_of_rounding = 1e-12;
inline constexpr double most_of_energy = 2e-3;

// What is wrong; empty where nothing is. Forces become those of the end.
inline std::string fault_of(Body& body, const Reference& reference) {
    const bool same = fingerprint_of(body) == reference.fingerprint;
    body.find_forces();
    const std::array<double, 2> balance = unbalanced(body);
    const double energy = std::abs(energy_of(body) / reference.start_energy - 1);
    const auto text = [](double one) { return proxies::short_text(one); };
    return proxies::first_fault({
        {reference.rotation <= most_of_rounding,
         "a rotated body has forces of " + text(reference.rotation)},
        {reference.patch <= most_of_rounding,
         "a uniform strain gives a stress that is not uniform by " + text(reference.patch)},
        {reference.scatters <= most_of_rounding,
         "ways of adding forces differ by " + text(reference.scatters)},
        {reference.last_step <= most_of_rounding,
         "the last step differs from plain formulas by " + text(reference.last_step)},
        {balance[0] <= most_of_rounding,
         "the sum of forces is " + text(balance[0]) + " of that of their sizes"},
        {balance[1] <= most_of_rounding,
         "the sum of moments is " + text(balance[1]) + " of that of their sizes"},
        {energy <= most_of_energy, "the energy changed by " + text(energy) + " of itself"},
        {same, "two runs from the same start differ at the end"},
    });
}

}  // namespace machmeter::elements
