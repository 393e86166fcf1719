// Gyrokinetic particles: orbits, the order of the step, any ranks and threads against one, and the
// faults that the checks refuse.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "core/values/parameters.hpp"
#include "proxies/gkpic/checks.hpp"
#include "proxies/gkpic/problem.hpp"
#include "proxies/gkpic/simulation.hpp"
#include "tests/support/check.hpp"
#include "tests/support/stale_transport.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace gkpic = proxies::gkpic;
using test::on_proxy_ranks;
using test::ThreadRanks;

// One domain for three ranks, two for two, four for four.
constexpr gkpic::Problem small{4, 12, 32, 2};
constexpr int usual_steps = 6;

struct Outcome {
    std::string fault;
    gkpic::Results results;
};

// What the root found; `spoil(simulation, runs)` comes before and after the steps.
template <class Work = gkpic::Kernel, class Spoil>
Outcome run(int ranks, int threads, const gkpic::Problem& problem, Spoil&& spoil,
            int steps = usual_steps) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        gkpic::Simulation<ThreadRanks, Work> simulation(mine, phases, problem);
        simulation.reset();
        spoil(simulation, true);
        simulation.run(steps);
        spoil(simulation, false);
        const gkpic::Results results = gkpic::results_of(simulation, mine);
        const std::string fault = gkpic::check(simulation, mine).fault();
        if (mine.rank() == 0) {
            outcome = {fault, results};
        }
    });
    return outcome;
}

template <class Work = gkpic::Kernel>
Outcome run(int ranks, int threads, const gkpic::Problem& problem = small,
            int steps = usual_steps) {
    return run<Work>(ranks, threads, problem, [](auto& /*simulation*/, bool /*runs*/) {}, steps);
}

bool close(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = run(1, 1);
    CHECK(alone.fault.empty());
    for (const int ranks : {1, 2, 3, 4, 6}) {
        for (const int threads : {1, 2}) {
            const Outcome found = run(ranks, threads);
            CHECK(found.fault.empty());
            CHECK(close(found.results.weight_square, alone.results.weight_square, 1e-9));
            CHECK(close(found.results.potential_square, alone.results.potential_square, 1e-9));
        }
    }
}

TEST(the_smallest_grid_and_the_longest_rows_are_checked_too) {
    for (const gkpic::Problem& problem :
         {gkpic::Problem{2, 8, 8, 2}, gkpic::Problem{2, 8, 10'000, 1}}) {
        on_proxy_ranks(2, 1, [&](ThreadRanks& mine) {
            Phases phases(monotonic_clock);
            gkpic::Simulation<ThreadRanks> simulation(mine, phases, problem);
            simulation.reset();
            simulation.run(1);
            CHECK(gkpic::check(simulation, mine).fault().empty());
        });
    }
}

TEST(a_simulation_whose_noise_grows_without_bound_is_told) {
    const Outcome found = run(1, 1, {2, 8, 4000, 1}, 40);
    CHECK(found.fault.starts_with("weights of particles exceed 1"));
}

TEST(domains_and_copies_share_out_all_planes) {
    const gkpic::Grid grid(12, 8, 8);
    for (const int size : {1, 5, 8, 12, 18, 36}) {
        std::int64_t planes = 0;
        for (int rank = 0; rank < size; ++rank) {
            const gkpic::Domain domain(grid.planes, rank, size);
            planes += domain.count;
            CHECK(gkpic::Domain(grid.planes, domain.next(), size).previous() == rank);
            CHECK(gkpic::Domain(grid.planes, domain.next(), size).first ==
                  (domain.first + domain.count) % grid.planes);
        }
        CHECK(planes == grid.planes * gkpic::Domain(grid.planes, 0, size).copies);
    }
}

template <class Body>
bool is_refused(Body&& body) {
    try {
        body();
    } catch (const UsageError&) {
        return true;
    }
    return false;
}

TEST(sizes_that_ranks_cannot_share_out_are_refused) {
    gkpic::require_particles({2, 8, 8, 1}, 1);
    CHECK(is_refused([] { gkpic::require_particles({2, 8, 8, 1}, 2); }));
    CHECK(is_refused([] { gkpic::require_particles({4096, 100'000, 100'000, 1'000'000}, 4); }));
    // One domain, and fewer particles between two planes than ranks.
    CHECK(is_refused([] { gkpic::require_particles({68, 8, 8, 1}, 59); }));
    // 2^35 particles a rank: a matter of memory alone.
    gkpic::require_particles({8, 257, 1024, 16384}, 1);
    CHECK(gkpic::bytes_of_rank({8, 257, 1024, 16384}, 1, 1) > 3e12);
}

TEST(sine_and_cosine_are_those_of_the_library) {
    for (int i = -400; i < 800; ++i) {
        const double turns = 0.00251 * i;
        const gkpic::SineCosine found = gkpic::sine_cosine(proxies::in_all_lanes(turns));
        const double angle = gkpic::radians_per_turn * turns;
        CHECK(std::abs(found.sine[1] - std::sin(angle)) < 2e-15);
        CHECK(std::abs(found.cosine[2] - std::cos(angle)) < 2e-15);
    }
}

// The mean change of the energy of particles far from the edges in so many steps, of a step of
// 1 / `finer` the usual one, where there is no field.
double energy_drift(int steps, double finer) {
    const gkpic::Grid grid(2, 48, 16);
    const gkpic::Domain domain(grid.planes, 0, 1);
    const gkpic::Mesh mesh(grid, domain);
    gkpic::Particles particles;
    gkpic::Loading{1}.fill(grid, domain, particles);
    const std::vector<proxies::Lanes> nodes(
        static_cast<std::size_t>((domain.count + 1) * grid.plane()));
    const auto energy = [&](std::int64_t i) {
        const gkpic::Particles::Values one = particles.at(i);
        const double field = 1 - one[gkpic::radius] / gkpic::major_radius *
                                     std::cos(gkpic::radians_per_turn * one[gkpic::poloidal]);
        return (one[gkpic::parallel] * one[gkpic::parallel] +
                one[gkpic::across] * one[gkpic::across] * field) /
               2;
    };
    std::vector<double> first;
    std::vector<std::int64_t> far;
    for (std::int64_t i = 0; i < particles.count(); ++i) {
        if (std::abs(particles[gkpic::radius][i] - 0.5) < 0.2) {
            first.push_back(energy(i));
            far.push_back(i);
        }
    }
    const double step = grid.time_step() / finer;
    for (int i = 0; i < steps; ++i) {
        gkpic::push_all<gkpic::Substep::half>({mesh, particles, nodes.data(), step / 2});
        gkpic::push_all<gkpic::Substep::whole>({mesh, particles, nodes.data(), step});
    }
    double sum = 0;
    for (std::size_t k = 0; k < far.size(); ++k) {
        sum += std::abs(energy(far[k]) - first[k]);
    }
    return sum / static_cast<double>(far.size());
}

TEST(energy_without_a_field_is_conserved_to_second_order) {
    const double coarse = energy_drift(8, 1);
    const double fine = energy_drift(16, 2);
    CHECK(coarse < 1e-5);
    CHECK(coarse / fine > 3.4);
}

// The largest deviation, away from the edges, of the potential of a wave along the surfaces from
// p = n / (2 - G), with G of that wave on the surface: (1 + cos(2 k gyroradius)) / 2.
double wave_deviation(std::int64_t surfaces) {
    const gkpic::Grid grid(2, surfaces, 4 * surfaces);
    const gkpic::Domain domain(grid.planes, 0, 1);
    gkpic::Field field(grid, domain, 1);
    gkpic::Charge charge(grid, domain);
    constexpr double waves = 4;
    const auto wave = [&](std::int64_t j) {
        return std::cos(gkpic::radians_per_turn * waves * static_cast<double>(j) /
                        static_cast<double>(grid.points));
    };
    for (std::int64_t r = 0; r < domain.count * grid.surfaces; ++r) {
        const std::int64_t i = r % grid.surfaces;
        for (std::int64_t j = 0; j < grid.points; ++j) {
            charge.row(r / grid.surfaces, i)[j] = wave(j) / field.density(i);
        }
    }
    field.solve(charge);
    double worst = 0;
    for (std::int64_t i = grid.surfaces / 3; i < grid.surfaces * 2 / 3; ++i) {
        const double reach = 2 * grid.gyroradius() * waves / grid.radius(i);
        const double expected = 1 / (2 - (1 + std::cos(reach)) / 2);
        for (std::int64_t j = 0; j < grid.points; ++j) {
            const double found = field.potential()[i * grid.row() + j];
            worst = std::max(worst, std::abs(found - expected * wave(j)));
        }
    }
    return worst;
}

TEST(the_potential_of_a_wave_is_that_of_the_field_equation) {
    const double coarse = wave_deviation(32);
    const double fine = wave_deviation(64);
    CHECK(coarse < 0.02);
    CHECK(coarse / fine > 3);
}

enum class Fault { none, no_push, no_deposit, no_solve, single_push, single_deposit, single_solve };

// What is wrong with the kernels of this rank. Not a parameter of Faulty, which would compile the
// whole simulation for each.
thread_local Fault fault_here = Fault::none;

struct Faulty : gkpic::Kernel {
    template <gkpic::Substep substep>
    void push(const gkpic::Push& push) const {
        if (fault_here != Fault::no_push) {
            gkpic::push_all<substep>(push);
        }
        if (fault_here == Fault::single_push) {
            for (std::size_t c = 0; c < gkpic::moving; ++c) {
                for (std::int64_t i = 0; i < push.particles.count(); ++i) {
                    push.particles[c][i] = static_cast<float>(push.particles[c][i]);
                }
            }
        }
    }
    void deposit(const gkpic::Deposits& deposits, const gkpic::Mesh& mesh,
                 const gkpic::Particles& particles) const {
        if (fault_here != Fault::no_deposit) {
            deposits.add(mesh, particles);
        }
        for (std::int64_t i = 0; fault_here == Fault::single_deposit && i < deposits.size(); ++i) {
            auto& sums = const_cast<proxies::Lanes&>(deposits.of_thread(0)[i]);
            for (int lane = 0; lane < proxies::lane_count; ++lane) {
                sums[lane] = static_cast<float>(sums[lane]);
            }
        }
    }
    void solve(gkpic::Field& field, const gkpic::Charge& charge) const {
        if (fault_here != Fault::no_solve) {
            field.solve(charge);
        }
        if (fault_here == Fault::single_solve) {
            auto* const values = const_cast<double*>(field.potential());
            const gkpic::Grid grid(small.planes, small.surfaces, small.points);
            for (std::int64_t i = 0; i < grid.planes * grid.plane(); ++i) {
                values[i] = static_cast<float>(values[i]);
            }
        }
    }
};

// Of a run with this fault in the last of so many domains.
Outcome with(Fault fault, int ranks = 1) {
    return run<Faulty>(ranks, 1, small, [=](auto& simulation, bool runs) {
        const bool is_here = runs && simulation.domain().domain == ranks - 1;
        fault_here = is_here ? fault : Fault::none;
    });
}

bool says(const Outcome& found, const std::string& what) {
    return found.fault.find(what) != std::string::npos;
}

TEST(a_kernel_that_does_nothing_is_refused) {
    CHECK(with(Fault::none).fault.empty());
    CHECK(says(with(Fault::no_deposit), "charge"));
    CHECK(says(with(Fault::no_solve), "field equation"));
    CHECK(says(with(Fault::no_push), "not where"));
}

TEST(single_precision_is_refused) {
    CHECK(says(with(Fault::single_push), "not where"));
    CHECK(says(with(Fault::single_deposit), "the charge"));
    CHECK(says(with(Fault::single_solve), "field equation"));
}

TEST(an_idle_rank_is_refused) {
    CHECK(says(with(Fault::no_push, 2), "not where"));
    CHECK(says(with(Fault::no_deposit, 2), "the charge"));
}

TEST(lost_and_doubled_and_stray_particles_are_refused) {
    const auto losing = [](auto& simulation, bool runs) {
        if (!runs) {
            simulation.particles().resize(simulation.particles().count() - 1);
        }
    };
    CHECK(says(run(1, 1, small, losing), "lost"));
    const auto doubling = [](auto& simulation, bool runs) {
        if (!runs) {
            simulation.particles().put(1, simulation.particles().at(0));
        }
    };
    CHECK(says(run(2, 1, small, doubling), "lost"));
    const auto straying = [](auto& simulation, bool runs) {
        if (!runs) {
            double& angle = simulation.particles()[gkpic::toroidal][5];
            angle = angle < 0.5 ? angle + 0.5 : angle - 0.5;
        }
    };
    CHECK(says(run(4, 1, small, straying), "beyond"));
}

// From which kernel on nothing new arrives but the particles.
enum class Stale { nowhere, deposit, solve };
thread_local Stale stale_from = Stale::nowhere;

struct StaleKernel : gkpic::Kernel {
    void deposit(const gkpic::Deposits& deposits, const gkpic::Mesh& mesh,
                 const gkpic::Particles& particles) const {
        deposits.add(mesh, particles);
        test::StaleTransport::stale = stale_from == Stale::deposit;
    }
    void solve(gkpic::Field& field, const gkpic::Charge& values) const {
        field.solve(values);
        test::StaleTransport::stale = stale_from == Stale::solve;
    }
    template <gkpic::Substep substep>
    void push(const gkpic::Push& push) const {
        test::StaleTransport::stale = false;
        gkpic::push_all<substep>(push);
    }
};

std::string fault_of_stale_messages(Stale from, const gkpic::Problem& problem) {
    std::string fault;
    test::on_stale_ranks(2, [&](auto& mine) {
        Phases phases(monotonic_clock);
        gkpic::Simulation<std::decay_t<decltype(mine)>, StaleKernel> simulation(mine, phases,
                                                                                problem);
        simulation.reset();
        simulation.run(1);
        stale_from = from;
        simulation.run(3);
        stale_from = Stale::nowhere;
        test::StaleTransport::stale = false;
        const std::string found = gkpic::check(simulation, mine).fault();
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    return fault;
}

TEST(a_dropped_halo_is_refused) {
    CHECK(fault_of_stale_messages(Stale::deposit, small).starts_with("the charge"));
    CHECK(fault_of_stale_messages(Stale::solve, small).starts_with("the field"));
}

TEST(a_sum_over_copies_that_is_not_done_is_refused) {
    // Three planes have one domain on two ranks.
    CHECK(fault_of_stale_messages(Stale::deposit, {3, 12, 32, 2}).starts_with("the charge"));
}

// Whether what is sent are particles: is known between the push and the next deposit.
thread_local bool shifts = false;

struct TellsShifts : gkpic::Kernel {
    void deposit(const gkpic::Deposits& deposits, const gkpic::Mesh& mesh,
                 const gkpic::Particles& particles) const {
        shifts = false;
        deposits.add(mesh, particles);
    }
    template <gkpic::Substep substep>
    void push(const gkpic::Push& push) const {
        gkpic::push_all<substep>(push);
        shifts = true;
    }
};

// As many particles arrive as left, but those of the message before.
class OldParticles : public test::ThreadTransport {
   public:
    using ThreadTransport::ThreadTransport;
    explicit OldParticles(const ThreadTransport& like) : ThreadTransport(like) {}

    Request start_send(int peer, const std::byte* data, std::size_t bytes) {
        constexpr std::size_t count = 8;
        if (!shifts || bytes <= count) {
            return ThreadTransport::start_send(peer, data, bytes);
        }
        std::vector<std::byte>& old = old_[peer];
        sent_.assign(data, data + bytes);
        for (std::size_t n = 0; n < bytes && !old.empty(); ++n) {
            sent_[n] = old[n % old.size()];
        }
        old.assign(data, data + bytes);
        return ThreadTransport::start_send(peer, sent_.data(), bytes);
    }

   private:
    std::map<int, std::vector<std::byte>> old_;
    std::vector<std::byte> sent_;
};

TEST(particles_of_an_older_message_are_refused) {
    std::string fault;
    test::Wires sums;
    test::on_ranks(2, [&](int rank, test::ThreadTransport& transport) {
        omp_set_num_threads(1);
        shifts = false;
        const test::ThreadTeam team(sums, rank, 2);
        proxies::Ranks<OldParticles, test::ThreadTeam> mine(OldParticles(transport), team);
        Phases phases(monotonic_clock);
        gkpic::Simulation<decltype(mine), TellsShifts> simulation(mine, phases, small);
        simulation.reset();
        simulation.run(usual_steps);
        shifts = false;
        const std::string found = gkpic::check(simulation, mine).fault();
        if (rank == 0) {
            fault = found;
        }
    });
    CHECK(fault.starts_with("particles were lost, doubled"));
}

TEST(an_old_output_has_not_taken_the_steps) {
    on_proxy_ranks(1, 1, [](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        gkpic::Simulation<ThreadRanks> simulation(mine, phases, small);
        simulation.reset();
        CHECK(simulation.steps() == 0);
        CHECK(!gkpic::check(simulation, mine).fault().empty());
        simulation.reset();
        simulation.run(2);
        CHECK(simulation.steps() == 2);
    });
}

}  // namespace
}  // namespace machmeter
