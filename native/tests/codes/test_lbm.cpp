// The flow is that of plain formulas, whoever steps it and around whatever; the checks see when it
// is not.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codes/lbm.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "tests/support/weak_work.hpp"

namespace machmeter {
namespace {

using lbm::Geometry;
using lbm::Lattice;
using lbm::Place;
using lbm::Sizes;

constexpr std::size_t page = 4096;

Lattice lattice_of(const Sizes& sizes, double solid, int threads,
                   codes::Touch touch = codes::Touch::owner) {
    return {Geometry(sizes, solid), lbm_fluid, touch, page, threads};
}

TEST(every_pair_of_steps_is_that_of_plain_formulas) {
    for (const double solid : {0.0, 0.1, 0.4}) {
        Lattice lattice = lattice_of({21, 17, 18}, solid, 2);
        for (const std::uint64_t pairs : {1, 20}) {
            const lbm::Reference reference = lbm::reference_of(lattice, lbm_velocity, pairs, page);
            CHECK(lbm::fault_of(lattice, reference) == "");
        }
    }
}

TEST(the_flow_moves) {
    Lattice lattice = lattice_of({16, 16, 16}, 0.1, 1);
    lattice.start(lbm_velocity);
    const double before = lattice.population(3)[0];
    lattice.run(3);
    CHECK(std::abs(lattice.population(3)[0] - before) > 1e-4);
}

TEST(any_team_makes_the_same_flow) {
    const auto fingerprint = [](int threads, codes::Touch touch) {
        Lattice lattice = lattice_of({20, 17, 18}, 0.2, threads, touch);
        lattice.start(lbm_velocity);
        lattice.run(10);
        return lbm::fingerprint_of(lattice);
    };
    const std::uint64_t one = fingerprint(1, codes::Touch::one);
    CHECK(fingerprint(2, codes::Touch::owner) == one);
    CHECK(fingerprint(3, codes::Touch::interleaved) == one);
}

TEST(the_profile_is_the_parabola_at_any_viscosity) {
    for (const double viscosity : {0.05, 1.0 / 6, 0.5}) {
        CHECK(lbm::error_of_channel({viscosity, 1e-5}, page) <= lbm::most_of_channel);
    }
}

TEST(relaxation_puts_walls_half_way) {
    const double even = 1 / lbm_fluid.even_rate() - 0.5;
    const double odd = 1 / lbm_fluid.odd_rate() - 0.5;
    CHECK(test::near(even * odd, 3.0 / 16));
}

TEST(runs_have_every_fluid_cell_once_and_grow_shorter_with_obstacles) {
    std::array<double, 2> cells_of_run{};
    for (const std::size_t at : {0, 1}) {
        const Lattice lattice = lattice_of({40, 33, 32}, at == 0 ? 0 : 0.2, 1);
        std::int32_t next = 0;
        for (const lbm::Run& run : lbm::runs_of(lattice.geometry())) {
            CHECK(run.first == next);
            next += run.cells;
        }
        CHECK(static_cast<std::size_t>(next) == lattice.cells());
        cells_of_run[at] =
            static_cast<double>(lattice.cells()) / static_cast<double>(lattice.runs());
    }
    CHECK(cells_of_run[0] > 10);
    CHECK(cells_of_run[1] > 1.5);
    CHECK(cells_of_run[1] < cells_of_run[0] / 2);
}

TEST(balls_fill_the_share_that_is_requested) {
    for (const double solid : {0.0, 0.1, 0.5}) {
        const Geometry geometry({40, 40, 40}, solid);
        const double share = 1 - static_cast<double>(geometry.fluid()) / 64000;
        CHECK(share >= solid);
        CHECK(share < solid + 0.01);
    }
}

TEST(a_wrong_run_is_seen) {
    const auto fault_after = [](auto&& change) {
        Lattice lattice = lattice_of({18, 17, 16}, 0.1, 2);
        lbm::Reference reference = lbm::reference_of(lattice, lbm_velocity, 4, page);
        change(lattice, reference);
        return lbm::fault_of(lattice, reference);
    };
    CHECK(fault_after([](Lattice&, lbm::Reference&) {}) == "");
    const std::array<std::string, 6> faults{
        fault_after([](Lattice& lattice, lbm::Reference&) { lattice.population(4)[9] += 1e-8; }),
        fault_after([](Lattice& lattice, lbm::Reference&) {
            std::swap(lattice.population(4)[9], lattice.population(3)[9]);
        }),
        fault_after([](Lattice& lattice, lbm::Reference&) { lattice.run(1); }),
        fault_after(
            [](Lattice& lattice, lbm::Reference&) { lattice.population(0)[0] = std::nan(""); }),
        fault_after([](Lattice&, lbm::Reference& reference) { reference.last_steps = 2e-14; }),
        fault_after([](Lattice&, lbm::Reference& reference) { reference.channel = 2e-10; }),
    };
    for (const std::string& fault : faults) {
        CHECK(!fault.empty());
    }
}

TEST(expected_cells_see_a_population_that_was_moved) {
    Lattice lattice = lattice_of({16, 9, 8}, 0.1, 1);
    lattice.start(lbm_velocity);
    const lbm::Expected expected(lattice);
    lattice.run(1);
    CHECK(expected.error_of(lattice) <= lbm::most_of_last_steps);
    lattice.population(7)[100] += 1e-12;
    CHECK(expected.error_of(lattice) > lbm::most_of_last_steps);
}

TEST(a_point_is_recorded_and_odd_steps_are_refused) {
    const std::vector<PointResult> points = test::run_with_fake_clock(
        &run_lbm, {"cells=16,steps=4,solid=0,touch=owner,scaling=strong"}, 1'000'000'000);
    CHECK(points.size() == 1U);
    CHECK(points[0].check_passed);
    CHECK(test::quantity_of(points[0], "cell_updates") == 4.0 * 16 * 16 * 16);
    CHECK_THROWS(UsageError, "odd",
                 test::run_with_fake_clock(
                     &run_lbm, {"cells=16,steps=3,solid=0,touch=owner,scaling=strong"}, 1));
}

TEST(weak_work_a_thread_is_that_of_one_thread) {
    for (const double part : test::weak_work(&run_lbm, "cells=32,steps=2,solid=10,touch=owner",
                                             "cell_updates", {2, 3})) {
        CHECK(std::abs(part - 1) <= 0.03);
    }
}

}  // namespace
}  // namespace machmeter
