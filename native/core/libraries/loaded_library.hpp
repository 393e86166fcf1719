// Names of the libraries that the loader gave to this process.
#pragma once

#include <climits>
#include <cstdlib>
#include <string>
#include <string_view>

namespace machmeter {

// Last part of a path.
inline std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// File name of a library with links followed: a libgomp.so.1 that leads to libomp.so.5 is libomp.
inline std::string library_name(const char* path) {
    char real[PATH_MAX];
    return std::string(file_name(realpath(path, real) != nullptr ? real : path));
}

}  // namespace machmeter
