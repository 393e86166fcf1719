// What pages are behind addresses of this process, by /proc/self/smaps (proc(5)).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
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

inline bool meet(const AddressRange& one, const AddressRange& other) {
    return one.begin < other.end && other.begin < one.end;
}

// Reads all mappings; `sums_of(mapping)` tells the sums that the pages of one are added to.
template <class SumsOf>
void add_mappings(std::istream& file, SumsOf&& sums_of) {
    std::string line;
    AddressRange mapping;
    std::vector<PresentPages*> sums;
    while (std::getline(file, line)) {
        if (parse_range(line, mapping)) {
            sums = sums_of(mapping);
            continue;
        }
        for (PresentPages* sum : sums) {
            add_line(line, *sum);
        }
    }
}

// Of the mappings that meet each range by itself, in the order of the ranges, in one pass.
inline std::vector<PresentPages> pages_of_each(std::istream& file,
                                               const std::vector<AddressRange>& wanted) {
    std::vector<PresentPages> pages(wanted.size());
    add_mappings(file, [&](const AddressRange& mapping) {
        std::vector<PresentPages*> sums;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (meet(mapping, wanted[i])) {
                sums.push_back(&pages[i]);
            }
        }
        return sums;
    });
    return pages;
}

}  // namespace smaps

// The kernel writes its list of all mappings anew for every reading, which takes it as long as the
// process has memory: what is known of several ranges is asked for at once.
inline std::vector<PresentPages> present_pages_of_each(const std::vector<AddressRange>& wanted) {
    std::ifstream file("/proc/self/smaps");
    return smaps::pages_of_each(file, wanted);
}

// Of all mappings that meet one of the ranges, each counted once and whole: the kernel merges
// neighboring mappings into one, and splits one in several.
inline PresentPages present_pages(const std::vector<AddressRange>& wanted) {
    std::ifstream file("/proc/self/smaps");
    PresentPages pages;
    smaps::add_mappings(file, [&](const AddressRange& mapping) {
        const bool met = std::any_of(wanted.begin(), wanted.end(), [&](const AddressRange& range) {
            return smaps::meet(mapping, range);
        });
        return met ? std::vector<PresentPages*>{&pages} : std::vector<PresentPages*>{};
    });
    return pages;
}

}  // namespace machmeter
