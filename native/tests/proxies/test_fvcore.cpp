// Transport on the sphere against the exact turn of a bell, any ranks and threads against one, and
// the faults that its checks refuse.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "proxies/fvcore/checks.hpp"
#include "proxies/fvcore/dynamics.hpp"
#include "proxies/fvcore/memory.hpp"
#include "tests/support/check.hpp"
#include "tests/support/stale_transport.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace fvcore = proxies::fvcore;
using test::on_proxy_ranks;
using test::ThreadRanks;

enum class Fault : std::uint8_t { none, no_transport, single_transport, no_remap, single_remap };

// Of every rank, or of one, while it runs.
thread_local Fault fault_now = Fault::none;

class FaultySweep : public fvcore::Sweep {
   public:
    FaultySweep(const fvcore::Sphere& sphere, const fvcore::Block& block)
        : Sweep(sphere, block), block_(&block) {}

    void operator()(const fvcore::Wind& wind, const double* in, double* out, std::int64_t first,
                    std::int64_t end) {
        if (fault_now == Fault::no_transport) {
            return;
        }
        Sweep::operator()(wind, in, out, first, end);
        if (fault_now == Fault::single_transport) {
            for (std::int64_t f = 0; f < block_->fields; ++f) {
                for (std::int64_t n = block_->at(0, f, first); n < block_->at(0, f, end); ++n) {
                    out[n] = static_cast<float>(out[n]);
                }
            }
        }
    }

   private:
    const fvcore::Block* block_;
};

class FaultyRemap : public fvcore::Remap {
   public:
    void operator()(const fvcore::Columns& columns, std::int64_t row) {
        if (fault_now == Fault::no_remap) {
            return;
        }
        Remap::operator()(columns, row);
        if (fault_now == Fault::single_remap) {
            double* const values = columns.at(0, columns.fields - 1, row);
            for (std::int64_t i = 0; i < columns.longitudes; ++i) {
                values[i] = static_cast<float>(values[i]);
            }
        }
    }
};

struct Outcome {
    fvcore::Deviations deviations;
    double square = 0;
    std::string fault;
};

constexpr std::int64_t steps = 10;

fvcore::Problem small() {
    fvcore::Problem problem;
    problem.latitudes = 18;
    problem.levels = 6;
    problem.tracers = 2;
    return problem;
}

// What the root found.
Outcome simulate(int ranks, int threads, Fault fault = Fault::none, int faulty_rank = -1,
                 const fvcore::Problem& problem = small(), std::int64_t count = steps) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        fvcore::Dynamics<ThreadRanks, FaultySweep, FaultyRemap> dynamics(mine, phases, problem);
        dynamics.reset();
        fault_now = faulty_rank < 0 || faulty_rank == mine.rank() ? fault : Fault::none;
        dynamics.run(count);
        fault_now = Fault::none;
        const fvcore::Deviations found = fvcore::check(dynamics, mine, count);
        const double square = fvcore::square_of_ratios(dynamics, mine);
        if (mine.rank() == 0) {
            outcome = {found, square, found.fault()};
        }
    });
    return outcome;
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = simulate(1, 1);
    CHECK(alone.fault.empty());
    for (const int ranks : {1, 2, 3, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = simulate(ranks, threads);
            CHECK(found.fault.empty());
            CHECK(std::abs(found.square / alone.square - 1) < 1e-12);
        }
    }
}

TEST(the_smallest_sphere_is_checked_too) {
    fvcore::Problem problem = small();
    problem.latitudes = 6;
    problem.levels = 1;
    problem.tracers = 1;
    CHECK(simulate(1, 1, Fault::none, -1, problem, 1).fault.empty());
    CHECK(simulate(2, 2, Fault::none, -1, problem, 9).fault.empty());
}

TEST(many_steps_stay_within_what_the_checks_allow) {
    CHECK(simulate(1, 1, Fault::none, -1, small(), 300).fault.empty());
}

TEST(a_constant_may_drift_with_the_cells_that_pass_by_a_pole) {
    fvcore::Deviations found;
    found.steps = 20;
    found.constant = 4.5e-12;
    found.latitudes = 100'000;
    CHECK(found.fault().empty());
    found.latitudes = 90;
    CHECK(!found.fault().empty());
}

TEST(memory_is_required_for_messages_and_threads) {
    fvcore::Problem problem = small();
    problem.latitudes = 9;
    const fvcore::Block middle(problem, 1, 3);
    const auto row = static_cast<double>(problem.longitudes() * problem.fields() * 8);
    CHECK(middle.layout.over_latitudes == 3);
    CHECK(fvcore::bytes_of(middle, 1) > 6 * row * (2 * (3 + 6) + 12));
    CHECK(fvcore::bytes_of(middle, 65) - fvcore::bytes_of(middle, 1) > 64 * 10 * row);
    problem.levels = 7;
    // Fewer levels of all longitudes than its columns have.
    const fvcore::Block layered(problem, 0, 4);
    CHECK(layered.levels.count == 3);
    const auto columns = static_cast<double>(layered.columns_of(0).count * 7 * layered.fields * 8);
    const auto rows = static_cast<double>(layered.rows.count);
    CHECK(fvcore::bytes_of(layered, 1) >
          3 * row * (2 * (rows + 6) + 6) + rows * (columns + 3 * row / 2));
}

TEST(ranks_are_shared_out_nearly_square_where_they_fit) {
    const auto layout = [](std::int64_t latitudes, std::int64_t levels, int ranks) {
        fvcore::Problem problem;
        problem.latitudes = latitudes;
        problem.levels = levels;
        return fvcore::layout_of(problem, ranks);
    };
    CHECK(layout(90, 26, 12).over_latitudes == 4);
    CHECK(layout(90, 26, 12).over_levels == 3);
    CHECK(layout(90, 1, 12).over_latitudes == 12);
    CHECK(layout(9, 26, 26).over_latitudes == 2);
    CHECK(layout(9, 26, 53).over_levels == 0);
}

TEST(a_kernel_that_does_nothing_is_refused) {
    CHECK(!simulate(1, 1, Fault::no_transport).fault.empty());
    CHECK(!simulate(1, 1, Fault::no_remap).fault.empty());
}

TEST(single_precision_is_refused) {
    CHECK(!simulate(1, 1, Fault::single_transport).fault.empty());
    CHECK(!simulate(1, 1, Fault::single_remap).fault.empty());
}

TEST(an_idle_rank_is_refused) {
    CHECK(!simulate(2, 1, Fault::no_transport, 1).fault.empty());
    CHECK(!simulate(4, 1, Fault::no_remap, 3).fault.empty());
}

// On ranks of which four share out levels too: a lost halo, a lost transpose.
std::string with_stale_messages(int ranks, std::int64_t fresh, std::int64_t stale,
                                std::int64_t fresh_again) {
    std::string fault;
    test::on_stale_ranks(ranks, [&](auto& mine) {
        Phases phases(monotonic_clock);
        fvcore::Dynamics<std::decay_t<decltype(mine)>> dynamics(mine, phases, small());
        dynamics.reset();
        dynamics.run(fresh);
        test::StaleTransport::stale = true;
        dynamics.run(stale);
        test::StaleTransport::stale = false;
        dynamics.run(fresh_again);
        const std::string found =
            fvcore::check(dynamics, mine, fresh + stale + fresh_again).fault();
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    return fault;
}

TEST(a_dropped_halo_is_refused) {
    CHECK(with_stale_messages(2, 3, 0, 4).empty());
    CHECK(!with_stale_messages(2, 3, 4, 0).empty());
    CHECK(!with_stale_messages(2, 3, 1, 3).empty());
}

TEST(a_dropped_transpose_is_refused) {
    CHECK(with_stale_messages(4, 5, 0, 5).empty());
    CHECK(!with_stale_messages(4, 8, 1, 3).empty());
}

TEST(an_old_output_has_not_taken_the_steps) {
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        fvcore::Dynamics<ThreadRanks> dynamics(mine, phases, small());
        dynamics.reset();
        dynamics.run(2);
        CHECK(fvcore::check(dynamics, mine, 2).fault().empty());
        CHECK(!fvcore::check(dynamics, mine, 3).fault().empty());
        dynamics.reset();
        CHECK(!fvcore::check(dynamics, mine, 2).fault().empty());
    });
}

// Mean error of the bell after a full turn, over the mean of the bell.
double error_of_turn(std::int64_t latitudes, double tilt, double deformation) {
    double error = 0;
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        fvcore::Problem problem;
        problem.latitudes = latitudes;
        problem.levels = 1;
        problem.tracers = 2;
        problem.tilt = tilt;
        problem.deformation = deformation;
        fvcore::Dynamics<ThreadRanks> dynamics(mine, phases, problem);
        dynamics.reset();
        dynamics.run(problem.steps_of_turn());
        double away = 0;
        double all = 0;
        fvcore::for_rows_of(
            dynamics, 0,
            [&](std::int64_t f, std::int64_t row, const double* values, const double* /*air*/) {
                for (std::int64_t i = 0; f == 2 && i < problem.longitudes(); ++i) {
                    const double start = fvcore::start_of(dynamics.sphere(), f, 0, row, i);
                    const double area = dynamics.sphere().area(row);
                    away += area * std::abs(values[i] - start);
                    all += area * (start - fvcore::lowest_start);
                }
            });
        error = away / all;
    });
    return error;
}

TEST(a_bell_returns_after_a_full_turn_better_on_finer_grids) {
    for (const double tilt : {0.0, std::numbers::pi / 4, std::numbers::pi / 2 - 0.05}) {
        const double coarse = error_of_turn(16, tilt, 0);
        const double fine = error_of_turn(32, tilt, 0);
        CHECK(fine < 0.5 * coarse);
    }
}

TEST(a_deformation_that_reverses_leaves_the_bell) {
    const double coarse = error_of_turn(16, std::numbers::pi / 4, 0.1);
    const double fine = error_of_turn(32, std::numbers::pi / 4, 0.1);
    CHECK(fine < 0.6 * coarse);
}

TEST(a_remap_keeps_a_linear_profile) {
    constexpr std::int64_t levels = 8;
    std::vector<double> values;
    std::vector<double> air{1.1, 0.8, 1.2, 0.9, 1.05, 0.95, 1.1, 0.9};
    double begin = 0;
    for (const double mass : air) {
        values.push_back(mass);
        values.push_back(3 + 2 * (begin + mass / 2));
        begin += mass;
    }
    fvcore::Remap remap;
    remap({values.data(), 2, 1, 1, 1, 1, levels, 2}, 0);
    // The first and the last layer are taken as even.
    for (std::int64_t k = 2; k < levels - 2; ++k) {
        const double center = begin / levels * (static_cast<double>(k) + 0.5);
        CHECK(std::abs(values[static_cast<std::size_t>(2 * k + 1)] - (3 + 2 * center)) < 1e-13);
    }
}

}  // namespace
}  // namespace machmeter
