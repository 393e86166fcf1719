// Atomic operations of OpenSHMEM over an integer of this process; which library cannot do which.
#include <cstdint>
#include <limits>
#include <string_view>

#include "shmem/counter.hpp"
#include "shmem/library.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

template <class Integer>
struct FakeMemory {
    void add(Integer addend) { value = sum(value, addend); }
    void increment() { add(1); }
    Integer fetch_add(Integer addend) {
        const Integer before = value;
        add(addend);
        return before;
    }
    Integer fetch_increment() { return fetch_add(1); }
    Integer swap(Integer wanted) {
        const Integer before = value;
        value = wanted;
        return before;
    }
    Integer compare_swap(Integer expected, Integer wanted) {
        return value == expected ? swap(wanted) : value;
    }

    static Integer sum(Integer one, Integer other) {
        return static_cast<Integer>(static_cast<std::uint64_t>(one) +
                                    static_cast<std::uint64_t>(other));
    }

    Integer value = 0;
};

constexpr ShmemAtomic all_atomics[] = {ShmemAtomic::add,       ShmemAtomic::increment,
                                       ShmemAtomic::fetch_add, ShmemAtomic::fetch_increment,
                                       ShmemAtomic::swap,      ShmemAtomic::compare_swap};

template <class Integer>
void check_all() {
    for (const ShmemAtomic operation : all_atomics) {
        FakeMemory<Integer> memory;
        ShmemCounter<Integer> counter(operation, 5);
        for (int round = 0; round < 3; ++round) {
            counter.operate(memory);
            CHECK(counter.value() == memory.value);
            CHECK(counter.fetched_in_order());
        }
        memory.value += 1;
        counter.operate(memory);
        CHECK(counter.fetched_in_order() == !fetches(operation));
        // Swaps overwrite what another rank wrote, and show it by what they fetched.
        const bool overwritten =
            operation == ShmemAtomic::swap || operation == ShmemAtomic::compare_swap;
        CHECK((counter.value() == memory.value) == overwritten);
    }
}

TEST(every_operation_of_both_sizes) {
    check_all<std::int32_t>();
    check_all<std::int64_t>();
}

TEST(counting_goes_on_beyond_the_largest_integer) {
    FakeMemory<std::int32_t> memory;
    ShmemCounter<std::int32_t> counter(ShmemAtomic::fetch_add, 4096);
    std::int64_t added = 0;
    while (added <= std::numeric_limits<std::int32_t>::max()) {
        counter.operate(memory);
        added += 4096 * added_at_once;
    }
    CHECK(memory.value < 0);
    CHECK(counter.value() == memory.value);
    CHECK(counter.fetched_in_order());
}

TEST(names) {
    CHECK(shmem_atomic_of(Parameters("operation=fetch-inc")) == ShmemAtomic::fetch_increment);
    CHECK_THROWS(UsageError, "none of add", shmem_atomic_of(Parameters("operation=xor")));
}

TEST(what_ends_the_process_is_not_tried) {
    CHECK(known_defect({4, 1, 4}, "compare-swap", 4).find("4.1.5") != std::string::npos);
    CHECK(known_defect({4, 1, 4}, "compare-swap", 8).empty());
    CHECK(known_defect({4, 1, 4}, "swap", 4).empty());
    CHECK(known_defect({4, 1, 5}, "compare-swap", 4).empty());
    CHECK(known_defect({}, "compare-swap", 4).empty());
    CHECK(dies_at_finalize({4, 1, 4}));
    CHECK(!dies_at_finalize({5, 0, 0}));
    CHECK(!dies_at_finalize({}));
}

TEST(a_library_is_named_with_its_version) {
    CHECK(shmem_library_text({4, 1, 4}, "http://x", 1, 4) == "Open MPI v4.1.4 OpenSHMEM 1.4");
    CHECK(shmem_library_text({}, "Made-up SHMEM", 1, 5) == "Made-up SHMEM OpenSHMEM 1.5");
}

}  // namespace
}  // namespace machmeter
