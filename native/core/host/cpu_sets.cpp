#include "core/host/cpu_sets.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "core/values/parameters.hpp"

namespace machmeter {

std::vector<int> parse_cpus(std::string_view text, std::string_view what) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20U;
    std::vector<int> cpus;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::uint64_t cpu = parse_count(text.substr(begin, comma - begin), what);
        if (cpu >= most) {
            throw UsageError(std::string(what) + ": no machine has CPU " + std::to_string(cpu));
        }
        cpus.push_back(static_cast<int>(cpu));
        begin = comma + 1;
    }
    return cpus;
}

bool have_common_cpu(const std::vector<int>& some, const std::vector<int>& others) {
    return std::find_first_of(some.begin(), some.end(), others.begin(), others.end()) != some.end();
}

CpuMask mask_of(const std::vector<int>& cpus) {
    CpuMask mask{};
    for (const int cpu : cpus) {
        const auto bit = static_cast<std::size_t>(cpu);
        if (bit / 64 < mask.size()) {
            mask[bit / 64] |= std::uint64_t{1} << bit % 64;
        }
    }
    return mask;
}

std::size_t cpu_count(const CpuMask& mask) {
    std::size_t cpus = 0;
    for (const std::uint64_t word : mask) {
        cpus += static_cast<std::size_t>(std::popcount(word));
    }
    return cpus;
}

bool is_within(const CpuMask& inner, const CpuMask& outer) {
    for (std::size_t i = 0; i < inner.size(); ++i) {
        if ((inner[i] & ~outer[i]) != 0) {
            return false;
        }
    }
    return true;
}

bool masks_suffice(const std::vector<CpuMask>& all, const CpuMask& mine) {
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
