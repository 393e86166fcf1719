// The kernels of device.stream (copy, mul, add, triad and dot of BabelStream), in the words of
// device/kernels/prelude.hpp; `dot` alone is a function of OpenCL C. each: Numbers of an item.
#pragma once

namespace machmeter::kernels {

inline constexpr const char* stream = R"(
KERNEL void stream_fill(GLOBAL Number* a, double value, Index each) {
    SWEEP(i, each) { a[i] = (Number)(value); }
}

KERNEL void stream_copy(GLOBAL const Number* a, GLOBAL Number* c, Index each) {
    SWEEP(i, each) { STORE(c + i, a[i]); }
}

KERNEL void stream_mul(GLOBAL Number* b, GLOBAL const Number* c, double scalar, Index each) {
    SWEEP(i, each) { STORE(b + i, scalar * c[i]); }
}

KERNEL void stream_add(GLOBAL const Number* a, GLOBAL const Number* b, GLOBAL Number* c, Index each) {
    SWEEP(i, each) { STORE(c + i, a[i] + b[i]); }
}

KERNEL void stream_triad(GLOBAL Number* a, GLOBAL const Number* b, GLOBAL const Number* c,
                         double scalar, Index each) {
    SWEEP(i, each) { STORE(a + i, b[i] + scalar * c[i]); }
}

// One part of the sum for each group; the host adds them.
KERNEL void stream_dot(GLOBAL const Number* a, GLOBAL const Number* b, GLOBAL Number* parts, Index each) {
    Number sum = (Number)(0);
    SWEEP(i, each) { sum += a[i] * b[i]; }
#if GROUP_ITEMS > 1
    SHARED Number of_items[GROUP_ITEMS];
    of_items[ITEM] = sum;
    for (unsigned int others = GROUP_ITEMS / 2; others > 0; others /= 2) {
        WAIT_FOR_GROUP;
        if (ITEM < others) {
            sum += of_items[ITEM + others];
            of_items[ITEM] = sum;
        }
    }
#endif
    if (ITEM == 0) { parts[GROUP] = sum; }
}
)";

}  // namespace machmeter::kernels
