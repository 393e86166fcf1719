// shmem.atomics: atomic operations by processing element 0 on one integer of 1.
#include <string>
#include <utility>

#include "patterns/message_data.hpp"
#include "shmem/counter.hpp"
#include "shmem/runtime.hpp"

namespace machmeter {
namespace {

constexpr int target = 1;

class IntAtomics {
   public:
    explicit IntAtomics(int* integer) : integer_(integer) {}

    void add(int value) const { shmem_int_atomic_add(integer_, value, target); }
    void increment() const { shmem_int_atomic_inc(integer_, target); }
    [[nodiscard]] int fetch_add(int value) const {
        return shmem_int_atomic_fetch_add(integer_, value, target);
    }
    [[nodiscard]] int fetch_increment() const {
        return shmem_int_atomic_fetch_inc(integer_, target);
    }
    [[nodiscard]] int swap(int value) const {
        return shmem_int_atomic_swap(integer_, value, target);
    }
    [[nodiscard]] int compare_swap(int expected, int value) const {
        return shmem_int_atomic_compare_swap(integer_, expected, value, target);
    }

   private:
    int* integer_;
};

class LongAtomics {
   public:
    explicit LongAtomics(long* integer) : integer_(integer) {}

    void add(long value) const { shmem_long_atomic_add(integer_, value, target); }
    void increment() const { shmem_long_atomic_inc(integer_, target); }
    [[nodiscard]] long fetch_add(long value) const {
        return shmem_long_atomic_fetch_add(integer_, value, target);
    }
    [[nodiscard]] long fetch_increment() const {
        return shmem_long_atomic_fetch_inc(integer_, target);
    }
    [[nodiscard]] long swap(long value) const {
        return shmem_long_atomic_swap(integer_, value, target);
    }
    [[nodiscard]] long compare_swap(long expected, long value) const {
        return shmem_long_atomic_compare_swap(integer_, expected, value, target);
    }

   private:
    long* integer_;
};

static_assert(sizeof(int) == 4 && sizeof(long) == 8);

std::size_t integer_bytes(const Parameters& point) {
    const std::uint64_t bytes = point.count("integer");
    if (bytes != sizeof(int) && bytes != sizeof(long)) {
        throw UsageError("integer: " + std::to_string(bytes) + " bytes are neither 4 nor 8");
    }
    return bytes;
}

double symmetric_bytes(const Parameters& /*point*/, int /*size*/) {
    return sizeof(long) + guard_bytes;
}

template <class Integer, class Atomics>
PointResult measure_integers(ShmemSession& session, const Parameters& point) {
    constexpr std::uint64_t most_outstanding = 4096;
    const ShmemAtomic operation = shmem_atomic_of(point);
    const std::uint64_t count = point.count_within("outstanding", 1, most_outstanding);
    const ShmemTeam& team = session.team();
    const SymmetricArray<std::byte> memory(sizeof(Integer) + guard_bytes);
    if (!team.all(memory.made())) {
        return not_measured(point, heap_text(symmetric_bytes(point, team.size())));
    }
    prepare_receive(memory.data(), sizeof(Integer));
    auto* const integer = reinterpret_cast<Integer*>(memory.data());
    *integer = 0;
    ShmemTeam::barrier();
    const Atomics atomics(integer);
    ShmemCounter<Integer> counter(operation, count);
    Samples taken = session.sample(session.event([&](std::uint64_t rounds) {
        for (std::uint64_t round = 0; team.is_root() && round < rounds; ++round) {
            counter.operate(atomics);
            shmem_quiet();
        }
    }));
    const auto expected =
        static_cast<Integer>(team.broadcast(static_cast<double>(counter.value())));
    const bool right = team.all(
        team.is_root() ? counter.fetched_in_order()
                       : *integer == expected && guard_is_whole(memory.data(), sizeof(Integer)));
    return PointResult(point)
        .add_samples(std::move(taken))
        .check(right,
               "the integer holds the result of all operations and those of the last event "
               "fetched its values in order")
        .quantity("operations", count)
        .attribute("event", "all operations one after another, then shmem_quiet")
        .attribute("transfer", fetches(operation)
                                   ? "each operation returns with what it fetched: none starts "
                                     "before the previous one is complete"
                                   : "operations that fetch nothing and may all be in flight at "
                                     "once")
        .attribute("target", "processing element 1 waits inside the library for the next barrier");
}

PointResult measure(ShmemSession& session, const Parameters& point) {
    const std::size_t bytes = integer_bytes(point);
    const std::string defect = known_defect(open_mpi_version, point.text("operation"), bytes);
    if (!defect.empty()) {
        return not_measured(point, defect);
    }
    return bytes == sizeof(int) ? measure_integers<int, IntAtomics>(session, point)
                                : measure_integers<long, LongAtomics>(session, point);
}

void run_atomics(ShmemSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterShmemBenchmark registered({"shmem.atomics",
                                         {"operation", "integer", "outstanding"},
                                         &run_atomics,
                                         two_ranks,
                                         {&symmetric_bytes}});

}  // namespace
}  // namespace machmeter
