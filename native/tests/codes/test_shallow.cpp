// The flow is that of plain formulas, whoever steps it and along whichever axis; the checks see
// when it is not.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codes/shallow.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "tests/support/weak_work.hpp"

namespace machmeter {
namespace {

using shallow::Grid;
using shallow::Model;
using shallow::MovedRows;
using shallow::Physics;

constexpr std::size_t page = 4096;

Model model_of(Grid grid, int threads, const Physics& physics = {},
               codes::Touch touch = codes::Touch::owner) {
    return {grid, physics, touch, page, threads};
}

TEST(every_step_is_that_of_plain_formulas) {
    for (const Grid grid : {Grid{64, 64}, Grid{65, 71}, Grid{90, 33}}) {
        Model model = model_of(grid, 2);
        for (const std::uint64_t steps : {2, 3, 4, 5, 60}) {
            model.start();
            const shallow::Sums start = shallow::sums_of(model);
            model.run(steps);
            CHECK(shallow::fault_of(model, start, shallow::fingerprint_of(model)) == "");
        }
    }
}

TEST(the_flow_moves) {
    Model model = model_of({64, 64}, 1);
    model.start();
    const double* const row = model.levels().now->u.row(5);
    const std::vector<double> before(row, row + 64);
    model.run(24);
    double largest = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        largest = std::max(largest, std::abs(model.levels().now->u.row(5)[i] - before[i]));
    }
    CHECK(largest > 0.1);
}

TEST(any_team_makes_the_same_flow) {
    const auto fingerprint = [](int threads, codes::Touch touch) {
        Model model = model_of({64, 67}, threads, {}, touch);
        model.start();
        model.run(30);
        return shallow::fingerprint_of(model);
    };
    const std::uint64_t one = fingerprint(1, codes::Touch::one);
    CHECK(fingerprint(2, codes::Touch::owner) == one);
    CHECK(fingerprint(3, codes::Touch::interleaved) == one);
}

// The first row of the flow on exchanged axes is the first column of the flow.
TEST(exchanged_axes_give_the_transposed_flow) {
    const Grid grid{80, 52};
    const Grid exchanged{grid.rows, grid.columns};
    Physics mirrored;
    mirrored.rotation = -mirrored.rotation;
    Model model = model_of(grid, 2);
    Model other = model_of(exchanged, 2, mirrored);
    model.start();
    const shallow::Level& given = *model.levels().now;
    other.start_from([&](std::size_t row, const MovedRows& to) {
        for (std::size_t i = 0; i < exchanged.columns; ++i) {
            to.u[i] = given.v.row(i)[row];
            to.v[i] = given.u.row(i)[row];
            to.p[i] = given.p.row(i)[row];
        }
    });
    model.run(40);
    other.run(40);
    double largest = 0;
    for (std::size_t row = 0; row < grid.rows; ++row) {
        const MovedRows rows = model.levels().now->rows(row);
        for (std::size_t i = 0; i < grid.columns; ++i) {
            const MovedRows turned = other.levels().now->rows(i);
            largest = std::max({largest, std::abs(rows.u[i] - turned.v[row]),
                                std::abs(rows.v[i] - turned.u[row]),
                                std::abs(rows.p[i] - turned.p[row]) / 1000});
        }
    }
    CHECK(largest < 1e-11);
}

TEST(a_wrong_run_is_seen) {
    const auto fault_after = [](auto&& change) {
        Model model = model_of({64, 64}, 2);
        model.start();
        const shallow::Sums start = shallow::sums_of(model);
        model.run(12);
        const std::uint64_t first = shallow::fingerprint_of(model);
        change(model);
        return shallow::fault_of(model, start, first);
    };
    CHECK(fault_after([](Model&) {}) == "");
    const std::array<std::string, 6> faults{
        fault_after([](Model& model) { model.levels().now->u.row(9)[3] += 1e-9; }),
        fault_after([](Model& model) { model.levels().old->v.row(9)[3] += 1e-10; }),
        fault_after([](Model& model) { model.levels().now->p.row(9)[3] += 1e-4; }),
        fault_after([](Model& model) { model.levels().next->p.row(63)[63] += 1e-6; }),
        fault_after([](Model& model) { model.levels().now->v.row(0)[0] = std::nan(""); }),
        fault_after([](Model& model) {
            model.start();
            model.run(13);
        }),
    };
    for (const std::string& fault : faults) {
        CHECK(!fault.empty());
    }
}

TEST(a_run_that_loses_mass_is_seen) {
    Model model = model_of({64, 64}, 1);
    model.start();
    shallow::Sums start = shallow::sums_of(model);
    start.mass *= 1 + 2e-13;
    model.run(3);
    CHECK(shallow::fault_of(model, start, shallow::fingerprint_of(model)).find("mass") !=
          std::string::npos);
}

TEST(a_point_is_recorded_with_what_it_moves) {
    const std::vector<PointResult> points = test::run_with_fake_clock(
        &run_shallow, {"cells=64,steps=4,touch=owner,scaling=strong"}, 1'000'000'000);
    CHECK(points.size() == 1U);
    CHECK(points[0].check_passed);
    CHECK(test::quantity_of(points[0], "cell_updates") == 64.0 * 64 * 4);
    CHECK(test::quantity_of(points[0], "bytes") == 64.0 * 64 * 8 * (4 * 29 + 6));
}

TEST(weak_work_a_thread_is_that_of_one_thread) {
    for (const double part :
         test::weak_work(&run_shallow, "cells=100,steps=2,touch=owner", "cell_updates", {2, 3})) {
        CHECK(std::abs(part - 1) <= 0.01);
    }
}

}  // namespace
}  // namespace machmeter
