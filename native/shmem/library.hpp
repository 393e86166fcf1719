// Which OpenSHMEM this is, and what is known to be broken in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/libraries/open_mpi.hpp"

namespace machmeter {

// name, standard: as the library says of itself.
inline std::string shmem_library_words(const OpenMpiVersion& version, std::string_view name,
                                       int standard_major, int standard_minor) {
    const std::string standard =
        "OpenSHMEM " + std::to_string(standard_major) + "." + std::to_string(standard_minor);
    if (version.known()) {
        return "Open MPI v" + version.text() + " " + standard;
    }
    return std::string(name) + " " + standard;
}

// Why such an atomic operation cannot be done with this library; empty where it can. A compare-swap
// of 4 bytes writes 8 on the stack of the caller before Open MPI 4.1.5, which ends the process
// (open-mpi/ompi, issue 11257).
inline std::string known_defect(const OpenMpiVersion& version, std::string_view operation,
                                std::size_t integer_bytes) {
    constexpr OpenMpiVersion mended{4, 1, 5};
    if (operation == "compare-swap" && integer_bytes == 4 && version.before(mended)) {
        return "shmem_int_atomic_compare_swap of Open MPI " + version.text() +
               " overwrites its own stack (open-mpi/ompi issue 11257): take Open MPI 4.1.5 or "
               "later, or ask for integer=8";
    }
    return "";
}

// Before version 5 the transport `openib`, which its OpenSHMEM makes no use of, is unloaded too
// early and ends the process by a segmentation fault at shmem_finalize.
inline bool dies_at_finalize(const OpenMpiVersion& version) { return version.before({5, 0, 0}); }

}  // namespace machmeter
