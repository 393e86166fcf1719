#include <omp.h>

#include <cstdlib>

#include "core/libraries/loaded.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(runtimes_differ_from_their_helpers) {
    for (const char* name : {"libgomp.so.1", "libgomp.so.1.0.0", "libgomp-a34b3233.so.1",
                             "libomp.so", "libomp-14.so.5", "libiomp5.so"}) {
        CHECK(is_openmp_runtime(name));
    }
    for (const char* name : {"libomptarget.so", "libompd.so", "libgomp-plugin-nvptx.so.1", "libomp",
                             "libgompx.so", "libc.so.6", ""}) {
        CHECK(!is_openmp_runtime(name));
    }
}

TEST(the_runtime_of_this_process_is_one_of_the_known) {
    // Without a use of it, the linker may leave the runtime out.
    CHECK(omp_get_max_threads() > 0);
    CHECK(is_openmp_runtime(openmp_runtime()));
}

TEST(the_allocator_is_the_c_library_unless_another_is_preloaded) {
    const std::string library = allocator_library();
    CHECK(library.find('/') == std::string::npos);
    CHECK(library.find(".so") != std::string::npos);
    if (std::getenv("LD_PRELOAD") == nullptr) {
        CHECK(library.substr(0, 4) == "libc" || library.substr(0, 7) == "ld-musl");
    }
}

}  // namespace
}  // namespace machmeter
