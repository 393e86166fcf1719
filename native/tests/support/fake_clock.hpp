// A clock that moves only when it is read or set; threads may read it too.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock/clock.hpp"

namespace machmeter::test {

inline std::atomic<std::uint64_t> fake_now{0};
inline std::atomic<std::uint64_t> fake_step{0};  // added by every reading

inline std::uint64_t read_fake_clock() { return fake_now += fake_step; }

inline constexpr Clock fake_clock{&read_fake_clock};

}  // namespace machmeter::test
