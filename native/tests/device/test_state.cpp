// The state of devices, by a stand-in of NVIDIA's management library and by files as AMD's driver
// has them.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/record/point.hpp"
#include "device/runtime.hpp"
#include "device/state/amd_observer.hpp"
#include "device/state/device_state.hpp"
#include "device/state/nvml_observer.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_clock.hpp"

namespace machmeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* bus = "0000:c1:00.0";

std::string stand_in() {
    const char* library = std::getenv("STAND_IN_NVML");
    if (library == nullptr) {
        throw test::Skipped("STAND_IN_NVML names no library: run by CTest");
    }
    return library;
}

bool has(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST(what_the_management_library_says_is_read_and_what_it_does_not_is_unknown) {
    const NvmlObserver observer(bus, "", stand_in());
    const std::string state = observer.observe().to_json();
    CHECK(state ==
          R"({"sm_clock_hz":1755000000,"memory_clock_hz":2619000000,)"
          R"("clock_reasons":["sw_power_cap"],"temperature_celsius":41,"power_w":120.5,)"
          R"("power_limit_w":700,"pcie_generation":5,"pcie_width":null,"ecc":null,"mig":false,)"
          R"("other_processes":0})");
    CHECK(!has(DeviceState{}.to_json(), ":0"));
    const NvmlObserver by_name("", "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", stand_in());
    CHECK(by_name.observe().mig == false);
}

TEST(a_device_or_a_library_that_is_not_there_is_told) {
    CHECK_THROWS(NoLibrary, "has no device 0000:c2:00.0",
                 NvmlObserver("0000:c2:00.0", "", stand_in()));
    CHECK_THROWS(NoLibrary, "has no device GPU-1", NvmlObserver("", "GPU-1", stand_in()));
    CHECK_THROWS(NoLibrary, "libnone", NvmlObserver(bus, "", "/no/such/libnone.so"));
    CHECK_THROWS(NoLibrary, "has no function nvmlInit_v2", NvmlObserver(bus, "", "libc.so.6"));
    CHECK(observer_of("another", "", "") == nullptr);
}

TEST(every_process_but_this_one_is_another) {
    CHECK(others_of({7}, 1, 7) == 0U);
    CHECK(others_of({6, 7, 8}, 3, 7) == 2U);
    CHECK(others_of({}, 70, 7) == 69U);
    // Numbers of the host, seen from a container.
    CHECK(others_of({4'711, 4'712}, 2, 7) == 1U);
    CHECK(!others_of({4'711}, 1, 7));
    CHECK(!others_of({}, 0, 7));
    const NvmlObserver observer(bus, "", stand_in());
    for (const char* others : {"3", "90"}) {
        setenv("STAND_IN_NVML_OTHERS", others, 1);
        CHECK(observer.observe().other_processes == std::strtoull(others, nullptr, 10));
    }
    setenv("STAND_IN_NVML_MIG", "1", 1);
    const DeviceState divided = observer.observe();
    CHECK(divided.mig == true && divided.temperature_celsius == 41);
    CHECK(!divided.other_processes && !divided.power_w && !divided.energy_joules);
    unsetenv("STAND_IN_NVML_MIG");
    unsetenv("STAND_IN_NVML_OTHERS");
}

TEST(the_service_that_shares_a_device_is_none_of_those_that_compute_on_it) {
    const fs::path folder =
        fs::temp_directory_path() / ("machmeter-processes-" + std::to_string(getpid()));
    fs::create_directories(folder / "7");
    std::ofstream(folder / "7" / "comm") << "nvidia-cuda-mps\n";
    CHECK(is_sharing_service(7, folder.string()));
    std::ofstream(folder / "7" / "comm") << "python3\n";
    CHECK(!is_sharing_service(7, folder.string()));
    CHECK(!is_sharing_service(8, folder.string()));
    fs::remove_all(folder);

    const NvmlObserver observer(bus, "", stand_in());
    const pid_t service = fork();
    if (service == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "nvidia-cuda-mps-server");
        for (;;) {
            pause();
        }
    }
    setenv("STAND_IN_NVML_BESIDE", std::to_string(service).c_str(), 1);
    for (int moment = 0; moment < 5000; ++moment) {
        if (is_sharing_service(static_cast<unsigned>(service))) {
            break;
        }
        usleep(1000);
    }
    CHECK(observer.observe().other_processes == 0U);
    kill(service, SIGKILL);
    waitpid(service, nullptr, 0);
    CHECK(observer.observe().other_processes == 1U);
    unsetenv("STAND_IN_NVML_BESIDE");
}

TEST(every_bit_has_a_name) {
    const std::vector<std::string> thermal{"hw_slowdown", "hw_thermal_slowdown"};
    CHECK(clock_reasons_of(0x48) == thermal);
    const std::vector<std::string> more{"gpu_idle", "display_clock_setting", "others"};
    CHECK(clock_reasons_of(0x1101) == more);
    CHECK(clock_reasons_of(0).empty());
}

TEST(the_energy_of_a_point_is_known_where_it_lasts_a_second) {
    const NvmlObserver observer(bus, "", stand_in());
    test::fake_step = 999'000'000;
    CHECK(has(StateWatch(&observer, test::fake_clock).to_json(),
              R"({"seconds":0.999,"energy_joules":null,"before":{"sm_clock_hz":1755)"));
    test::fake_step = 2'000'000'000;
    const std::string of_long = StateWatch(&observer, test::fake_clock).to_json();
    CHECK(has(of_long, R"({"seconds":2,"energy_joules":50,)"));
    CHECK(has(of_long, R"("after":{"sm_clock_hz":1755000000)"));
    CHECK(StateWatch(nullptr, test::fake_clock).to_json().empty());
}

TEST(a_point_has_the_state_of_its_device_where_there_is_one) {
    PointResult point(Parameters("size=8"));
    CHECK(!has(point.to_json(), "device_state"));
    point.device_state = "{}";
    CHECK(has(point.to_json(), R"("page_bytes":0,"device_state":{}})"));
}

TEST(the_files_of_amds_driver_are_read_and_what_lacks_is_unknown) {
    const fs::path folder =
        fs::temp_directory_path() / ("machmeter-amd-" + std::to_string(getpid()));
    fs::create_directories(folder / "hwmon" / "hwmon3");
    CHECK(!AmdObserver(folder).readable());
    std::ofstream(folder / "pp_dpm_sclk") << "0: 500Mhz\n1: 1700Mhz *\n";
    const AmdObserver observer(folder);
    CHECK(observer.readable());
    CHECK(observer.observe().sm_clock_hz == 1'700'000'000U);
    CHECK(!observer.observe().memory_clock_hz && !observer.observe().power_w &&
          !observer.observe().pcie_generation && !observer.observe().other_processes);
    std::ofstream(folder / "hwmon" / "hwmon3" / "temp1_input") << "43000\n";
    std::ofstream(folder / "hwmon" / "hwmon3" / "power1_input") << "90000000\n";
    std::ofstream(folder / "hwmon" / "hwmon3" / "power1_cap") << "560000000\n";
    std::ofstream(folder / "current_link_speed") << "16.0 GT/s PCIe\n";
    std::ofstream(folder / "current_link_width") << "16\n";
    const DeviceState state = observer.observe();
    CHECK(test::near(state.temperature_celsius.value_or(0), 43));
    CHECK(test::near(state.power_w.value_or(0), 90));
    CHECK(test::near(state.power_limit_w.value_or(0), 560));
    CHECK(state.pcie_generation == 4U && state.pcie_width == 16U);
    std::ofstream(folder / "hwmon" / "hwmon3" / "power1_average") << "88000000\n";
    CHECK(test::near(observer.observe().power_w.value_or(0), 88));
    fs::remove_all(folder);
}

}  // namespace machmeter
