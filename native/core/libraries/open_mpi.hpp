// The version of Open MPI, for defects of some versions that end the process and so cannot be found
// by trying.
#pragma once

#include <string>
#include <string_view>

namespace machmeter {

// All zero for another library.
struct OpenMpiVersion {
    int major = 0;
    int minor = 0;
    int release = 0;

    [[nodiscard]] bool known() const { return major > 0; }
    [[nodiscard]] bool before(const OpenMpiVersion& other) const;
    [[nodiscard]] std::string text() const;
};

// From the text of MPI_Get_library_version, such as `Open MPI v4.1.4, package: ...`.
OpenMpiVersion open_mpi_version_in(std::string_view text);

}  // namespace machmeter
