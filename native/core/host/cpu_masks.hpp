// Sets of CPUs as bits, and whether ranks that are bound to such sets have a CPU each.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace machmeter {

// Holds any machine of Linux: CPU n is bit n modulo 64 of word n / 64.
using CpuMask = std::array<std::uint64_t, 256>;

inline CpuMask mask_of(const std::vector<int>& cpus) {
    CpuMask mask{};
    for (const int cpu : cpus) {
        const auto bit = static_cast<std::size_t>(cpu);
        if (bit / 64 < mask.size()) {
            mask[bit / 64] |= std::uint64_t{1} << bit % 64;
        }
    }
    return mask;
}

inline std::size_t cpu_count(const CpuMask& mask) {
    std::size_t cpus = 0;
    for (const std::uint64_t word : mask) {
        cpus += static_cast<std::size_t>(std::popcount(word));
    }
    return cpus;
}

inline bool is_within(const CpuMask& inner, const CpuMask& outer) {
    for (std::size_t i = 0; i < inner.size(); ++i) {
        if ((inner[i] & ~outer[i]) != 0) {
            return false;
        }
    }
    return true;
}

// Whether the ranks that share a machine, whose sets are `all`, are no more than its CPUs, and
// those that may run on none but the CPUs of `mine` are no more than these.
inline bool masks_suffice(const std::vector<CpuMask>& all, const CpuMask& mine) {
    CpuMask together{};
    std::size_t ranks_within = 0;
    for (const CpuMask& one : all) {
        ranks_within += is_within(one, mine) ? 1 : 0;
        for (std::size_t i = 0; i < one.size(); ++i) {
            together[i] |= one[i];
        }
    }
    return all.size() <= cpu_count(together) && ranks_within <= cpu_count(mine);
}

}  // namespace machmeter
