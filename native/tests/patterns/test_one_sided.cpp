// One epoch's operations over memory of this process, and every way its check must fail.
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "patterns/one_sided.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

// Does at once what a window would do.
class Memory {
   public:
    explicit Memory(const RmaShape& shape) : bytes_(shape.extent() + guard_bytes) {}

    void put(const std::byte* out, std::size_t at, std::size_t bytes) {
        std::memcpy(bytes_.data() + at, out, bytes);
    }
    void get(std::byte* in, std::size_t at, std::size_t bytes) {
        std::memcpy(in, bytes_.data() + at, bytes);
    }
    void accumulate(const std::byte* out, std::size_t at, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; i += sizeof(std::int64_t)) {
            std::int64_t sum = 0;
            std::int64_t addend = 0;
            std::memcpy(&sum, bytes_.data() + at + i, sizeof sum);
            std::memcpy(&addend, out + i, sizeof addend);
            sum += addend;
            std::memcpy(bytes_.data() + at + i, &sum, sizeof sum);
        }
    }
    void get_accumulate(const std::byte* out, std::byte* in, std::size_t at, std::size_t bytes) {
        get(in, at, bytes);
        accumulate(out, at, bytes);
    }

    [[nodiscard]] std::byte* data() { return bytes_.data(); }

   private:
    std::vector<std::byte> bytes_;
};

struct Epoch {
    RmaShape shape;
    RmaCheck check{shape, 42};
    Memory memory{shape};
    std::vector<std::byte> out = std::vector<std::byte>(shape.extent() + guard_bytes);
    std::vector<std::byte> in = std::vector<std::byte>(shape.fetched_extent() + guard_bytes);

    void prepare() {
        check.fill_out(out.data());
        check.fill_window(memory.data());
        prepare_receive(in.data(), shape.fetched_extent());
    }
    void run() { begin_operations(memory, shape, out.data(), in.data()); }
    [[nodiscard]] bool right() {
        return check.window_is_right(memory.data()) && check.fetched_is_right(in.data());
    }
};

constexpr RmaOperation all_operations[] = {RmaOperation::put, RmaOperation::get,
                                           RmaOperation::accumulate, RmaOperation::get_accumulate};

// 7 operations over 3 places: some are reached three times, some twice.
Epoch epoch_of(RmaOperation operation) { return {RmaShape{operation, 24, 7, 3}}; }

TEST(what_is_done_right_is_right) {
    for (const RmaOperation operation : all_operations) {
        Epoch epoch = epoch_of(operation);
        epoch.prepare();
        CHECK(!epoch.right());
        epoch.run();
        CHECK(epoch.right());
    }
}

TEST(a_changed_byte_on_either_side_is_seen) {
    for (const RmaOperation operation : all_operations) {
        for (const std::size_t at : {std::size_t{0}, std::size_t{47}, std::size_t{71}}) {
            Epoch epoch = epoch_of(operation);
            epoch.prepare();
            epoch.run();
            epoch.memory.data()[at] ^= std::byte{1};
            CHECK(!epoch.check.window_is_right(epoch.memory.data()));
            epoch.in[at] ^= std::byte{1};
            CHECK(epoch.check.fetched_is_right(epoch.in.data()) == !epoch.shape.fetches());
        }
    }
}

TEST(a_byte_behind_the_last_place_is_seen) {
    for (const RmaOperation operation : all_operations) {
        Epoch epoch = epoch_of(operation);
        epoch.prepare();
        epoch.run();
        epoch.memory.data()[epoch.shape.extent()] = std::byte{0};
        CHECK(!epoch.check.window_is_right(epoch.memory.data()));
        epoch.in[epoch.shape.fetched_extent()] = std::byte{0};
        CHECK(epoch.check.fetched_is_right(epoch.in.data()) == !epoch.shape.fetches());
    }
}

TEST(a_lost_or_doubled_sum_is_seen) {
    for (const RmaOperation operation : {RmaOperation::accumulate, RmaOperation::get_accumulate}) {
        Epoch epoch = epoch_of(operation);
        epoch.prepare();
        RmaShape shorter = epoch.shape;
        shorter.count -= 1;
        begin_operations(epoch.memory, shorter, epoch.out.data(), epoch.in.data());
        CHECK(!epoch.right());
        begin_operations(epoch.memory, epoch.shape, epoch.out.data(), epoch.in.data());
        CHECK(!epoch.right());
    }
}

TEST(every_sum_under_way_has_a_result_of_its_own) {
    Epoch epoch = epoch_of(RmaOperation::get_accumulate);
    CHECK(epoch.shape.results() == 7);
    CHECK(epoch_of(RmaOperation::get).shape.results() == 3);
    epoch.prepare();
    epoch.run();
    CHECK(epoch.right());
    // The first result of a place as the second one.
    std::memcpy(epoch.in.data() + 3 * epoch.shape.bytes, epoch.in.data(), epoch.shape.bytes);
    CHECK(!epoch.check.fetched_is_right(epoch.in.data()));
}

TEST(places_are_as_many_as_fit) {
    CHECK(places_for(8, 1) == 1);
    CHECK(places_for(8, 64) == 64);
    CHECK(places_for(1024 * 1024, 64) == 64);
    CHECK(places_for(16 * 1024 * 1024, 64) == 4);
    CHECK(places_for(std::size_t{1} << 32U, 64) == 1);
}

TEST(visits_add_up_to_the_operations) {
    const RmaShape shape{RmaOperation::put, 8, 7, 3};
    CHECK(shape.visits(0) == 3);
    CHECK(shape.visits(1) == 2);
    CHECK(shape.visits(2) == 2);
}

TEST(names) {
    CHECK(rma_operation_of(Parameters("operation=get-accumulate")) == RmaOperation::get_accumulate);
    CHECK_THROWS(UsageError, "none of put", rma_operation_of(Parameters("operation=swap")));
}

}  // namespace
}  // namespace machmeter
