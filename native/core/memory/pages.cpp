#include "core/memory/pages.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace machmeter {
namespace {

// The first line of a mapping: `55d0-56d0 rw-p ...`.
bool parse_range(const std::string& line, AddressRange& range) {
    const std::size_t dash = line.find('-');
    const std::size_t space = line.find(' ');
    if (dash == std::string::npos || space == std::string::npos || dash > space ||
        line.find(':') < space) {
        return false;
    }
    range.begin = std::stoull(line.substr(0, dash), nullptr, 16);
    range.end = std::stoull(line.substr(dash + 1, space - dash - 1), nullptr, 16);
    return true;
}

void add_line(const std::string& line, PresentPages& pages) {
    std::istringstream words(line);
    std::string name;
    std::size_t kibibytes = 0;
    words >> name >> kibibytes;
    if (name == "AnonHugePages:") {
        pages.huge_bytes += kibibytes * 1024;
    } else if (name == "Rss:" || name == "Private_Hugetlb:") {
        pages.bytes += kibibytes * 1024;
    } else if (name == "KernelPageSize:") {
        pages.kernel_page_bytes = std::max(pages.kernel_page_bytes, kibibytes * 1024);
    }
}

bool overlap(const AddressRange& one, const AddressRange& other) {
    return one.begin < other.end && other.begin < one.end;
}

// Reads all mappings; `sums_of(mapping)` gives the sums to which its pages are added.
template <class SumsOf>
void add_mappings(std::istream& smaps, SumsOf&& sums_of) {
    std::string line;
    AddressRange mapping;
    std::vector<PresentPages*> sums;
    while (std::getline(smaps, line)) {
        if (parse_range(line, mapping)) {
            sums = sums_of(mapping);
            continue;
        }
        for (PresentPages* sum : sums) {
            add_line(line, *sum);
        }
    }
}

}  // namespace

std::size_t base_page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t transparent_huge_page_bytes() {
    std::size_t bytes = 0;
    std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> bytes;
    return bytes > 0 ? bytes : base_page_bytes() * (base_page_bytes() / 8);
}

AddressRange range_of(const void* data, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    return {begin, begin + bytes};
}

PresentPages present_pages(const std::vector<AddressRange>& wanted) {
    std::ifstream smaps("/proc/self/smaps");
    PresentPages pages;
    add_mappings(smaps, [&](const AddressRange& mapping) {
        const bool counts =
            std::any_of(wanted.begin(), wanted.end(),
                        [&](const AddressRange& range) { return overlap(mapping, range); });
        return counts ? std::vector<PresentPages*>{&pages} : std::vector<PresentPages*>{};
    });
    return pages;
}

std::vector<PresentPages> present_pages_of_each(const std::vector<AddressRange>& wanted) {
    std::ifstream smaps("/proc/self/smaps");
    return present_pages_of_each(smaps, wanted);
}

std::vector<PresentPages> present_pages_of_each(std::istream& smaps,
                                                const std::vector<AddressRange>& wanted) {
    std::vector<PresentPages> pages(wanted.size());
    add_mappings(smaps, [&](const AddressRange& mapping) {
        std::vector<PresentPages*> sums;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (overlap(mapping, wanted[i])) {
                sums.push_back(&pages[i]);
            }
        }
        return sums;
    });
    return pages;
}

}  // namespace machmeter
