// The name of this OpenSHMEM, and known defects of some versions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/libraries/open_mpi.hpp"

namespace machmeter {

// name, standard: as the library reports them.
inline std::string shmem_library_text(const OpenMpiVersion& version, std::string_view name,
                                      int standard_major, int standard_minor) {
    const std::string standard =
        "OpenSHMEM " + std::to_string(standard_major) + "." + std::to_string(standard_minor);
    if (version.known()) {
        return "Open MPI v" + version.text() + " " + standard;
    }
    return std::string(name) + " " + standard;
}

// Why such an atomic operation cannot be done with this library; empty where it can. Before Open
// MPI 4.1.5 a compare-swap of 4 bytes writes 8 on the stack of the caller, which ends the process
// (open-mpi/ompi, issue 11257).
inline std::string known_defect(const OpenMpiVersion& version, std::string_view operation,
                                std::size_t integer_bytes) {
    constexpr OpenMpiVersion fixed{4, 1, 5};
    if (operation == "compare-swap" && integer_bytes == 4 && version.before(fixed)) {
        return "shmem_int_atomic_compare_swap of Open MPI " + version.text() +
               " overwrites its own stack (open-mpi/ompi issue 11257): use Open MPI 4.1.5 or "
               "later, or request integer=8";
    }
    return "";
}

// Before version 5 the transport `openib`, which its OpenSHMEM does not use, is unloaded too early
// and causes a segmentation fault in shmem_finalize.
inline bool dies_at_finalize(const OpenMpiVersion& version) { return version.before({5, 0, 0}); }

}  // namespace machmeter
