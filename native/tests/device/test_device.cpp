#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "device/memory.hpp"
#include "device/pci.hpp"
#include "device/units.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* numbering = R"(
KERNEL void number(GLOBAL double* a, double first) {
    a[GROUP * GROUP_ITEMS + ITEM] = first + GROUP * GROUP_ITEMS + ITEM;
}
)";
const std::vector<std::string> groups_of_four{"LANES=1", "GROUP_ITEMS=4", "STRETCHES=0"};

fs::path folder_of(const std::string& name) {
    const fs::path folder =
        fs::temp_directory_path() / ("machmeter-" + name + "-" + std::to_string(getpid()));
    fs::create_directories(folder);
    return folder;
}

}  // namespace

TEST(a_kernel_writes_what_the_host_then_reads) {
    Device& device = test::any_device();
    const DeviceMemory memory(device, 32 * sizeof(double), 4096);
    memory.fill<double>([](std::size_t i) { return -static_cast<double>(i); });
    CHECK(memory.read<double>()[31] == -31);
    const DeviceHandle kernel = device.kernel(device.compile(numbering, groups_of_four), "number");
    const double first = 100;
    device.launch(kernel, {7, 4}, {argument(memory.handle()), argument(first)});
    device.finish();
    const std::vector<double> found = memory.read<double>();
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i] == (i < 28 ? 100 + static_cast<double>(i) : -static_cast<double>(i)));
    }
}

TEST(the_times_of_kernels_are_those_since_the_last_call) {
    Device& device = test::any_device();
    const DeviceMemory memory(device, 4096 * sizeof(double), 4096);
    const DeviceHandle kernel = device.kernel(device.compile(numbering, groups_of_four), "number");
    const double first = 0;
    device.elapsed();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 3; ++i) {
        device.launch(kernel, {1024, 4}, {argument(memory.handle()), argument(first)});
    }
    device.finish();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const double seconds = device.elapsed();
    CHECK(seconds > 0 && seconds <= 1.001 * wall.count());
    CHECK(device.elapsed() == 0);
}

TEST(what_the_compiler_says_of_a_wrong_kernel_is_in_the_error) {
    Device& device = test::any_device();
    CHECK_THROWS(DeviceError, "refused a kernel",
                 device.compile("KERNEL void f(GLOBAL double* a) { a[0] = undeclared_name; }",
                                groups_of_four));
    CHECK_THROWS(DeviceError, "undeclared_name",
                 device.compile("KERNEL void f(GLOBAL double* a) { a[0] = undeclared_name; }",
                                groups_of_four));
    CHECK_THROWS(DeviceError, " of nothing",
                 device.kernel(device.compile(numbering, groups_of_four), "nothing"));
}

TEST(a_device_says_what_it_is_and_null_where_it_does_not_know) {
    const std::string known = test::any_device().description().to_json();
    CHECK(known.find(R"("api":"opencl")") != std::string::npos ||
          known.find(R"("api":"cuda")") != std::string::npos);
    CHECK(known.find(R"("name":")") != std::string::npos);
    const std::string unknown = DeviceDescription{}.to_json();
    CHECK(unknown.find(R"("units":null)") != std::string::npos);
    CHECK(unknown.find(R"("ecc":null)") != std::string::npos);
    CHECK(unknown.find(R"("bus":null)") != std::string::npos);
    CHECK(unknown.find(":0") == std::string::npos);
    CHECK(unknown.find(R"("kind":null)") != std::string::npos);
    CHECK((known.find(R"("kind":"cpu")") != std::string::npos) ==
          test::any_device().description().is_host);
}

TEST(units_on_which_a_kernel_ran_are_counted_and_unknown_without_a_word_for_them) {
    Device& device = test::any_device();
    CHECK(!observed_units(device));
    std::string text = kernels::units;
    const std::string read = "READ_UNIT(unit);";
    CHECK(observed_units(device, text.replace(text.find(read), read.size(),
                                              "unit = 7 + (Count)(GROUP % 3);")) == 3U);
}

TEST(what_linux_says_of_a_device_on_the_bus) {
    CHECK(pci_name(0, 0xC1, 0, 1) == "0000:c1:00.1");
    const fs::path folder = folder_of("pci");
    std::ofstream(folder / "numa_node") << "-1\n";
    std::ofstream(folder / "local_cpulist") << "0-7\n";
    DeviceDescription device;
    describe_pci(folder.string(), device);
    CHECK(!device.numa && device.local_cpus == "0-7" && device.link.empty());
    std::ofstream(folder / "numa_node") << "1\n";
    std::ofstream(folder / "current_link_width") << "16\n";
    std::ofstream(folder / "current_link_speed") << "32.0 GT/s PCIe\n";
    describe_pci(folder.string(), device);
    CHECK(device.numa == 1U && device.link == "x16, 32.0 GT/s PCIe");
    fs::remove_all(folder);
}

}  // namespace machmeter
