// The kernels of device.latency and device.launch, in the words of device/kernels/prelude.hpp.
#pragma once

namespace machmeter::kernels {

inline constexpr const char* latency = R"(
// next: for each place the one to read then; at: where the walk is, before and after.
KERNEL void latency_chase(GLOBAL const Index* next, GLOBAL Index* at, Index loads) {
    Index place = at[0];
    for (Index i = 0; i < loads; ++i) { place = next[place]; }
    at[0] = place;
}

KERNEL void latency_nothing(GLOBAL Index* count) { count[0] += 1; }
)";

}  // namespace machmeter::kernels
