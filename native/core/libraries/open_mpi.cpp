#include "core/libraries/open_mpi.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <tuple>

namespace machmeter {

bool OpenMpiVersion::before(const OpenMpiVersion& other) const {
    return known() &&
           std::tie(major, minor, release) < std::tie(other.major, other.minor, other.release);
}

std::string OpenMpiVersion::text() const {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

OpenMpiVersion open_mpi_version_in(std::string_view text) {
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
