// Radii, energies and forces in water are those of the equations, however threads add them; the
// checks see when they are not.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "codes/born.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "tests/support/weak_work.hpp"

namespace machmeter {
namespace {

using born::Adding;
using born::Molecule;
using born::Neighbors;
using born::Solvation;
using proxies::Lanes;

bool holds(const std::string& fault, const char* text) {
    return fault.find(text) != std::string::npos;
}

// Twice the integral of 1/(4 pi r^4) over the part of a sphere that is outside of the atom, by
// shells around the atom (Simpson's rule).
double integrated(double distance, double radius, double screen) {
    constexpr int intervals = 20'000;
    const double lower = std::max(radius, distance - screen);
    const double width = (distance + screen - lower) / intervals;
    double sum = 0;
    for (int i = 0; i <= intervals; ++i) {
        const double t = lower + i * width;
        const double cosine = (distance * distance + t * t - screen * screen) / (2 * distance * t);
        const double weight = i == 0 || i == intervals ? 1 : (i % 2 == 1 ? 4 : 2);
        sum += weight * (1 - cosine) / (t * t);
    }
    return sum * width / 3;
}

TEST(descreening_is_the_integral_over_the_sphere) {
    for (const double distance : {1.7, 2.2, 3.0, 9.0}) {
        const double found = born::descreening(distance, 1.4, 1.2).value;
        CHECK(std::abs(found / integrated(distance, 1.4, 1.2) - 1) < 1e-8);
        CHECK(std::abs(found / born::plain_descreening(distance, 1.4, 1.2) - 1) < 1e-11);
    }
}

TEST(slopes_of_descreening_are_its_differences) {
    for (const double distance : {1.7, 2.2, 3.0, 9.0}) {
        const auto value = [&](double moved) {
            return born::descreening(distance + moved, 1.4, 1.2).value;
        };
        const double slope = (value(1e-4) - value(-1e-4)) / 2e-4;
        CHECK(std::abs(born::descreening(distance, 1.4, 1.2).slope - slope) < 1e-7);
    }
}

TEST(energies_of_distant_charges_are_those_of_coulomb) {
    const born::PairEnergy pair = born::pair_energy(900, 2, 1.5, 1.2);
    CHECK(test::near(pair.value, -born::water * 2 / 30));
    CHECK(std::abs(born::pair_energy(0, 1, 1.5, 1.5).value + born::water / 1.5) < 1e-12);
}

TEST(every_check_holds_by_each_way_of_adding) {
    const Molecule molecule = born::molecule_of(200);
    const Neighbors neighbors = born::neighbors_of(molecule, 2);
    for (const Adding adding : {Adding::private_arrays, Adding::atomic, Adding::rows}) {
        for (const int threads : {1, 3}) {
            Solvation found(molecule, neighbors, adding, threads);
            found.evaluate();
            found.evaluate();
            const born::Errors errors = born::errors_of(molecule, neighbors, found, threads);
            CHECK(born::fault_of(errors) == "");
        }
    }
}

TEST(radii_are_larger_within_the_molecule) {
    const Molecule molecule = born::molecule_of(700);
    const Neighbors neighbors = born::neighbors_of(molecule, 1);
    Solvation found(molecule, neighbors, Adding::rows, 1);
    found.evaluate();
    double inner = 0;
    double outer = 0;
    for (std::size_t i = 0; i < molecule.count(); ++i) {
        const double grown = found.radius(i) / molecule.radius[i];
        CHECK(grown > 1 && grown < 10);
        const double square = born::square_between(molecule.atoms[i], Lanes{});
        inner = square < 25 ? std::max(inner, grown) : inner;
        outer = square > 144 ? std::max(outer, grown) : outer;
    }
    CHECK(outer > 1);
    CHECK(inner > outer);
}

TEST(centers_are_within_no_other_sphere) {
    const Molecule molecule = born::molecule_of(700);
    double least = 100;
    for (std::size_t i = 0; i < molecule.count(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double distance =
                std::sqrt(born::square_between(molecule.atoms[i], molecule.atoms[j]));
            least = std::min(least, distance - std::max(molecule.screen[i], molecule.screen[j]));
        }
    }
    CHECK(least > 0);
}

TEST(neighbors_are_all_within_the_cutoff_from_both_sides) {
    const Molecule molecule = born::molecule_of(1500);
    const Neighbors neighbors = born::neighbors_of(molecule, 2);
    std::size_t near = 0;
    std::size_t after = 0;
    for (std::size_t i = 0; i < molecule.count(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            near += born::square_between(molecule.atoms[i], molecule.atoms[j]) <
                            born::cutoff * born::cutoff
                        ? 1
                        : 0;
        }
        after += neighbors.begins[i + 1] - neighbors.middles[i];
    }
    CHECK(near < 1500U * 1499 / 2);
    CHECK(neighbors.pairs() == near);
    CHECK(after == near);
}

TEST(wrong_forces_in_water_are_seen) {
    const Molecule molecule = born::molecule_of(100);
    const Neighbors neighbors = born::neighbors_of(molecule, 1);
    const auto fault_after = [&](auto&& change) {
        Solvation found(molecule, neighbors, Adding::private_arrays, 2);
        found.evaluate();
        change(found);
        return born::fault_of(born::errors_of(molecule, neighbors, found, 2));
    };
    CHECK(fault_after([](Solvation&) {}) == "");
    CHECK(holds(fault_after([](Solvation& found) { found.forces()[7] *= 1.5; }), "slope"));
    CHECK(holds(fault_after([](Solvation& found) { found.forces()[7][1] += 1e-6; }),
                "sum of forces"));
    CHECK(
        holds(fault_after([](Solvation& found) { found.forces()[8][0] = std::nan(""); }), "slope"));
    // Opposite forces on two atoms, not along the line between them.
    CHECK(holds(fault_after([](Solvation& found) {
                    found.forces()[7][1] += 1e-6;
                    found.forces()[90][1] -= 1e-6;
                }),
                "moments"));
    born::Errors errors{};
    CHECK(born::fault_of(errors) == "");
    errors.adding = 1e-10;
    CHECK(holds(born::fault_of(errors), "ways of adding"));
    errors.ion = std::nan("");
    CHECK(holds(born::fault_of(errors), "alone"));
}

TEST(a_point_of_a_molecule_is_recorded) {
    const std::vector<PointResult> points =
        test::run_with_fake_clock(&run_born,
                                  {"atoms=20,evaluations=3,forces=private,scaling=strong",
                                   "atoms=20,evaluations=3,forces=rows,scaling=strong"},
                                  1'000'000'000);
    CHECK(points.size() == 2U);
    for (const PointResult& point : points) {
        CHECK(point.check_passed);
        CHECK(test::quantity_of(point, "pairs") == 3.0 * 20 * 19 / 2);
    }
    CHECK_THROWS(UsageError, "atoms",
                 test::run_with_fake_clock(
                     &run_born, {"atoms=19,evaluations=3,forces=rows,scaling=strong"}, 1));
}

TEST(weak_work_a_thread_is_that_of_one_thread) {
    for (const double part :
         test::weak_work(&run_born, "atoms=300,evaluations=1,forces=private", "pairs", {2, 3})) {
        CHECK(std::abs(part - 1) <= 0.01);
    }
}

}  // namespace
}  // namespace machmeter
