#include "core/libraries/shared_library.hpp"
#include "tests/support/check.hpp"

namespace machmeter {

TEST(the_first_that_can_be_loaded_is_taken_and_its_functions_run) {
    const SharedLibrary library({"libnone-of-this-name.so", "libm.so.6"});
    double (*root)(double) = nullptr;
    library.load(root, "sqrt");
    CHECK(root(9) == 3);
    CHECK(library.find("no_function_of_this_name") == nullptr);
    CHECK_THROWS(NoLibrary, "has no function no_function_of_this_name",
                 (library.load(root, "no_function_of_this_name"), 0));
}

TEST(where_none_can_be_loaded_it_says_why_of_each) {
    CHECK_THROWS(NoLibrary, "cannot be loaded: libnone-a.so: ",
                 SharedLibrary({"libnone-a.so", "libnone-b.so"}));
    CHECK_THROWS(NoLibrary, "; libnone-b.so: ", SharedLibrary({"libnone-a.so", "libnone-b.so"}));
}

}  // namespace machmeter
