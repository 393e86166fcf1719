// Kinds of pages that memory is asked for in, and what came of it.
#pragma once

#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/memory/memory.hpp"
#include "core/memory/pages.hpp"
#include "core/values/parameters.hpp"

namespace machmeter {

// pool_flags: mmap's flags for a page of the kernel's pool of that size, 0 for all other pages.
struct PageKind {
    std::string_view name;
    std::size_t bytes = 0;
    int pool_flags = 0;
    int advice = MADV_NORMAL;
};

inline PageKind page_kind_of(const std::string& name) {
    const std::array<PageKind, 4> kinds{{
        {"base", base_page_bytes(), 0, MADV_NOHUGEPAGE},
        {"transparent", transparent_huge_page_bytes(), 0, MADV_HUGEPAGE},
        {"hugetlb-2m", std::size_t{1} << 21U, MAP_HUGETLB | MAP_HUGE_2MB},
        {"hugetlb-1g", std::size_t{1} << 30U, MAP_HUGETLB | MAP_HUGE_1GB},
    }};
    for (const PageKind& kind : kinds) {
        if (kind.name == name) {
            return kind;
        }
    }
    throw UsageError("pages: '" + name +
                     "' is none of base, transparent, hugetlb-2m and hugetlb-1g");
}

// Where base pages are asked for, no allocator shall get huge ones from a kernel that gives them
// to everybody (THP setting `always`); where huge ones are, nothing shall forbid them.
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
    // prctl takes its arguments as unsigned long; an int would leave half of one to chance.
    static void forbid(bool forbidden) {
        prctl(PR_SET_THP_DISABLE, forbidden ? 1UL : 0UL, 0UL, 0UL, 0UL);
    }

    bool forbidden_before_;
};

inline std::string bytes_in_words(std::size_t bytes) {
    const bool mebibytes = bytes >= std::size_t{1} << 20U;
    return std::to_string(bytes >> (mebibytes ? 20U : 10U)) + (mebibytes ? " MiB" : " KiB");
}

inline std::string obtained_in_words(const PresentPages& pages) {
    if (pages.kernel_page_bytes > base_page_bytes()) {
        return bytes_in_words(pages.kernel_page_bytes) + " of a pool";
    }
    if (pages.huge_bytes == 0) {
        return bytes_in_words(base_page_bytes());
    }
    const std::string huge = bytes_in_words(transparent_huge_page_bytes());
    return pages.huge_bytes >= pages.bytes
               ? huge + ", transparent"
               : huge + ", transparent, for " +
                     std::to_string(100 * pages.huge_bytes / pages.bytes) + " % of it";
}

inline bool obtained_as_asked(const PageKind& asked, const PresentPages& pages) {
    if (asked.pool_flags != 0) {
        return pages.kernel_page_bytes == asked.bytes;
    }
    const bool base = pages.kernel_page_bytes <= base_page_bytes();
    return base && (asked.name == "base" ? pages.huge_bytes == 0 : pages.huge_bytes >= pages.bytes);
}

}  // namespace machmeter
