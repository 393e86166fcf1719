// How far apart the data of two threads must be so as not to share a cache line.
#pragma once

#include <cstddef>

namespace machmeter {

// Alignments are fixed when compiled, so this is the compiler's value for the target and not the
// line that core/host/caches.hpp reads: 64 bytes on x86, 256 on 64-bit Arm.
#if defined(__GCC_DESTRUCTIVE_SIZE)
inline constexpr std::size_t padded_bytes = __GCC_DESTRUCTIVE_SIZE;
#elif defined(__x86_64__) || defined(__i386__)
inline constexpr std::size_t padded_bytes = 64;
#else
inline constexpr std::size_t padded_bytes = 256;
#endif

// For data that one thread polls: a prefetcher may fetch a line with its neighbor.
inline constexpr std::size_t polled_bytes = 2 * padded_bytes;

}  // namespace machmeter
