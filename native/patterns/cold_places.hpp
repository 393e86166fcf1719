// Places for messages that no cache holds any more: a pool larger than the last cache, whose places
// are used in turn, in an order that no prefetcher follows.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <string>

#include "patterns/message_data.hpp"

namespace machmeter {

inline constexpr std::size_t cache_line_bytes = 64;

// Used where neither the kernel nor the C library knows the caches.
inline constexpr std::size_t assumed_cache_bytes = std::size_t{64} << 20U;

// Bytes of the largest cache that the folder of one CPU names (Linux, Documentation/ABI/testing/
// sysfs-devices-system-cpu: `cache/index*/size`, in KiB); 0 where it names none.
inline std::size_t largest_cache_bytes(const std::string& cpu_folder) {
    std::size_t largest = 0;
    for (int index = 0;; ++index) {
        std::ifstream file(cpu_folder + "/cache/index" + std::to_string(index) + "/size");
        std::size_t kibibytes = 0;
        if (!(file >> kibibytes)) {
            return largest;
        }
        largest = std::max(largest, kibibytes * 1024);
    }
}

inline std::size_t last_cache_bytes(int cpu) {
    const std::size_t told =
        largest_cache_bytes("/sys/devices/system/cpu/cpu" + std::to_string(cpu));
    const auto known = static_cast<std::int64_t>(told);
#ifdef _SC_LEVEL3_CACHE_SIZE
    const std::int64_t found = known > 0 ? known : sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
    const std::int64_t found = known;
#endif
    return found > 0 ? static_cast<std::size_t>(found) : assumed_cache_bytes;
}

// Places of one size, each with its guard, which also keeps the next place out of reach of
// prefetchers that fetch lines by twos (Intel, Optimization Reference Manual, "spatial
// prefetcher"); what messages touch of them all is larger than the
// cache by a quarter.
struct ColdShape {
    std::size_t place_bytes = 0;
    std::size_t places = 0;

    [[nodiscard]] std::size_t pool_bytes() const { return place_bytes * places; }
};

// The places of messages that reach over `extent` bytes. One that is larger than the cache by
// itself has two.
inline ColdShape cold_shape(std::size_t extent, std::size_t cache_bytes) {
    const std::size_t touched = round_up(std::max<std::size_t>(extent, 1), cache_line_bytes);
    const std::size_t larger = cache_bytes + cache_bytes / 4;
    return {round_up(extent + guard_bytes, cache_line_bytes),
            std::max<std::size_t>(2, (larger + touched - 1) / touched)};
}

// A step that visits all of `places` before it comes back, far from one to the next: the place
// that the golden ratio names, or the next one that shares no divisor with their number.
inline std::size_t far_step(std::size_t places) {
    constexpr double golden_ratio = 0.6180339887498949;
    auto step = static_cast<std::size_t>(static_cast<double>(places) * golden_ratio);
    step = std::max<std::size_t>(step, 1);
    while (std::gcd(step, places) != 1) {
        ++step;
    }
    return step;
}

// One end's places to send from and to receive into, visited in turn.
class ColdPlaces {
   public:
    // begin: bytes into the pools where the visits begin, so that they go on where those of an
    // earlier point ended.
    ColdPlaces(const MessageBuffers& pools, const ColdShape& shape, std::size_t begin)
        : out_{pools.out(), begin / shape.place_bytes % shape.places},
          in_{pools.in(), begin / shape.place_bytes % shape.places},
          shape_(shape),
          step_(far_step(shape.places)) {}

    [[nodiscard]] std::byte* next_out() { return next(out_); }
    [[nodiscard]] std::byte* next_in() { return next(in_); }

    // Bytes into the pools of the place visited last.
    [[nodiscard]] std::size_t end() const { return std::max(out_.at, in_.at) * shape_.place_bytes; }

   private:
    struct Pool {
        std::byte* data;
        std::size_t at;
    };

    [[nodiscard]] std::byte* next(Pool& pool) const {
        pool.at += step_;
        if (pool.at >= shape_.places) {
            pool.at -= shape_.places;
        }
        return pool.data + pool.at * shape_.place_bytes;
    }

    Pool out_;
    Pool in_;
    ColdShape shape_;
    std::size_t step_;
};

inline std::string cold_words(const ColdShape& shape, std::size_t cache_bytes) {
    return "cold: the next of " + std::to_string(shape.places) + " places of " +
           std::to_string(shape.place_bytes) +
           " bytes to send from, and of as many to receive into; what is touched of either pool "
           "is larger than the last cache of " +
           std::to_string(cache_bytes) + " bytes (sysfs, else sysconf, else assumed)";
}

}  // namespace machmeter
