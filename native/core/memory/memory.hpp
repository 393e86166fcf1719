// Memory on pages of the size asked for, and the size that was obtained.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/memory/pages.hpp"

namespace machmeter {

inline std::size_t base_page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

inline std::size_t round_up(std::size_t bytes, std::size_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
}

// Bytes of the huge page that AnonHugePages counts: what one entry of the page directory spans, a
// page full of entries of 8 bytes each (2 MiB over 4 KiB pages, 512 MiB over 64 KiB pages).
inline std::size_t transparent_huge_page_bytes() {
    std::size_t bytes = 0;
    std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> bytes;
    return bytes > 0 ? bytes : base_page_bytes() * (base_page_bytes() / 8);
}

// A mapping nobody has touched yet: the thread that first writes a page owns its place.
class PageBuffer {
   public:
    PageBuffer(std::size_t bytes, std::size_t page_bytes)
        : page_bytes_(page_bytes), bytes_(round_up(std::max<std::size_t>(bytes, 1), page_bytes)) {
        mapped_bytes_ = bytes_ + page_bytes_;
        mapping_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapping_ == MAP_FAILED) {
            throw std::runtime_error("cannot map " + std::to_string(mapped_bytes_) +
                                     " bytes: " + std::strerror(errno));
        }
        const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
        data_ = reinterpret_cast<std::byte*>(round_up(address, page_bytes_));
        const bool huge = page_bytes_ > base_page_bytes();
        // A refusal is no error here: `obtained_page_bytes` reports what came of it.
        madvise(data_, bytes_, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    }

    PageBuffer(const PageBuffer&) = delete;
    PageBuffer& operator=(const PageBuffer&) = delete;
    PageBuffer& operator=(PageBuffer&&) = delete;
    PageBuffer(PageBuffer&& other) noexcept
        : page_bytes_(other.page_bytes_),
          bytes_(other.bytes_),
          mapped_bytes_(other.mapped_bytes_),
          mapping_(std::exchange(other.mapping_, nullptr)),
          data_(std::exchange(other.data_, nullptr)) {}

    ~PageBuffer() {
        if (mapping_ != nullptr) {
            munmap(mapping_, mapped_bytes_);
        }
    }

    template <class T>
    [[nodiscard]] T* as() const {
        return reinterpret_cast<T*>(data_);
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] AddressRange range() const { return range_of(data_, bytes_); }

    // After the first touch: the page size behind the whole buffer according to smaps.
    [[nodiscard]] std::size_t obtained_page_bytes() const {
        return obtained_page_bytes(present_pages({range()}));
    }

    // The same from what smaps tells of its range: the base page where only a part of it is huge
    // (proc(5), AnonHugePages and KernelPageSize).
    [[nodiscard]] std::size_t obtained_page_bytes(const PresentPages& pages) const {
        if (pages.kernel_page_bytes > base_page_bytes()) {
            return pages.kernel_page_bytes;
        }
        const bool whole =
            pages.huge_bytes >= std::min(bytes_, pages.bytes) && pages.huge_bytes > 0;
        return whole ? transparent_huge_page_bytes() : base_page_bytes();
    }

   private:
    std::size_t page_bytes_;
    std::size_t bytes_;
    std::size_t mapped_bytes_ = 0;
    void* mapping_ = nullptr;
    std::byte* data_ = nullptr;
};

// The smallest page behind any of these buffers, after their first touch; 0 without a buffer.
inline std::size_t least_obtained_page_bytes(const std::vector<const PageBuffer*>& buffers) {
    std::vector<AddressRange> ranges;
    ranges.reserve(buffers.size());
    for (const PageBuffer* buffer : buffers) {
        ranges.push_back(buffer->range());
    }
    const std::vector<PresentPages> pages = present_pages_of_each(ranges);
    std::size_t least = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const std::size_t obtained = buffers[i]->obtained_page_bytes(pages[i]);
        least = least == 0 ? obtained : std::min(least, obtained);
    }
    return least;
}

}  // namespace machmeter
