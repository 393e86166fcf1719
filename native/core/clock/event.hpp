// An event: what a benchmark times, and how much of it has been done.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/clock/clock.hpp"

namespace machmeter {

// Runs so many rounds and returns their seconds.
template <class E>
concept TimedEvent = requires(E& event, std::uint64_t rounds) {
    { event(rounds) } -> std::convertible_to<double>;
};

// Times `body(rounds)` by a clock of the host. A body that counts its work in another unit (lines,
// bytes) returns the count; else its work is its rounds.
template <class Body>
class Event {
   public:
    Event(const Clock& clock, Body body) : clock_(clock), body_(std::move(body)) {}

    double operator()(std::uint64_t rounds) {
        const std::uint64_t begin = clock_.now();
        const std::uint64_t work = run(rounds);
        const std::uint64_t end = clock_.now();
        rounds_ += rounds;
        work_ += work;
        return seconds_between(begin, end);
    }

    // All that has been done, warm-up and calibration included: a check compares the state that
    // the rounds left with these.
    [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
    [[nodiscard]] std::uint64_t work() const { return work_; }

   private:
    std::uint64_t run(std::uint64_t rounds) {
        if constexpr (std::is_void_v<std::invoke_result_t<Body&, std::uint64_t>>) {
            body_(rounds);
            return rounds;
        } else {
            return body_(rounds);
        }
    }

    Clock clock_;
    Body body_;
    std::uint64_t rounds_ = 0;
    std::uint64_t work_ = 0;
};

}  // namespace machmeter
