// A device by CUDA: the driver runs what NVRTC compiles for it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "device/api/cuda.hpp"
#include "device/cuda_driver.hpp"
#include "device/device.hpp"
#include "device/nvrtc_compiler.hpp"

namespace machmeter {

class CudaDevice : public Device {
   public:
    // The device with that number of the driver, and the file of NVRTC; empty: nothing is compiled.
    // Throws NoLibrary, DeviceError.
    CudaDevice(const CudaDriver& driver, int number, const std::string& nvrtc)
        : driver_(driver),
          cu_(driver_.functions),
          description_(driver_.describe(number)),
          device_(driver_.device(number)) {
        if (!nvrtc.empty()) {
            compiler_ = std::make_unique<NvrtcCompiler>(nvrtc);
            description_.compiler = compiler_->version();
        }
        driver_.require(cu_.retain_context(&context_, device_), "cuDevicePrimaryCtxRetain");
        driver_.require(cu_.set_context(context_), "cuCtxSetCurrent");
        for (cuda::Stream* one : {&stream_, &uploads_, &downloads_}) {
            driver_.require(cu_.create_stream(one, cuda::non_blocking_stream), "cuStreamCreate");
        }
    }

    ~CudaDevice() override {
        for (cuda::Event event : events_) {
            cu_.destroy_event(event);
        }
        for (cuda::Module module : modules_) {
            cu_.unload_module(module);
        }
        for (cuda::Stream one : {stream_, uploads_, downloads_}) {
            cu_.destroy_stream(one);
        }
        cu_.release_context(device_);
    }

    [[nodiscard]] const DeviceDescription& description() const override { return description_; }

    void keep_times(bool keep) override { times_ = keep; }

    DeviceHandle allocate(std::size_t bytes, void* /*host*/) override {
        cuda::Pointer buffer = 0;
        const std::string call = "cuMemAlloc of " + std::to_string(bytes) + " bytes";
        const cuda::Result result = cu_.allocate(&buffer, bytes);
        if (result == cuda::out_of_memory) {
            throw NoRoomOnDevice(call + ": the device has no room for it");
        }
        driver_.require(result, call);
        return buffer;
    }

    void free(DeviceHandle buffer) noexcept override { cu_.free(buffer); }

    void* allocate_pinned(std::size_t bytes) override {
        void* memory = nullptr;
        driver_.require(cu_.allocate_host(&memory, bytes),
                        "cuMemAllocHost of " + std::to_string(bytes) + " bytes");
        return memory;
    }

    void free_pinned(void* memory) noexcept override { cu_.free_host(memory); }

    // cuMemcpyHtoD may return before the last bytes of pageable memory are on the device.
    void upload(DeviceHandle to, const void* from, std::size_t bytes, std::size_t at) override {
        end_launches();
        driver_.require(cu_.copy_to_device(to + at, from, bytes, stream_), "cuMemcpyHtoDAsync");
        driver_.require(cu_.wait_for_stream(stream_), "cuStreamSynchronize after a copy");
    }

    void download(void* to, DeviceHandle from, std::size_t bytes, std::size_t at) override {
        end_launches();
        driver_.require(cu_.copy_to_host(to, from + at, bytes, stream_), "cuMemcpyDtoHAsync");
        driver_.require(cu_.wait_for_stream(stream_), "cuStreamSynchronize after a copy");
    }

    void start_upload(DeviceHandle to, const void* from, std::size_t bytes) override {
        driver_.require(cu_.copy_to_device(to, from, bytes, uploads_), "cuMemcpyHtoDAsync");
        copying_.push_back(uploads_);
    }

    void start_download(void* to, DeviceHandle from, std::size_t bytes) override {
        driver_.require(cu_.copy_to_host(to, from, bytes, downloads_), "cuMemcpyDtoHAsync");
        copying_.push_back(downloads_);
    }

    DeviceHandle kernel(DeviceHandle program, const std::string& name) override {
        cuda::Function function = nullptr;
        driver_.require(
            cu_.function(&function, reinterpret_cast<cuda::Module>(program), name.c_str()),
            "cuModuleGetFunction of " + name);
        return reinterpret_cast<DeviceHandle>(function);
    }

    void launch(DeviceHandle kernel, KernelGrid grid,
                const std::vector<KernelArgument>& arguments) override {
        std::vector<void*> values;
        values.reserve(arguments.size());
        for (const KernelArgument& one : arguments) {
            values.push_back(const_cast<void*>(one.data));
        }
        if (times_ && !launching_) {
            record_event();
            launching_ = true;
        }
        driver_.require(
            cu_.launch(reinterpret_cast<cuda::Function>(kernel), static_cast<unsigned>(grid.groups),
                       1, 1, static_cast<unsigned>(grid.group_items), 1, 1, 0, stream_,
                       values.data(), nullptr),
            "cuLaunchKernel");
    }

    void finish() override {
        end_launches();
        driver_.require(cu_.wait_for_stream(stream_), "cuStreamSynchronize");
        for (cuda::Stream one : copying_) {
            driver_.require(cu_.wait_for_stream(one), "cuStreamSynchronize of a copy");
        }
        copying_.clear();
    }

    // Of launches that follow each other without a wait, from the begin of the first to the end of
    // the last: an event before and after each of them would take as long as a launch.
    double elapsed() override {
        end_launches();
        double seconds = 0;
        bool known = true;
        for (std::size_t i = 0; i + 1 < recorded_; i += 2) {
            float milliseconds = 0;
            driver_.require(cu_.elapsed_ms(&milliseconds, events_[i], events_[i + 1]),
                            "cuEventElapsedTime");
            known = known && milliseconds > 0;
            seconds += static_cast<double>(milliseconds) / 1e3;
        }
        recorded_ = 0;
        return known ? seconds : 0;
    }

   private:
    DeviceHandle compiled(const std::string& text,
                          const std::vector<std::string>& definitions) override {
        if (!compiler_) {
            throw DeviceError("the device was opened without a compiler of kernels");
        }
        const std::string code = compiler_->compile(text, definitions, description_.architecture);
        cuda::Module module = nullptr;
        driver_.require(cu_.load_module(&module, code.data()),
                        "cuModuleLoadData of code by " + description_.compiler + " for " +
                            description_.architecture + " with " + description_.runtime);
        modules_.push_back(module);
        return reinterpret_cast<DeviceHandle>(module);
    }

    void end_launches() {
        if (launching_) {
            launching_ = false;
            record_event();
        }
    }

    void record_event() {
        if (recorded_ == events_.size()) {
            cuda::Event event = nullptr;
            driver_.require(cu_.create_event(&event, 0), "cuEventCreate");
            events_.push_back(event);
        }
        driver_.require(cu_.record_event(events_[recorded_++], stream_), "cuEventRecord");
    }

    CudaDriver driver_;
    const cuda::Functions& cu_;
    std::unique_ptr<NvrtcCompiler> compiler_;
    DeviceDescription description_;
    cuda::Device device_;
    cuda::Context context_ = nullptr;
    cuda::Stream stream_ = nullptr;
    cuda::Stream uploads_ = nullptr;
    cuda::Stream downloads_ = nullptr;
    // Of these two, those with copies that nothing has waited for.
    std::vector<cuda::Stream> copying_;
    std::vector<cuda::Module> modules_;
    // Begins and ends in turn, used again once they were asked for.
    std::vector<cuda::Event> events_;
    std::size_t recorded_ = 0;
    bool launching_ = false;
    bool times_ = true;
};

}  // namespace machmeter
