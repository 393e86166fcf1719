#include "core/memory/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/memory/pages.hpp"

namespace machmeter {
namespace {

// The base page where only a part of the memory is huge (proc(5), AnonHugePages, KernelPageSize).
std::size_t page_bytes_behind(std::size_t bytes, const PresentPages& pages) {
    if (pages.kernel_page_bytes > base_page_bytes()) {
        return pages.kernel_page_bytes;
    }
    const bool whole = pages.huge_bytes >= std::min(bytes, pages.bytes) && pages.huge_bytes > 0;
    return whole ? transparent_huge_page_bytes() : base_page_bytes();
}

}  // namespace

Memory::Memory(std::size_t bytes, std::size_t page_bytes)
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
    // A refusal is no error: `describe` reports what was obtained.
    madvise(data_, bytes_, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

Memory::Memory(Memory&& other) noexcept
    : page_bytes_(other.page_bytes_),
      bytes_(other.bytes_),
      mapped_bytes_(other.mapped_bytes_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      data_(std::exchange(other.data_, nullptr)) {}

Memory::~Memory() {
    if (mapping_ != nullptr) {
        munmap(mapping_, mapped_bytes_);
    }
}

void Memory::touch() const {
    const std::size_t page = base_page_bytes();
    for (std::size_t at = 0; at < bytes_; at += page) {
        *static_cast<volatile std::byte*>(data_ + at) = std::byte{0};
    }
}

MemoryDescription Memory::describe() const {
    return {page_bytes_behind(bytes_, present_pages({range_of(data_, bytes_)}))};
}

MemoryDescription describe(const std::vector<const Memory*>& pieces) {
    std::vector<AddressRange> ranges;
    ranges.reserve(pieces.size());
    for (const Memory* piece : pieces) {
        ranges.push_back(range_of(piece->as<void>(), piece->bytes()));
    }
    const std::vector<PresentPages> pages = present_pages_of_each(ranges);
    std::size_t least = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::size_t obtained = page_bytes_behind(pieces[i]->bytes(), pages[i]);
        least = least == 0 ? obtained : std::min(least, obtained);
    }
    return {least};
}

}  // namespace machmeter
