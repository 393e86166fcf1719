// Messages from and to the memory of devices, which the MPI must know how to reach.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/host/identity.hpp"
#include "core/values/parameters.hpp"
#include "device/listing.hpp"
#include "device/memory.hpp"
#include "mpi/team.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {

// Where messages are: at the same place of the host each time, at others, or in memory of a device.
enum class BufferPlace : std::uint8_t { hot, cold, device };

inline BufferPlace buffer_place(const Parameters& point) {
    return point.choice<BufferPlace>(
        "buffers",
        {{"hot", BufferPlace::hot}, {"cold", BufferPlace::cold}, {"device", BufferPlace::device}});
}

// Of the buffers of all points of a launch; device: none where no point needs one.
struct MostBytes {
    std::size_t host = 0;
    std::optional<std::size_t> device;

    void add(BufferPlace place, std::size_t bytes) {
        if (place == BufferPlace::device) {
            device = std::max(device.value_or(0), bytes);
        } else {
            host = std::max(host, bytes);
        }
    }
};

// The function by which the MPI says that it takes memory of CUDA, which is the only memory with an
// address but that of devices that are the host; empty where it does not. After MPI_Init, since it
// is told of devices there.
inline std::string device_support() {
    constexpr const char* of_cuda = "MPIX_Query_cuda_support";
    const auto asked = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, of_cuda));
    if (asked != nullptr && asked() == 1) {
        return of_cuda;
    }
    constexpr const char* of_kind = "MPIX_GPU_query_support";
    constexpr int mpich_cuda = 0;
    const auto query = reinterpret_cast<int (*)(int, int*)>(dlsym(RTLD_DEFAULT, of_kind));
    int supported = 0;
    const bool says_so = query != nullptr && query(mpich_cuda, &supported) == 0 && supported == 1;
    return says_so ? of_kind : "";
}

// Why points of a launch with buffers in memory of devices are not measured; empty where they are,
// or where there is none. A collective call. Throws MachineLacksError where no other points are
// left.
inline std::string why_no_devices(const MpiTeam& team, const std::vector<Parameters>& points) {
    const auto on_device = [](const Parameters& point) {
        return buffer_place(point) == BufferPlace::device;
    };
    if (std::none_of(points.begin(), points.end(), on_device) ||
        team.all(!device_support().empty())) {
        return "";
    }
    const std::string why =
        "this MPI does not say (MPIX_Query_cuda_support) that it takes memory of devices: use one "
        "that is built for them, or request buffers=hot";
    if (std::all_of(points.begin(), points.end(), on_device)) {
        throw MachineLacksError(why);
    }
    return why;
}

// This rank's device: of those of its node that MACHMETER_DEVICE names, separated by commas, the
// one of its number among the ranks of its node, in turn. A collective call. Throws
// MachineLacksError, UsageError.
inline std::unique_ptr<Device> open_device_of_rank(const MpiTeam& team) {
    const char* named = std::getenv(device_variable);
    const std::string names = named != nullptr ? named : "";
    std::vector<std::string> devices;
    for (std::size_t begin = 0; begin < names.size();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        devices.push_back(names.substr(begin, end - begin));
        begin = end + 1;
    }
    if (devices.empty()) {
        throw MachineLacksError(
            std::string(device_variable) +
            " names no device: set it to those of the ranks of every node, separated by commas");
    }
    // Where none is here, opening one says why.
    if (std::vector<std::string> here = names_here(devices); !here.empty()) {
        devices = std::move(here);
    }
    const std::vector<std::uint64_t> machines = team.gather_everywhere(machine_key());
    const auto before = std::count(machines.begin(), machines.begin() + team.rank(), machine_key());
    const std::string& mine = devices[static_cast<std::size_t>(before) % devices.size()];
    // A number would be looked up by processes that are forked, which not every MPI survives.
    if (mine.find(':') == std::string::npos) {
        throw UsageError(std::string(device_variable) + "=" + mine +
                         " is a number: name devices of ranks opencl:LIBRARY:NUMBER or cuda:UUID");
    }
    constexpr bool compiles = false;
    return open_device(mine, compiles);
}

// One buffer of a device to send from and one to receive into, each with a guard behind it; and
// their likes in memory of the host, where messages are made and looked at.
class DeviceBuffers {
   public:
    // A collective call. Throws as `open_device_of_rank`, and DeviceError.
    DeviceBuffers(const MpiTeam& team, std::size_t bytes, std::size_t page_bytes)
        : device_(open_device_of_rank(team)),
          out_(*device_, bytes + guard_bytes, page_bytes),
          in_(*device_, bytes + guard_bytes, page_bytes),
          staged_(bytes, page_bytes) {
        if (out() == nullptr) {
            throw MachineLacksError("a buffer of " + device_->description().api +
                                    " has no address that MPI could send from: name the device as "
                                    "one of CUDA");
        }
        upload();
    }

    [[nodiscard]] std::byte* out() const { return out_.address(); }
    [[nodiscard]] std::byte* in() const { return in_.address(); }
    [[nodiscard]] const MessageBuffers& staged() const { return staged_; }

    void upload() const {
        device_->upload(out_.handle(), staged_.out(), out_.bytes());
        device_->upload(in_.handle(), staged_.in(), in_.bytes());
    }
    void download() const { device_->download(staged_.in(), in_.handle(), in_.bytes()); }

    // The smallest page behind them; 0 in memory of the device's own.
    [[nodiscard]] std::size_t page_bytes() const {
        return std::min(out_.describe().page_bytes, in_.describe().page_bytes);
    }
    [[nodiscard]] std::string to_text() const {
        return "in memory of " + device_->description().name + " (" + device_->description().api +
               "), which " + device_support() + " says that the MPI takes";
    }

   private:
    std::unique_ptr<Device> device_;
    DeviceMemory out_;
    DeviceMemory in_;
    MessageBuffers staged_;
};

}  // namespace machmeter
