// Two threads of a team, chosen by their CPUs, that act in turns or together; the others sleep.
#pragma once

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/places.hpp"
#include "core/openmp/padding.hpp"
#include "core/openmp/team_errors.hpp"
#include "core/openmp/teams.hpp"
#include "core/values/parameters.hpp"

namespace machmeter {

// Two CPUs or NUMA domains, as written in a parameter: `0-17`.
struct Pair {
    int first = 0;
    int second = 0;

    friend bool operator==(const Pair&, const Pair&) = default;
};

inline Pair parse_pair(std::string_view text) {
    constexpr std::uint64_t largest = 1 << 20;
    const auto [first, second] = parse_two(text, "pair");
    if (first > largest || second > largest) {
        throw UsageError("pair: '" + std::string(text) + "' is beyond any CPU or NUMA domain");
    }
    return {static_cast<int>(first), static_cast<int>(second)};
}

// A hint to the processor that a loop waits: its other hardware thread gets the units.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield" ::: "memory");
#endif
}

// Spins until `ready()`; yields where there are more threads than CPUs.
template <class Ready>
void spin_until(Ready&& ready) {
    constexpr std::uint64_t patience = 20'000;
    for (std::uint64_t spins = 0; !ready(); ++spins) {
        if (spins >= patience) {
            sched_yield();
        } else {
            relax();
        }
    }
}

// Two threads that take turns. Each polls its own cache line, which the other writes once a
// turn, so that the waiting one does not disturb the other.
class Turns {
   public:
    // By the second thread, before and after its turn.
    void await_second() { await(to_second_, ++second_turns_); }
    void pass_to_first() { to_first_.store(second_turns_, std::memory_order_release); }

    // By the first thread.
    void pass_to_second() { to_second_.store(++first_turns_, std::memory_order_release); }
    void await_first() { await(to_first_, first_turns_); }

    // Before a thread passes, where its turn was the last.
    void end() { ended_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool ended() const { return ended_.load(std::memory_order_relaxed); }

   private:
    using Count = std::atomic<std::uint64_t>;

    static void await(const Count& count, std::uint64_t turn) {
        spin_until([&] { return count.load(std::memory_order_acquire) >= turn; });
    }

    alignas(polled_bytes) Count to_second_ = 0;
    alignas(polled_bytes) Count to_first_ = 0;
    alignas(polled_bytes) std::uint64_t first_turns_ = 0;
    alignas(polled_bytes) std::uint64_t second_turns_ = 0;
    alignas(polled_bytes) std::atomic<bool> ended_ = false;
};

// Calls `body` at the end of a scope, however it is left.
template <class Body>
class AtEnd {
   public:
    explicit AtEnd(Body body) : body_(std::move(body)) {}
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    ~AtEnd() { body_(); }

   private:
    Body body_;
};

class PairTeam {
   public:
    // The team of this launch, whose threads are bound to one CPU each.
    PairTeam() {
#pragma omp parallel
        {
            const std::vector<int> cpus = allowed_cpus();
#pragma omp critical
            {
                team_ = omp_get_num_threads();
                if (cpus.size() == 1) {
                    thread_on_.emplace(cpus.front(), omp_get_thread_num());
                }
            }
        }
    }

    // thread_on: the thread of each CPU.
    explicit PairTeam(std::map<int, int> thread_on) : thread_on_(std::move(thread_on)) {
        for (const auto& [cpu, thread] : thread_on_) {
            team_ = std::max(team_, thread + 1);
        }
    }

    // The two threads call these at the same time; on a pair of one CPU with itself only `first`
    // runs. What a side throws is thrown here once both have ended: a side that the other waits for
    // must release it first. Nothing runs in a team of another size than at the start.
    template <class First, class Second>
    void run(const Pair& cpus, First&& first, Second&& second) const {
        const int first_thread = thread_on(cpus.first);
        const int second_thread = thread_on(cpus.second);
        int team = 0;
        TeamErrors errors;
#pragma omp parallel num_threads(team_)
        {
            const int thread = omp_get_thread_num();
            const bool whole = omp_get_num_threads() == team_;
            if (thread == 0) {
                team = omp_get_num_threads();
            }
            if (whole && thread == first_thread) {
                errors.catching(first);
            } else if (whole && thread == second_thread) {
                errors.catching(second);
            }
        }
        require_team(static_cast<std::size_t>(team), static_cast<std::size_t>(team_));
        errors.rethrow();
    }

    // `first()` on the first CPU, then `second()` on the second, repeated until `first()` returns
    // false or either throws. What one wrote in its turn the other sees in the next.
    template <class First, class Second>
    void take_turns(const Pair& cpus, First&& first, Second&& second) const {
        if (thread_on(cpus.first) == thread_on(cpus.second)) {
            const auto alone = [&] {
                while (first()) {
                    second();
                }
            };
            run(cpus, alone, alone);
            return;
        }
        Turns turns;
        const auto lead = [&] {
            // Also when `first` throws: the other thread waits.
            const AtEnd release([&] {
                turns.end();
                turns.pass_to_second();
            });
            while (!turns.ended() && first()) {
                turns.pass_to_second();
                turns.await_first();
            }
        };
        const auto follow = [&] {
            // When `second` throws; without effect after the last turn.
            const AtEnd release([&] {
                turns.end();
                turns.pass_to_first();
            });
            for (turns.await_second(); !turns.ended(); turns.await_second()) {
                second();
                turns.pass_to_first();
            }
        };
        run(cpus, lead, follow);
    }

    [[nodiscard]] int thread_on(int cpu) const {
        const auto found = thread_on_.find(cpu);
        if (found == thread_on_.end()) {
            throw UsageError("pair: no thread of this launch is bound to CPU " +
                             std::to_string(cpu) + ": start one there, bound to it alone");
        }
        return found->second;
    }

    [[nodiscard]] int threads() const { return team_; }

   private:
    std::map<int, int> thread_on_;
    int team_ = 1;
};

}  // namespace machmeter
