// A thread that does nothing but let communication proceed, while the rank's own threads compute.
#pragma once

#include <sched.h>

#include <algorithm>
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

#include "core/host/cpu_list.hpp"
#include "core/host/places.hpp"

namespace machmeter {

// Names the CPUs of this rank's progress thread; the launcher's wrapper sets it for each rank.
inline constexpr const char* progress_variable = "MACHMETER_PROGRESS_CPUS";

inline std::vector<int> asked_progress_cpus() {
    const char* text = std::getenv(progress_variable);
    return text == nullptr || *text == '\0' ? std::vector<int>{}
                                            : parse_cpus(text, progress_variable);
}

inline bool have_common_cpu(const std::vector<int>& some, const std::vector<int>& others) {
    return std::find_first_of(some.begin(), some.end(), others.begin(), others.end()) != some.end();
}

// What the thread does between two probes. On CPUs of its own it gives way to nobody but asks the
// kernel whether somebody waits; where it shares them with the work, it must leave them to it.
enum class Pause : std::uint8_t { yield, sleep };

inline constexpr std::chrono::microseconds progress_sleep{50};

inline std::string progress_words(Pause pause) {
    return pause == Pause::yield
               ? "a thread of each rank on CPUs of its own probes again and again, with "
                 "sched_yield in between"
               : "a thread of each rank on the rank's CPUs probes, with " +
                     std::to_string(progress_sleep.count()) + " us of sleep in between";
}

// Calls `probe` from its start until its end.
class ProgressThread {
   public:
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
            turn(probe);
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
    [[nodiscard]] std::string words() const { return progress_words(pause_); }

   private:
    void turn(const std::function<void()>& probe) const {
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
