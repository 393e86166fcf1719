// Hartree-Fock against known energies and plain sums, any ranks and threads against one, and the
// faults that its checks refuse.
#include <array>
#include <atomic>
#include <cmath>
#include <numbers>
#include <string>

#include "proxies/scf/checks.hpp"
#include "proxies/scf/solver.hpp"
#include "tests/support/check.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace scf = proxies::scf;
using test::on_proxy_ranks;
using test::ThreadRanks;

using Slots = std::array<std::atomic<std::int64_t>, 2>;

// Shared by the threads that are ranks.
class ThreadTasks {
   public:
    ThreadTasks(Slots& slots, int rank) : slots_(&slots), rank_(rank) {}
    std::int64_t take(int slot, std::int64_t count) { return at(slot).fetch_add(count); }
    void clear(int slot) {
        if (rank_ == 0) {
            at(slot) = 0;
        }
    }

   protected:
    [[nodiscard]] std::atomic<std::int64_t>& at(int slot) const {
        return (*slots_)[static_cast<std::size_t>(slot)];
    }

   private:
    Slots* slots_;
    int rank_;
};

struct Outcome {
    scf::Deviations deviations;
    std::vector<double> energies;
};

template <class Kernel = scf::Repulsion, class Tasks = ThreadTasks, class Before>
Outcome solve(std::size_t molecules, int iterations, int ranks, int threads, Before&& before) {
    Outcome outcome;
    Slots slots{};
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        Tasks tasks(slots, mine.rank());
        scf::Solver<ThreadRanks, Tasks, Kernel> solver(mine, phases, tasks, molecules);
        solver.reset();
        before(mine.rank());
        solver.run(iterations);
        const scf::Deviations found = scf::check(solver, mine);
        if (mine.rank() == 0) {
            outcome = {found, solver.energies()};
        }
    });
    return outcome;
}

template <class Kernel = scf::Repulsion, class Tasks = ThreadTasks>
Outcome solve(std::size_t molecules, int iterations, int ranks = 1, int threads = 1) {
    return solve<Kernel, Tasks>(molecules, iterations, ranks, threads, [](int /*rank*/) {});
}

bool close(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

TEST(one_molecule_has_the_known_energy) {
    const Outcome found = solve(1, 3);
    CHECK(found.deviations.fault().empty());
    // Of H2 at 1.4 bohr in this basis (Szabo and Ostlund, Modern Quantum Chemistry, 3.5: -1.117).
    CHECK(close(found.energies.back(), -1.1167143, 1e-7));
}

TEST(an_integral_far_away_is_that_of_two_charges) {
    const scf::Position a{0, 0, 0};
    const scf::Position b{1000, 0, 0};
    CHECK(close(scf::repulsion(a, a, b, b), 1e-3, 1e-6));
}

TEST(the_table_is_the_function) {
    const scf::BoysTable table;
    for (double t = 0; t < scf::BoysTable::end; t += 0.0137) {
        const auto point = static_cast<std::size_t>(t * scf::BoysTable::per_unit + 0.5);
        const double away = t - static_cast<double>(point) / scf::BoysTable::per_unit;
        double series = 0;
        for (std::size_t k = scf::BoysTable::order; k-- > 0;) {
            series = series * away + table.coefficients(k)[point];
        }
        CHECK(close(series, scf::boys(t), 1e-12));
    }
}

TEST(many_integrals_at_once_are_each_of_them) {
    const std::vector<scf::Position> atoms = scf::atoms_of(6);
    const scf::Pairs pairs(atoms);
    const scf::BoysTable boys;
    std::vector<double> values(pairs.size(), 0.0);
    for (const std::size_t ij : {std::size_t{0}, pairs.size() / 2, pairs.size() - 1}) {
        std::fill(values.begin(), values.end(), 0.0);
        scf::Repulsion()(pairs, boys, ij, 0, pairs.size(), values.data());
        for (std::size_t kl = 0; kl < pairs.size(); ++kl) {
            const double expected = scf::repulsion(atoms[pairs[ij].i], atoms[pairs[ij].j],
                                                   atoms[pairs[kl].i], atoms[pairs[kl].j]);
            CHECK(std::abs(values[kl] - expected) < 1e-13);
            CHECK(std::abs(expected) <= pairs[ij].bound * pairs[kl].bound * (1 + 1e-12));
        }
    }
}

TEST(what_is_left_out_is_below_the_threshold) {
    const std::vector<scf::Position> atoms = scf::atoms_of(40);
    const scf::Pairs pairs(atoms);
    CHECK(pairs.size() < atoms.size() * (atoms.size() + 1) / 2);
    const std::size_t last = pairs.size() - 1;
    const std::size_t partners = pairs.partners(last);
    CHECK(partners < last);
    CHECK(pairs[last].bound * pairs[partners].bound < scf::threshold);
    CHECK(pairs[last].bound * pairs[partners - 1].bound >= scf::threshold);
}

TEST(functions_of_matrices_are_what_they_say) {
    scf::Matrix matrix(3);
    matrix.values() = {2.0, 0.3, 0.1, 0.3, 1.0, 0.2, 0.1, 0.2, 0.5};
    const scf::Matrix root = scf::inverse_root(matrix);
    const scf::Matrix one = scf::product(root, scf::product(matrix, root));
    CHECK(scf::largest_row(scf::combined(1, one, -1, scf::identity(3))) < 1e-12);
    const scf::Matrix lowest = scf::lowest_states(matrix, 1);
    CHECK(std::abs(scf::trace(lowest) - 1) < 1e-12);
    const scf::Matrix left = scf::product(lowest, matrix);
    const scf::Matrix right = scf::product(matrix, lowest);
    CHECK(scf::largest_row(scf::combined(1, left, -1, right)) < 1e-12);
    CHECK(scf::trace(left) < 0.5);
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = solve(5, 3);
    CHECK(alone.deviations.fault().empty());
    for (const int ranks : {1, 2, 3, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = solve(5, 3, ranks, threads);
            CHECK(found.deviations.fault().empty());
            CHECK(close(found.energies.back(), alone.energies.back(), 1e-11));
        }
    }
}

TEST(more_ranks_than_tasks_are_checked_too) { CHECK(solve(1, 1, 4).deviations.fault().empty()); }

struct NoRepulsion {
    void operator()(const scf::Pairs& /*pairs*/, const scf::BoysTable& /*boys*/, std::size_t /*ij*/,
                    std::size_t /*first*/, std::size_t /*count*/, double* /*values*/) const {}
};

struct SingleRepulsion {
    void operator()(const scf::Pairs& pairs, const scf::BoysTable& boys, std::size_t ij,
                    std::size_t first, std::size_t count, double* values) const {
        scf::Repulsion()(pairs, boys, ij, first, count, values);
        for (std::size_t n = 0; n < count; ++n) {
            values[n] = static_cast<float>(values[n]);
        }
    }
};

thread_local bool is_idle = false;

// Takes its tasks, and leaves them.
struct IdleRepulsion {
    void operator()(const scf::Pairs& pairs, const scf::BoysTable& boys, std::size_t ij,
                    std::size_t first, std::size_t count, double* values) const {
        if (!is_idle) {
            scf::Repulsion()(pairs, boys, ij, first, count, values);
        }
    }
};

// Deals them in turn to two ranks, so that each has some.
class DealtTasks {
   public:
    DealtTasks(Slots& /*slots*/, int rank) : rank_(rank) {}
    std::int64_t take(int slot, std::int64_t count) {
        return (2 * taken_[static_cast<std::size_t>(slot)]++ + rank_) * count;
    }
    void clear(int slot) { taken_[static_cast<std::size_t>(slot)] = 0; }

   private:
    std::array<std::int64_t, 2> taken_{};
    int rank_;
};

// Hands out the third chunk to nobody.
class LosingTasks : public ThreadTasks {
   public:
    using ThreadTasks::ThreadTasks;
    std::int64_t take(int slot, std::int64_t count) {
        const std::int64_t next = ThreadTasks::take(slot, count);
        return next == 2 * count ? ThreadTasks::take(slot, count) : next;
    }
};

// Hands out the third chunk twice.
class RepeatingTasks : public ThreadTasks {
   public:
    using ThreadTasks::ThreadTasks;
    std::int64_t take(int slot, std::int64_t count) {
        const std::int64_t next = ThreadTasks::take(slot, count);
        return next == 3 * count ? next - count : next;
    }
};

TEST(a_kernel_that_does_nothing_is_refused) {
    CHECK(!solve<NoRepulsion>(2, 2).deviations.fault().empty());
}

TEST(single_precision_is_refused) {
    CHECK(!solve<SingleRepulsion>(2, 1).deviations.fault().empty());
}

TEST(an_idle_rank_is_refused) {
    for (const int idle : {-1, 1}) {
        const Outcome found = solve<IdleRepulsion, DealtTasks>(
            5, 2, 2, 1, [idle](int rank) { is_idle = rank == idle; });
        CHECK(found.deviations.fault().empty() == (idle < 0));
    }
    is_idle = false;
}

TEST(a_lost_task_and_a_repeated_one_are_refused) {
    CHECK(!(solve<scf::Repulsion, LosingTasks>(5, 2).deviations.fault().empty()));
    CHECK(!(solve<scf::Repulsion, RepeatingTasks>(5, 2).deviations.fault().empty()));
}

TEST(an_old_output_has_not_taken_the_iterations) {
    on_proxy_ranks(1, 1, [&](ThreadRanks& mine) {
        Slots slots{};
        Phases phases(monotonic_clock);
        ThreadTasks tasks(slots, 0);
        scf::Solver<ThreadRanks, ThreadTasks> solver(mine, phases, tasks, 2);
        solver.reset();
        CHECK(!scf::check(solver, mine).fault().empty());
        solver.run(2);
        CHECK(solver.energies().size() == 2);
        solver.reset();
        CHECK(solver.energies().empty());
    });
}

}  // namespace
}  // namespace machmeter
