#include "core/libraries/loaded.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdlib>

namespace machmeter {
namespace {

std::string library_name(const char* path) {
    char real[PATH_MAX];
    return std::string(file_name(realpath(path, real) != nullptr ? real : path));
}

}  // namespace

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string allocator_library() {
    // By name: `&malloc` can be an entry in the program's own table (dlsym(3)).
    void* const allocate = dlsym(RTLD_DEFAULT, "malloc");
    Dl_info info{};
    const bool known = allocate != nullptr && dladdr(allocate, &info) != 0;
    return known && info.dli_fname != nullptr ? library_name(info.dli_fname) : "static";
}

std::string openmp_runtime() {
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

bool is_openmp_runtime(std::string_view file) {
    constexpr std::array<std::string_view, 3> known{"libgomp", "libomp", "libiomp5"};
    return std::any_of(known.begin(), known.end(), [&](std::string_view name) {
        const std::string_view rest = file.substr(std::min(name.size(), file.size()));
        return file.substr(0, name.size()) == name && rest.substr(0, 7) != "-plugin" &&
               (rest.substr(0, 1) == "." || rest.substr(0, 1) == "-");
    });
}

std::string wait_policy() {
    const char* policy = std::getenv("OMP_WAIT_POLICY");
    return policy != nullptr ? policy : "unset";
}

}  // namespace machmeter
