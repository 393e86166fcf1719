// The devices of this machine, and how one of them is named.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/values/parameters.hpp"
#include "device/cuda_listing.hpp"
#include "device/opencl_device.hpp"
#include "device/own_process.hpp"

namespace machmeter {

inline constexpr const char* device_variable = "MACHMETER_DEVICE";
inline constexpr const char* install_remedy =
    "install the driver of the device with its OpenCL, or OpenCL for CPUs "
    "(Debian: apt install pocl-opencl-icd ocl-icd-libopencl1)";

// The libraries that implement OpenCL, as files say which loaders read (cl_khr_icd), in their
// order.
inline std::vector<std::string> opencl_implementations(
    const std::string& folder = "/etc/OpenCL/vendors") {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        if (entry.path().extension() == ".icd") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> libraries;
    for (const auto& path : files) {
        std::ifstream file(path);
        std::string library;
        if (file >> library) {
            libraries.push_back(library);
        }
    }
    return libraries;
}

// The devices of one implementation.
inline std::vector<ListedDevice> list_devices_of(const std::string& library) {
    return list_in_own_process(library, [&] {
        const OpenClImplementation implementation(library);
        std::vector<std::pair<std::string, DeviceDescription>> found;
        for (const auto& place : implementation.places) {
            found.emplace_back("opencl:" + library + ":" + std::to_string(found.size()),
                               implementation.describe(place));
        }
        if (found.empty()) {
            throw DeviceError("it has no device");
        }
        return found;
    });
}

inline std::vector<ListedDevice> list_devices() {
    std::vector<ListedDevice> found;
    for (const std::string& library : opencl_implementations()) {
        for (ListedDevice& one : list_devices_of(library)) {
            found.push_back(std::move(one));
        }
    }
    for (ListedDevice& one : list_cuda_devices()) {
        found.push_back(std::move(one));
    }
    return found;
}

// The device with such a name: `opencl:LIBRARY:NUMBER`, `cuda:UUID`, or its number in the list of
// all; compiles: whether kernels, too. Throws UsageError for another name, MachineLacksError where
// there is none, DeviceError where it fails.
inline std::unique_ptr<Device> open_device(std::string name, bool compiles = true) {
    const std::string what = std::string(device_variable) + "=" + name;
    if (name.find(':') == std::string::npos) {
        std::size_t number = parse_count(name, device_variable);
        const std::vector<ListedDevice> listed = list_devices();
        const auto chosen = std::find_if(listed.begin(), listed.end(), [&](const auto& one) {
            return !one.name.empty() && number-- == 0;
        });
        if (chosen == listed.end()) {
            std::string why = what + ": there is no such device";
            for (const ListedDevice& one : listed) {
                why += "\n  " + one.line;
            }
            throw MachineLacksError(why + "\n" + install_remedy);
        }
        name = chosen->name;
    }
    const std::size_t begin = name.find(':') + 1;
    const std::size_t end = name.rfind(':');
    const bool by_cuda = name.starts_with(cuda_name);
    if (!by_cuda && (name.substr(0, begin) != "opencl:" || end <= begin)) {
        throw UsageError(what + " is neither opencl:LIBRARY:NUMBER, cuda:UUID nor a number");
    }
    const std::uint64_t number = by_cuda ? 0 : parse_count(name.substr(end + 1), what);
    try {
        if (by_cuda) {
            return open_cuda_device(name.substr(begin), cuda_library, compiles);
        }
        return std::make_unique<OpenClDevice>(name.substr(begin, end - begin), number);
    } catch (const NoLibrary& error) {
        throw MachineLacksError(what + ": " + error.what() + "\n" + install_remedy);
    } catch (const NoDevice& error) {
        throw MachineLacksError(what + ": " + error.what() + "\n" + install_remedy);
    }
}

}  // namespace machmeter
