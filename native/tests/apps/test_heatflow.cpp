// The heat problem against what is known of it; derivatives against differences; any split of
// teams.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "apps/heatflow.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

using heat::Arrays;
using heat::Grid;

constexpr Teams all_teams[] = {{1, 1}, {1, 3}, {2, 1}, {2, 2}, {3, 2}};

// One thread's solve of A(k) T = b(k).
std::vector<double> temperatures(const Grid& grid, const std::vector<double>& k) {
    const heat::MallocedArrays memory(grid);
    const Arrays arrays = memory.arrays();
    heat::solve_with_team(grid, arrays, 1, 1e-12, [&](const heat::Share& share) {
        heat::assemble_base(grid, share, k.data(), arrays);
    });
    return {arrays.solution, arrays.solution + grid.cells()};
}

TEST(heat_through_equal_rock_falls_in_a_straight_line) {
    const Grid grid{6};
    const auto found = temperatures(grid, std::vector<double>(grid.cells(), 2.5));
    for (std::size_t i = 0; i < grid.cells(); ++i) {
        const double depth = static_cast<double>(i / grid.plane()) + 0.5;
        CHECK(std::abs(found[i] - depth / 6) < 1e-9);
    }
}

TEST(layers_share_the_fall_by_their_resistance) {
    const Grid grid{4};
    std::vector<double> k(grid.cells(), 1.0);
    std::fill(k.begin(), k.begin() + 2 * static_cast<std::ptrdiff_t>(grid.plane()), 3.0);
    const auto found = temperatures(grid, k);
    // Resistances: two layers of 1/3 and two of 1; heat flow 1 / (2/3 + 2).
    const double flow = 3.0 / 8.0;
    const double at[] = {flow / 6, flow / 2, flow * (2.0 / 3 + 0.5), flow * (2.0 / 3 + 1.5)};
    for (std::size_t i = 0; i < grid.cells(); ++i) {
        CHECK(std::abs(found[i] - at[i / grid.plane()]) < 1e-9);
    }
}

TEST(shares_are_whole_rows_and_cover_every_cell_once) {
    for (const std::size_t edge : {1U, 4U, 5U}) {
        const Grid grid{edge};
        for (const int threads : {1, 2, 3, 7, 40}) {
            std::size_t next = 0;
            for (int thread = 0; thread < threads; ++thread) {
                const heat::Share share = heat::share_of(grid, thread, threads);
                CHECK(share.first == next && share.first % edge == 0);
                next = share.last;
            }
            CHECK(next == grid.cells());
        }
    }
}

TEST(sums_are_the_same_on_every_thread_and_every_time) {
    heat::TeamSums sums(3);
    std::vector<std::vector<double>> seen(3);
#pragma omp parallel num_threads(3)
    for (int round = 0; round < 50; ++round) {
        const int thread = omp_get_thread_num();
        const auto own = static_cast<double>(round * (thread + 1));
        seen[static_cast<std::size_t>(thread)].push_back(
            sums.add(round % 2, thread, {own, -own})[0]);
    }
    for (int round = 0; round < 50; ++round) {
        CHECK(seen[0][static_cast<std::size_t>(round)] == 6.0 * round);
    }
    CHECK(seen[1] == seen[0] && seen[2] == seen[0]);
}

// All derivatives by these teams, with arrays in slices.
std::vector<heat::Derivative> derivatives_by(const heat::Problem& problem, const Teams& teams,
                                             std::size_t count) {
    std::vector<heat::Derivative> derivatives(count);
    const heat::SlicedArrays memory(problem.grid(), teams.outer, 4096);
    omp_set_max_active_levels(2);
    TeamTimes times(teams.outer, heat_phases);
    derive_all(problem, teams, derivatives, times, [&](int outer, auto&& use) {
        use(memory.arrays(outer));
        return true;
    });
    omp_set_max_active_levels(1);
    return derivatives;
}

TEST(every_split_finds_the_derivatives_of_differences) {
    heat::Problem problem(7, 1);
    for (const Teams& teams : all_teams) {
        const auto found = derivatives_by(problem, teams, 5);
        CHECK(derivatives_are_right(problem, found));
        CHECK(found[0].solved.iterations > 5);
        CHECK(found[0].column != found[4].column);
    }
}

TEST(the_same_teams_find_the_same_bits) {
    const heat::Problem problem(6, 2);
    const auto once = derivatives_by(problem, {2, 2}, 3);
    const auto again = derivatives_by(problem, {3, 2}, 3);
    for (std::size_t i = 0; i < once.size(); ++i) {
        CHECK(once[i].column == again[i].column);
    }
}

TEST(the_check_sees_a_wrong_derivative_and_a_solve_that_did_not_converge) {
    heat::Problem problem(6, 1);
    const auto right = derivatives_by(problem, {1, 1}, 3);
    CHECK(derivatives_are_right(problem, right));
    auto exchanged = right;
    std::swap(exchanged[0], exchanged[2]);
    CHECK(!derivatives_are_right(problem, exchanged));
    auto off = right;
    const auto magnitude = [](double x, double y) { return std::abs(x) < std::abs(y); };
    *std::max_element(off[1].column.begin(), off[1].column.end(), magnitude) *= 1.001;
    CHECK(!derivatives_are_right(problem, off));
    auto broken = right;
    broken[2].column[0] = std::nan("");
    CHECK(!derivatives_are_right(problem, broken));
    auto unfinished = right;
    unfinished[1].solved.residual = 1e-7;
    CHECK(!derivatives_are_right(problem, unfinished));
    unfinished[1].solved.residual = std::nan("");
    CHECK(!derivatives_are_right(problem, unfinished));
}

TEST(memory_that_is_refused_is_an_error) {
    const heat::Problem problem(4, 1);
    std::vector<heat::Derivative> derivatives(2);
    const auto refuse = [](int, auto&&) { return false; };
    TeamTimes times(1, heat_phases);
    const auto derive = [&] {
        derive_all(problem, {1, 1}, derivatives, times, refuse);
        return 0;
    };
    CHECK_THROWS(std::runtime_error, "malloc refused the arrays", derive());
}

TEST(slices_do_not_overlap) {
    const Grid grid{5};
    const heat::SlicedArrays memory(grid, 3, 4096);
    std::vector<double*> begins;
    for (int slice = 0; slice < 3; ++slice) {
        for (double* cells : memory.arrays(slice).all()) {
            begins.push_back(cells - grid.plane());
        }
    }
    for (std::size_t i = 1; i < begins.size(); ++i) {
        CHECK(begins[i] >= begins[i - 1] + heat::padded_cells(grid));
    }
}

double quantity(const PointResult& point, const std::string& name) {
    for (const auto& [known, value] : point.quantities) {
        if (known == name) {
            return value;
        }
    }
    return std::nan("");
}

TEST(the_time_of_teams_is_that_of_all_outer_threads) {
    TeamTimes times(2, heat_phases);
    CHECK(times.share(solving) == 0);
    times.whole([] {
        const std::uint64_t begin = monotonic_clock.now();
        while (seconds_between(begin, monotonic_clock.now()) < 1e-3) {
        }
    });
    times.add(0, solving, 0.5);
    times.add(1, assembly, 0.25);
    CHECK(times.share(solving) > 2 * times.share(assembly) * (1 - 1e-12));
    CHECK(times.share(solving) < 0.5 / 2 / 1e-3 + 1e-9);
    times.clear();
    CHECK(times.share(solving) == 0);
}

TEST(both_kinds_of_arrays_become_points) {
    omp_set_num_threads(1);
    const auto recorded = test::run_with_fake_clock(
        &run_heatflow,
        {"derivatives=2,arrays=inside,cells=6", "derivatives=2,arrays=slices,cells=6"}, 4'000'000);
    CHECK(recorded.size() == 2);
    for (const PointResult& point : recorded) {
        CHECK(point.check_passed);
        CHECK(point.series[0].first == "seconds");
        CHECK(point.series[0].second == std::vector<double>(8, 4e-3));
        CHECK(point.quantities[0].first == "derivatives" && point.quantities[0].second == 2);
        CHECK(point.quantities[1].first == "iterations" && point.quantities[1].second > 10);
        // One outer thread waits for no other.
        const double busy = quantity(point, "assembly_share") + quantity(point, "solve_share");
        CHECK(busy > 0.3 && busy <= 1);
        CHECK(quantity(point, "flops") == quantity(point, "iterations") * 216 * 27);
    }
    CHECK(recorded[0].quantities[0] == recorded[1].quantities[0]);
    CHECK(recorded[0].quantities[1] == recorded[1].quantities[1]);
    CHECK(recorded[0].page_bytes == 0 && recorded[1].page_bytes == 4096);
}

TEST(an_error_in_a_derivative_leaves_the_teams_as_an_exception) {
    const heat::Problem problem(4, 1);
    std::vector<heat::Derivative> derivatives(3);
    TeamTimes times(2, heat_phases);
    const auto derive = [&] {
        derive_all(problem, {2, 1}, derivatives, times,
                   [](int, auto&&) -> bool { throw std::bad_alloc(); });
        return 0;
    };
    CHECK_THROWS(std::bad_alloc, "bad_alloc", derive());
}

// Page faults of deriving with memory that is mapped again for every derivative, or kept.
double faults_of(bool mapped_anew) {
    Arguments arguments;
    arguments.points.emplace_back("derivatives=2");
    NodeSession session = test::fake_session(arguments);
    test::fake_step = 4'000'000;
    const heat::Problem problem(6, 1);
    std::vector<heat::Derivative> derivatives(2);
    const heat::SlicedArrays kept(problem.grid(), 1, 4096);
    return time_derivatives(session, problem, {1, 1}, derivatives,
                            [&](int /*outer*/, auto&& use) {
                                if (mapped_anew) {
                                    const heat::SlicedArrays own(problem.grid(), 1, 4096);
                                    use(own.arrays(0));
                                } else {
                                    use(kept.arrays(0));
                                }
                                return true;
                            })
        .page_faults;
}

TEST(memory_that_is_mapped_anew_shows_in_the_page_faults) {
    constexpr double pages = heat::Arrays::count * (6 * 6 * 8) * 8 / 4096.0;
    CHECK(faults_of(true) >= 2 * pages);
    CHECK(faults_of(false) < 1);
    CHECK(pages_inside(pages).find("released") != std::string::npos);
    CHECK(pages_inside(0.25).find("kept") != std::string::npos);
}

TEST(cells_that_do_not_fit_are_refused_before_memory_is_taken) {
    const heat::Grid grid{100};
    require_memory_of_cells(grid, {2, 3}, 4096, 22 * 8.2e6);
    const auto refused = [&](const Teams& teams) {
        require_memory_of_cells(grid, teams, 4096, 22 * 8.1e6);
        return 0;
    };
    CHECK_THROWS(UsageError, "100 cells an edge for 2 outer teams need 0.17", refused({2, 3}));
    CHECK(refused({1, 6}) == 0);
}

TEST(what_means_nothing_is_a_usage_error) {
    const auto run = [](const char* point) {
        test::run_with_fake_clock(&run_heatflow, {point}, 4'000'000);
        return 0;
    };
    CHECK_THROWS(UsageError, "cells: 3 is not within 4",
                 run("derivatives=1,arrays=inside,cells=3"));
    CHECK_THROWS(UsageError, "derivatives: 0", run("derivatives=0,arrays=inside,cells=4"));
    CHECK_THROWS(UsageError, "'heap' is none of", run("derivatives=1,arrays=heap,cells=4"));
}

}  // namespace
}  // namespace machmeter
