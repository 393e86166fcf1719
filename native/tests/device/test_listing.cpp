// In a program of its own: none that has used OpenCL may start another that does.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "device/listing.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

namespace fs = std::filesystem;

}  // namespace

TEST(implementations_are_those_that_files_name_in_their_order) {
    const fs::path folder =
        fs::temp_directory_path() / ("machmeter-vendors-" + std::to_string(getpid()));
    fs::create_directories(folder);
    std::ofstream(folder / "b.icd") << "/opt/libb.so\n";
    std::ofstream(folder / "a.icd") << "liba.so\n";
    std::ofstream(folder / "c.icd") << "\n";
    std::ofstream(folder / "d.txt") << "libd.so\n";
    const std::vector<std::string> expected{"liba.so", "/opt/libb.so"};
    CHECK(opencl_implementations(folder.string()) == expected);
    CHECK(opencl_implementations((folder / "none").string()).empty());
    fs::remove_all(folder);
}

TEST(a_process_of_its_own_may_end_as_it_likes) {
    CHECK(from_own_process(10, "!", [] { return std::string(100'000, 'x'); }) ==
          std::string(100'000, 'x'));
    CHECK(from_own_process(10, "!", []() -> std::string { std::abort(); }) ==
          "!it ended by signal 6");
    CHECK(from_own_process(10, "!", []() -> std::string { _exit(4); }) == "!it ended with code 4");
    CHECK(from_own_process(1, "!", []() -> std::string {
              for (;;) {
                  pause();
              }
          }) == "!no answer within 1 s");
}

TEST(an_implementation_that_fails_is_told_and_no_error) {
    const std::vector<ListedDevice> listed = list_devices_of("/no/such/libnone.so");
    CHECK(listed.size() == 1 && listed.front().name.empty());
    CHECK(listed.front().line.find(R"({"library":"/no/such/libnone.so","failure":")") == 0);
}

TEST(a_device_that_is_not_there_is_lacking_and_a_name_that_is_none_is_wrong) {
    CHECK_THROWS(UsageError, "neither opencl:LIBRARY:NUMBER, cuda:UUID nor a number",
                 open_device("vulkan:x:0"));
    CHECK_THROWS(UsageError, "neither opencl:LIBRARY:NUMBER, cuda:UUID nor a number",
                 open_device("opencl:0"));
    CHECK_THROWS(UsageError, "MACHMETER_DEVICE", open_device("opencl:/lib/x.so:last"));
    CHECK_THROWS(UsageError, "MACHMETER_DEVICE", open_device("first"));
    CHECK_THROWS(MachineLacksError, "there is no such device", open_device("1000"));
    CHECK_THROWS(MachineLacksError, "pocl-opencl-icd", open_device("1000"));
}

}  // namespace machmeter
