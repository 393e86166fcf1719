// What pages are behind addresses of this process, by /proc/self/smaps (proc(5)).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace machmeter {

struct AddressRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

inline AddressRange range_of(const void* data, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    return {begin, begin + bytes};
}

// Bytes present, those of them in transparent huge pages, and the largest page size that the kernel
// tells: that of its pools of huge pages, else the base page.
struct PresentPages {
    std::size_t bytes = 0;
    std::size_t huge_bytes = 0;
    std::size_t kernel_page_bytes = 0;
};

namespace smaps {

// The first line of a mapping: `55d0-56d0 rw-p ...`.
inline bool parse_range(const std::string& line, AddressRange& range) {
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

inline void add_line(const std::string& line, PresentPages& pages) {
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

}  // namespace smaps

// Of all mappings that meet one of the ranges, each counted once and whole: the kernel merges
// neighboring mappings into one, and splits one in several.
inline PresentPages present_pages(const std::vector<AddressRange>& wanted) {
    std::ifstream file("/proc/self/smaps");
    std::string line;
    AddressRange mapping;
    bool met = false;
    PresentPages pages;
    while (std::getline(file, line)) {
        if (smaps::parse_range(line, mapping)) {
            met = std::any_of(wanted.begin(), wanted.end(), [&](const AddressRange& range) {
                return mapping.begin < range.end && range.begin < mapping.end;
            });
        } else if (met) {
            smaps::add_line(line, pages);
        }
    }
    return pages;
}

}  // namespace machmeter
