// The solve on a lattice against plain sums, any ranks and threads against one, and the faults that
// its checks refuse.
#include <cmath>
#include <string>

#include "proxies/lqcd/checks.hpp"
#include "proxies/lqcd/solver.hpp"
#include "tests/support/check.hpp"
#include "tests/support/stale_transport.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace lqcd = proxies::lqcd;
using test::on_proxy_ranks;
using test::ThreadRanks;

constexpr std::int64_t extent = 8;

struct Outcome {
    lqcd::Deviations deviations;
    double norm = 0;
};

struct Problem {
    lqcd::Site whole{extent, extent, extent, extent};
    std::array<int, 4> blocks{1, 1, 1, 1};
    int iterations = 10;
    std::uint64_t rotation = 0;

    [[nodiscard]] lqcd::Sharing sharing() const { return {whole, blocks}; }
    [[nodiscard]] int ranks() const { return blocks[0] * blocks[1] * blocks[2] * blocks[3]; }
};

template <class Solver>
double norm_of(const Solver& solver, ThreadRanks& ranks) {
    return ranks.sum(lqcd::sum_rows(solver.block(), [&](std::int64_t row) {
        double sum = 0;
        for (std::int64_t i = 0; i < solver.block().half(); ++i) {
            const lqcd::Color color = solver.found().get(row, i);
            sum += lqcd::scalar_product(color, color).real();
        }
        return sum;
    }));
}

// What the root found; `around(rank, runs)` before and after the iterations.
template <class Kernel, class Around>
Outcome solve(const Problem& problem, int threads, Around&& around) {
    Outcome outcome;
    on_proxy_ranks(problem.ranks(), threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        lqcd::Solver<ThreadRanks, Kernel> solver(mine, phases, problem.sharing(), problem.rotation);
        solver.reset();
        around(mine.rank(), true);
        solver.run(problem.iterations);
        around(mine.rank(), false);
        const lqcd::Deviations found = lqcd::check(solver, mine);
        const double norm = norm_of(solver, mine);
        if (mine.rank() == 0) {
            outcome = {found, norm};
        }
    });
    return outcome;
}

template <class Kernel = lqcd::Hop>
Outcome solve(const Problem& problem, int threads = 1) {
    return solve<Kernel>(problem, threads, [](int /*rank*/, bool /*runs*/) {});
}

bool close(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

TEST(links_are_in_su3) {
    const lqcd::Gauge gauge({4, 4, 4, 4});
    for (std::int64_t x = 0; x < 4; ++x) {
        const lqcd::Matrix link = gauge.link({x, 1, 2, 3}, 2);
        const lqcd::Matrix one = lqcd::product(link, lqcd::dagger(link));
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                CHECK(std::abs(one[i][j] - (i == j ? 1.0 : 0.0)) < 1e-13);
            }
        }
        lqcd::Complex determinant{};
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3;
            const std::size_t k = (i + 2) % 3;
            determinant += link[0][i] * (link[1][j] * link[2][k] - link[1][k] * link[2][j]);
        }
        CHECK(std::abs(determinant - 1.0) < 1e-13);
    }
}

// Of one plaquette.
double trace(const lqcd::Gauge& gauge, const lqcd::Site& site, std::size_t a, std::size_t b) {
    const lqcd::Matrix there =
        lqcd::product(gauge.link(site, a), gauge.link(gauge.moved(site, a, 1), b));
    const lqcd::Matrix back =
        lqcd::product(gauge.link(site, b), gauge.link(gauge.moved(site, b, 1), a));
    const lqcd::Matrix loop = lqcd::product(there, lqcd::dagger(back));
    return (loop[0][0] + loop[1][1] + loop[2][2]).real();
}

TEST(a_rotation_of_colors_changes_no_plaquette) {
    const lqcd::Site whole{4, 6, 4, 8};
    const lqcd::Gauge plain(whole);
    const lqcd::Gauge rotated(whole, 7);
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const lqcd::Site site{3, 5, 1, 7};
            CHECK(std::abs(trace(plain, site, a, b) - trace(rotated, site, a, b)) < 1e-13);
        }
    }
}

TEST(a_rotation_of_colors_rotates_the_solution_alone) {
    const Outcome plain = solve({});
    const Outcome rotated = solve({.rotation = 7});
    CHECK(plain.deviations.fault().empty());
    CHECK(rotated.deviations.fault().empty());
    CHECK(close(rotated.norm, plain.norm, 1e-11));
    CHECK(close(rotated.deviations.reduction, plain.deviations.reduction, 1e-11));
}

TEST(the_solve_converges) {
    const Outcome found = solve({.whole = {4, 4, 4, 4}, .iterations = 400});
    CHECK(found.deviations.fault().empty());
    CHECK(found.deviations.reduction < 1e-9);
}

TEST(a_converged_solve_stays_as_it_is) {
    CHECK(solve({.whole = {4, 4, 4, 4}, .iterations = 5000}).deviations.fault().empty());
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = solve({});
    CHECK(alone.deviations.fault().empty());
    using Blocks = std::array<int, 4>;
    for (const Blocks& blocks :
         {Blocks{1, 1, 1, 1}, Blocks{1, 1, 1, 2}, Blocks{1, 1, 2, 1}, Blocks{1, 2, 1, 1},
          Blocks{2, 1, 1, 1}, Blocks{1, 1, 2, 2}, Blocks{2, 2, 1, 1}}) {
        for (const int threads : {1, 2}) {
            const Outcome found = solve({.blocks = blocks}, threads);
            CHECK(found.deviations.fault().empty());
            CHECK(close(found.norm, alone.norm, 1e-9));
            CHECK(close(found.deviations.reduction, alone.deviations.reduction, 1e-9));
        }
    }
}

TEST(rows_that_fill_no_whole_lanes_and_blocks_of_different_lengths_are_right) {
    const lqcd::Site whole{14, 4, 6, 14};
    const Outcome alone = solve({.whole = whole});
    CHECK(alone.deviations.fault().empty());
    for (const int along_x : {1, 3}) {
        const Outcome found = solve({.whole = whole, .blocks = {along_x, 1, 1, 3 / along_x}});
        CHECK(found.deviations.fault().empty());
        CHECK(close(found.norm, alone.norm, 1e-9));
    }
}

TEST(blocks_share_out_all_sites) {
    for (const int ranks : {1, 2, 3, 4, 6, 12, 16, 30}) {
        for (const bool weak : {false, true}) {
            const lqcd::Sharing sharing =
                weak ? lqcd::replicated(20, ranks) : lqcd::shared_out(20, ranks);
            std::int64_t sites = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                sites += 2 * lqcd::Block(sharing, rank).sites();
            }
            CHECK(static_cast<double>(sites) == sharing.sites());
            CHECK(sites == 20 * 20 * 20 * 20 * (weak ? ranks : 1));
        }
    }
    CHECK((lqcd::shared_out(8, 4).ranks == std::array<int, 4>{1, 1, 2, 2}));
}

struct NoHop {
    template <class Finish>
    double operator()(const lqcd::Block& /*block*/, const lqcd::RowMap& /*map*/,
                      const lqcd::Links& /*links*/, const lqcd::Field& /*source*/, int /*parity*/,
                      Finish&& /*finish*/) const {
        return 1;
    }
};

struct SingleHop {
    template <class Finish>
    double operator()(const lqcd::Block& block, const lqcd::RowMap& map, const lqcd::Links& links,
                      const lqcd::Field& source, int parity, Finish&& finish) const {
        return lqcd::Hop()(block, map, links, source, parity,
                           [&](std::int64_t row, std::int64_t group, lqcd::ColorLanes sum) {
                               for (proxies::Lanes& lanes : sum) {
                                   for (int lane = 0; lane < proxies::lane_count; ++lane) {
                                       lanes[lane] = static_cast<float>(lanes[lane]);
                                   }
                               }
                               return finish(row, group, sum);
                           });
    }
};

// Leaves out what even sites get, so that the matrix is a multiple of one: Hermitian too.
struct HalfHop {
    template <class Finish>
    double operator()(const lqcd::Block& block, const lqcd::RowMap& map, const lqcd::Links& links,
                      const lqcd::Field& source, int parity, Finish&& finish) const {
        return lqcd::Hop()(block, map, links, source, parity,
                           [&](std::int64_t row, std::int64_t group, lqcd::ColorLanes sum) {
                               return finish(row, group,
                                             parity == lqcd::even ? lqcd::ColorLanes{} : sum);
                           });
    }
};

thread_local bool is_idle = false;

struct IdleHop {
    template <class Finish>
    double operator()(const lqcd::Block& block, const lqcd::RowMap& map, const lqcd::Links& links,
                      const lqcd::Field& source, int parity, Finish&& finish) const {
        return is_idle ? 0 : lqcd::Hop()(block, map, links, source, parity, finish);
    }
};

TEST(a_kernel_that_does_nothing_is_refused) { CHECK(!solve<NoHop>({}).deviations.fault().empty()); }

TEST(single_precision_is_refused) {
    CHECK(!solve<SingleHop>({}).deviations.fault().empty());
    CHECK(!solve<SingleHop>({.whole = {4, 4, 4, 4}, .iterations = 1}).deviations.fault().empty());
}

TEST(an_idle_rank_is_refused) {
    const Outcome found = solve<IdleHop>({.blocks = {1, 1, 1, 2}}, 1,
                                         [](int rank, bool runs) { is_idle = runs && rank == 1; });
    CHECK(!found.deviations.fault().empty());
}

TEST(a_dropped_halo_is_refused) {
    std::string fault;
    test::on_stale_ranks(2, [&](auto& mine) {
        Phases phases(monotonic_clock);
        const Problem problem{.blocks = {1, 1, 1, 2}};
        lqcd::Solver<std::decay_t<decltype(mine)>> solver(mine, phases, problem.sharing());
        solver.reset();
        solver.run(1);
        test::StaleTransport::stale = true;
        solver.run(5);
        test::StaleTransport::stale = false;
        const std::string found = lqcd::check(solver, mine).fault();
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    CHECK(!fault.empty());
}

TEST(an_old_output_has_not_taken_the_iterations) {
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        lqcd::Solver<ThreadRanks> solver(mine, phases, Problem{}.sharing());
        solver.reset();
        CHECK(!lqcd::check(solver, mine).fault().empty());
        solver.reset();
        solver.run(2);
        CHECK(solver.iterations() == 2);
        solver.reset();
        CHECK(solver.iterations() == 0);
    });
}

}  // namespace
}  // namespace machmeter
