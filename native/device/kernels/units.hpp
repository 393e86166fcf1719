// The compute unit that runs each group, which CUDA alone has a word for: all bits elsewhere.
#pragma once

namespace machmeter::kernels {

inline constexpr const char* units = R"(
#ifdef __CUDACC_RTC__
// Groups that take a while fill all units before any has room for another.
#define READ_UNIT(to)                                      \
    asm volatile("mov.u32 %0, %%smid;" : "=r"(to));        \
    for (long long begin = clock64(); clock64() - begin < 20000;) {}
#else
#define READ_UNIT(to) ((to) = ~(Count)0)
#endif

KERNEL void units(GLOBAL Count* ran_on) {
    Count unit;
    READ_UNIT(unit);
    ran_on[GROUP] = unit;
}
)";

}  // namespace machmeter::kernels
