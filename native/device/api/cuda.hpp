// What is used of the driver of CUDA, declared by hand (NVIDIA, CUDA Driver API): no header and no
// library of a vendor is needed to compile. Symbols whose arguments once changed have the suffix of
// their second version.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/libraries/shared_library.hpp"

namespace machmeter::cuda {

using Device = int;
using Context = struct ContextOfDriver*;
using Stream = struct StreamOfDriver*;
using Event = struct EventOfDriver*;
using Module = struct ModuleOfDriver*;
using Function = struct FunctionOfDriver*;
using Pointer = std::uint64_t;
using Result = int;

inline constexpr Result success = 0;
inline constexpr Result out_of_memory = 2;
inline constexpr Result no_device = 100;

inline constexpr int clock_khz = 13;
inline constexpr int multiprocessors = 16;
inline constexpr int error_correction = 32;
inline constexpr int pci_bus = 33;
inline constexpr int pci_device = 34;
inline constexpr int cache_bytes = 38;
inline constexpr int pci_domain = 50;
inline constexpr int capability_major = 75;
inline constexpr int capability_minor = 76;

inline constexpr unsigned non_blocking_stream = 1;

struct Uuid {
    unsigned char bytes[16];
};

struct Functions {
    // Throws NoLibrary.
    explicit Functions(const SharedLibrary& library) {
        library.load(initialize, "cuInit");
        library.load(error_name, "cuGetErrorName");
        library.load(driver_version, "cuDriverGetVersion");
        library.load(device_count, "cuDeviceGetCount");
        library.load(device, "cuDeviceGet");
        library.load(device_name, "cuDeviceGetName");
        library.load(device_uuid, library.find("cuDeviceGetUuid_v2") != nullptr
                                      ? "cuDeviceGetUuid_v2"  // of a part of a device (MIG)
                                      : "cuDeviceGetUuid");
        library.load(device_memory, "cuDeviceTotalMem_v2");
        library.load(attribute, "cuDeviceGetAttribute");
        library.load(retain_context, "cuDevicePrimaryCtxRetain");
        library.load(release_context, "cuDevicePrimaryCtxRelease_v2");
        library.load(set_context, "cuCtxSetCurrent");
        library.load(create_stream, "cuStreamCreate");
        library.load(destroy_stream, "cuStreamDestroy_v2");
        library.load(wait_for_stream, "cuStreamSynchronize");
        library.load(allocate, "cuMemAlloc_v2");
        library.load(free, "cuMemFree_v2");
        library.load(allocate_host, "cuMemAllocHost_v2");
        library.load(free_host, "cuMemFreeHost");
        library.load(copy_to_device, "cuMemcpyHtoDAsync_v2");
        library.load(copy_to_host, "cuMemcpyDtoHAsync_v2");
        library.load(load_module, "cuModuleLoadData");
        library.load(unload_module, "cuModuleUnload");
        library.load(function, "cuModuleGetFunction");
        library.load(launch, "cuLaunchKernel");
        library.load(create_event, "cuEventCreate");
        library.load(destroy_event, "cuEventDestroy_v2");
        library.load(record_event, "cuEventRecord");
        library.load(elapsed_ms, "cuEventElapsedTime");
    }

    Result (*initialize)(unsigned);
    Result (*error_name)(Result, const char**);
    Result (*driver_version)(int*);
    Result (*device_count)(int*);
    Result (*device)(Device*, int number);
    Result (*device_name)(char*, int, Device);
    Result (*device_uuid)(Uuid*, Device);
    Result (*device_memory)(std::size_t*, Device);
    Result (*attribute)(int*, int, Device);
    Result (*retain_context)(Context*, Device);
    Result (*release_context)(Device);
    Result (*set_context)(Context);
    Result (*create_stream)(Stream*, unsigned);
    Result (*destroy_stream)(Stream);
    Result (*wait_for_stream)(Stream);
    Result (*allocate)(Pointer*, std::size_t);
    Result (*free)(Pointer);
    Result (*allocate_host)(void**, std::size_t);
    Result (*free_host)(void*);
    Result (*copy_to_device)(Pointer, const void*, std::size_t, Stream);
    Result (*copy_to_host)(void*, Pointer, std::size_t, Stream);
    Result (*load_module)(Module*, const void*);
    Result (*unload_module)(Module);
    Result (*function)(Function*, Module, const char*);
    Result (*launch)(Function, unsigned groups, unsigned, unsigned, unsigned items, unsigned,
                     unsigned, unsigned shared_bytes, Stream, void** arguments, void** extra);
    Result (*create_event)(Event*, unsigned);
    Result (*destroy_event)(Event);
    Result (*record_event)(Event, Stream);
    Result (*elapsed_ms)(float*, Event, Event);
};

}  // namespace machmeter::cuda
