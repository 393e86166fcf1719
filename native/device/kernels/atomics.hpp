// The kernel of device.atomics, in the words of device/kernels/prelude.hpp.
#pragma once

namespace machmeter::kernels {

// Neighbors count in neighboring bins, of which there are a power of two; `last` is the last one.
inline constexpr const char* atomics = R"(
KERNEL void atomics_count(GLOBAL Count* bins, Index last, Index items, Index steps) {
    Index item = GROUP * GROUP_ITEMS + ITEM;
    for (Index i = 0; i < steps; ++i) { ATOMIC_ADD(bins + ((i * items + item) & last), 1); }
}
)";

}  // namespace machmeter::kernels
