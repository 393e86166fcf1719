// The words of device/kernels/prelude.hpp in CUDA C++, which HIP C++ has too: for GPUs, whose items
// take one element at a time. HIPRTC wants definitions as lines before it, not as options: a header
// of its own uses some of their names.
#pragma once

namespace machmeter::kernels {

inline constexpr const char* cuda_prelude = R"(
#define KERNEL extern "C" __global__
#define GLOBAL
#define SHARED __shared__
#define ITEM ((Index)threadIdx.x)
#define GROUP ((Index)blockIdx.x)
#define WAIT_FOR_GROUP __syncthreads()
#define ATOMIC_ADD(to, value) atomicAdd(to, value)
typedef unsigned long long Index;
typedef unsigned int Count;
#if LANES > 1
#error "items of a GPU take single elements"
#endif
typedef double Number;

#if STRETCHES
#define SWEEP(i, each)                                                          \
    for (Index i = (GROUP * GROUP_ITEMS + ITEM) * (each), i##_end = i + (each); \
         i < i##_end; ++i)
#else
#define SWEEP(i, each)                                                          \
    for (Index i = GROUP * (each) * GROUP_ITEMS + ITEM,                         \
               i##_end = i + (each) * GROUP_ITEMS;                              \
         i < i##_end; i += GROUP_ITEMS)
#endif
#define STORE(to, value) (*(to) = (value))
)";

}  // namespace machmeter::kernels
