// The network against a plain program and against NEURON, any ranks and threads against one, and
// the faults that its checks refuse.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "proxies/common/lane_math.hpp"
#include "proxies/ring/checks.hpp"
#include "proxies/ring/network.hpp"
#include "tests/support/check.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace ring = proxies::ring;
using proxies::Lanes;
using test::on_proxy_ranks;
using test::ThreadRanks;

constexpr ring::Problem small{.rings = 2, .cells = 5, .levels = 2};
constexpr std::uint64_t usual_steps = 90 * ring::steps_per_ms + 7;

struct Outcome {
    ring::Spikes spikes;
    ring::Deviations deviations;
    std::string fault;
};

// What the root found; `spoil(network)` runs after the last step.
template <class Kernel = ring::CableSteps, class Spoil>
Outcome run_spoiled(int ranks, int threads, const ring::Problem& problem, std::uint64_t steps,
                    Spoil&& spoil) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        ring::Network<ThreadRanks, Kernel> network(mine, phases, problem);
        network.reset();
        network.run(steps);
        spoil(network, mine.rank());
        const ring::Spikes spikes = ring::spikes_of(network, mine);
        const ring::Deviations found = ring::check_end(network, mine, steps);
        if (mine.rank() == 0) {
            outcome = {spikes, found, found.fault()};
        }
    });
    return outcome;
}

template <class Kernel = ring::CableSteps>
Outcome run(int ranks, int threads, const ring::Problem& problem = small,
            std::uint64_t steps = usual_steps) {
    return run_spoiled<Kernel>(ranks, threads, problem, steps, [](auto& /*network*/, int) {});
}

TEST(the_exponential_is_that_of_the_standard_library) {
    double worst = 0;
    for (double x = -699; x < 699; x += 0.00917) {
        const Lanes found = proxies::exp_of(Lanes{x, x / 700, -x / 700, x * 1e-9});
        const double arguments[] = {x, x / 700, -x / 700, x * 1e-9};
        for (int lane = 0; lane < proxies::lane_count; ++lane) {
            const double expected = std::exp(arguments[lane]);
            worst = std::max(worst, std::abs(found[lane] / expected - 1));
        }
    }
    CHECK(worst < 1e-15);
    CHECK(proxies::exp_of(proxies::in_all_lanes(0))[0] == 1);
    const Lanes beyond = proxies::exp_of(Lanes{800, -800, 1e300, -1e300});
    CHECK(beyond[0] == beyond[2] && beyond[1] == beyond[3] && std::isfinite(beyond[0]));
}

TEST(rates_pass_smoothly_over_their_singularities) {
    for (const double u : {0.0, 1e-12, -1e-5, 9.9e-5, 1.1e-4, -2e-4, 0.3, -40.0}) {
        const double expected = u == 0 ? 1 : u / std::expm1(u);
        const double found = ring::over_expm1(proxies::in_all_lanes(u))[0];
        CHECK(std::abs(found / expected - 1) < 1e-11);
    }
}

TEST(a_cell_has_the_compartments_of_the_application) {
    const ring::Shape usual(3, 0);
    // A soma and 14 branches of 5; junctions at its end and where branches branch.
    CHECK(usual.compartments() == 71);
    CHECK(usual.nodes().size() == 71 + 7);
    for (std::size_t i = 1; i < usual.nodes().size(); ++i) {
        CHECK(usual.nodes()[i].parent < i && usual.nodes()[i].axial > 0);
    }
    CHECK(ring::Shape(3, 30).compartments() == 71 + 21);
}

TEST(a_resting_cell_stays_at_rest) {
    const ring::Shape shape(3, 0);
    ring::PlainCell cell(shape);
    const auto pass = [&](int milliseconds) {
        bool spiked = false;
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(milliseconds) * 40; ++i) {
            spiked = cell.step(0) || spiked;
        }
        return spiked;
    };
    CHECK(!pass(200));
    const std::vector<double> before = cell.voltage();
    CHECK(!pass(100));
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(std::abs(cell.voltage()[i] - before[i]) < 1e-6);
        CHECK(std::abs(before[i] - ring::rest) < 0.2);
    }
}

// A ring by one plain cell after the other, without messages.
TEST(a_ring_is_that_of_a_plain_program) {
    constexpr std::uint64_t cells = 5;
    const ring::Problem problem{.rings = 1, .cells = cells, .levels = 2};
    const ring::Shape shape(problem.levels, 0);
    std::vector<ring::PlainCell> plain(cells, ring::PlainCell(shape));
    std::vector<std::vector<std::size_t>> arriving(usual_steps + ring::delay_steps,
                                                   std::vector<std::size_t>(cells, 0));
    arriving[problem.start_step(0)][0] = 1;
    double checksum = 0;
    for (std::uint64_t step = 0; step < usual_steps; ++step) {
        for (std::uint64_t cell = 0; cell < cells; ++cell) {
            if (plain[cell].step(arriving[step][cell])) {
                arriving[step + ring::delay_steps][(cell + 1) % cells] += 1;
                checksum += static_cast<double>(step * (cell + 1));
            }
        }
    }
    on_proxy_ranks(2, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        ring::Network<ThreadRanks> network(mine, phases, problem);
        network.reset();
        network.run(usual_steps);
        const ring::Spikes found = ring::spikes_of(network, mine);
        CHECK(found.count > 2 * cells);
        CHECK(found.checksum == checksum / ring::steps_per_ms);
        for (std::size_t own = 0; own < network.own(); ++own) {
            const auto lane = static_cast<int>(network.lane_of(own));
            const std::vector<double>& expected = plain[network.cell_of(own)].voltage();
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const double voltage = network.group_of(own).state.voltage[i][lane];
                CHECK(std::abs(voltage - expected[i]) < 1e-9);
            }
        }
    });
}

// What NEURON 8.2 finds for the application's problem; its times are 1e-10 ms later.
TEST(the_problem_of_the_application_has_the_spikes_of_neuron) {
    const Outcome found = run(1, 2, {.rings = 8}, 250 * ring::steps_per_ms);
    CHECK(found.fault.empty());
    CHECK(found.spikes.count == 334);
    CHECK(std::abs(found.spikes.checksum / 1366942.4 - 1) < 1e-9);
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const ring::Problem problem{.rings = 3, .cells = 5, .levels = 2, .extra_percent = 30};
    const Outcome alone = run(1, 1, problem);
    CHECK(alone.spikes.count > 30);
    for (const int ranks : {1, 2, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = run(ranks, threads, problem);
            CHECK(found.fault.empty());
            CHECK(found.spikes.count == alone.spikes.count);
            CHECK(found.spikes.checksum == alone.spikes.checksum);
        }
    }
}

TEST(few_steps_and_trees_of_any_size_are_checked_too) {
    CHECK(run(1, 1, small, 1).fault.empty());
    CHECK(run(2, 1, small, ring::delay_steps).fault.empty());
    for (const int levels : {1, 3, 4}) {
        const Outcome found = run(1, 2, {.rings = 1, .cells = 5, .levels = levels});
        CHECK(found.fault.empty());
        CHECK(found.spikes.count > 10);
    }
}

// A kernel that does nothing.
struct NoSteps {
    void advance(ring::Group& /*group*/, ring::Rows& /*rows*/, std::uint64_t /*first*/,
                 std::uint64_t /*last*/) const {}
};

// It claims to have done so.
struct ClaimedSteps {
    void advance(ring::Group& group, ring::Rows& /*rows*/, std::uint64_t first,
                 std::uint64_t last) const {
        group.steps += last - first;
    }
};

// Voltages of single precision.
struct SingleSteps {
    void advance(ring::Group& group, ring::Rows& rows, std::uint64_t first,
                 std::uint64_t last) const {
        for (std::uint64_t step = first; step < last; ++step) {
            ring::CableSteps().advance(group, rows, step, step + 1);
            for (Lanes& voltage : group.state.voltage) {
                for (int lane = 0; lane < proxies::lane_count; ++lane) {
                    voltage[lane] = static_cast<float>(voltage[lane]);
                }
            }
        }
    }
};

// Right until this group's rank idles: that which owns odd cells, of two.
struct IdleSteps {
    void advance(ring::Group& group, ring::Rows& rows, std::uint64_t first,
                 std::uint64_t last) const {
        if (group.cells[0] % 2 == 0 || first < 40 * ring::steps_per_ms) {
            ring::CableSteps().advance(group, rows, first, last);
        } else {
            group.steps += last - first;
        }
    }
};

TEST(a_kernel_that_does_nothing_is_refused) {
    CHECK(run<NoSteps>(1, 1).deviations.steps > 0);
    const Outcome claimed = run<ClaimedSteps>(1, 1);
    CHECK(claimed.deviations.spikes > 0 && !(claimed.deviations.residual <= 1e-9));
    CHECK(!run<ClaimedSteps>(1, 1, small, 1).fault.empty());
}

TEST(single_precision_is_refused) {
    CHECK(run<SingleSteps>(1, 1).deviations.residual > 1e-9);
    CHECK(run<SingleSteps>(2, 1, small, 1).deviations.voltage > 1e-8);
}

TEST(an_idle_rank_is_refused) {
    CHECK(!run<IdleSteps>(2, 1).fault.empty());
    const Outcome found = run<IdleSteps>(2, 1);
    CHECK(found.deviations.residual > 1e-9);
    CHECK(found.deviations.voltage > 1e-3);
}

// Gathers lose the last word that there is, or give one to two cells.
class LossyTeam : public test::ThreadTeam {
   public:
    using ThreadTeam::ThreadTeam;

    void gather_everywhere(std::span<const std::uint64_t> mine,
                           std::vector<std::uint64_t>& all) const {
        ThreadTeam::gather_everywhere(mine, all);
        if (!all.empty() && losses++ == 2) {
            all.pop_back();
        }
    }

   private:
    mutable int losses = 0;
};

TEST(a_lost_spike_is_refused) {
    std::string fault;
    test::Wires sums;
    test::on_ranks(2, [&](int rank, test::ThreadTransport& transport) {
        omp_set_num_threads(1);
        using Lossy = proxies::Ranks<test::ThreadTransport, LossyTeam>;
        const LossyTeam team(sums, rank, 2);
        Lossy mine(transport, team);
        Phases phases(monotonic_clock);
        ring::Network<Lossy> network(mine, phases, small);
        network.reset();
        network.run(usual_steps);
        const std::string found = ring::check_end(network, mine, usual_steps).fault();
        if (rank == 0) {
            fault = found;
        }
    });
    CHECK(fault == "spikes were lost, doubled or changed on their way");
}

TEST(a_doubled_and_a_late_spike_are_refused) {
    const auto doubling = [](auto& network, int rank) {
        ring::Group& group = network.groups()[0];
        if (rank == 0) {
            group.delivered.push_back(group.delivered.back());
        }
    };
    CHECK(run_spoiled(2, 1, small, usual_steps, doubling).deviations.spikes > 0);
    const auto delaying = [](auto& network, int rank) {
        network.groups()[0].spikes.front().step += rank == 0 ? 1 : 0;
    };
    CHECK(run_spoiled(2, 1, small, usual_steps, delaying).deviations.spikes > 0);
}

TEST(a_voltage_and_a_gate_that_are_wrong_are_refused) {
    const auto voltage = [](auto& network, int /*rank*/) {
        network.groups()[0].state.voltage[3][0] += 1e-7;
    };
    CHECK(run_spoiled(1, 1, small, usual_steps, voltage).fault ==
          "voltages do not solve the equations of the last step");
    const auto gate = [](auto& network, int /*rank*/) {
        network.groups()[0].state.gates.m[0] = 1.5;
    };
    CHECK(run_spoiled(1, 1, small, usual_steps, gate).deviations.gates == 1);
}

TEST(an_old_output_has_not_taken_the_steps) {
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        ring::Network<ThreadRanks> network(mine, phases, small);
        network.reset();
        network.run(usual_steps);
        CHECK(ring::check_end(network, mine, usual_steps).fault().empty());
        network.reset();
        CHECK(ring::check_end(network, mine, usual_steps).steps > 0);
    });
}

TEST(gathers_are_counted) {
    on_proxy_ranks(2, 1, [&](ThreadRanks& mine) {
        const std::vector<std::uint64_t> out(static_cast<std::size_t>(mine.rank()) + 1, 7);
        std::vector<std::uint64_t> all;
        mine.gather_everywhere(out, all);
        CHECK(all == std::vector<std::uint64_t>{7, 7, 7});
        PointResult result(Parameters("a=1"));
        mine.traffic().describe(result, [&](std::span<double> values) { mine.sum(values); });
        CHECK(result.quantities[3] == std::pair<std::string, double>{"gathers", 1});
        CHECK(result.quantities[4] == std::pair<std::string, double>{"gathered_bytes", 24});
    });
}

}  // namespace
}  // namespace machmeter
