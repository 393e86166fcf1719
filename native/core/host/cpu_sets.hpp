// Lists and sets of CPUs, and whether ranks bound to such sets have a CPU each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace machmeter {

// A list such as `0,1,6`. Throws UsageError, beginning with `what`, for any other text.
std::vector<int> parse_cpus(std::string_view text, std::string_view what);

bool have_common_cpu(const std::vector<int>& some, const std::vector<int>& others);

// CPU n is bit n modulo 64 of word n / 64: enough for any Linux machine.
using CpuMask = std::array<std::uint64_t, 256>;

CpuMask mask_of(const std::vector<int>& cpus);
std::size_t cpu_count(const CpuMask& mask);
bool is_within(const CpuMask& inner, const CpuMask& outer);

// Whether the ranks of a machine, whose sets are `all`, are no more than their CPUs, and those
// restricted to CPUs of `mine` no more than these.
bool masks_suffice(const std::vector<CpuMask>& all, const CpuMask& mine);

}  // namespace machmeter
