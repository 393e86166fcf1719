#include "core/memory/numa.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

namespace machmeter {

std::vector<int> domains_of_pages(const std::vector<const void*>& addresses) {
#ifdef SYS_move_pages
    std::vector<int> domains(addresses.size(), -1);
    constexpr int this_process = 0;
    constexpr int flags = 0;
    // Without target domains pages stay where they are and their domains are reported.
    const long result = syscall(SYS_move_pages, this_process, addresses.size(), addresses.data(),
                                nullptr, domains.data(), flags);
    if (result == 0) {
        return domains;
    }
#endif
    return {};
}

bool bind_to_domain(void* data, std::size_t bytes, int domain) {
#ifdef SYS_mbind
    constexpr int largest_domain = 1 << 16;
    if (domain < 0 || domain > largest_domain) {
        return false;
    }
    constexpr long bind = 2;  // MPOL_BIND; the kernel's header for it is not always installed.
    constexpr unsigned flags = 0;
    constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;
    const auto bit = static_cast<std::size_t>(domain);
    std::vector<unsigned long> mask(bit / word_bits + 1, 0);
    mask[bit / word_bits] = 1UL << bit % word_bits;
    // The kernel reads one bit less than it is passed.
    const std::size_t bits = mask.size() * word_bits + 1;
    return syscall(SYS_mbind, data, bytes, bind, mask.data(), bits, flags) == 0;
#else
    return false;
#endif
}

std::map<int, std::size_t> pages_of_domains(std::istream& numa_maps, const AddressRange& range) {
    std::map<int, std::size_t> pages;
    std::string line;
    while (std::getline(numa_maps, line)) {
        std::istringstream words(line);
        std::uintptr_t begin = 0;
        if (!(words >> std::hex >> begin) || begin >= range.end) {
            continue;
        }
        if (begin <= range.begin) {
            pages.clear();  // A mapping before this one ends before the range.
        }
        for (std::string word; words >> word;) {
            int domain = 0;
            unsigned long count = 0;
            if (std::sscanf(word.c_str(), "N%d=%lu", &domain, &count) == 2) {
                pages[domain] += count;
            }
        }
    }
    return pages;
}

Placement placement_by_mappings(std::istream& numa_maps, const AddressRange& range, int domain) {
    const std::map<int, std::size_t> pages = pages_of_domains(numa_maps, range);
    std::size_t all = 0;
    for (const auto& [where, count] : pages) {
        all += count;
    }
    if (all == 0) {
        return {false,
                "NUMA domain of the pages unknown (the kernel refuses move_pages, and numa_maps "
                "does not list them)"};
    }
    const auto found = pages.find(domain);
    const std::size_t there = found != pages.end() ? found->second : 0;
    return {there != all, std::to_string(there) + " of " + std::to_string(all) +
                              " pages are in NUMA domain " + std::to_string(domain) +
                              " (numa_maps)"};
}

Placement placement_of(const void* memory, std::size_t bytes, int domain) {
    constexpr std::size_t most = 256;
    const std::size_t page_bytes = base_page_bytes();
    const std::size_t pages = std::max<std::size_t>(bytes / page_bytes, 1);
    const std::size_t count = std::min(most, pages);
    std::vector<const void*> addresses;
    for (std::size_t i = 0; i < count; ++i) {
        addresses.push_back(static_cast<const char*>(memory) + i * pages / count * page_bytes);
    }
    const std::vector<int> domains = domains_of_pages(addresses);
    if (domains.empty()) {
        std::ifstream maps("/proc/self/numa_maps");
        return placement_by_mappings(maps, range_of(memory, bytes), domain);
    }
    const auto there = std::count(domains.begin(), domains.end(), domain);
    return {there != std::ssize(domains),
            std::to_string(there) + " of " + std::to_string(domains.size()) +
                " sampled pages are in NUMA domain " + std::to_string(domain)};
}

}  // namespace machmeter
