// A device by OpenCL 1.2, of one implementation: `libOpenCL.so.1` is asked to load no other, since
// each starts threads of its own and may show the same hardware once more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/api/opencl.hpp"
#include "device/device.hpp"
#include "device/kernels/prelude.hpp"
#include "device/pci.hpp"

namespace machmeter {

inline void require_opencl(opencl::Error error, const char* call) {
    if (error != opencl::success) {
        throw DeviceError(std::string(call) + " of OpenCL failed: error " + std::to_string(error));
    }
}

// Once in a process: the loader reads the name of the implementation when it is first called.
class OpenClImplementation {
   public:
    struct Place {
        opencl::Platform platform;
        opencl::Device device;
    };

    // Throws NoLibrary, DeviceError.
    explicit OpenClImplementation(const std::string& library) : functions(loader_of(library)) {
        opencl::Word count = 0;
        const opencl::Error error = functions.platforms(0, nullptr, &count);
        if (error == opencl::platform_not_found || count == 0) {
            throw NoDevice("the OpenCL loader finds no platform in " + library);
        }
        require_opencl(error, "clGetPlatformIDs");
        std::vector<opencl::Platform> platforms(count);
        require_opencl(functions.platforms(count, platforms.data(), nullptr), "clGetPlatformIDs");
        for (opencl::Platform platform : platforms) {
            const opencl::Error none =
                functions.devices(platform, opencl::every_type, 0, nullptr, &count);
            if (none == opencl::device_not_found || count == 0) {
                continue;
            }
            require_opencl(none, "clGetDeviceIDs");
            std::vector<opencl::Device> devices(count);
            require_opencl(
                functions.devices(platform, opencl::every_type, count, devices.data(), nullptr),
                "clGetDeviceIDs");
            for (opencl::Device device : devices) {
                places.push_back({platform, device});
            }
        }
    }

    [[nodiscard]] DeviceDescription describe(const Place& place) const {
        const std::string extensions = text(place, opencl::device_extensions);
        DeviceDescription found;
        found.api = "opencl";
        found.platform = platform_text(place, opencl::platform_name);
        found.name = text(place, opencl::device_name);
        found.vendor = text(place, opencl::device_vendor);
        found.driver = text(place, opencl::driver_version);
        found.runtime = platform_text(place, opencl::platform_version);
        found.compiler = text(place, opencl::device_compiler);
        const opencl::Bits type = value<opencl::Bits>(place, opencl::device_type).value_or(0);
        found.is_host = (type & opencl::type_cpu) != 0;
        found.kind = found.is_host                            ? "cpu"
                     : (type & opencl::type_gpu) != 0         ? "gpu"
                     : (type & opencl::type_accelerator) != 0 ? "accelerator"
                                                              : "";
        found.units = known(value<opencl::Word>(place, opencl::device_units));
        found.clock_hz = known(value<opencl::Word>(place, opencl::device_clock_mhz), 1'000'000);
        found.memory_bytes = known(value<opencl::Bits>(place, opencl::device_memory_bytes));
        found.cache_bytes = known(value<opencl::Bits>(place, opencl::device_cache_bytes));
        const auto doubles = value<opencl::Word>(place, opencl::device_native_doubles);
        found.native_doubles = std::max<std::uint64_t>(1, doubles.value_or(1));
        found.double_precision =
            value<opencl::Bits>(place, opencl::device_double_config).value_or(0) != 0;
        if (!found.is_host) {
            // Of the memory of a host OpenCL knows nothing, and says no.
            if (const auto ecc = value<opencl::Word>(place, opencl::device_error_correction)) {
                found.ecc = *ecc != 0;
            }
            if (extensions.find("cl_khr_pci_bus_info") != std::string::npos) {
                if (const auto pci = value<opencl::PciBus>(place, opencl::device_pci_bus)) {
                    found.bus = pci_name(pci->domain, pci->bus, pci->device, pci->function);
                    describe_pci("/sys/bus/pci/devices/" + found.bus, found);
                }
            }
        }
        if (extensions.find("cl_khr_device_uuid") != std::string::npos) {
            if (const auto uuid = value<Uuid>(place, opencl::device_uuid)) {
                for (const unsigned char byte : uuid->bytes) {
                    char digits[3];
                    std::snprintf(digits, sizeof digits, "%02x", byte);
                    found.uuid += digits;
                }
            }
        }
        return found;
    }

    // Nothing where the implementation does not know the question.
    template <class Value>
    [[nodiscard]] std::optional<Value> value(const Place& place, opencl::Word what) const {
        Value found{};
        std::size_t bytes = 0;
        if (functions.device_info(place.device, what, sizeof found, &found, &bytes) !=
                opencl::success ||
            bytes != sizeof found) {
            return std::nullopt;
        }
        return found;
    }

    opencl::Functions functions;
    std::vector<Place> places;

   private:
    static SharedLibrary loader_of(const std::string& library) {
        setenv("OCL_ICD_VENDORS", library.c_str(), 1);
        return SharedLibrary({"libOpenCL.so.1", "libOpenCL.so"});
    }

    struct Uuid {
        unsigned char bytes[16];
    };

    // 0 is no answer.
    template <class Value>
    static std::optional<std::uint64_t> known(const std::optional<Value>& found,
                                              std::uint64_t unit = 1) {
        return found && *found > 0 ? std::optional<std::uint64_t>(*found * unit) : std::nullopt;
    }

    [[nodiscard]] std::string text(const Place& place, opencl::Word what) const {
        return text_by([&](std::size_t bytes, void* to, std::size_t* needed) {
            return functions.device_info(place.device, what, bytes, to, needed);
        });
    }

    [[nodiscard]] std::string platform_text(const Place& place, opencl::Word what) const {
        return text_by([&](std::size_t bytes, void* to, std::size_t* needed) {
            return functions.platform_info(place.platform, what, bytes, to, needed);
        });
    }

    // Empty where there is none; without the spaces that some put around it.
    template <class Ask>
    static std::string text_by(Ask&& ask) {
        std::size_t bytes = 0;
        if (ask(0, nullptr, &bytes) != opencl::success || bytes == 0) {
            return "";
        }
        std::string found(bytes, '\0');
        if (ask(bytes, found.data(), nullptr) != opencl::success) {
            return "";
        }
        found = found.c_str();
        const std::size_t begin = found.find_first_not_of(' ');
        return begin == std::string::npos
                   ? ""
                   : found.substr(begin, found.find_last_not_of(' ') + 1 - begin);
    }
};

class OpenClDevice : public Device {
   public:
    // The device with that number of the implementation. Throws NoLibrary, DeviceError.
    OpenClDevice(const std::string& library, std::size_t number)
        : implementation_(library), cl_(implementation_.functions) {
        if (number >= implementation_.places.size()) {
            throw NoDevice(library + " has " + std::to_string(implementation_.places.size()) +
                           " devices, and none with the number " + std::to_string(number));
        }
        const OpenClImplementation::Place& place = implementation_.places[number];
        device_ = place.device;
        description_ = implementation_.describe(place);
        if (description_.double_precision != true) {
            throw NoDevice(description_.name + " has no double precision");
        }
        opencl::Error error = opencl::success;
        context_ = cl_.create_context(nullptr, 1, &device_, nullptr, nullptr, &error);
        require_opencl(error, "clCreateContext");
        for (opencl::Queue* one : {&queue_, &uploads_, &downloads_}) {
            *one = cl_.create_queue(context_, device_, opencl::profiling_queue, &error);
            require_opencl(error, "clCreateCommandQueue");
        }
    }

    ~OpenClDevice() override {
        for (opencl::Event event : events_) {
            cl_.release_event(event);
        }
        for (opencl::Kernel kernel : kernels_) {
            cl_.release_kernel(kernel);
        }
        for (opencl::Program program : programs_) {
            cl_.release_program(program);
        }
        for (opencl::Queue one : {queue_, uploads_, downloads_}) {
            if (one != nullptr) {
                cl_.release_queue(one);
            }
        }
        if (context_ != nullptr) {
            cl_.release_context(context_);
        }
    }

    [[nodiscard]] const DeviceDescription& description() const override { return description_; }

    DeviceHandle allocate(std::size_t bytes, void* host) override {
        opencl::Error error = opencl::success;
        const opencl::Bits flags =
            opencl::read_write | (host != nullptr ? opencl::use_host_pointer : 0);
        opencl::Buffer buffer = cl_.create_buffer(context_, flags, bytes, host, &error);
        if (error != opencl::success) {
            throw NoRoomOnDevice("clCreateBuffer of " + std::to_string(bytes) +
                                 " bytes failed with error " + std::to_string(error));
        }
        return handle_of(buffer);
    }

    void free(DeviceHandle buffer) noexcept override {
        cl_.release_buffer(as<opencl::Buffer>(buffer));
    }

    void* allocate_pinned(std::size_t bytes) override {
        opencl::Error error = opencl::success;
        opencl::Buffer buffer = cl_.create_buffer(
            context_, opencl::read_write | opencl::allocate_host_pointer, bytes, nullptr, &error);
        require_opencl(error,
                       ("clCreateBuffer of " + std::to_string(bytes) + " pinned bytes").c_str());
        void* memory =
            cl_.map_buffer(queue_, buffer, opencl::blocking, opencl::map_to_read_and_write, 0,
                           bytes, 0, nullptr, nullptr, &error);
        if (error != opencl::success) {
            cl_.release_buffer(buffer);
        }
        require_opencl(error, "clEnqueueMapBuffer");
        pinned_.emplace(memory, buffer);
        return memory;
    }

    void free_pinned(void* memory) noexcept override {
        const auto found = pinned_.find(memory);
        if (found != pinned_.end()) {
            cl_.unmap_buffer(queue_, found->second, memory, 0, nullptr, nullptr);
            cl_.finish(queue_);
            cl_.release_buffer(found->second);
            pinned_.erase(found);
        }
    }

    void upload(DeviceHandle to, const void* from, std::size_t bytes, std::size_t at) override {
        require_opencl(cl_.write_buffer(queue_, as<opencl::Buffer>(to), opencl::blocking, at, bytes,
                                        from, 0, nullptr, nullptr),
                       "clEnqueueWriteBuffer");
    }

    void download(void* to, DeviceHandle from, std::size_t bytes, std::size_t at) override {
        require_opencl(cl_.read_buffer(queue_, as<opencl::Buffer>(from), opencl::blocking, at,
                                       bytes, to, 0, nullptr, nullptr),
                       "clEnqueueReadBuffer");
    }

    void start_upload(DeviceHandle to, const void* from, std::size_t bytes) override {
        require_opencl(cl_.write_buffer(uploads_, as<opencl::Buffer>(to), opencl::not_blocking, 0,
                                        bytes, from, 0, nullptr, nullptr),
                       "clEnqueueWriteBuffer");
        require_opencl(cl_.flush(uploads_), "clFlush");
        copying_.push_back(uploads_);
    }

    void start_download(void* to, DeviceHandle from, std::size_t bytes) override {
        require_opencl(cl_.read_buffer(downloads_, as<opencl::Buffer>(from), opencl::not_blocking,
                                       0, bytes, to, 0, nullptr, nullptr),
                       "clEnqueueReadBuffer");
        require_opencl(cl_.flush(downloads_), "clFlush");
        copying_.push_back(downloads_);
    }

    DeviceHandle kernel(DeviceHandle program, const std::string& name) override {
        opencl::Error error = opencl::success;
        opencl::Kernel kernel =
            cl_.create_kernel(as<opencl::Program>(program), name.c_str(), &error);
        require_opencl(error, ("clCreateKernel of " + name).c_str());
        kernels_.push_back(kernel);
        return handle_of(kernel);
    }

    void launch(DeviceHandle kernel, KernelGrid grid,
                const std::vector<KernelArgument>& arguments) override {
        auto* const own = as<opencl::Kernel>(kernel);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            require_opencl(cl_.set_argument(own, static_cast<opencl::Word>(i), arguments[i].bytes,
                                            arguments[i].data),
                           "clSetKernelArg");
        }
        const std::size_t items = grid.groups * grid.group_items;
        opencl::Event event = nullptr;
        require_opencl(
            cl_.launch(queue_, own, 1, nullptr, &items, &grid.group_items, 0, nullptr, &event),
            "clEnqueueNDRangeKernel");
        events_.push_back(event);
    }

    void finish() override {
        require_opencl(cl_.finish(queue_), "clFinish");
        for (opencl::Queue one : copying_) {
            require_opencl(cl_.finish(one), "clFinish");
        }
        copying_.clear();
    }

    double elapsed() override {
        double seconds = 0;
        bool known = true;
        queued_ = 0;
        for (opencl::Event event : events_) {
            const std::uint64_t launched = time_of(event, opencl::time_queued);
            const std::uint64_t begin = time_of(event, opencl::time_started);
            const std::uint64_t end = time_of(event, opencl::time_ended);
            known = known && launched > 0 && begin >= launched && end > begin;
            seconds += known ? static_cast<double>(end - begin) / 1e9 : 0;
            queued_ += known ? static_cast<double>(begin - launched) / 1e9 : 0;
            cl_.release_event(event);
        }
        events_.clear();
        queued_ = known ? queued_ : 0;
        return known ? seconds : 0;
    }

    [[nodiscard]] double queued() const override { return queued_; }

   private:
    DeviceHandle compiled(const std::string& text,
                          const std::vector<std::string>& definitions) override {
        std::string options = "-cl-std=CL1.2";
        for (const std::string& one : definitions) {
            options += " -D " + one;
        }
        const char* parts[] = {kernels::opencl_prelude, text.c_str()};
        opencl::Error error = opencl::success;
        opencl::Program program = cl_.create_program(context_, 2, parts, nullptr, &error);
        require_opencl(error, "clCreateProgramWithSource");
        programs_.push_back(program);
        error = cl_.build_program(program, 1, &device_, options.c_str(), nullptr, nullptr);
        if (error == opencl::build_failed) {
            throw DeviceError("the compiler of " + description_.name +
                              " refused a kernel: " + log_of(program));
        }
        require_opencl(error, "clBuildProgram");
        return handle_of(program);
    }

    template <class Pointer>
    static DeviceHandle handle_of(Pointer pointer) {
        return reinterpret_cast<DeviceHandle>(pointer);
    }
    template <class Pointer>
    static Pointer as(DeviceHandle handle) {
        return reinterpret_cast<Pointer>(handle);
    }

    // 0 where it is unknown.
    [[nodiscard]] std::uint64_t time_of(opencl::Event event, opencl::Word what) const {
        std::uint64_t time = 0;
        return cl_.event_time(event, what, sizeof time, &time, nullptr) == opencl::success ? time
                                                                                           : 0;
    }

    [[nodiscard]] std::string log_of(opencl::Program program) const {
        std::size_t bytes = 0;
        cl_.build_info(program, device_, opencl::build_log, 0, nullptr, &bytes);
        std::string log(bytes, '\0');
        cl_.build_info(program, device_, opencl::build_log, bytes, log.data(), nullptr);
        return log.c_str();
    }

    OpenClImplementation implementation_;
    const opencl::Functions& cl_;
    DeviceDescription description_;
    opencl::Device device_ = nullptr;
    opencl::Context context_ = nullptr;
    opencl::Queue queue_ = nullptr;
    opencl::Queue uploads_ = nullptr;
    opencl::Queue downloads_ = nullptr;
    // Of these two, those with copies that nothing has waited for.
    std::vector<opencl::Queue> copying_;
    std::vector<opencl::Program> programs_;
    std::vector<opencl::Kernel> kernels_;
    std::vector<opencl::Event> events_;
    double queued_ = 0;
    std::map<void*, opencl::Buffer> pinned_;
};

}  // namespace machmeter
