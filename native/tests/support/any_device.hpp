// A device of this machine for tests: the one of MACHMETER_DEVICE, else the first.
#pragma once

#include "device/runtime.hpp"
#include "tests/support/check.hpp"

namespace machmeter::test {

// Started once for all tests of a program: afterwards no process of it may list devices. Throws
// Skipped where there is none.
inline DeviceRuntime& any_runtime() {
    // Never closed, as machmeter-device closes none: drivers may fail at the end of a process.
    static DeviceRuntime& runtime = *new DeviceRuntime;
    static const bool started = [] {
        int count = 0;
        char** words = nullptr;
        try {
            runtime.start({}, {}, count, words);
        } catch (const MachineLacksError& error) {
            throw Skipped(error.what());
        }
        return true;
    }();
    (void)started;
    return runtime;
}

inline Device& any_device() { return any_runtime().device(); }

}  // namespace machmeter::test
