// The words in which kernels of devices are written, as OpenCL C 1.2 has them. A text of kernels
// uses these alone, so that another API needs another prelude and no other text.
//
// A compilation defines LANES (elements of a Number), GROUP_ITEMS (items of a group) and STRETCHES
// (1: each item sweeps over elements that lie together, as processors with caches want it; 0: the
// items of a group take elements in turn, so that neighbors access neighbors).
#pragma once

namespace machmeter::kernels {

inline constexpr const char* opencl_prelude = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL __kernel
#define GLOBAL __global
#define SHARED __local
#define ITEM get_local_id(0)
#define GROUP get_group_id(0)
#define WAIT_FOR_GROUP barrier(CLK_LOCAL_MEM_FENCE)
// Of an int or a Count in GLOBAL memory; what it was before.
#define ATOMIC_ADD(to, value) atomic_add(to, value)
typedef ulong Index;
typedef uint Count;
#if LANES == 8
typedef double8 Number;
#else
typedef double Number;
#endif

// i takes `each` values for every item. No test of bounds: arrays are as long as the grid sweeps.
#if STRETCHES
#define SWEEP(i, each) \
    for (Index i = get_global_id(0) * (each), i##_end = i + (each); i < i##_end; ++i)
#else
#define SWEEP(i, each)                                                          \
    for (Index i = GROUP * (each) * GROUP_ITEMS + ITEM,                         \
               i##_end = i + (each) * GROUP_ITEMS;                              \
         i < i##_end; i += GROUP_ITEMS)
#endif

#define STORE(to, value) (*(to) = (value))
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#undef STORE
#define STORE(to, value) __builtin_nontemporal_store((Number)(value), to)
#endif
#endif
)";

}  // namespace machmeter::kernels
