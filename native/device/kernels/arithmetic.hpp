// The kernel of device.fma, in the words of device/kernels/prelude.hpp. A compilation defines Real
// (float or double) and Vector, Reals that an item computes with at once.
#pragma once

namespace machmeter::kernels {

// Eight chains hide the latency of the units. Not `fma()`: some implementations call a function
// for it, and all of them fuse a product and a sum.
inline constexpr const char* arithmetic = R"(
#define CHAIN(k) Vector x##k = (Vector)((Real)(item % 1021 + k) + first)
#define STEP(k) x##k = x##k * factor + term
#define RESULT(k) results[item * 8 + k] = x##k

// Several steps a round, so that counting them is little beside them: `steps` is a multiple of 8.
#define ROUND STEP(0); STEP(1); STEP(2); STEP(3); STEP(4); STEP(5); STEP(6); STEP(7)

KERNEL void arithmetic_fma(GLOBAL Vector* results, Real first, Real factor, Real term, Index steps) {
    Index item = GROUP * GROUP_ITEMS + ITEM;
    CHAIN(0); CHAIN(1); CHAIN(2); CHAIN(3); CHAIN(4); CHAIN(5); CHAIN(6); CHAIN(7);
    for (Index i = 0; i < steps; i += 8) { ROUND; ROUND; ROUND; ROUND; ROUND; ROUND; ROUND; ROUND; }
    RESULT(0); RESULT(1); RESULT(2); RESULT(3); RESULT(4); RESULT(5); RESULT(6); RESULT(7);
}
)";

}  // namespace machmeter::kernels
