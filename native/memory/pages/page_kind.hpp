// Kinds of pages that memory is requested in, and what was obtained.
#pragma once

#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/memory/pages.hpp"
#include "core/values/parameters.hpp"

namespace machmeter {

// pool_flags: flags of mmap(2) for a page of the kernel's pool of that size, 0 for other pages.
struct PageKind {
    std::string_view name;
    std::size_t bytes = 0;
    int pool_flags = 0;
    int advice = MADV_NORMAL;
};

inline PageKind page_kind_of(const std::string& name) {
    const std::size_t transparent = transparent_huge_page_bytes();
    const std::vector<std::pair<std::string_view, PageKind>> kinds{
        {"base", {"base", base_page_bytes(), 0, MADV_NOHUGEPAGE}},
        {"transparent", {"transparent", transparent, 0, MADV_HUGEPAGE}},
        {"hugetlb-2m", {"hugetlb-2m", std::size_t{1} << 21U, MAP_HUGETLB | MAP_HUGE_2MB}},
        {"hugetlb-1g", {"hugetlb-1g", std::size_t{1} << 30U, MAP_HUGETLB | MAP_HUGE_1GB}},
    };
    return choose<PageKind>("pages", name, kinds);
}

// Where base pages are requested, no allocator may get huge ones from a kernel that gives them to
// every process (THP setting `always`); where huge ones are, nothing may forbid them.
class HugePagesAllowed {
   public:
    explicit HugePagesAllowed(bool allowed)
        : forbidden_before_(prctl(PR_GET_THP_DISABLE, 0UL, 0UL, 0UL, 0UL) == 1) {
        forbid(!allowed);
    }
    HugePagesAllowed(const HugePagesAllowed&) = delete;
    HugePagesAllowed& operator=(const HugePagesAllowed&) = delete;
    ~HugePagesAllowed() { forbid(forbidden_before_); }

   private:
    // prctl(2) reads unsigned long; an int would leave the upper half undefined.
    static void forbid(bool forbidden) {
        prctl(PR_SET_THP_DISABLE, forbidden ? 1UL : 0UL, 0UL, 0UL, 0UL);
    }

    bool forbidden_before_;
};

inline std::string bytes_text(std::size_t bytes) {
    const bool mebibytes = bytes >= std::size_t{1} << 20U;
    return std::to_string(bytes >> (mebibytes ? 20U : 10U)) + (mebibytes ? " MiB" : " KiB");
}

inline std::string obtained_text(const PresentPages& pages) {
    if (pages.kernel_page_bytes > base_page_bytes()) {
        return bytes_text(pages.kernel_page_bytes) + " of a pool";
    }
    if (pages.huge_bytes == 0) {
        return bytes_text(base_page_bytes());
    }
    const std::string huge = bytes_text(transparent_huge_page_bytes());
    return pages.huge_bytes >= pages.bytes
               ? huge + ", transparent"
               : huge + ", transparent, for " +
                     std::to_string(100 * pages.huge_bytes / pages.bytes) + " % of it";
}

inline bool obtained_as_requested(const PageKind& requested, const PresentPages& pages) {
    if (requested.pool_flags != 0) {
        return pages.kernel_page_bytes == requested.bytes;
    }
    const bool base = pages.kernel_page_bytes <= base_page_bytes();
    return base &&
           (requested.name == "base" ? pages.huge_bytes == 0 : pages.huge_bytes >= pages.bytes);
}

}  // namespace machmeter
