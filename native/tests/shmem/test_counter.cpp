// Atomic operations of OpenSHMEM over an integer of this process; which library cannot do which.
#include <cstdint>
#include <limits>
#include <string_view>

#include "shmem/counter.hpp"
#include "shmem/library.hpp"
#include "tests/support/check.hpp"

namespace {

using machmeter::ShmemAtomic;

template <class Integer>
struct Memory {
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
        Memory<Integer> memory;
        machmeter::ShmemCounter<Integer> counter(operation, 5);
        for (int round = 0; round < 3; ++round) {
            counter.operate(memory);
            CHECK(counter.value() == memory.value);
            CHECK(counter.fetched_in_order());
        }
        memory.value += 1;
        counter.operate(memory);
        CHECK(counter.fetched_in_order() == !machmeter::fetches(operation));
        // Swaps overwrite what another one wrote, and tell by what they fetched.
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
    Memory<std::int32_t> memory;
    machmeter::ShmemCounter<std::int32_t> counter(ShmemAtomic::fetch_add, 4096);
    std::int64_t added = 0;
    while (added <= std::numeric_limits<std::int32_t>::max()) {
        counter.operate(memory);
        added += 4096 * machmeter::added_at_once;
    }
    CHECK(memory.value < 0);
    CHECK(counter.value() == memory.value);
    CHECK(counter.fetched_in_order());
}

TEST(names) {
    CHECK(machmeter::shmem_atomic_of("fetch-inc") == ShmemAtomic::fetch_increment);
    CHECK_THROWS(machmeter::UsageError, "none of add", machmeter::shmem_atomic_of("xor"));
}

TEST(what_ends_the_process_is_not_tried) {
    CHECK(machmeter::known_defect({4, 1, 4}, "compare-swap", 4).find("4.1.5") != std::string::npos);
    CHECK(machmeter::known_defect({4, 1, 4}, "compare-swap", 8).empty());
    CHECK(machmeter::known_defect({4, 1, 4}, "swap", 4).empty());
    CHECK(machmeter::known_defect({4, 1, 5}, "compare-swap", 4).empty());
    CHECK(machmeter::known_defect({}, "compare-swap", 4).empty());
    CHECK(machmeter::dies_at_finalize({4, 1, 4}));
    CHECK(!machmeter::dies_at_finalize({5, 0, 0}));
    CHECK(!machmeter::dies_at_finalize({}));
}

TEST(a_library_is_named_with_its_version) {
    CHECK(machmeter::shmem_library_words({4, 1, 4}, "http://x", 1, 4) ==
          "Open MPI v4.1.4 OpenSHMEM 1.4");
    CHECK(machmeter::shmem_library_words({}, "Made-up SHMEM", 1, 5) ==
          "Made-up SHMEM OpenSHMEM 1.5");
}

}  // namespace
