// The pressure solve against the known pressure, any ranks and threads against one, and the faults
// that its checks refuse.
#include <cmath>
#include <string>

#include "proxies/ofp/checks.hpp"
#include "proxies/ofp/solver.hpp"
#include "tests/support/check.hpp"
#include "tests/support/stale_transport.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace ofp = proxies::ofp;
using test::on_proxy_ranks;
using test::ThreadRanks;

struct Outcome {
    ofp::Deviations deviations;
    double mean = 0;
};

// What the root found; `before(rank)` runs when the solve is set up.
template <class Kernel = ofp::Product, class Before>
Outcome solve(int ranks, int threads, std::int64_t edge, int iterations, Before&& before) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        ofp::Solver<ThreadRanks, Kernel> solver(mine, phases, {edge});
        solver.reset();
        before(mine.rank(), true);
        solver.run(iterations);
        before(mine.rank(), false);
        const ofp::Deviations found = ofp::check(solver, mine);
        const ofp::Block& block = solver.block();
        const double mean = mine.sum(ofp::sum_rows(block, [&](std::int64_t begin) {
            double sum = 0;
            for (std::int64_t i = begin; i < begin + block.count[0]; ++i) {
                sum += solver.found().data()[i];
            }
            return sum;
        }));
        if (mine.rank() == 0) {
            outcome = {found, mean / static_cast<double>(edge * edge * edge)};
        }
    });
    return outcome;
}

template <class Kernel = ofp::Product>
Outcome solve(int ranks, int threads, std::int64_t edge = 13, int iterations = 20) {
    return solve<Kernel>(ranks, threads, edge, iterations, [](int /*rank*/, bool /*runs*/) {});
}

bool close(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

TEST(the_solve_finds_the_known_pressure) {
    const Outcome found = solve(1, 1, 12, 120);
    CHECK(found.deviations.fault().empty());
    CHECK(found.deviations.error < 1e-7);
}

TEST(a_converged_solve_stays_as_it_is) {
    CHECK(solve(1, 1, 5, 3000).deviations.fault().empty());
    CHECK(solve(2, 1, 5, 3000).deviations.fault().empty());
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = solve(1, 1);
    CHECK(alone.deviations.fault().empty());
    for (const int ranks : {1, 2, 3, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = solve(ranks, threads);
            CHECK(found.deviations.fault().empty());
            CHECK(close(found.mean, alone.mean, 1e-9));
            CHECK(close(found.deviations.reduction, alone.deviations.reduction, 1e-9));
        }
    }
}

TEST(one_iteration_of_the_smallest_cube_is_checked_too) {
    CHECK(solve(1, 1, 4, 1).deviations.fault().empty());
    CHECK(solve(4, 1, 4, 1).deviations.fault().empty());
}

TEST(blocks_share_out_all_cells) {
    for (const int size : {1, 3, 6, 7, 12}) {
        std::int64_t cells = 0;
        for (int rank = 0; rank < size; ++rank) {
            cells += ofp::Block(13, rank, size).cells();
        }
        CHECK(cells == 13 * 13 * 13);
    }
}

struct NoProduct {
    double operator()(const ofp::Block& /*block*/, const ofp::Matrix& /*matrix*/,
                      const ofp::Field& /*vector*/, const ofp::Field& /*product*/) const {
        return 1;
    }
};

struct SingleProduct {
    double operator()(const ofp::Block& block, const ofp::Matrix& matrix, const ofp::Field& vector,
                      const ofp::Field& product) const {
        const double sum = ofp::Product()(block, matrix, vector, product);
        for (std::int64_t i = 0; i < block.padded(); ++i) {
            product.data()[i] = static_cast<float>(product.data()[i]);
        }
        return sum;
    }
};

thread_local bool is_idle = false;

struct IdleProduct {
    double operator()(const ofp::Block& block, const ofp::Matrix& matrix, const ofp::Field& vector,
                      const ofp::Field& product) const {
        return is_idle ? 0 : ofp::Product()(block, matrix, vector, product);
    }
};

TEST(a_kernel_that_does_nothing_is_refused) {
    CHECK(!solve<NoProduct>(1, 1).deviations.fault().empty());
}

TEST(single_precision_is_refused) {
    CHECK(!solve<SingleProduct>(1, 1).deviations.fault().empty());
    CHECK(!solve<SingleProduct>(1, 1, 4, 1).deviations.fault().empty());
}

TEST(an_idle_rank_is_refused) {
    const Outcome found =
        solve<IdleProduct>(2, 1, 13, 20, [](int rank, bool runs) { is_idle = runs && rank == 1; });
    CHECK(!found.deviations.fault().empty());
}

TEST(a_dropped_halo_is_refused) {
    std::string fault;
    test::on_stale_ranks(2, [&](auto& mine) {
        Phases phases(monotonic_clock);
        ofp::Solver<std::decay_t<decltype(mine)>> solver(mine, phases, ofp::Problem{13});
        solver.reset();
        solver.run(1);
        test::StaleTransport::stale = true;
        solver.run(10);
        test::StaleTransport::stale = false;
        const std::string found = ofp::check(solver, mine).fault();
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    CHECK(!fault.empty());
}

TEST(an_old_output_has_not_taken_the_iterations) {
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        ofp::Solver<ThreadRanks> solver(mine, phases, {8});
        solver.reset();
        CHECK(!ofp::check(solver, mine).fault().empty());
        solver.run(2);
        CHECK(solver.iterations() == 2);
        solver.reset();
        CHECK(solver.iterations() == 0);
    });
}

}  // namespace
}  // namespace machmeter
