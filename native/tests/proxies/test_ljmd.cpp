// The liquid against its published energies, any ranks and threads against one, and the faults that
// its checks refuse.
#include <cmath>
#include <string>
#include <vector>

#include "proxies/common/bricks.hpp"
#include "proxies/ljmd/checks.hpp"
#include "proxies/ljmd/liquid.hpp"
#include "tests/support/check.hpp"
#include "tests/support/stale_transport.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace ljmd = proxies::ljmd;
using test::on_proxy_ranks;
using test::ThreadRanks;

constexpr ljmd::Lattice small{{5, 4, 4}};
constexpr int usual_steps = 45;

struct Outcome {
    ljmd::Energies energies;
    ljmd::Deviations deviations;
    std::string fault;
};

// What the root found; `spoil(liquid)` runs after the last step.
template <class Kernel = ljmd::PairForces, class Spoil>
Outcome run_spoiled(int ranks, int threads, const ljmd::Lattice& lattice, int steps,
                    Spoil&& spoil) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        ljmd::Liquid<ThreadRanks, Kernel> liquid(mine, phases, lattice, false);
        liquid.reset();
        const ljmd::Start start = ljmd::check_start(liquid);
        liquid.run(steps);
        spoil(liquid);
        const ljmd::Deviations found = ljmd::check_end(liquid, mine, start);
        if (mine.rank() == 0) {
            outcome = {liquid.energies(), found, found.fault(ljmd::energy_tolerance(100))};
        }
    });
    return outcome;
}

template <class Kernel = ljmd::PairForces>
Outcome run(int ranks, int threads, const ljmd::Lattice& lattice = small, int steps = usual_steps) {
    return run_spoiled<Kernel>(ranks, threads, lattice, steps, [](auto& /*liquid*/) {});
}

bool close(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

TEST(the_lattice_has_the_published_energy) {
    CHECK(close(ljmd::Lattice::energy_per_atom(false), -6.7733681, 1e-8));
}

// What LAMMPS prints for its benchmark: the random velocities differ, the energy hardly does.
TEST(the_liquid_has_the_published_energy) {
    constexpr ljmd::Lattice benchmark{{20, 20, 20}};
    const Outcome found = run(1, 2, benchmark, 100);
    CHECK(found.fault.empty());
    CHECK(std::abs(found.energies.total() / 32000 + 4.6224) <= 0.0005);
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = run(1, 1);
    CHECK(alone.fault.empty());
    for (const int ranks : {1, 2, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = run(ranks, threads, ljmd::Lattice{{8, 8, 4}});
            const Outcome expected = run(1, 1, ljmd::Lattice{{8, 8, 4}});
            CHECK(found.fault.empty());
            CHECK(close(found.energies.potential, expected.energies.potential, 1e-9));
            CHECK(close(found.energies.kinetic, expected.energies.kinetic, 1e-9));
        }
    }
}

// The list of the last step is as old as it gets.
TEST(an_old_list_is_no_fault) { CHECK(run(2, 1, ljmd::Lattice{{10, 8, 8}}, 39).fault.empty()); }

TEST(one_step_of_the_smallest_box_is_checked_too) {
    CHECK(run(1, 1, ljmd::Lattice{{2, 2, 2}}, 1).fault.empty());
}

// A kernel that writes nothing.
struct NoForces {
    template <bool with_energy>
    void compute(const ljmd::PairList& /*list*/, ljmd::Atoms& /*atoms*/, double /*shift*/) const {}
};

// Forces from positions of single precision.
struct SingleForces {
    template <bool with_energy>
    void compute(const ljmd::PairList& list, ljmd::Atoms& atoms, double shift) const {
        const std::vector<proxies::Lanes> exact = atoms.position;
        for (proxies::Lanes& position : atoms.position) {
            for (int c = 0; c < 3; ++c) {
                position[c] = static_cast<float>(position[c]);
            }
        }
        ljmd::PairForces().compute<with_energy>(list, atoms, shift);
        atoms.position = exact;
    }
};

thread_local bool is_idle = false;

// Right until this rank idles.
struct IdleForces {
    template <bool with_energy>
    void compute(const ljmd::PairList& list, ljmd::Atoms& atoms, double shift) const {
        if (!is_idle) {
            ljmd::PairForces().compute<with_energy>(list, atoms, shift);
        }
    }
};

TEST(a_kernel_that_does_nothing_is_refused) {
    CHECK(!run<NoForces>(1, 1).fault.empty());
    CHECK(!run<NoForces>(2, 1, small, 1).fault.empty());
}

TEST(single_precision_is_refused) {
    CHECK(!run<SingleForces>(1, 1).fault.empty());
    CHECK(!run<SingleForces>(1, 1, small, 1).fault.empty());
}

TEST(an_idle_rank_is_refused) {
    std::string fault;
    on_proxy_ranks(2, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        ljmd::Liquid<ThreadRanks, IdleForces> liquid(mine, phases, small, false);
        is_idle = false;
        liquid.reset();
        const ljmd::Start start = ljmd::check_start(liquid);
        is_idle = mine.rank() == 1;
        liquid.run(5);
        is_idle = false;
        const std::string found = ljmd::check_end(liquid, mine, start).fault(1e-3);
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    CHECK(!fault.empty());
}

TEST(a_dropped_halo_is_refused) {
    std::string fault;
    test::on_stale_ranks(2, [&](auto& mine) {
        Phases phases(monotonic_clock);
        ljmd::Liquid<std::decay_t<decltype(mine)>> liquid(mine, phases, small, false);
        liquid.reset();
        const ljmd::Start start = ljmd::check_start(liquid);
        test::StaleTransport::stale = true;
        liquid.run(10);
        test::StaleTransport::stale = false;
        const std::string found =
            ljmd::check_end(liquid, mine, start).fault(ljmd::energy_tolerance(100));
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    CHECK(!fault.empty());
}

TEST(a_lost_and_a_doubled_atom_are_refused) {
    const auto losing = [](auto& liquid) { liquid.atoms().own -= 1; };
    CHECK(run_spoiled(1, 1, small, usual_steps, losing).deviations.atoms >= 1);
    const auto doubling = [](auto& liquid) {
        liquid.atoms().position[1][3] = liquid.atoms().position[0][3];
    };
    CHECK(run_spoiled(2, 1, small, usual_steps, doubling).deviations.atoms >= 1);
}

TEST(an_old_output_has_not_taken_the_steps) {
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        ljmd::Liquid<ThreadRanks> liquid(mine, phases, small, false);
        liquid.reset();
        liquid.run(3);
        CHECK(liquid.steps() == 3);
        liquid.reset();
        CHECK(liquid.steps() == 0);
    });
}

TEST(bricks_have_the_least_surface) {
    CHECK(proxies::brick_counts(8, {1, 1, 1}) == proxies::Counts{2, 2, 2});
    CHECK(proxies::brick_counts(2, {1, 1, 4}) == proxies::Counts{1, 1, 2});
    CHECK(proxies::brick_counts(7, {1, 1, 1}) == proxies::Counts{1, 1, 7});
    CHECK(proxies::brick_counts(1, {3, 1, 1}) == proxies::Counts{1, 1, 1});
}

TEST(traffic_counts_messages_by_size_and_distance) {
    on_proxy_ranks(4, 1, [&](ThreadRanks& mine) {
        const std::vector<double> out(16, 1.0);
        std::vector<double> in(16);
        const int to = (mine.rank() + 1) % 4;
        const int from = (mine.rank() + 3) % 4;
        mine.exchange<double>(to, out, from, in);
        PointResult result(Parameters("a=1"));
        mine.traffic().describe(result, [&](std::span<double> values) { mine.sum(values); });
        CHECK(result.quantities[0].second == 4);
        CHECK(result.quantities[1].second == 4 * 16 * sizeof(double));
        // Three go one rank further, one three back.
        CHECK(result.series.size() == 3 && result.series[1].second == std::vector<double>{1, 2});
        CHECK(result.series.size() == 3 && result.series[2].second == std::vector<double>{3, 1});
    });
}

}  // namespace
}  // namespace machmeter
