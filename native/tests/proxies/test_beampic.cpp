// A bunch in its own field: the field of a ball, the Green function by quadrature, any ranks and
// threads against one, and the faults that the checks refuse.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/values/parameters.hpp"
#include "proxies/beampic/checks.hpp"
#include "proxies/beampic/problem.hpp"
#include "proxies/beampic/simulation.hpp"
#include "tests/support/check.hpp"
#include "tests/support/stale_transport.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace beampic = proxies::beampic;
using test::on_proxy_ranks;
using test::ThreadRanks;

constexpr beampic::Problem small{12, 1501};
constexpr int usual_steps = 12;

struct Outcome {
    std::string fault;
    beampic::Results results;
};

// What the root found; `spoil(simulation, runs)` comes before and after the steps.
template <class Work = beampic::Kernel, class Spoil>
Outcome run(int ranks, int threads, Spoil&& spoil, const beampic::Problem& problem = small) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        beampic::Simulation<ThreadRanks, Work> simulation(mine, phases, problem);
        simulation.reset();
        spoil(simulation, true);
        simulation.run(usual_steps);
        spoil(simulation, false);
        const beampic::Results results = beampic::results_of(simulation, mine);
        const std::string fault = beampic::check(simulation, mine).fault();
        if (mine.rank() == 0) {
            outcome = {fault, results};
        }
    });
    return outcome;
}

constexpr auto nothing = [](auto& /*simulation*/, bool /*runs*/) {};

bool close(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

bool names(const std::string& fault, const std::string& part) {
    return fault.find(part) != std::string::npos;
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = run(1, 1, nothing);
    CHECK(alone.fault.empty());
    for (const int ranks : {1, 2, 3, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = run(ranks, threads, nothing);
            CHECK(found.fault.empty());
            CHECK(close(found.results.field_energy, alone.results.field_energy, 1e-9));
            CHECK(close(found.results.mean_square_radius, alone.results.mean_square_radius, 1e-9));
        }
    }
}

TEST(few_particles_in_the_smallest_box_are_checked_too) {
    for (const int ranks : {1, 4, 6}) {
        CHECK(run(ranks, 1, nothing, {8, 1000}).fault.empty());
    }
}

// A quarter of an oscillation later, velocities of the start have become positions.
TEST(no_domain_in_the_middle_has_more_particles_than_its_memory_holds) {
    on_proxy_ranks(1, 1, [](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        const beampic::Problem problem{16, 20'000};
        beampic::Simulation<ThreadRanks> simulation(mine, phases, problem);
        simulation.reset();
        simulation.run(static_cast<int>(beampic::pi / 2 / problem.phase_advance()));
        const beampic::Particles& particles = simulation.particles();
        const auto is_in_middle = [&](double at) { return std::abs(at - problem.center()) < 0.5; };
        int there = 0;
        for (std::int64_t i = 0; i < particles.count(); ++i) {
            there += is_in_middle(particles[1][i]) && is_in_middle(particles[2][i]) ? 1 : 0;
        }
        CHECK(there < problem.most_of_rank(256) * 20'000 / 256);
    });
}

// One rank has the whole grid; the mean over cells by Gauss's rule of 8 points.
TEST(the_green_function_is_the_mean_over_a_cell) {
    constexpr std::array<double, 4> places{0.1834346424956498, 0.5255324099163290,
                                           0.7966664774136267, 0.9602898564975363};
    constexpr std::array<double, 4> weights{0.3626837833783620, 0.3137066458778873,
                                            0.2223810344533745, 0.1012285362903763};
    const auto at = [&](int i) { return (i < 4 ? -0.5 : 0.5) * places[i % 4]; };
    for (const auto& [x, y, z] : {std::array{3, 1, 0}, std::array{2, 2, 2}, std::array{0, 0, 4},
                                  std::array{40, 0, 0}, std::array{1500, 900, 70}}) {
        double sum = 0;
        for (int i = 0; i < 512; ++i) {
            const int j = i / 8 % 8;
            const int k = i / 64;
            sum += weights[i % 4] * weights[j % 4] * weights[k % 4] / 8 /
                   std::hypot(x + at(i % 8), y + at(j), z + at(k));
        }
        CHECK(close(beampic::potential_of_cell(x, y, z), sum / (4 * beampic::pi), 1e-9));
        CHECK(beampic::potential_of_cell(x, y, z) == beampic::potential_of_cell(-x, y, -z));
    }
    const double center = 3 * std::log(2 + std::sqrt(3.0)) - beampic::pi / 2;
    CHECK(close(beampic::potential_of_cell(0, 0, 0), center / (4 * beampic::pi), 1e-12));
}

// The largest deviation from the field of a ball of uniform charge, inside and outside, in units of
// that at its surface, but for the surface itself; the ball is given to the grid point by point.
double ball_deviation(std::int64_t edge) {
    double worst = 0;
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        const beampic::Domain domain(edge, 0, 1);
        const beampic::Block<double> charge(domain, beampic::charge_guards);
        const beampic::Block<double> potential(domain, beampic::potential_guards);
        beampic::Potential<ThreadRanks, beampic::Kernel> solver(mine, phases, domain);
        const double center = 0.5 * static_cast<double>(edge - 1);
        const double radius = 0.3 * static_cast<double>(edge);
        const auto distance = [&](double x, double y, double z) {
            return std::hypot(x - center, y - center, z - center);
        };
        double total = 0;
        // Of each cell the part in the ball, by 64 points.
        for (std::int64_t i = 0; i < edge * edge * edge; ++i) {
            const std::array<std::int64_t, 3> at{i % edge, i / edge % edge, i / edge / edge};
            double part = 0;
            for (int k = 0; k < 64; ++k) {
                const auto place = [&](std::size_t d, int of) {
                    return static_cast<double>(at[d]) + (of - 1.5) / 4;
                };
                part += distance(place(0, k % 4), place(1, k / 4 % 4), place(2, k / 16)) < radius
                            ? 1.0 / 64
                            : 0;
            }
            charge.row(at[1], at[2])[at[0]] = part;
            total += part;
        }
        solver.solve(charge, potential);
        const double scale = total / (4 * beampic::pi * radius * radius);
        for (std::int64_t x = 1; x + 1 < edge; ++x) {
            const std::int64_t y = edge / 2;
            const double* const row = potential.row(y, y);
            const auto at = static_cast<double>(x);
            const double r = distance(at, static_cast<double>(y), static_cast<double>(y));
            // There the slope changes from one point to the next.
            if (std::abs(r - radius) < 1.5) {
                continue;
            }
            const double size = r < radius ? r / radius : radius * radius / (r * r);
            const double expected = size * (at - center) / r;
            worst = std::max(worst, std::abs((row[x - 1] - row[x + 1]) / 2 / scale - expected));
        }
    });
    return worst;
}

TEST(domains_share_out_all_points) {
    for (const int size : {1, 3, 4, 6, 16}) {
        std::int64_t points = 0;
        for (int rank = 0; rank < size; ++rank) {
            const beampic::Domain domain(20, rank, size);
            points += domain.y.count * domain.z.count;
            CHECK(domain.y.count >= 2 && domain.z.count >= 2);
        }
        CHECK(points == 20 * 20);
    }
}

TEST(sizes_that_ranks_cannot_share_out_are_refused) {
    CHECK_THROWS(UsageError, "more cells", beampic::grid_of(8, 7));
    CHECK_THROWS(UsageError, "another number of ranks", beampic::grid_of(8, 100));
    CHECK(beampic::grid_of(256, 4096)[0] == 64);
}

TEST(edges_are_even_products_of_small_primes) {
    CHECK(beampic::nearest_edge(32 * std::cbrt(2)) == 40);
    CHECK(beampic::nearest_edge(64) == 64);
    CHECK(beampic::nearest_edge(51.3) == 50);
}

enum class Of { none, deposit, multiply, push };
enum class Fault { idle, single };

// Which kernel of this rank does nothing, or works in single precision. Not a parameter of Faulty,
// which would compile the whole simulation for each.
thread_local Of faulty = Of::none;
thread_local Fault its_fault = Fault::idle;

struct Faulty : beampic::Kernel {
    static bool has(Of of, Fault fault) { return faulty == of && its_fault == fault; }

    static void deposit(const beampic::Particles& particles, std::int64_t begin, std::int64_t end,
                        const beampic::Lattice& lattice, double charge, double* values) {
        if (!has(Of::deposit, Fault::idle)) {
            Kernel::deposit(particles, begin, end, lattice, charge, values);
        }
        if (has(Of::deposit, Fault::single)) {
            const std::int64_t size = lattice.plane * (lattice.last_z + 2);
            for (std::int64_t i = 0; i < size; ++i) {
                values[i] = static_cast<float>(values[i]);
            }
        }
    }
    static void multiply(proxies::Complex4* line, const proxies::Lanes* green, std::int64_t edge) {
        if (!has(Of::multiply, Fault::idle)) {
            Kernel::multiply(line, green, edge);
        }
        if (has(Of::multiply, Fault::single)) {
            for (std::int64_t k = 0; k < 2 * edge; ++k) {
                for (int l = 0; l < proxies::lane_count; ++l) {
                    line[k].re[l] = static_cast<float>(line[k].re[l]);
                }
            }
        }
    }
    static void push(const beampic::Push& push, std::int64_t begin, std::int64_t end,
                     std::vector<std::int64_t>& gone) {
        if (!has(Of::push, Fault::idle)) {
            Kernel::push(push, begin, end, gone);
        }
        if (has(Of::push, Fault::single)) {
            for (std::int64_t i = 0; i < push.particles.count(); ++i) {
                push.particles[3][i] = static_cast<float>(push.particles[3][i]);
            }
        }
    }
};

// On one rank of so many.
std::string fault_of(Of of, Fault fault, int ranks) {
    const auto spoil = [&](auto& simulation, bool runs) {
        const beampic::Domain& domain = simulation.domain();
        const bool is_here = runs && domain.place[0] + domain.place[1] == ranks - 1;
        faulty = is_here ? of : Of::none;
        its_fault = fault;
    };
    return run<Faulty>(ranks, 1, spoil).fault;
}

TEST(a_kernel_that_does_nothing_is_refused) {
    CHECK(names(fault_of(Of::deposit, Fault::idle, 1), "charge"));
    CHECK(!fault_of(Of::multiply, Fault::idle, 1).empty());
    CHECK(names(fault_of(Of::push, Fault::idle, 1), "charge is not where"));
}

TEST(an_idle_rank_is_refused) {
    CHECK(names(fault_of(Of::deposit, Fault::idle, 2), "charge"));
    CHECK(!fault_of(Of::multiply, Fault::idle, 2).empty());
    CHECK(names(fault_of(Of::push, Fault::idle, 2), "charge is not where"));
}

TEST(single_precision_is_refused) {
    CHECK(names(fault_of(Of::deposit, Fault::single, 1), "charge"));
    CHECK(names(fault_of(Of::multiply, Fault::single, 1), "potential"));
    CHECK(names(fault_of(Of::push, Fault::single, 1), "charge is not where"));
}

TEST(a_lost_or_doubled_particle_is_refused) {
    const auto spoiled = [](int change) {
        return run(2, 1, [=](auto& simulation, bool runs) {
            if (!runs && simulation.domain().place[1] == 1) {
                beampic::Particles& particles = simulation.particles();
                particles.resize(particles.count() + change);
            }
        });
    };
    CHECK(names(spoiled(-1).fault, "lost"));
    CHECK(names(spoiled(1).fault, "by 1"));
}

TEST(a_particle_that_did_not_migrate_is_refused) {
    const Outcome found = run(2, 1, [](auto& simulation, bool runs) {
        if (!runs && simulation.domain().place[1] == 1) {
            simulation.particles()[2][0] = 3;
        }
    });
    CHECK(names(found.fault, "outside their domain"));
}

// Messages carry nothing new from this kernel on, deposit or multiply; those of particles do.
thread_local Of stale_from = Of::none;

struct Stale : beampic::Kernel {
    static void deposit(const beampic::Particles& particles, std::int64_t begin, std::int64_t end,
                        const beampic::Lattice& lattice, double charge, double* values) {
        Kernel::deposit(particles, begin, end, lattice, charge, values);
        test::StaleTransport::stale = stale_from == Of::deposit;
    }
    static void multiply(proxies::Complex4* line, const proxies::Lanes* green, std::int64_t edge) {
        Kernel::multiply(line, green, edge);
        test::StaleTransport::stale = stale_from != Of::none;
    }
    static void push(const beampic::Push& push, std::int64_t begin, std::int64_t end,
                     std::vector<std::int64_t>& gone) {
        test::StaleTransport::stale = false;
        Kernel::push(push, begin, end, gone);
    }
};

std::string fault_of_stale_messages(Of from) {
    std::string fault;
    test::on_stale_ranks(2, [&](auto& mine) {
        Phases phases(monotonic_clock);
        beampic::Simulation<std::decay_t<decltype(mine)>, Stale> simulation(mine, phases, small);
        simulation.reset();
        simulation.run(1);
        stale_from = from;
        simulation.run(3);
        stale_from = Of::none;
        test::StaleTransport::stale = false;
        const std::string found = beampic::check(simulation, mine).fault();
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    return fault;
}

TEST(lost_messages_are_refused) {
    CHECK(names(fault_of_stale_messages(Of::deposit), "charge"));
    CHECK(!fault_of_stale_messages(Of::multiply).empty());
}

TEST(the_field_of_a_ball_is_the_known_one) {
    const double coarse = ball_deviation(16);
    const double fine = ball_deviation(32);
    CHECK(coarse < 0.02);
    CHECK(fine < 0.008);
    CHECK(fine < 0.5 * coarse);
}

TEST(an_old_output_has_not_taken_the_steps) {
    on_proxy_ranks(1, 1, [](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        beampic::Simulation<ThreadRanks> simulation(mine, phases, small);
        simulation.reset();
        CHECK(names(beampic::check(simulation, mine).fault(), "no step"));
        simulation.run(2);
        CHECK(simulation.steps() == 2);
        simulation.reset();
        CHECK(simulation.steps() == 0);
    });
}

}  // namespace
}  // namespace machmeter
