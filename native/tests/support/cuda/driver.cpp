// Stands in for the driver of CUDA, for a device that OpenCL has: the code that calls it is tested
// without a GPU. As the driver does, it refuses calls of a thread without a context.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/api/cuda.hpp"
#include "tests/support/cuda/stand_in.hpp"

namespace {

using machmeter::stand_in::CompiledProgram;
using machmeter::stand_in::device;
using Result = machmeter::cuda::Result;
using Time = std::chrono::steady_clock::time_point;

constexpr Result success = machmeter::cuda::success;
constexpr Result out_of_memory = 2;
constexpr Result no_context = 201;
constexpr Result ecc_uncorrectable = 214;
constexpr Result not_found = 500;

struct Parameter {
    std::size_t bytes;
    bool is_buffer;
};

struct Kernel {
    machmeter::DeviceHandle kernel;
    std::vector<Parameter> parameters;
};

// Buffers of OpenCL have no addresses: these are made up, so that a place within one is one too.
std::map<std::uint64_t, machmeter::DeviceHandle> buffers;
std::uint64_t next_address = std::uint64_t{1} << 40U;

struct Place {
    machmeter::DeviceHandle buffer;
    std::size_t at;
};

Place place_of(std::uint64_t address) {
    const auto after = buffers.upper_bound(address);
    if (after == buffers.begin()) {
        throw std::runtime_error("no buffer is there");
    }
    const auto& [base, buffer] = *std::prev(after);
    return {buffer, address - base};
}

int context = 0;
thread_local const void* current = nullptr;

// Sizes of the parameters of a kernel, from its text: launches by CUDA do not say them.
std::vector<Parameter> parameters_of(const CompiledProgram& program, const std::string& kernel) {
    std::size_t at = program.text.find("void " + kernel + "(");
    const std::size_t end = program.text.find(')', at);
    std::vector<Parameter> found;
    while (at < end) {
        const std::size_t next = std::min(program.text.find(',', at), end);
        const std::string one = program.text.substr(at, next - at);
        bool is_short =
            one.find("float ") != std::string::npos || one.find(" int ") != std::string::npos;
        for (const std::string& definition : program.definitions) {
            is_short |= definition == "Real=float" && one.find("Real ") != std::string::npos;
        }
        const bool is_buffer = one.find("GLOBAL") != std::string::npos;
        found.push_back({is_short && !is_buffer ? std::size_t{4} : std::size_t{8}, is_buffer});
        at = next + 1;
    }
    return found;
}

// STAND_IN_CUDA_LOST=CALL:ERROR: from that call on, the device is lost: every call that needs a
// context answers with the error, as the driver's do.
Result lost() {
    static int calls = 0;
    const char* setting = std::getenv("STAND_IN_CUDA_LOST");
    const char* error = setting != nullptr ? std::strchr(setting, ':') : nullptr;
    return error != nullptr && ++calls >= std::atoi(setting) ? std::atoi(error + 1) : success;
}

template <class Call>
Result with_context(Result failure, Call&& call) {
    if (current != &context) {
        return no_context;
    }
    if (const Result error = lost(); error != success) {
        return error;
    }
    try {
        call();
    } catch (const machmeter::DeviceError&) {
        return failure;
    }
    return success;
}

}  // namespace

extern "C" {

// STAND_IN_CUDA_ERROR: what it answers.
Result cuInit(unsigned /*flags*/) {
    const char* error = std::getenv("STAND_IN_CUDA_ERROR");
    return error != nullptr ? std::atoi(error) : success;
}

Result cuGetErrorName(Result error, const char** name) {
    *name = error == not_found           ? "CUDA_ERROR_NOT_FOUND"
            : error == ecc_uncorrectable ? "CUDA_ERROR_ECC_UNCORRECTABLE"
                                         : "CUDA_ERROR";
    return success;
}

Result cuDriverGetVersion(int* version) {
    const char* named = std::getenv("STAND_IN_CUDA_VERSION");
    *version = named != nullptr ? std::atoi(named) : 12'040;
    return success;
}

Result cuDeviceGetCount(int* count) {
    *count = 1;
    return success;
}

Result cuDeviceGet(int* found, int number) {
    *found = 70 + number;
    return number == 0 ? success : machmeter::cuda::no_device;
}

Result cuDeviceGetName(char* name, int bytes, int /*device*/) {
    std::strncpy(name, "Stand-in of CUDA", static_cast<std::size_t>(bytes));
    return success;
}

Result cuDeviceGetUuid_v2(machmeter::cuda::Uuid* uuid, int /*device*/) {
    for (unsigned char i = 0; i < 16; ++i) {
        uuid->bytes[i] = static_cast<unsigned char>(0xA0 + i);
    }
    return success;
}

Result cuDeviceTotalMem_v2(std::size_t* bytes, int /*device*/) {
    *bytes = std::size_t{8} << 30U;
    return success;
}

Result cuDeviceGetAttribute(int* value, int which, int /*device*/) {
    switch (which) {
        case machmeter::cuda::capability_major:
            *value = 9;
            break;
        case machmeter::cuda::multiprocessors:
            *value = 2;
            break;
        case machmeter::cuda::clock_khz:
            *value = 1'980'000;
            break;
        case machmeter::cuda::pci_bus:
            *value = 0xC1;
            break;
        default:
            *value = 0;
    }
    return success;
}

Result cuDevicePrimaryCtxRetain(int** retained, int number) {
    *retained = &context;
    return number == 70 ? success : machmeter::cuda::no_device;
}

Result cuDevicePrimaryCtxRelease_v2(int /*device*/) { return success; }

Result cuCtxSetCurrent(const int* made) {
    current = made;
    return success;
}

Result cuStreamCreate(void** stream, unsigned /*flags*/) {
    *stream = &context;
    return with_context(success, [] {});
}

Result cuStreamDestroy_v2(void* /*stream*/) { return success; }

Result cuStreamSynchronize(void* /*stream*/) {
    return with_context(no_context, [] { device().finish(); });
}

Result cuMemAlloc_v2(std::uint64_t* buffer, std::size_t bytes) {
    return with_context(out_of_memory, [&] {
        buffers[next_address] = device().allocate(bytes, nullptr);
        *buffer = next_address;
        next_address += bytes + 1;
    });
}

Result cuMemFree_v2(std::uint64_t buffer) {
    return with_context(no_context, [&] {
        device().free(place_of(buffer).buffer);
        buffers.erase(buffer);
    });
}

Result cuMemAllocHost_v2(void** memory, std::size_t bytes) {
    return with_context(out_of_memory, [&] { *memory = device().allocate_pinned(bytes); });
}

Result cuMemFreeHost(void* memory) {
    return with_context(no_context, [&] { device().free_pinned(memory); });
}

Result cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void*) {
    return with_context(no_context, [&] {
        const Place place = place_of(to);
        device().upload(place.buffer, from, bytes, place.at);
    });
}

Result cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void*) {
    return with_context(no_context, [&] {
        const Place place = place_of(from);
        device().download(to, place.buffer, bytes, place.at);
    });
}

Result cuModuleLoadData(CompiledProgram** module, const void* code) {
    std::uint64_t number = 0;
    std::memcpy(&number, code, sizeof number);
    *module = machmeter::stand_in::programs().at(number).get();
    return with_context(success, [] {});
}

Result cuModuleUnload(CompiledProgram* /*module*/) { return success; }

Result cuModuleGetFunction(Kernel** function, CompiledProgram* module, const char* name) {
    return with_context(not_found, [&] {
        *function =
            new Kernel{device().kernel(module->program, name), parameters_of(*module, name)};
    });
}

Result cuLaunchKernel(Kernel* function, unsigned groups, unsigned, unsigned, unsigned items,
                      unsigned, unsigned, unsigned, void*, void** arguments, void**) {
    return with_context(no_context, [&] {
        const std::vector<Parameter>& parameters = function->parameters;
        std::vector<machmeter::DeviceHandle> of_buffers(parameters.size());
        std::vector<machmeter::KernelArgument> given;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const void* value = arguments[i];
            if (parameters[i].is_buffer) {
                of_buffers[i] = place_of(*static_cast<const std::uint64_t*>(value)).buffer;
                value = &of_buffers[i];
            }
            given.push_back({value, parameters[i].bytes});
        }
        device().launch(function->kernel, {groups, items}, given);
        device().elapsed();
    });
}

Result cuEventCreate(Time** event, unsigned /*flags*/) {
    *event = new Time;
    return with_context(success, [] {});
}

Result cuEventDestroy_v2(Time* event) {
    delete event;
    return success;
}

Result cuEventRecord(Time* event, void* /*stream*/) {
    return with_context(no_context, [&] {
        device().finish();
        *event = std::chrono::steady_clock::now();
    });
}

Result cuEventElapsedTime(float* milliseconds, const Time* begin, const Time* end) {
    *milliseconds = std::chrono::duration<float, std::milli>(*end - *begin).count();
    return success;
}
}
