// The projection against known and plainly found solutions, any ranks and threads against one, and
// the faults that the checks of a flow refuse.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include "proxies/lowmach/checks.hpp"
#include "proxies/lowmach/flow.hpp"
#include "proxies/lowmach/sizes.hpp"
#include "tests/support/check.hpp"
#include "tests/support/stale_transport.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace lowmach = proxies::lowmach;
using lowmach::Place;
using test::on_proxy_ranks;
using test::ThreadRanks;

struct Outcome {
    lowmach::Deviations deviations;
    int cycles = 0;
    int steps = 0;
};

enum class Fault {
    none,
    no_sweep,
    no_prediction,
    no_correction,
    no_advection,
    single_sweep,
    single_correction,
    single_advection,
    idle
};

// What is wrong with the kernels of this rank. Not a parameter of Faulty, which would compile the
// whole flow for each.
thread_local Fault fault_here = Fault::none;

// What the root found where the last rank has the fault and its kernels heed it.
template <class Kernels = lowmach::Kernels>
Outcome flow_of(int ranks, int threads, const lowmach::Problem& problem, int steps,
                Fault fault = Fault::none) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        lowmach::Flow<ThreadRanks, Kernels> flow(mine, phases, problem);
        flow.reset();
        fault_here = mine.rank() == ranks - 1 ? fault : Fault::none;
        flow.run(steps);
        fault_here = Fault::none;
        const lowmach::Deviations found = lowmach::check(flow, mine);
        if (mine.rank() == 0) {
            outcome = {found, flow.cycles(), flow.steps()};
        }
    });
    return outcome;
}

constexpr lowmach::Problem small{8, 4};

bool close(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

// A solve of div(c grad phi) = right with boxes of 8 cells, phi and right by `of_cell(cell)`, c by
// `of_face(cell, dimension)` over the square of the width.
struct Solve {
    explicit Solve(std::int64_t cells)
        : curve{cells / 8, 1},
          wires(),
          team(wires, 0, 1),
          transport(wires, 0),
          ranks(transport, team),
          phases(monotonic_clock),
          sides(ranks, phases, curve, lowmach::Reach::sides, 8, 1),
          state({cells, 8}, curve, 0),
          multigrid(ranks, phases, sides, state.boxes, kernels) {}

    template <class OfFace, class OfCell>
    void set(OfFace&& of_face, OfCell&& of_cell) {
        const lowmach::Boxes& boxes = state.boxes;
        for (std::int64_t box = 0; box < boxes.count; ++box) {
            for (std::int64_t z = 0; z <= boxes.edge; ++z) {
                for (std::int64_t y = 0; y <= boxes.edge; ++y) {
                    for (std::int64_t x = 0; x <= boxes.edge; ++x) {
                        const Place cell = state.cell(box, x, y, z);
                        const std::int64_t i = boxes.at(box, x, y, z);
                        for (std::size_t d = 0; d < 3; ++d) {
                            const bool wall = d == 2 && state.is_wall(cell[2]);
                            multigrid.finest().faces[d].data()[i] = wall ? 0 : of_face(cell, d);
                        }
                        if (std::max({x, y, z}) < boxes.edge) {
                            multigrid.finest().right.data()[i] = of_cell(cell);
                        }
                    }
                }
            }
        }
        remove_mean(multigrid.finest().right);
        multigrid.coarsen_coefficients();
    }

    template <class Body>
    void each(Body&& body) const {
        for (std::int64_t plane = 0; plane < state.boxes.count * 8; ++plane) {
            lowmach::for_plane(state.boxes, plane / 8, plane % 8, [&](const lowmach::Spot& at) {
                body(state.cell(at.box, at.x, at.y, at.z), at.index(state.boxes));
            });
        }
    }
    void remove_mean(const lowmach::Field& field) const {
        double sum = 0;
        each([&](const Place& /*cell*/, std::int64_t i) { sum += field.data()[i]; });
        each([&](const Place& /*cell*/, std::int64_t i) {
            field.data()[i] -= sum / static_cast<double>(state.boxes.cells());
        });
    }

    lowmach::Curve curve;
    test::Wires wires;
    test::ThreadTeam team;
    test::ThreadTransport transport;
    ThreadRanks ranks;
    Phases phases;
    lowmach::Ghosts<ThreadRanks> sides;
    lowmach::State state;
    lowmach::Kernels kernels;
    lowmach::Multigrid<ThreadRanks, lowmach::Kernels> multigrid;
};

constexpr double pi = std::numbers::pi;

// phi = cos(2 pi x) cos(2 pi y) cos(pi z), c = 2 + sin(2 pi x) + z.
double known(double x, double y, double z) {
    return std::cos(2 * pi * x) * std::cos(2 * pi * y) * std::cos(pi * z);
}
double coefficient(double x, double z) { return 2 + std::sin(2 * pi * x) + z; }
double known_right(double x, double y, double z) {
    const double along_x = -2 * pi * std::sin(2 * pi * x) * std::cos(2 * pi * y) * std::cos(pi * z);
    const double along_z = -pi * std::cos(2 * pi * x) * std::cos(2 * pi * y) * std::sin(pi * z);
    return 2 * pi * std::cos(2 * pi * x) * along_x + along_z -
           9 * pi * pi * coefficient(x, z) * known(x, y, z);
}

void set_known(Solve& solve, std::int64_t cells) {
    const double width = 1 / static_cast<double>(cells);
    const auto middle = [=](std::int64_t i) { return (static_cast<double>(i) + 0.5) * width; };
    solve.set(
        [&](const Place& cell, std::size_t d) {
            const double x = middle(cell[0]) - (d == 0 ? width / 2 : 0);
            const double z = middle(cell[2]) - (d == 2 ? width / 2 : 0);
            return coefficient(x, z) / width / width;
        },
        [&](const Place& cell) {
            return known_right(middle(cell[0]), middle(cell[1]), middle(cell[2]));
        });
}

double error_of(std::int64_t cells) {
    Solve solve(cells);
    set_known(solve, cells);
    CHECK(solve.multigrid.solve(1e-10, 30).reduction <= 1e-10);
    const lowmach::Field& phi = solve.multigrid.finest().phi;
    solve.remove_mean(phi);
    const auto middle = [=](std::int64_t i) {
        return (static_cast<double>(i) + 0.5) / static_cast<double>(cells);
    };
    double square = 0;
    solve.each([&](const Place& cell, std::int64_t i) {
        const double error =
            phi.data()[i] - known(middle(cell[0]), middle(cell[1]), middle(cell[2]));
        square += error * error;
    });
    return std::sqrt(square / static_cast<double>(cells * cells * cells));
}

TEST(the_solution_converges_with_the_square_of_the_width) {
    const double ratio = error_of(16) / error_of(32);
    CHECK(ratio > 3.5);
    CHECK(ratio < 4.5);
}

TEST(every_cycle_makes_the_residual_five_times_smaller) {
    Solve solve(24);
    set_known(solve, 24);
    double before = 1;
    for (int cycles = 1; cycles <= 8; ++cycles) {
        const lowmach::Solved solved = solve.multigrid.solve(0, cycles);
        CHECK(solved.cycles == cycles);
        CHECK(solved.reduction < before / 5);
        before = solved.reduction;
    }
}

// Conjugate gradients on one plain array of n^3 cells; `apply` is -div(c grad).
template <class Apply>
std::vector<double> plainly_solved(const std::vector<double>& right, Apply&& apply) {
    std::vector<double> phi(right.size(), 0);
    std::vector<double> residual = right;
    std::vector<double> search = right;
    const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            sum += a[i] * b[i];
        }
        return sum;
    };
    double square = product(residual, residual);
    const double first = square;
    while (square > 1e-24 * first) {
        const std::vector<double> image = apply(search);
        const double step = square / product(search, image);
        for (std::size_t i = 0; i < phi.size(); ++i) {
            phi[i] += step * search[i];
            residual[i] -= step * image[i];
        }
        const double next = product(residual, residual);
        for (std::size_t i = 0; i < phi.size(); ++i) {
            search[i] = residual[i] + next / square * search[i];
        }
        square = next;
    }
    return phi;
}

TEST(multigrid_finds_what_a_plain_solve_finds) {
    constexpr std::int64_t n = 8;
    const auto number = [](const Place& at) {
        return static_cast<std::size_t>((at[0] + n) % n + n * ((at[1] + n) % n + n * at[2]));
    };
    const auto of_face = [&](const Place& at, std::size_t d) {
        const std::size_t i = number({at[0], at[1], at[2] % n});
        return 0.3 + uniform(d, i);
    };
    const auto of_cell = [&](const Place& at) { return uniform(7, number(at)) - 0.5; };
    Solve solve(n);
    solve.set(of_face, of_cell);
    CHECK(solve.multigrid.solve(1e-12, 40).reduction <= 1e-12);
    std::vector<double> right(n * n * n);
    solve.each([&](const Place& at, std::int64_t i) {
        right[number(at)] = -solve.multigrid.finest().right.data()[i];
    });
    const std::vector<double> plain = plainly_solved(right, [&](const std::vector<double>& p) {
        std::vector<double> image(p.size(), 0);
        solve.each([&](const Place& at, std::int64_t /*i*/) {
            for (std::size_t d = 0; d < 3; ++d) {
                Place low = at;
                low[d] -= 1;
                if (low[2] >= 0) {
                    const double flow = of_face(at, d) * (p[number(at)] - p[number(low)]);
                    image[number(at)] += flow;
                    image[number(low)] -= flow;
                }
            }
        });
        return image;
    });
    const lowmach::Field& phi = solve.multigrid.finest().phi;
    solve.remove_mean(phi);
    double worst = 0;
    solve.each([&](const Place& at, std::int64_t i) {
        worst = std::max(worst, std::abs(phi.data()[i] - plain[number(at)]));
    });
    CHECK(worst < 1e-9);
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = flow_of(1, 1, {24, 8}, 1);
    for (const int ranks : {1, 2, 3, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = flow_of(ranks, threads, {24, 8}, 1);
            CHECK(found.deviations.fault().empty());
            CHECK(close(found.deviations.kinetic_energy, alone.deviations.kinetic_energy, 1e-9));
            CHECK(found.cycles == alone.cycles);
        }
    }
}

TEST(many_steps_and_the_smallest_cubes_are_right_too) {
    CHECK(flow_of(1, 1, {16, 8}, 8).deviations.fault().empty());
    for (const lowmach::Problem& problem : {lowmach::Problem{4, 4}, lowmach::Problem{8, 8}}) {
        const Outcome found = flow_of(1, 1, problem, 3);
        CHECK(found.deviations.fault().empty());
        CHECK(found.steps == 3);
    }
    CHECK(flow_of(4, 1, small, 1).deviations.fault().empty());
}

TEST(sizes_that_cannot_be_shared_out_are_refused) {
    CHECK(lowmach::problem_of(32, 16, false, 8).edge == 32);
    CHECK(lowmach::problem_of(32, 16, true, 27).edge == 96);
    CHECK_THROWS(UsageError, "fewer ranks", lowmach::problem_of(32, 16, false, 9));
    CHECK_THROWS(UsageError, "multiple", lowmach::problem_of(40, 16, false, 1));
    CHECK_THROWS(UsageError, "power of two", lowmach::problem_of(24, 12, false, 1));
    // One box for each of two ranks makes a cube of one box.
    CHECK_THROWS(UsageError, "fewer ranks", lowmach::problem_of(16, 16, true, 2));
    CHECK_THROWS(UsageError, "be numbered", lowmach::problem_of(100'000, 4, true, 769));
}

TEST(the_curve_numbers_every_box_once_and_shares_them_out) {
    for (const std::int64_t edge : {1, 2, 3, 5, 8}) {
        const lowmach::Curve curve{edge, 7};
        for (std::int64_t number = 0; number < curve.count(); ++number) {
            CHECK(curve.number(curve.place(number)) == number);
            const int owner = curve.owner(number);
            CHECK(curve.first(owner) <= number && number < curve.first(owner + 1));
        }
    }
    constexpr int ranks = 700;
    const lowmach::Problem largest = lowmach::problem_of(100'000, 4, true, ranks);
    const lowmach::Curve curve{largest.edge / largest.box, ranks};
    CHECK(curve.first(ranks) == curve.count());
    CHECK(curve.owner(curve.count() - 1) == ranks - 1);
    const Place place = lowmach::Curve{8, 1}.place(0b110'101'011);
    CHECK(place == (Place{0b011, 0b101, 0b110}));
}

void round(const lowmach::Boxes& boxes, const lowmach::Field& field) {
    for (std::int64_t i = 0; i < boxes.padded(); ++i) {
        field.data()[i] = static_cast<float>(field.data()[i]);
    }
}

struct Faulty : lowmach::Kernels {
    void smooth(const lowmach::Level& level, int color) const {
        if (fault_here != Fault::no_sweep && fault_here != Fault::idle) {
            lowmach::Kernels::smooth(level, color);
        }
        if (fault_here == Fault::single_sweep) {
            round(level.boxes, level.phi);
        }
    }
    void predict(const lowmach::State& state) const {
        if (fault_here != Fault::no_prediction) {
            lowmach::Kernels::predict(state);
        }
    }
    void correct(const lowmach::State& state, const lowmach::Level& level) const {
        if (fault_here != Fault::no_correction) {
            lowmach::Kernels::correct(state, level);
        }
        if (fault_here == Fault::single_correction) {
            round(state.boxes, state.velocity[0]);
        }
    }
    void advect(const lowmach::State& state) const {
        if (fault_here != Fault::no_advection && fault_here != Fault::idle) {
            lowmach::Kernels::advect(state);
        }
        if (fault_here == Fault::single_advection) {
            round(state.boxes, state.density);
        }
    }
};

std::string fault_of(Fault fault, int ranks = 1) {
    return flow_of<Faulty>(ranks, 1, small, 1, fault).deviations.fault();
}

TEST(a_kernel_that_does_nothing_is_refused) {
    CHECK(fault_of(Fault::none).empty());
    CHECK(!fault_of(Fault::no_sweep).empty());
    CHECK(!fault_of(Fault::no_prediction).empty());
    CHECK(!fault_of(Fault::no_correction).empty());
    CHECK(!fault_of(Fault::no_advection).empty());
}

TEST(single_precision_is_refused) {
    CHECK(!fault_of(Fault::single_sweep).empty());
    CHECK(!fault_of(Fault::single_correction).empty());
    CHECK(!fault_of(Fault::single_advection).empty());
}

TEST(an_idle_rank_is_refused) { CHECK(!fault_of(Fault::idle, 2).empty()); }

TEST(a_dropped_halo_is_refused) {
    std::string fault;
    test::on_stale_ranks(2, [&](auto& mine) {
        Phases phases(monotonic_clock);
        lowmach::Flow<std::decay_t<decltype(mine)>> flow(mine, phases, small);
        flow.reset();
        flow.run(1);
        test::StaleTransport::stale = true;
        flow.run(1);
        test::StaleTransport::stale = false;
        const std::string found = lowmach::check(flow, mine).fault();
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    CHECK(!fault.empty());
}

TEST(an_old_output_has_not_taken_the_steps) {
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        lowmach::Flow<ThreadRanks> flow(mine, phases, small);
        flow.reset();
        CHECK(!lowmach::check(flow, mine).fault().empty());
        flow.run(2);
        CHECK(flow.steps() == 2);
        CHECK(lowmach::check(flow, mine).fault().empty());
        flow.reset();
        CHECK(flow.steps() == 0);
    });
}

}  // namespace
}  // namespace machmeter
