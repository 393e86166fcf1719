#include <string>

#include "core/record/point.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(what_is_begun_has_a_line) {
    CHECK(begun_line(Parameters("pair=0-1,size=8")) ==
          R"({"kind":"begun","parameters":{"pair":"0-1","size":8}})");
}

TEST(a_point_is_one_line_of_json) {
    PointResult point(Parameters("size=64"));
    point.add_samples({{0.5, 0.25}, 2, 0.75}).check(true, "why \"so\"");
    point.quantity("lines", 1).attribute("order", "random");
    point.page_bytes = 4096;
    CHECK(point.to_json() ==
          R"({"kind":"point","parameters":{"size":64},"series":{"seconds":[0.5,0.25]},"batch":2,)"
          R"("check":{"passed":true,"what":"why \"so\""},"quantities":{"lines":1},)"
          R"("attributes":{"order":"random"},"page_bytes":4096})");
}

TEST(a_point_passes_no_check_before_it_has_one) {
    CHECK(!PointResult(Parameters("size=64")).check_passed);
}

TEST(a_point_that_is_not_measured_has_no_samples) {
    const PointResult point = not_measured(Parameters("size=64"), "this MPI lacks it");
    CHECK(!point.check_passed && point.series.empty());
    CHECK(point.check_what.find("this MPI lacks it") != std::string::npos);
}

}  // namespace
}  // namespace machmeter
