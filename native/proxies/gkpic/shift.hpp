// Particles that left their domain go to the next one, or to the one before.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "proxies/gkpic/geometry.hpp"
#include "proxies/gkpic/particles.hpp"

namespace machmeter::proxies::gkpic {

template <class Ranks>
class Shift {
   public:
    Shift(Ranks& ranks, const Grid& grid, const Domain& domain)
        : ranks_(ranks), grid_(grid), domain_(domain) {}

    // Touches memory for more than leave in a substep: at most 1/20 of an interval each way.
    void reserve(const Particles& particles) {
        if (domain_.domains == 1) {
            return;
        }
        constexpr std::int64_t share = 16;
        const auto most = static_cast<std::size_t>(particles.count() / share + share);
        gone_.resize(static_cast<std::size_t>(omp_get_max_threads()));
        for (auto& of_thread : gone_) {
            touch(of_thread, 2 * most / gone_.size());
        }
        for (auto* const messages : {&leaving_[0], &leaving_[1], &arriving_}) {
            touch(*messages, most * columns);
        }
    }

    // None goes farther in a substep; one that did stays, and the checks find it.
    void shift(Particles& particles) {
        if (domain_.domains == 1) {
            return;
        }
        find(particles);
        take_out(particles);
        send(particles, domain_.next(), domain_.previous(), leaving_[0]);
        if (domain_.domains > 2) {
            send(particles, domain_.previous(), domain_.next(), leaving_[1]);
        }
    }

    // 0 at home, 1 in the next domain, and so on around.
    [[nodiscard]] int away(double angle) const {
        const auto interval = static_cast<std::int64_t>(angle * static_cast<double>(grid_.planes));
        const auto domain = static_cast<int>(
            std::clamp<std::int64_t>(interval, 0, grid_.planes - 1) / domain_.count);
        return (domain - domain_.domain + domain_.domains) % domain_.domains;
    }

   private:
    template <class Value>
    static void touch(std::vector<Value>& values, std::size_t count) {
        values.resize(count);
        values.clear();
    }

    // In ascending order: threads have parts of the particles in theirs.
    void find(const Particles& particles) {
        for (auto& of_thread : gone_) {
            of_thread.clear();
        }
        const double* const angles = particles[toroidal];
        const auto scale = static_cast<double>(grid_.planes);
        const auto low = static_cast<double>(domain_.first);
        const auto high = static_cast<double>(domain_.first + domain_.count);
#pragma omp parallel
        {
            std::vector<std::int64_t>& mine = gone_[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
            for (std::int64_t i = 0; i < particles.count(); ++i) {
                const double place = angles[i] * scale;
                if (place < low || place >= high) {
                    mine.push_back(i);
                }
            }
        }
    }

    // Holes are closed by the last particles.
    void take_out(Particles& particles) {
        leaving_[0].clear();
        leaving_[1].clear();
        std::int64_t count = particles.count();
        for (const auto& of_thread : std::ranges::reverse_view(gone_)) {
            for (const std::int64_t i : std::ranges::reverse_view(of_thread)) {
                const int steps = away(particles[toroidal][i]);
                if (steps != 1 && steps != domain_.domains - 1) {
                    continue;
                }
                const Particles::Values one = particles.at(i);
                std::vector<double>& to = leaving_[steps == 1 ? 0 : 1];
                to.insert(to.end(), one.begin(), one.end());
                --count;
                particles.put(i, particles.at(count));
            }
        }
        particles.resize(count);
    }

    void send(Particles& particles, int to, int from, const std::vector<double>& leaving) {
        arriving_.resize(ranks_.exchange_count(to, leaving.size(), from));
        ranks_.template exchange<double>(to, leaving, from, arriving_);
        const std::int64_t before = particles.count();
        const auto more = static_cast<std::int64_t>(arriving_.size() / columns);
        particles.resize(before + more);
        for (std::int64_t i = 0; i < more; ++i) {
            Particles::Values one{};
            std::copy_n(arriving_.begin() + i * static_cast<std::int64_t>(columns), one.size(),
                        one.begin());
            particles.put(before + i, one);
        }
    }

    Ranks& ranks_;
    const Grid& grid_;
    const Domain& domain_;
    std::vector<std::vector<std::int64_t>> gone_;
    // To the next domain, and to the one before.
    std::array<std::vector<double>, 2> leaving_;
    std::vector<double> arriving_;
};

}  // namespace machmeter::proxies::gkpic
