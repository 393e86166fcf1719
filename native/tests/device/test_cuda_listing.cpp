// With a stand-in of the driver, and in a program of its own, as test_listing.cpp.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "device/cuda_listing.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

namespace fs = std::filesystem;

std::string stand_in() {
    const char* library = std::getenv("STAND_IN_CUDA");
    if (library == nullptr) {
        throw test::Skipped("STAND_IN_CUDA names no library: run by CTest");
    }
    return library;
}

bool has(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

std::string failure_of(const std::string& library) {
    const std::vector<ListedDevice> listed = list_cuda_devices(library);
    CHECK(listed.size() == 1 && listed.front().name.empty());
    CHECK(has(listed.front().line, R"({"library":")" + library + R"(","failure":")"));
    return listed.front().line;
}

}  // namespace

TEST(a_device_is_listed_by_its_identifier_with_what_it_says_of_itself) {
    const std::vector<ListedDevice> listed = list_cuda_devices(stand_in());
    CHECK(listed.size() == 1);
    const std::string name = "cuda:GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf";
    CHECK(listed.front().name == name);
    const std::string& line = listed.front().line;
    CHECK(has(line, R"({"select":")" + name + R"(","device":{"api":"cuda")"));
    CHECK(has(line, R"("uuid":"a0a1a2a3a4a5a6a7a8a9aaabacadaeaf","bus":"0000:c1:00.0")"));
    CHECK(has(line, R"("architecture":"sm_90")"));
    CHECK(has(line,
              R"("units":2,"observed_units":null,"clock_hz":1980000000,"memory_bytes":8589934592,)"
              R"("cache_bytes":null,"double_precision":true,"ecc":false)"));
    CHECK(has(line, R"("runtime":"CUDA 12.4")"));
}

TEST(without_a_driver_nothing_is_listed_and_one_that_is_broken_or_too_old_says_so) {
    CHECK(list_cuda_devices("/no/such/libcuda.so.1").empty());
    CHECK(has(failure_of("libc.so.6"), "has no function cuInit"));
    setenv("STAND_IN_CUDA_VERSION", "10020", 1);
    CHECK(has(failure_of(stand_in()), "too old: it supports CUDA 10.2, and CUDA 11.0 is needed"));
    unsetenv("STAND_IN_CUDA_VERSION");
    setenv("STAND_IN_CUDA_ERROR", "100", 1);
    CHECK(has(failure_of(stand_in()), "no "));
    unsetenv("STAND_IN_CUDA_ERROR");
}

TEST(a_driver_without_a_device_says_which_of_device_and_permission_is_missing) {
    const fs::path control =
        fs::temp_directory_path() / ("machmeter-control-" + std::to_string(getpid()));
    CHECK(
        has(why_no_cuda(100, "", control.string()), "no device: there is no " + control.string()));
    std::ofstream(control) << "";
    CHECK(has(why_no_cuda(100, "", control.string()), "no device: the driver finds none"));
    setenv("CUDA_VISIBLE_DEVICES", "GPU-7", 1);
    CHECK(has(why_no_cuda(100, "", control.string()), "(CUDA_VISIBLE_DEVICES=GPU-7)"));
    unsetenv("CUDA_VISIBLE_DEVICES");
    CHECK(why_no_cuda(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", control.string()) ==
          "cuInit failed: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)");
    chmod(control.c_str(), 0);
    const std::string denied = from_own_process(10, "!", [&] {
        // root may open every file.
        constexpr uid_t nobody = 65534;
        return geteuid() == 0 && setuid(nobody) != 0 ? std::string("cannot become nobody")
                                                     : why_no_cuda(100, "", control.string());
    });
    CHECK(denied == "no permission: this user may not open " + control.string());
    fs::remove(control);
}

TEST(of_devices_named_for_several_nodes_a_node_keeps_its_own) {
    const std::string own = "cuda:GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf";
    const std::string digits = "cuda:a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
    const std::string other = "cuda:GPU-b0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf";
    const std::string by_opencl = "opencl:libpocl.so.2:0";
    const std::vector<std::string> kept{own, by_opencl, digits};
    CHECK(names_here({other, own, by_opencl, digits}, stand_in()) == kept);
    CHECK(names_here({own, by_opencl}, "/no/such/libcuda.so.1") == std::vector{by_opencl});
    setenv("STAND_IN_CUDA_ERROR", "100", 1);
    CHECK(names_here({own}, stand_in()).empty());
    unsetenv("STAND_IN_CUDA_ERROR");
}

TEST(a_device_that_is_not_there_and_a_compiler_that_is_not_named_are_told) {
    const std::string uuid = "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf";
    unsetenv(nvrtc_variable);
    CHECK_THROWS(DeviceError, "none of the 1 devices", open_cuda_device("GPU-0", stand_in()));
    CHECK_THROWS(DeviceError, "MACHMETER_NVRTC names no file", open_cuda_device(uuid, stand_in()));
    setenv(nvrtc_variable, "/no/such/libnvrtc.so", 1);
    CHECK_THROWS(NoLibrary, "/no/such/libnvrtc.so", open_cuda_device(uuid, stand_in()));
    unsetenv(nvrtc_variable);
}

}  // namespace machmeter
