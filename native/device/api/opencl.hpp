// What is used of OpenCL 1.2, declared by hand (Khronos, The OpenCL Specification 1.2, appendix of
// the header files): no header and no library of a vendor is needed to compile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/libraries/shared_library.hpp"

namespace machmeter::opencl {

using Platform = struct PlatformOfLibrary*;
using Device = struct DeviceOfLibrary*;
using Context = struct ContextOfLibrary*;
using Queue = struct QueueOfLibrary*;
using Buffer = struct BufferOfLibrary*;
using Program = struct ProgramOfLibrary*;
using Kernel = struct KernelOfLibrary*;
using Event = struct EventOfLibrary*;
using Error = std::int32_t;
using Bits = std::uint64_t;
using Word = std::uint32_t;

inline constexpr Error success = 0;
inline constexpr Error device_not_found = -1;
inline constexpr Error build_failed = -11;
inline constexpr Error platform_not_found = -1001;  // cl_khr_icd

inline constexpr Bits every_type = 0xFFFFFFFF;
inline constexpr Bits type_cpu = 1U << 1U;
inline constexpr Bits type_gpu = 1U << 2U;
inline constexpr Bits type_accelerator = 1U << 3U;
inline constexpr Bits profiling_queue = 1U << 1U;
inline constexpr Bits read_write = 1U << 0U;
inline constexpr Bits use_host_pointer = 1U << 3U;
inline constexpr Bits allocate_host_pointer = 1U << 4U;
inline constexpr Bits map_to_read_and_write = 3;
inline constexpr Word blocking = 1;
inline constexpr Word not_blocking = 0;

inline constexpr Word platform_version = 0x0901;
inline constexpr Word platform_name = 0x0902;

inline constexpr Word device_type = 0x1000;
inline constexpr Word device_units = 0x1002;
inline constexpr Word device_clock_mhz = 0x100C;
inline constexpr Word device_cache_bytes = 0x101E;
inline constexpr Word device_memory_bytes = 0x101F;
inline constexpr Word device_error_correction = 0x1024;
inline constexpr Word device_name = 0x102B;
inline constexpr Word device_vendor = 0x102C;
inline constexpr Word driver_version = 0x102D;
inline constexpr Word device_extensions = 0x1030;
inline constexpr Word device_double_config = 0x1032;
inline constexpr Word device_native_doubles = 0x103B;
inline constexpr Word device_compiler = 0x103D;
inline constexpr Word device_uuid = 0x106A;     // cl_khr_device_uuid
inline constexpr Word device_pci_bus = 0x410F;  // cl_khr_pci_bus_info

inline constexpr Word build_log = 0x1183;
inline constexpr Word time_queued = 0x1280;
inline constexpr Word time_started = 0x1282;
inline constexpr Word time_ended = 0x1283;

// Of device_pci_bus.
struct PciBus {
    Word domain;
    Word bus;
    Word device;
    Word function;
};

// The functions of a loader, or of an implementation that has them itself.
struct Functions {
    explicit Functions(const SharedLibrary& library) {
        library.load(platforms, "clGetPlatformIDs");
        library.load(platform_info, "clGetPlatformInfo");
        library.load(devices, "clGetDeviceIDs");
        library.load(device_info, "clGetDeviceInfo");
        library.load(create_context, "clCreateContext");
        library.load(release_context, "clReleaseContext");
        library.load(create_queue, "clCreateCommandQueue");
        library.load(release_queue, "clReleaseCommandQueue");
        library.load(create_buffer, "clCreateBuffer");
        library.load(release_buffer, "clReleaseMemObject");
        library.load(read_buffer, "clEnqueueReadBuffer");
        library.load(write_buffer, "clEnqueueWriteBuffer");
        library.load(map_buffer, "clEnqueueMapBuffer");
        library.load(unmap_buffer, "clEnqueueUnmapMemObject");
        library.load(create_program, "clCreateProgramWithSource");
        library.load(build_program, "clBuildProgram");
        library.load(build_info, "clGetProgramBuildInfo");
        library.load(release_program, "clReleaseProgram");
        library.load(create_kernel, "clCreateKernel");
        library.load(release_kernel, "clReleaseKernel");
        library.load(set_argument, "clSetKernelArg");
        library.load(launch, "clEnqueueNDRangeKernel");
        library.load(flush, "clFlush");
        library.load(finish, "clFinish");
        library.load(event_time, "clGetEventProfilingInfo");
        library.load(release_event, "clReleaseEvent");
    }

    Error (*platforms)(Word, Platform*, Word*);
    Error (*platform_info)(Platform, Word, std::size_t, void*, std::size_t*);
    Error (*devices)(Platform, Bits, Word, Device*, Word*);
    Error (*device_info)(Device, Word, std::size_t, void*, std::size_t*);
    Context (*create_context)(const std::intptr_t*, Word, const Device*,
                              void (*)(const char*, const void*, std::size_t, void*), void*,
                              Error*);
    Error (*release_context)(Context);
    Queue (*create_queue)(Context, Device, Bits, Error*);
    Error (*release_queue)(Queue);
    Buffer (*create_buffer)(Context, Bits, std::size_t, void*, Error*);
    Error (*release_buffer)(Buffer);
    Error (*read_buffer)(Queue, Buffer, Word, std::size_t, std::size_t, void*, Word, const Event*,
                         Event*);
    Error (*write_buffer)(Queue, Buffer, Word, std::size_t, std::size_t, const void*, Word,
                          const Event*, Event*);
    void* (*map_buffer)(Queue, Buffer, Word, Bits, std::size_t, std::size_t, Word, const Event*,
                        Event*, Error*);
    Error (*unmap_buffer)(Queue, Buffer, void*, Word, const Event*, Event*);
    Program (*create_program)(Context, Word, const char**, const std::size_t*, Error*);
    Error (*build_program)(Program, Word, const Device*, const char*, void (*)(Program, void*),
                           void*);
    Error (*build_info)(Program, Device, Word, std::size_t, void*, std::size_t*);
    Error (*release_program)(Program);
    Kernel (*create_kernel)(Program, const char*, Error*);
    Error (*release_kernel)(Kernel);
    Error (*set_argument)(Kernel, Word, std::size_t, const void*);
    Error (*launch)(Queue, Kernel, Word, const std::size_t*, const std::size_t*, const std::size_t*,
                    Word, const Event*, Event*);
    Error (*flush)(Queue);
    Error (*finish)(Queue);
    Error (*event_time)(Event, Word, std::size_t, void*, std::size_t*);
    Error (*release_event)(Event);
};

}  // namespace machmeter::opencl
