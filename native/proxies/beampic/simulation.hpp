// A bunch in its own field, step by step. No clock here but for phases.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/beampic/block.hpp"
#include "proxies/beampic/deposit.hpp"
#include "proxies/beampic/guards.hpp"
#include "proxies/beampic/migration.hpp"
#include "proxies/beampic/potential.hpp"
#include "proxies/beampic/problem.hpp"
#include "proxies/beampic/push.hpp"

namespace machmeter::proxies::beampic {

// What is done to particles and waves; tests replace it.
struct Kernel {
    static void deposit(const Particles& particles, std::int64_t begin, std::int64_t end,
                        const Lattice& lattice, double charge, double* values) {
        beampic::deposit(particles, begin, end, lattice, charge, values);
    }
    // The second half of the line is the mirror image of the first.
    static void multiply(Complex4* line, const Lanes* green, std::int64_t edge) {
        for (std::int64_t k = 0; k <= edge; ++k) {
            line[k] = {line[k].re * green[k], line[k].im * green[k]};
        }
        for (std::int64_t k = edge + 1; k < 2 * edge; ++k) {
            const Lanes& factor = green[2 * edge - k];
            line[k] = {line[k].re * factor, line[k].im * factor};
        }
    }
    static void push(const Push& push, std::int64_t begin, std::int64_t end,
                     std::vector<std::int64_t>& gone) {
        push.groups(begin, end, gone);
    }
};

// A particle before and after the last push.
struct Watched {
    std::int64_t at;
    Particle before;
    Particle after;
};

template <class Ranks, class Work = Kernel>
class Simulation {
   public:
    Simulation(Ranks& ranks, Phases& phases, const Problem& problem)
        : ranks_(ranks),
          phases_(phases),
          problem_(problem),
          domain_(problem.edge, ranks.rank(), ranks.size()),
          charges_(domain_),
          potential_(domain_, potential_guards),
          field_(domain_, field_guards),
          lattice_(domain_, field_.width(), field_.rows()),
          guards_(ranks, domain_),
          migration_(ranks, domain_),
          solver_(ranks, phases, domain_),
          gone_(static_cast<std::size_t>(omp_get_max_threads())) {}

    // The bunch at the start; every connection is made.
    void reset() {
        const Share mine = share_of(problem_.particles, ranks_.rank(), ranks_.size());
        const int parts = ranks_.size() > 1 ? dealt_in : 1;
        particles_.resize(0);
        for (int i = 0; i < parts; ++i) {
            const Share part = share_of(mine.count, i, parts);
            deal(mine.first + part.first, part.count);
        }
        start_ = sums();
        ranks_.sum(start_);
        watched_.clear();
        solve();
        steps_ = 0;
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            solve();
            push(i + 1 == steps);
            const auto span = phases_.in(Phase::halo);
            migration_.migrate(particles_, gone_);
            ++steps_;
        }
    }

    [[nodiscard]] const Problem& problem() const { return problem_; }
    [[nodiscard]] const Domain& domain() const { return domain_; }
    [[nodiscard]] Particles& particles() { return particles_; }
    [[nodiscard]] const Block<double>& charge() const { return charges_.sum(); }
    [[nodiscard]] const Block<double>& potential() const { return potential_; }
    [[nodiscard]] const std::vector<Watched>& watched() const { return watched_; }
    [[nodiscard]] int steps() const { return steps_; }

    // Of the particles of this rank: positions and velocities; now, and of all ranks at the start.
    [[nodiscard]] std::array<double, 6> sums() const {
        std::array<double, 6> all{};
        for (std::size_t c = 0; c < all.size(); ++c) {
            const double* const values = particles_[c];
            double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
            for (std::int64_t i = 0; i < particles_.count(); ++i) {
                sum += values[i];
            }
            all[c] = sum;
        }
        return all;
    }
    [[nodiscard]] const std::array<double, 6>& start() const { return start_; }

   private:
    // Particles by number, by way of the domains between here and theirs: nearly all leave.
    void deal(std::int64_t first, std::int64_t count) {
        const std::int64_t settled = particles_.count();
        particles_.resize(settled + count);
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < count; ++i) {
            particles_.put(settled + i, problem_.particle(first + i));
        }
        while (ranks_.sum(find_gone(settled)) > 0) {
            migration_.migrate(particles_, gone_);
        }
    }

    // How many from the first one on are not in their domain.
    double find_gone(std::int64_t first) {
        const Bounds bounds(domain_);
        std::size_t count = 0;
        for (auto& of_thread : gone_) {
            of_thread.clear();
        }
#pragma omp parallel reduction(+ : count)
        {
            auto& mine = gone_[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
            for (std::int64_t i = first; i < particles_.count(); ++i) {
                if (bounds.away_y(particles_[1][i]) != 0 || bounds.away_z(particles_[2][i]) != 0) {
                    mine.push_back(i);
                }
            }
            count += mine.size();
        }
        return static_cast<double>(count);
    }

    // From particles to the field.
    void solve() {
        {
            const auto span = phases_.in(Phase::compute);
            charges_.add_all(particles_.groups(), [&](auto begin, auto end, double* values) {
                Work::deposit(particles_, begin, end, lattice_, problem_.charge(), values);
            });
        }
        {
            const auto span = phases_.in(Phase::halo);
            guards_.add_charge(charges_.sum());
        }
        solver_.solve(charges_.sum(), potential_);
        {
            const auto span = phases_.in(Phase::halo);
            guards_.fill_potential(potential_);
        }
        const auto span = phases_.in(Phase::compute);
        differentiate();
    }

    // The field is the slope of the potential; at the faces of the box, which no particle reaches,
    // it is any.
    void differentiate() {
        const std::int64_t rows = field_.rows();
#pragma omp parallel for schedule(static)
        for (std::int64_t r = 0; r < rows * field_.planes(); ++r) {
            const std::int64_t y = r % rows;
            const std::int64_t z = r / rows;
            const double* const here = potential_.row(y, z);
            const double* const low_y = potential_.row(y - 1, z);
            const double* const high_y = potential_.row(y + 1, z);
            const double* const low_z = potential_.row(y, z - 1);
            const double* const high_z = potential_.row(y, z + 1);
            Lanes* const field = field_.row(y, z);
            const auto slope = [](const double* low, const double* high) {
                return (load(low) - load(high)) * 0.5;
            };
            for (std::int64_t x = 0; x < field_.width(); x += lane_count) {
                const auto of_points =
                    transposed({slope(here + x - 1, here + x + 1), slope(low_y + x, high_y + x),
                                slope(low_z + x, high_z + x), Lanes{}});
                std::copy(of_points.begin(), of_points.end(), field + x);
            }
        }
    }

    void push(bool is_last) {
        const auto span = phases_.in(Phase::compute);
        if (is_last) {
            watch();
        }
        const double phase_advance = problem_.phase_advance();
        const Push all{particles_,
                       lattice_,
                       Bounds(domain_),
                       field_.data(),
                       problem_.charge_over_mass(),
                       phase_advance * phase_advance,
                       problem_.center()};
        for (auto& of_thread : gone_) {
            of_thread.clear();
        }
#pragma omp parallel
        {
            const Share share =
                share_of(particles_.groups(), omp_get_thread_num(), omp_get_num_threads());
            Work::push(all, share.first, share.end(),
                       gone_[static_cast<std::size_t>(omp_get_thread_num())]);
        }
        if (is_last) {
            for (Watched& one : watched_) {
                one.after = particles_.at(one.at);
            }
        }
    }

    void watch() {
        watched_.clear();
        const std::int64_t count = std::min<std::int64_t>(most_watched, particles_.count());
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t at = particles_.count() * i / count;
            watched_.push_back({at, particles_.at(at), {}});
        }
    }

    static constexpr std::int64_t most_watched = 64;
    // So that messages of the start stay small beside the particles.
    static constexpr int dealt_in = 8;

    Ranks& ranks_;
    Phases& phases_;
    Problem problem_;
    Domain domain_;
    Particles particles_;
    Charges charges_;
    Block<double> potential_;
    Block<Lanes> field_;
    Lattice lattice_;
    GuardExchange<Ranks> guards_;
    Migration<Ranks> migration_;
    Potential<Ranks, Work> solver_;
    std::vector<std::vector<std::int64_t>> gone_;
    std::vector<Watched> watched_;
    std::array<double, 6> start_{};
    int steps_ = 0;
};

}  // namespace machmeter::proxies::beampic
