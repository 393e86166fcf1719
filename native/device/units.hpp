// On how many compute units a device really runs kernels: a part of one may say what the whole has.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/kernels/units.hpp"
#include "device/memory.hpp"

namespace machmeter {

// Nothing where the device has no word for the unit of a group, or does not say how many it has.
// text: of the kernel. Throws DeviceError.
inline std::optional<std::uint64_t> observed_units(Device& device,
                                                   const std::string& text = kernels::units) {
    constexpr std::uint32_t unknown = ~std::uint32_t{0};
    constexpr std::uint64_t groups_of_unit = 16;
    // Groups that end at once may leave a unit without any.
    constexpr int most_launches = 16;
    const std::uint64_t said = device.description().units.value_or(0);
    const std::size_t groups = groups_of_unit * said;
    if (groups == 0) {
        return std::nullopt;
    }
    const DeviceMemory ran_on(device, groups * sizeof(std::uint32_t), 4096);
    const DeviceHandle kernel =
        device.kernel(device.compile(text, {"LANES=1", "GROUP_ITEMS=1", "STRETCHES=0"}), "units");
    std::set<std::uint32_t> seen;
    for (int i = 0; i < most_launches && seen.size() < said; ++i) {
        ran_on.fill<std::uint32_t>([](std::size_t) { return unknown; });
        device.launch(kernel, {groups, 1}, {argument(ran_on.handle())});
        device.finish();
        const std::vector<std::uint32_t> found = ran_on.read<std::uint32_t>();
        seen.insert(found.begin(), found.end());
        device.elapsed();
        if (seen.contains(unknown)) {
            return std::nullopt;
        }
    }
    return seen.size();
}

}  // namespace machmeter
