// Elements move as plain formulas say, however threads add their forces; the checks see when they
// do not.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "codes/elements.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"
#include "tests/support/weak_work.hpp"

namespace machmeter {
namespace {

using elements::Body;
using elements::Lanes;
using elements::Matrix;
using elements::Mesh;
using elements::Reference;
using elements::Scatter;

constexpr std::size_t page = 4096;
constexpr std::array<Scatter, 3> scatters = {Scatter::colors, Scatter::corners,
                                             Scatter::own_arrays};

Body body_of(Scatter scatter, std::size_t costly, int threads) {
    return {Mesh(12), scatter, costly, codes::Touch::interleaved, page, threads};
}

bool holds(const std::string& fault, const char* text) {
    return fault.find(text) != std::string::npos;
}

TEST(every_check_of_elements_holds_by_each_way_of_adding) {
    for (const Scatter scatter : scatters) {
        for (const int threads : {1, 3}) {
            for (const std::size_t costly : {0, 30, 100}) {
                Body body = body_of(scatter, costly, threads);
                const Reference reference = elements::reference_of(body, scatter, 40, page);
                CHECK(elements::fault_of(body, reference) == "");
            }
        }
    }
}

TEST(the_body_moves_and_is_strained) {
    Body body = body_of(Scatter::colors, 10, 1);
    body.start();
    std::vector<double> before;
    for (std::size_t node = 0; node < body.mesh().nodes(); ++node) {
        before.push_back(body.velocities()[node][0]);
    }
    body.run(20);
    double most = 0;
    for (std::size_t node = 0; node < body.mesh().nodes(); ++node) {
        most = std::max(most, std::abs(body.velocities()[node][0] - before[node]));
    }
    CHECK(most > 0.05);
}

TEST(any_team_moves_a_body_alike) {
    const auto fingerprint = [](Scatter scatter, int threads) {
        Body body = body_of(scatter, 10, threads);
        body.start();
        body.run(10);
        return elements::fingerprint_of(body);
    };
    for (const Scatter scatter : {Scatter::colors, Scatter::corners}) {
        CHECK(fingerprint(scatter, 3) == fingerprint(scatter, 1));
    }
}

TEST(blocks_of_a_color_share_no_node) {
    const Mesh mesh(12);
    const Body body = body_of(Scatter::colors, 0, 1);
    std::size_t blocks = 0;
    for (std::size_t color = 0; color < elements::colors; ++color) {
        std::set<std::uint32_t> all;
        for (std::size_t block = 0; block < mesh.blocks(); ++block) {
            if (mesh.color(block) != color) {
                continue;
            }
            std::set<std::uint32_t> own;
            for (const auto& nodes : body.blocks()[block].nodes) {
                own.insert(nodes.begin(), nodes.end());
            }
            CHECK(own.size() == 20U);
            for (const std::uint32_t node : own) {
                CHECK(all.insert(node).second);
            }
            ++blocks;
        }
    }
    CHECK(blocks == mesh.blocks());
}

TEST(volumes_and_masses_are_those_of_the_body) {
    const Body body = body_of(Scatter::colors, 0, 1);
    elements::PlainCorners box{};
    for (std::size_t a = 0; a < elements::corners; ++a) {
        box[a] = {2.0 * static_cast<double>(a & 1U), 3.0 * static_cast<double>(a >> 1U & 1U),
                  5.0 * static_cast<double>(a >> 2U)};
    }
    CHECK(test::near(elements::plain_volume(box), 30));
    double mass = 0;
    double volume = 0;
    for (std::size_t node = 0; node < body.mesh().nodes(); ++node) {
        mass += 1 / body.inverse_mass()[node];
    }
    for (std::size_t block = 0; block < body.mesh().blocks(); ++block) {
        volume += proxies::sum_of_lanes(body.blocks()[block].volume);
    }
    CHECK(std::abs(mass / volume - 1) < 1e-13);
    CHECK(std::abs(volume / (12 * 12 * 12) - 1) < 0.02);
}

TEST(stresses_are_slopes_of_energies) {
    const Matrix<double> strain{{{1.1, 0.05, -0.03}, {0.02, 0.9, 0.04}, {-0.06, 0.01, 1.05}}};
    const Matrix<double> even = elements::even_stress(strain);
    const Matrix<double> layered = elements::layered_stress(strain);
    const Matrix<double> plain = elements::plain_layered_stress(strain);
    for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 3; ++i) {
            Matrix<double> more = strain;
            Matrix<double> less = strain;
            more[j][i] += 1e-5;
            less[j][i] -= 1e-5;
            CHECK(std::abs((elements::even_energy(more) - elements::even_energy(less)) / 2e-5 -
                           even[j][i]) < 1e-8);
            CHECK(
                std::abs((elements::layered_energy(more) - elements::layered_energy(less)) / 2e-5 -
                         layered[j][i]) < 1e-8);
            CHECK(std::abs(layered[j][i] - plain[j][i]) < 1e-13);
            CHECK(std::abs(layered[j][i] - even[j][i]) > 1e-5);
        }
    }
}

TEST(a_wrong_motion_of_a_body_is_seen) {
    const auto fault_after = [](auto&& change) {
        Body body = body_of(Scatter::colors, 10, 2);
        Reference reference = elements::reference_of(body, Scatter::colors, 5, page);
        change(body, reference);
        return elements::fault_of(body, reference);
    };
    CHECK(fault_after([](Body&, Reference&) {}) == "");
    CHECK(holds(fault_after([](Body& body, Reference&) { body.run(1); }), "two runs"));
    CHECK(holds(fault_after([](Body& body, Reference&) { body.velocities()[77][1] += 5; }),
                "energy"));
    CHECK(holds(fault_after([](Body& body, Reference&) { body.places()[77][1] = std::nan(""); }),
                "sum of forces"));
    CHECK(holds(fault_after([](Body&, Reference& of) { of.rotation = 2e-12; }), "rotated"));
    CHECK(holds(fault_after([](Body&, Reference& of) { of.patch = std::nan(""); }), "uniform"));
    CHECK(holds(fault_after([](Body&, Reference& of) { of.scatters = 2e-12; }), "adding"));
    CHECK(holds(fault_after([](Body&, Reference& of) { of.last_step = 2e-12; }), "plain"));
}

TEST(forces_that_do_not_balance_are_seen) {
    Body body = body_of(Scatter::corners, 10, 2);
    body.start();
    body.run(5);
    body.find_forces();
    CHECK(elements::unbalanced(body)[0] < 1e-14);
    CHECK(elements::unbalanced(body)[1] < 1e-14);
    body.forces()[7][1] += 1e-6;
    body.forces()[900][1] -= 1e-6;
    CHECK(elements::unbalanced(body)[0] < 1e-14);
    CHECK(elements::unbalanced(body)[1] > elements::most_of_rounding);
    body.forces()[900][1] += 1e-6;
    CHECK(elements::unbalanced(body)[0] > elements::most_of_rounding);
}

TEST(expected_nodes_see_a_node_that_was_moved) {
    Body body = body_of(Scatter::own_arrays, 50, 1);
    body.start();
    body.run(3);
    const elements::Expected expected(body);
    CHECK(expected.error_of(body) > 1e-3);
    body.run(1);
    CHECK(expected.error_of(body) <= 1e-13);
    body.places()[0][2] += 1e-11;
    CHECK(expected.error_of(body) > elements::most_of_rounding);
}

TEST(a_point_of_elements_is_recorded_and_odd_cells_are_refused) {
    const std::vector<PointResult> points = test::run_with_fake_clock(
        &run_elements,
        {"cells=8,steps=4,scatter=private,costly=10,touch=owner,scaling=strong",
         "cells=8,steps=4,scatter=corners,costly=0,touch=one,scaling=strong"},
        1'000'000'000);
    CHECK(points.size() == 2U);
    for (const PointResult& point : points) {
        CHECK(point.check_passed);
        CHECK(test::quantity_of(point, "element_updates") == 4.0 * 8 * 8 * 8);
    }
    CHECK_THROWS(UsageError, "multiple",
                 test::run_with_fake_clock(
                     &run_elements,
                     {"cells=10,steps=4,scatter=colors,costly=0,touch=one,scaling=strong"}, 1));
}

// 8 cells grow to 12 on 3 threads: 3.4 times the work.
TEST(weak_work_of_elements_grows_by_whole_blocks) {
    const double part =
        test::weak_work(&run_elements, "cells=8,steps=2,scatter=corners,costly=10,touch=owner",
                        "element_updates", {3})
            .at(0);
    CHECK(part == 12.0 * 12 * 12 / (8 * 8 * 8) / 3);
}

}  // namespace
}  // namespace machmeter
