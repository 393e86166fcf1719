// Which OpenMP runtime this process really runs on: the loader's word, not the compiler's.
#pragma once

#include <link.h>

#include <climits>
#include <cstdlib>
#include <string>
#include <string_view>

namespace machmeter {

// File name of the runtime library with links followed, so that a libgomp.so.1 that leads to
// libomp.so.5 is told as libomp; "static" where no shared runtime is loaded.
inline std::string openmp_runtime() {
    std::string found = "static";
    const auto look = [](dl_phdr_info* library, std::size_t /*size*/, void* answer) {
        const std::string_view path = library->dlpi_name;
        const std::string_view name = path.substr(path.rfind('/') + 1);
        for (const std::string_view known : {"libgomp", "libomp", "libiomp5"}) {
            if (name.substr(0, known.size()) != known) {
                continue;
            }
            char real[PATH_MAX];
            const std::string_view target =
                realpath(library->dlpi_name, real) != nullptr ? std::string_view(real) : path;
            *static_cast<std::string*>(answer) = target.substr(target.rfind('/') + 1);
            return 1;
        }
        return 0;
    };
    dl_iterate_phdr(look, &found);
    return found;
}

}  // namespace machmeter
