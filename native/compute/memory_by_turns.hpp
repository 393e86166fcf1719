// Memory of a library's matrices.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

#include "core/memory/memory.hpp"
#include "core/memory/pages.hpp"

namespace machmeter::compute {

// Zeros, which the threads of the layout touch first by turns, so that matrices of a smaller order
// are on the NUMA domains of all threads too. The runtime's threads then end: waiting they would
// take CPU time from those of the library.
template <class Session>
Memory memory_by_turns(const Session& session, std::size_t bytes) {
    Memory memory = session.allocate(bytes);
    auto* const elements = memory.template as<double>();
    const std::size_t count = memory.bytes() / sizeof(double);
    // Huge pages may be larger than what a thread gets.
    const std::size_t page =
        std::max(transparent_huge_page_bytes(), base_page_bytes()) / sizeof(double);
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    const std::size_t chunk = std::min(page, count / threads + 1);
#pragma omp parallel for schedule(static, chunk)
    for (std::size_t i = 0; i < count; ++i) {
        elements[i] = 0;
    }
    omp_pause_resource_all(omp_pause_hard);
    return memory;
}

}  // namespace machmeter::compute
