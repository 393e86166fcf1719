// A thread that only lets communication proceed while the rank's own threads compute. No MPI here.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/host/cpu_sets.hpp"
#include "core/host/places.hpp"

namespace machmeter {

// Names the CPUs of this rank's progress thread; the launcher's wrapper sets it for each rank.
inline constexpr const char* progress_variable = "MACHMETER_PROGRESS_CPUS";

// Empty where none is requested. Throws UsageError.
inline std::vector<int> requested_progress_cpus() {
    const char* text = std::getenv(progress_variable);
    return text == nullptr || *text == '\0' ? std::vector<int>{}
                                            : parse_cpus(text, progress_variable);
}

// Between two probes. On its own CPUs the thread yields; where it shares them with the rank's
// work it must sleep.
enum class Pause : std::uint8_t { yield, sleep };

inline constexpr std::chrono::microseconds progress_sleep{50};

inline Pause pause_on(const std::vector<int>& cpus) {
    return have_common_cpu(cpus, allowed_cpus()) ? Pause::sleep : Pause::yield;
}

inline std::string progress_text(Pause pause) {
    return pause == Pause::yield
               ? "a progress thread of each rank on its own CPUs polls, with sched_yield between"
               : "a progress thread of each rank on the rank's CPUs polls, sleeping " +
                     std::to_string(progress_sleep.count()) + " us between";
}

// Calls `probe` repeatedly from its start to its end.
class ProgressThread {
   public:
    // Throws where the thread cannot be bound to its CPUs.
    ProgressThread(std::vector<int> cpus, Pause pause, int rank, int number,
                   std::function<void()> probe)
        : pause_(pause) {
        std::promise<ThreadPlace> bound;
        std::future<ThreadPlace> place = bound.get_future();
        thread_ = std::thread([this, cpus = std::move(cpus), rank, number, bound = std::move(bound),
                               probe = std::move(probe)]() mutable {
            try {
                bind_thread_to(cpus);
                bound.set_value(observe_place(rank, number));
            } catch (...) {
                bound.set_exception(std::current_exception());
                return;
            }
            poll(probe);
        });
        try {
            place_ = place.get();
        } catch (...) {
            thread_.join();
            throw;
        }
    }

    ProgressThread(const ProgressThread&) = delete;
    ProgressThread& operator=(const ProgressThread&) = delete;

    ~ProgressThread() {
        ended_ = true;
        thread_.join();
    }

    [[nodiscard]] const ThreadPlace& place() const { return place_; }
    [[nodiscard]] std::string to_text() const { return progress_text(pause_); }

   private:
    void poll(const std::function<void()>& probe) const {
        while (!ended_.load(std::memory_order_relaxed)) {
            probe();
            if (pause_ == Pause::yield) {
                sched_yield();
            } else {
                std::this_thread::sleep_for(progress_sleep);
            }
        }
    }

    Pause pause_;
    std::atomic<bool> ended_{false};
    ThreadPlace place_;
    std::thread thread_;
};

}  // namespace machmeter
