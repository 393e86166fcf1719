// machmeter-device: benchmarks of one process and a device. `machmeter-device --list` prints a line
// of JSON for every device of this machine, and for every implementation that has none, why.
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "core/session/program.hpp"
#include "device/listing.hpp"
#include "device/runtime.hpp"

int main(int count, char** words) {
    if (count == 2 && std::string_view(words[1]) == "--list") {
        for (const machmeter::ListedDevice& one : machmeter::list_devices()) {
            std::printf("%s\n", one.line.c_str());
        }
        return 0;
    }
    machmeter::Program<machmeter::DeviceRuntime> program;
    const int code = program.run(count, words);
    std::fflush(nullptr);
    // The record is on disk. Drivers that end with the process may hang (intel/compute-runtime,
    // issue 927).
    _exit(code);
}
