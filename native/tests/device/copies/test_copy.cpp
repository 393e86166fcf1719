#include "device/copies/copy.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

// A device whose copies of the block go wrong.
class Faulty : public Device {
   public:
    enum class Fault { none, no_upload, no_download, short_upload, short_download };

    Faulty(Device& right, Fault fault) : right_(right), fault_(fault) {}

    [[nodiscard]] const DeviceDescription& description() const override {
        return right_.description();
    }
    DeviceHandle allocate(std::size_t bytes, void* host) override {
        return right_.allocate(bytes, host);
    }
    void free(DeviceHandle buffer) noexcept override { right_.free(buffer); }
    void* allocate_pinned(std::size_t bytes) override { return right_.allocate_pinned(bytes); }
    void free_pinned(void* memory) noexcept override { right_.free_pinned(memory); }
    void upload(DeviceHandle to, const void* from, std::size_t bytes, std::size_t at) override {
        // The first one makes the block.
        const bool is_copy = bytes > 8 && ++uploads_ > 1;
        if (is_copy && fault_ == Fault::no_upload) {
            return;
        }
        right_.upload(to, from, is_copy && fault_ == Fault::short_upload ? bytes / 2 : bytes, at);
    }
    void download(void* to, DeviceHandle from, std::size_t bytes, std::size_t at) override {
        if (bytes > 8 && fault_ == Fault::no_download) {
            return;
        }
        right_.download(to, from, bytes > 8 && fault_ == Fault::short_download ? bytes / 2 : bytes,
                        at);
    }
    DeviceHandle kernel(DeviceHandle program, const std::string& name) override {
        return right_.kernel(program, name);
    }
    void launch(DeviceHandle kernel, KernelGrid grid,
                const std::vector<KernelArgument>& arguments) override {
        right_.launch(kernel, grid, arguments);
    }
    void finish() override { right_.finish(); }
    void start_upload(DeviceHandle to, const void* from, std::size_t bytes) override {
        if (fault_ != Fault::no_upload) {
            right_.start_upload(to, from, bytes);
        }
    }
    void start_download(void* to, DeviceHandle from, std::size_t bytes) override {
        if (fault_ != Fault::no_download) {
            right_.start_download(to, from, bytes);
        }
    }
    double elapsed() override { return right_.elapsed(); }

   private:
    DeviceHandle compiled(const std::string& text,
                          const std::vector<std::string>& definitions) override {
        return right_.compile(text, definitions);
    }

    Device& right_;
    Fault fault_;
    int uploads_ = 0;
};

bool are_right(Way way, Kind kind, Faulty::Fault fault, std::size_t bytes = 10'000) {
    Faulty device(test::any_device(), fault);
    Copies copies(monotonic_clock, device, way, kind, bytes, 4096);
    copies(3);
    return copies.are_right();
}

}  // namespace

TEST(copies_arrive_whole) {
    for (const Kind kind : {Kind::pageable, Kind::pinned}) {
        for (const std::size_t bytes : {8, 9, 10'000}) {
            CHECK(are_right(Way::to_device, kind, Faulty::Fault::none, bytes));
            CHECK(are_right(Way::from_device, kind, Faulty::Fault::none, bytes));
            CHECK(are_right(Way::both, kind, Faulty::Fault::none, bytes));
        }
    }
}

TEST(copies_that_are_not_made_or_end_early_are_refused) {
    for (const Kind kind : {Kind::pageable, Kind::pinned}) {
        CHECK(!are_right(Way::to_device, kind, Faulty::Fault::no_upload));
        CHECK(!are_right(Way::to_device, kind, Faulty::Fault::short_upload));
        CHECK(!are_right(Way::from_device, kind, Faulty::Fault::no_download));
        CHECK(!are_right(Way::from_device, kind, Faulty::Fault::short_download));
        CHECK(!are_right(Way::both, kind, Faulty::Fault::no_upload));
        CHECK(!are_right(Way::both, kind, Faulty::Fault::no_download));
    }
}

}  // namespace machmeter
