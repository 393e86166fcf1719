// Which thread first touches which pages of the data of a code, and so where they lie.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>

#include "core/memory/memory.hpp"
#include "core/values/parameters.hpp"

namespace machmeter::codes {

// one: the first thread touches all, as a program that reads its input does; owner: each thread its
// share in order; interleaved: pages go round the threads.
enum class Touch { one, owner, interleaved };

inline Touch touch_of(const Parameters& point) {
    return point.choice<Touch>(
        "touch",
        {{"one", Touch::one}, {"owner", Touch::owner}, {"interleaved", Touch::interleaved}});
}

// The thread that touches a page first.
inline std::size_t toucher(Touch touch, std::size_t page, std::size_t pages, std::size_t threads) {
    switch (touch) {
        case Touch::owner:
            return page * threads / pages;
        case Touch::interleaved:
            return page % threads;
        case Touch::one:
            break;
    }
    return 0;
}

// One byte of every page, by the threads of a team of that size.
inline void touch_pages(const Memory& memory, Touch touch, std::size_t page_bytes, int threads) {
    const std::size_t pages = (memory.bytes() + page_bytes - 1) / page_bytes;
    const auto team = static_cast<std::size_t>(threads);
#pragma omp parallel num_threads(threads)
    {
        const auto own = static_cast<std::size_t>(omp_get_thread_num());
        for (std::size_t page = 0; page < pages; ++page) {
            if (toucher(touch, page, pages, team) == own) {
                memory.as<std::byte>()[page * page_bytes] = std::byte{0};
            }
        }
    }
}

}  // namespace machmeter::codes
