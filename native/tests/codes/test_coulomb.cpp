// Ions move as plain formulas say, whoever adds up their forces; the checks see when they do not.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codes/coulomb.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "tests/support/weak_work.hpp"

namespace machmeter {
namespace {

using coulomb::Ions;

// Two ions alone, so far apart along x and y.
Ions pair_of(double x, double y) {
    Ions ions(2);
    ions.box = {10, 0.7};
    ions.charge[0] = 2;
    ions.charge[1] = 3;
    ions.position[0][1] = x;
    ions.position[1][1] = y;
    return ions;
}

TEST(two_ions_repel_by_the_formula) {
    const Ions ions = pair_of(0.6, 0.8);
    const std::array<double, 3> force = coulomb::force_on(ions, 0);
    const double size = 6 * (1 + 1 / 0.7) * std::exp(-1 / 0.7);
    CHECK(std::abs(force[0] + 0.6 * size) < 1e-14);
    CHECK(std::abs(force[1] + 0.8 * size) < 1e-14);
    CHECK(force[2] == 0);
}

TEST(the_nearest_image_repels) {
    const std::array<double, 3> inside = coulomb::force_on(pair_of(0.5, 0), 0);
    const std::array<double, 3> outside = coulomb::force_on(pair_of(-9.5, 20), 0);
    CHECK(inside[0] < -0.1);
    CHECK(test::near(outside[0], inside[0]));
    CHECK(test::near(coulomb::force_on(pair_of(9.5, 0), 0)[0], -inside[0]));
}

TEST(an_ion_does_not_repel_itself) {
    Ions ions(1);
    ions.charge[0] = 1;
    CHECK(coulomb::force_on(ions, 0) == std::array<double, 3>{});
}

TEST(every_check_holds_for_any_number_of_steps) {
    const Ions start = coulomb::crystal_of(8);
    for (const std::uint64_t steps : {1, 40}) {
        Ions ions = start;
        coulomb::move(ions, steps, 2);
        CHECK(coulomb::fault_of(coulomb::errors_of(ions, start, 2)) == "");
    }
}

TEST(momentum_stays_zero) {
    Ions ions = coulomb::crystal_of(8);
    coulomb::move(ions, 10, 2);
    for (const coulomb::Field& velocity : ions.velocity) {
        double momentum = 0;
        for (std::size_t i = 0; i < ions.count; ++i) {
            momentum += ions.charge[i] * velocity[i];
        }
        CHECK(std::abs(momentum) < 1e-12);
    }
}

// Velocity Verlet is the same backward.
TEST(steps_lead_back_to_the_start) {
    const Ions start = coulomb::crystal_of(8);
    Ions ions = start;
    coulomb::move(ions, 10, 1);
    CHECK(std::abs(ions.position[0][5] - start.position[0][5]) > 1e-3);
    for (coulomb::Field& velocity : ions.velocity) {
        for (double& one : velocity) {
            one = -one;
        }
    }
    coulomb::move(ions, 10, 1);
    double worst = 0;
    for (std::size_t i = 0; i < ions.count; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            worst = std::max(worst, std::abs(ions.position[c][i] - start.position[c][i]));
        }
    }
    CHECK(worst < 1e-11);
}

TEST(any_team_makes_the_same_motion) {
    const auto positions = [](int threads) {
        Ions ions = coulomb::crystal_of(8);
        coulomb::move(ions, 3, threads);
        return ions.position;
    };
    const coulomb::Vectors one = positions(1);
    CHECK(positions(2) == one);
    CHECK(positions(3) == one);
}

TEST(a_wrong_run_is_seen) {
    const auto fault_after = [](auto&& change) {
        const Ions start = coulomb::crystal_of(8);
        Ions ions = start;
        coulomb::move(ions, 4, 2);
        change(ions);
        return coulomb::fault_of(coulomb::errors_of(ions, start, 2));
    };
    const auto has = [](const std::string& fault, const char* text) {
        return fault.find(text) != std::string::npos;
    };
    CHECK(fault_after([](Ions&) {}) == "");
    CHECK(has(fault_after([](Ions& ions) { ions.force[1][0] += 1e-9; }), "plain formulas"));
    // Of no sampled ion.
    CHECK(has(fault_after([](Ions& ions) { ions.force[2][1] += 1e-9; }), "sum of all forces"));
    CHECK(has(fault_after([](Ions& ions) { ions.force[2][1] = std::nan(""); }), "sum of all"));
    CHECK(has(fault_after([](Ions& ions) {
                  for (double& velocity : ions.velocity[2]) {
                      velocity *= 1.01;
                  }
              }),
              "energy changed"));
    CHECK(has(fault_after([](Ions& ions) {
                  for (std::size_t i = 0; i < ions.count; ++i) {
                      ions.position[1][i] += ions.force[1][i] / 100;
                  }
                  coulomb::add_up_forces(ions, 1);
              }),
              "energy changed"));
}

TEST(forces_that_are_no_slope_are_seen) {
    Ions ions = coulomb::crystal_of(8);
    coulomb::add_up_forces(ions, 1);
    CHECK(coulomb::error_of_slope(ions, 7) <= coulomb::most_of_slope);
    ions.force[0][7] *= 1 + 1e-6;
    CHECK(coulomb::error_of_slope(ions, 7) > coulomb::most_of_slope);
}

TEST(a_point_of_ions_is_recorded) {
    const std::vector<PointResult> points =
        test::run_with_fake_clock(&run_coulomb, {"cells=8,steps=2,scaling=strong"}, 1'000'000'000);
    CHECK(points.size() == 1U);
    CHECK(points[0].check_passed);
    CHECK(test::quantity_of(points[0], "pairs") == 3.0 * 1024 * 1023);
    CHECK_THROWS(UsageError, "cells",
                 test::run_with_fake_clock(&run_coulomb, {"cells=7,steps=2,scaling=strong"}, 1));
}

TEST(weak_work_a_thread_is_that_of_one_thread) {
    for (const double part : test::weak_work(&run_coulomb, "cells=8,steps=1", "pairs", {2, 3})) {
        // A cell more along each edge is half as many pairs again.
        CHECK(std::abs(part - 1) <= 0.3);
    }
}

}  // namespace
}  // namespace machmeter
