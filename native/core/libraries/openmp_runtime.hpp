// Which OpenMP runtime this process really runs on: the loader's word, not the compiler's.
#pragma once

#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/libraries/loaded_library.hpp"

namespace machmeter {

// Whether a library of that file name is a runtime, and no helper of one (libomptarget.so,
// libgomp-plugin-nvptx.so.1).
inline bool is_openmp_runtime(std::string_view file) {
    constexpr std::array<std::string_view, 3> known{"libgomp", "libomp", "libiomp5"};
    return std::any_of(known.begin(), known.end(), [&](std::string_view name) {
        const std::string_view rest = file.substr(std::min(name.size(), file.size()));
        return file.substr(0, name.size()) == name && rest.substr(0, 7) != "-plugin" &&
               (rest.substr(0, 1) == "." || rest.substr(0, 1) == "-");
    });
}

// File name of the runtime library with links followed; "static" where no shared one is loaded.
inline std::string openmp_runtime() {
    std::string found = "static";
    const auto look = [](dl_phdr_info* library, std::size_t /*size*/, void* answer) {
        if (!is_openmp_runtime(file_name(library->dlpi_name))) {
            return 0;
        }
        *static_cast<std::string*>(answer) = library_name(library->dlpi_name);
        return 1;
    };
    dl_iterate_phdr(look, &found);
    return found;
}

}  // namespace machmeter
