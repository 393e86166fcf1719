// Places for messages that no cache holds: a pool larger than the last-level cache, whose places
// are used in turn, in an order that no prefetcher follows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

#include "core/memory/pages.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {

// What cold places depend on, the same on all ranks.
struct CacheSizes {
    std::size_t last_bytes = 0;
    std::size_t line_bytes = 0;
};

// Places of one size, each with its guard, which also keeps the next place out of reach of
// prefetchers that fetch pairs of lines (Intel, Optimization Reference Manual, "spatial
// prefetcher"). Messages touch a quarter more of them than the cache holds.
struct ColdShape {
    std::size_t place_bytes = 0;
    std::size_t places = 0;

    [[nodiscard]] std::size_t pool_bytes() const { return place_bytes * places; }
};

// For messages that span `extent` bytes; two places for one that is larger than the cache by
// itself.
inline ColdShape cold_shape(std::size_t extent, const CacheSizes& caches) {
    const std::size_t touched = round_up(std::max<std::size_t>(extent, 1), caches.line_bytes);
    const std::size_t larger = caches.last_bytes + caches.last_bytes / 4;
    return {round_up(extent + guard_bytes, caches.line_bytes),
            std::max<std::size_t>(2, (larger + touched - 1) / touched)};
}

// A step that visits all of `places` before any again, far from one to the next: near the golden
// ratio, without a common divisor with their number.
inline std::size_t far_step(std::size_t places) {
    constexpr double golden_ratio = 0.6180339887498949;
    auto step = static_cast<std::size_t>(static_cast<double>(places) * golden_ratio);
    step = std::max<std::size_t>(step, 1);
    while (std::gcd(step, places) != 1) {
        ++step;
    }
    return step;
}

// The places of one end to send from and to receive into, used in turn.
class ColdPlaces {
   public:
    // begin: offset in the pools, in bytes, so that use continues where an earlier point ended.
    ColdPlaces(const MessageBuffers& pools, const ColdShape& shape, std::size_t begin)
        : out_{pools.out(), begin / shape.place_bytes % shape.places},
          in_{pools.in(), begin / shape.place_bytes % shape.places},
          shape_(shape),
          step_(far_step(shape.places)) {}

    [[nodiscard]] std::byte* next_out() { return next(out_); }
    [[nodiscard]] std::byte* next_in() { return next(in_); }

    // Offset of the last place used.
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

inline std::string cold_text(const ColdShape& shape, const CacheSizes& caches) {
    return "cold: the next of " + std::to_string(shape.places) + " places of " +
           std::to_string(shape.place_bytes) +
           " bytes to send from and of as many to receive into; the touched part of either pool "
           "exceeds the last-level cache of " +
           std::to_string(caches.last_bytes) + " bytes (sysfs, else sysconf, else assumed)";
}

}  // namespace machmeter
