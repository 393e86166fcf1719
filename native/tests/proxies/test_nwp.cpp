// A weather model against plain formulas and known behavior, any ranks and threads against one, and
// the faults that its checks refuse.
#include <cmath>
#include <string>

#include "proxies/nwp/checks.hpp"
#include "proxies/nwp/model.hpp"
#include "tests/support/check.hpp"
#include "tests/support/stale_transport.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace nwp = proxies::nwp;
using test::on_proxy_ranks;
using test::ThreadRanks;

constexpr nwp::Problem small{18, 9, 50};

struct Outcome {
    std::string fault;
    double rise = 0;
};

template <class Parts, class Around>
Outcome simulate(const nwp::Problem& problem, int steps, int ranks, int threads, Around&& around) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        nwp::Model<ThreadRanks, Parts> model(mine, phases, problem);
        model.reset();
        const double mass = nwp::mass_of(model.patch(), model.state());
        around(mine.rank(), true);
        model.run(steps);
        around(mine.rank(), false);
        const double rise = nwp::fastest_rise(model, mine);
        const std::string fault = nwp::check(model, mass, mine).fault();
        if (mine.rank() == 0) {
            outcome = {fault, rise};
        }
    });
    return outcome;
}

template <class Parts = nwp::Kernels>
Outcome simulate(const nwp::Problem& problem = small, int steps = 3, int ranks = 1,
                 int threads = 1) {
    return simulate<Parts>(problem, steps, ranks, threads, [](int /*rank*/, bool /*runs*/) {});
}

bool close(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

// The mean of x^power over a cell of size 1.
double mean_of_power(double begin, int power) {
    return (std::pow(begin + 1, power + 1) - std::pow(begin, power + 1)) / (power + 1);
}

TEST(fluxes_have_the_order_that_they_claim) {
    for (const double mass : {1.0, -1.0}) {
        for (int power = 0; power <= 4; ++power) {
            std::array<double, 6> means{};
            for (std::size_t n = 0; n < means.size(); ++n) {
                means[n] = mean_of_power(static_cast<double>(n) - 1, power);
            }
            // The face between cells 2 and 3 is at x = 2.
            const double exact = mass * std::pow(2, power);
            CHECK(close(nwp::flux_of_fifth(&means[3], 1, mass), exact, 1e-12));
            if (power <= 2) {
                CHECK(close(nwp::flux_of_third(&means[3], 1, mass), exact, 1e-12));
            }
        }
    }
}

TEST(a_warm_bubble_rises) {
    const Outcome early = simulate({16, 12, 0}, 5);
    const Outcome late = simulate({16, 12, 0}, 40);
    CHECK(early.fault.empty());
    CHECK(late.fault.empty());
    CHECK(late.rise > 2 * early.rise);
    // 2 K warmer air is accelerated by 0.065 m/s^2 at most, here for 80 s.
    CHECK(late.rise < 6);
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = simulate();
    CHECK(alone.fault.empty());
    for (const int ranks : {1, 2, 3, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = simulate(small, 3, ranks, threads);
            CHECK(found.fault.empty());
            CHECK(close(found.rise, alone.rise, 1e-11));
        }
    }
}

TEST(the_smallest_patches_are_checked_too) {
    CHECK(simulate({8, 4, 1000}, 1, 4).fault.empty());
    CHECK(simulate({13, 5, 0}, 1, 3).fault.empty());
}

TEST(patches_share_out_all_columns) {
    for (const int size : {1, 2, 3, 6, 7, 12}) {
        std::int64_t columns = 0;
        for (int rank = 0; rank < size; ++rank) {
            columns += nwp::Patch(31, 4, rank, size).columns();
        }
        CHECK(columns == 31 * 31);
    }
    CHECK((nwp::Patch(31, 4, 0, 12).ranks == std::array<int, 2>{3, 4}));
}

struct NoAdvection {
    void operator()(const nwp::Patch& /*patch*/, const nwp::State& /*state*/,
                    const double* /*values*/, std::size_t /*of*/, double* /*change*/) const {}
};
struct NoAcoustic {
    void momenta(const nwp::Substep& /*on*/) const {}
    void cells(const nwp::Substep& /*on*/) const {}
};
struct NoRadiation {
    void operator()(const nwp::Patch& /*patch*/, const nwp::Atmosphere& /*air*/,
                    const nwp::Diagnosed& /*diagnosed*/, const nwp::Sky& /*sky*/,
                    const nwp::State& /*state*/, double /*seconds*/) const {}
};

void round(const nwp::Patch& patch, double* values) {
    for (std::int64_t n = 0; n < patch.padded(); ++n) {
        values[n] = static_cast<float>(values[n]);
    }
}

struct SingleAdvection {
    void operator()(const nwp::Patch& patch, const nwp::State& state, const double* values,
                    std::size_t of, double* change) const {
        nwp::Advection()(patch, state, values, of, change);
        round(patch, change);
    }
};
// The flow is that of its velocities, but those are not of the state.
struct SingleVelocities {
    void operator()(const nwp::Patch& patch, const nwp::State& state, const double* values,
                    std::size_t of, double* change) const {
        round(patch, const_cast<double*>(values));
        nwp::Advection()(patch, state, values, of, change);
    }
};
struct SingleAcoustic {
    void momenta(const nwp::Substep& on) const {
        nwp::Acoustic().momenta(on);
        round(on.patch, on.state[nwp::momentum_x]);
    }
    void cells(const nwp::Substep& on) const { nwp::Acoustic().cells(on); }
};
struct SingleRadiation {
    void operator()(const nwp::Patch& patch, const nwp::Atmosphere& air,
                    const nwp::Diagnosed& diagnosed, const nwp::Sky& sky, const nwp::State& state,
                    double seconds) const {
        nwp::Radiation()(patch, air, diagnosed, sky, state, seconds);
        round(patch, state[nwp::heat]);
    }
};

thread_local bool is_idle = false;

struct IdleAcoustic {
    void momenta(const nwp::Substep& on) const {
        if (!is_idle) {
            nwp::Acoustic().momenta(on);
        }
    }
    void cells(const nwp::Substep& on) const {
        if (!is_idle) {
            nwp::Acoustic().cells(on);
        }
    }
};

template <class A, class S, class R>
struct PartsOf {
    A advection;
    S acoustic;
    R radiation;
};

TEST(kernels_that_do_nothing_are_refused) {
    using nwp::Acoustic, nwp::Advection, nwp::Radiation;
    CHECK(!(simulate<PartsOf<NoAdvection, Acoustic, Radiation>>().fault.empty()));
    CHECK(!(simulate<PartsOf<Advection, NoAcoustic, Radiation>>().fault.empty()));
    CHECK(!(simulate<PartsOf<Advection, Acoustic, NoRadiation>>().fault.empty()));
}

TEST(single_precision_is_refused) {
    using nwp::Acoustic, nwp::Advection, nwp::Radiation;
    CHECK(!(simulate<PartsOf<SingleAdvection, Acoustic, Radiation>>().fault.empty()));
    CHECK(!(simulate<PartsOf<SingleVelocities, Acoustic, Radiation>>().fault.empty()));
    CHECK(!(simulate<PartsOf<Advection, SingleAcoustic, Radiation>>().fault.empty()));
    CHECK(!(simulate<PartsOf<Advection, Acoustic, SingleRadiation>>().fault.empty()));
}

TEST(an_idle_rank_is_refused) {
    using Parts = PartsOf<nwp::Advection, IdleAcoustic, nwp::Radiation>;
    const Outcome found =
        simulate<Parts>(small, 3, 2, 1, [](int rank, bool runs) { is_idle = runs && rank == 1; });
    CHECK(!found.fault.empty());
}

TEST(a_dropped_halo_is_refused) {
    std::string fault;
    test::on_stale_ranks(2, [&](auto& mine) {
        Phases phases(monotonic_clock);
        nwp::Model<std::decay_t<decltype(mine)>> model(mine, phases, small);
        model.reset();
        const double mass = nwp::mass_of(model.patch(), model.state());
        model.run(1);
        test::StaleTransport::stale = true;
        model.run(2);
        test::StaleTransport::stale = false;
        const std::string found = nwp::check(model, mass, mine).fault();
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    CHECK(!fault.empty());
}

TEST(an_old_output_has_not_taken_the_steps) {
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        nwp::Model<ThreadRanks> model(mine, phases, small);
        model.reset();
        CHECK(!nwp::check(model, 0, mine).fault().empty());
        model.run(2);
        CHECK(model.steps() == 2);
        model.reset();
        CHECK(model.steps() == 0);
    });
}

}  // namespace
}  // namespace machmeter
