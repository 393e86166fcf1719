// Which Open MPI this is, for defects of some of its versions that end the process and so cannot be
// found by trying.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>

namespace machmeter {

// All zero for another library.
struct OpenMpiVersion {
    int major = 0;
    int minor = 0;
    int release = 0;

    [[nodiscard]] bool known() const { return major > 0; }
    [[nodiscard]] bool before(const OpenMpiVersion& other) const {
        return known() &&
               std::tie(major, minor, release) < std::tie(other.major, other.minor, other.release);
    }
    [[nodiscard]] std::string text() const {
        return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
    }
};

// From what MPI_Get_library_version tells, such as `Open MPI v4.1.4, package: ...`.
inline OpenMpiVersion open_mpi_version_in(std::string_view text) {
    constexpr std::string_view name = "Open MPI v";
    const std::size_t found = text.find(name);
    if (found == std::string_view::npos) {
        return {};
    }
    std::array<int, 3> numbers{};
    const char* at = text.data() + found + name.size();
    const char* const end = text.data() + text.size();
    for (int& number : numbers) {
        const auto [behind, error] = std::from_chars(at, end, number);
        if (error != std::errc{}) {
            break;
        }
        at = behind;
        if (at == end || *at != '.') {
            break;
        }
        ++at;
    }
    return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace machmeter
