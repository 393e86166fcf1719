// Memory for a team of threads as memory.allocation times it: the ways to get it, and the blocks of
// each thread.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/memory/pages.hpp"
#include "core/values/parameters.hpp"
#include "memory/pages/page_kind.hpp"

namespace machmeter {

// map, malloc_outside: one thread gets it for all; malloc_inside: each thread its own, in one
// block; malloc_loop: each its own, in many blocks.
enum class Way : std::uint8_t { map, malloc_outside, malloc_inside, malloc_loop };

// Throws UsageError.
inline Way way_of(const Parameters& point) {
    return point.choice<Way>("way", {{"map", Way::map},
                                     {"malloc-outside", Way::malloc_outside},
                                     {"malloc-inside", Way::malloc_inside},
                                     {"malloc-loop", Way::malloc_loop}});
}

struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
};

// Sizes of a loop's blocks, over and over: 64 KiB to 1 MiB, below and above the size from which
// glibc maps a block by itself (128 KiB, mallopt(3)).
inline std::size_t loop_block_bytes(std::size_t index) {
    constexpr std::size_t smallest = std::size_t{64} << 10U;
    constexpr std::size_t sizes = 5;
    return smallest << index % sizes;
}

// Gets and releases the same blocks repeatedly; the caller times it.
class TeamMemory {
   public:
    TeamMemory(Way way, const PageKind& pages, std::size_t bytes, std::size_t threads)
        : way_(way), pages_(pages), bytes_(round_up(bytes, base_page_bytes())), blocks_(threads) {
        if (way != Way::map && pages.name != "base") {
            throw UsageError(
                "pages: malloc gives the pages that its allocator takes: request pages=base or "
                "way=map");
        }
        for (std::size_t thread = 0; thread < threads; ++thread) {
            const std::size_t own = part_begin(thread + 1) - part_begin(thread);
            most_pages_ = std::max(most_pages_, round_up(own, pages.bytes) / pages.bytes);
            lay_out(blocks_[thread], own);
        }
    }

    TeamMemory(const TeamMemory&) = delete;
    TeamMemory& operator=(const TeamMemory&) = delete;

    ~TeamMemory() {
        if (got_) {
            release();
        }
    }

    [[nodiscard]] bool per_thread() const {
        return way_ == Way::malloc_inside || way_ == Way::malloc_loop;
    }
    [[nodiscard]] Way way() const { return way_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t threads() const { return blocks_.size(); }
    [[nodiscard]] const std::vector<Block>& blocks(std::size_t thread) const {
        return blocks_[thread];
    }
    [[nodiscard]] std::size_t pages() const { return whole_bytes() / pages_.bytes; }
    // Of the thread that has most of them.
    [[nodiscard]] std::size_t most_pages() const { return most_pages_; }

    // One thread, for all.
    void get_whole() {
        whole_ = way_ == Way::map ? map() : static_cast<std::byte*>(std::malloc(bytes_));
        for (std::size_t thread = 0; thread < threads(); ++thread) {
            for (Block& block : blocks_[thread]) {
                block.data = whole_ != nullptr ? whole_ + part_begin(thread) : nullptr;
            }
        }
    }

    void release_whole() {
        if (way_ == Way::map) {
            munmap(mapping_, mapped_bytes());
        } else {
            std::free(whole_);
        }
    }

    // Each thread, for itself.
    void get_own(std::size_t thread) {
        for (Block& block : blocks_[thread]) {
            block.data = static_cast<std::byte*>(std::malloc(block.bytes));
        }
    }

    void release_own(std::size_t thread) {
        for (Block& block : blocks_[thread]) {
            std::free(std::exchange(block.data, nullptr));
        }
    }

    // After a get: an allocator refuses by a null pointer.
    void require_all() {
        got_ = true;
        for (const std::vector<Block>& own : blocks_) {
            for (const Block& block : own) {
                if (block.data == nullptr) {
                    throw std::runtime_error("malloc refused " + std::to_string(block.bytes) +
                                             " of " + std::to_string(bytes_) +
                                             " bytes: request a smaller size");
                }
            }
        }
    }

    void released_all() { got_ = false; }

   private:
    // Threads share a page only where there are fewer pages than threads.
    [[nodiscard]] std::size_t part_begin(std::size_t thread) const {
        if (thread == threads()) {
            return bytes_;
        }
        const std::size_t unit =
            bytes_ / pages_.bytes >= threads() ? pages_.bytes : base_page_bytes();
        return bytes_ / unit * thread / threads() * unit;
    }

    [[nodiscard]] std::size_t whole_bytes() const { return round_up(bytes_, pages_.bytes); }

    void lay_out(std::vector<Block>& blocks, std::size_t own) const {
        for (std::size_t index = 0; own > 0; ++index) {
            const std::size_t wanted = way_ == Way::malloc_loop ? loop_block_bytes(index) : own;
            blocks.push_back({nullptr, std::min(wanted, own)});
            own -= blocks.back().bytes;
        }
    }

    // The kernel aligns pages of a pool; other huge pages are aligned here.
    [[nodiscard]] std::size_t mapped_bytes() const {
        const bool aligned = pages_.pool_flags != 0 || pages_.bytes == base_page_bytes();
        return whole_bytes() + (aligned ? 0 : pages_.bytes);
    }

    std::byte* map() {
        mapping_ = mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | pages_.pool_flags, -1, 0);
        if (mapping_ == MAP_FAILED) {
            throw std::runtime_error("cannot map " + std::to_string(whole_bytes()) +
                                     " bytes in pages " + std::string(pages_.name) + ": " +
                                     std::strerror(errno) +
                                     " (see `machmeter doctor` for free huge pages)");
        }
        auto* const data = reinterpret_cast<std::byte*>(
            round_up(reinterpret_cast<std::uintptr_t>(mapping_), pages_.bytes));
        if (pages_.advice != MADV_NORMAL) {
            // A kernel without transparent huge pages refuses; the check reads what was obtained.
            madvise(data, whole_bytes(), pages_.advice);
        }
        return data;
    }

    void release() {
        if (!per_thread()) {
            release_whole();
            return;
        }
        for (std::size_t thread = 0; thread < threads(); ++thread) {
            release_own(thread);
        }
    }

    Way way_;
    PageKind pages_;
    std::size_t bytes_;
    std::vector<std::vector<Block>> blocks_;
    std::size_t most_pages_ = 0;
    void* mapping_ = nullptr;
    std::byte* whole_ = nullptr;
    bool got_ = false;
};

}  // namespace machmeter
