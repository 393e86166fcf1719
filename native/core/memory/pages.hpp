// Page sizes of this machine, and the pages behind addresses of this process (proc(5),
// /proc/self/smaps).
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace machmeter {

std::size_t base_page_bytes();

// Bytes of the huge page that AnonHugePages counts: what one entry of the page directory spans, a
// page full of entries of 8 bytes (2 MiB over 4 KiB pages, 512 MiB over 64 KiB pages).
std::size_t transparent_huge_page_bytes();

inline std::size_t round_up(std::size_t bytes, std::size_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
}

struct AddressRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

AddressRange range_of(const void* data, std::size_t bytes);

// bytes: present; huge_bytes: of these in transparent huge pages; kernel_page_bytes: the largest
// page size that the kernel reports: that of its huge page pools, else the base page.
struct PresentPages {
    std::size_t bytes = 0;
    std::size_t huge_bytes = 0;
    std::size_t kernel_page_bytes = 0;
};

// Of all mappings that overlap one of the ranges, each counted once and whole: the kernel merges
// neighboring mappings into one, and splits one into several.
PresentPages present_pages(const std::vector<AddressRange>& wanted);

// Of the mappings that overlap each range by itself, in the order of the ranges. The kernel takes
// longer to list its mappings the more memory a process has, so all ranges take one pass.
std::vector<PresentPages> present_pages_of_each(const std::vector<AddressRange>& wanted);
std::vector<PresentPages> present_pages_of_each(std::istream& smaps,
                                                const std::vector<AddressRange>& wanted);

}  // namespace machmeter
