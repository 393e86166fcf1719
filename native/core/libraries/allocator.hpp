// Which allocator this process really uses: the library that defines the malloc it calls.
#pragma once

#include <dlfcn.h>

#include <string>

#include "core/libraries/loaded_library.hpp"

namespace machmeter {

// File name of that library with links followed; the program's own where it is linked in.
inline std::string allocator_library() {
    // By name, for `&malloc` can be an entry in the program's own table (dlsym(3)).
    void* const allocate = dlsym(RTLD_DEFAULT, "malloc");
    Dl_info info{};
    const bool known = allocate != nullptr && dladdr(allocate, &info) != 0;
    return known && info.dli_fname != nullptr ? library_name(info.dli_fname) : "static";
}

}  // namespace machmeter
