// threads.arrays: the cost of a data-sharing clause that gives every thread its own copy of an
// array.
//
// private, firstprivate, copyin: a parallel region with the clause over the same region without it.
// copyprivate: a single with the clause over the same single without it. The arrays of private
// clauses are on the threads' stacks, where even the largest takes a thirtieth of the smallest
// default (4 MiB, LLVM).
#include <omp.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/openmp/team_clock.hpp"
#include "core/session/node.hpp"
#include "threads/array_clauses.hpp"
#include "threads/paired_sampling.hpp"

namespace machmeter {

constinit ThreadArray own_array;

namespace {

constexpr std::uint64_t checked_passages = 3;

constexpr std::pair<std::string_view, ArrayClause> clauses[] = {
    {"private", ArrayClause::private_},
    {"firstprivate", ArrayClause::firstprivate},
    {"copyin", ArrayClause::copyin},
    {"copyprivate", ArrayClause::copyprivate},
};

// The thread must have the array, and does nothing with it.
struct Look {
    void operator()(int /*thread*/, const std::uint64_t* words) const {
        asm volatile("" : : "r"(words) : "memory");
    }
};

struct WriteFirst {
    void operator()(std::uint64_t* words, std::uint64_t index) const { words[0] = index; }
};

template <std::size_t Bytes>
class ArrayBench {
   public:
    ArrayBench(const Clock& clock, ArrayClause clause)
        : clock_(clock),
          team_(clock, omp_get_max_threads()),
          blocks_(omp_get_max_threads()),
          clause_(clause) {}

    // Seconds of `count` passages with the clause.
    double test(std::uint64_t count) {
        switch (clause_) {
            case ArrayClause::private_:
                return time_alone(clock_, [&] { private_regions(count, blocks_.of(0), look_); });
            case ArrayClause::firstprivate:
                return time_alone(clock_,
                                  [&] { firstprivate_regions(count, blocks_.of(0), look_); });
            case ArrayClause::copyin:
                return time_alone(clock_, [&] { copyin_regions(count, look_); });
            case ArrayClause::copyprivate:
                return team_.time([&] {
                    copyprivate_passages(count, blocks_.of(omp_get_thread_num()), write_, look_);
                });
        }
        return 0;
    }

    // Seconds of as many without it.
    double reference(std::uint64_t count) {
        switch (clause_) {
            case ArrayClause::private_:
            case ArrayClause::firstprivate:
                return time_alone(clock_, [&] { shared_regions(count, blocks_.of(0), look_); });
            case ArrayClause::copyin:
                return time_alone(clock_, [&] { regions_without_copyin(count, look_); });
            case ArrayClause::copyprivate:
                return team_.time([&] {
                    single_without_copy(count, blocks_.of(omp_get_thread_num()), write_, look_);
                });
        }
        return 0;
    }

   private:
    Clock clock_;
    TeamClock team_;
    ThreadBlocks<Bytes> blocks_;
    ArrayClause clause_;
    Look look_;
    WriteFirst write_;
};

template <std::size_t Bytes>
PointResult measure(NodeSession& session, const Parameters& point) {
    constexpr std::uint64_t fewest_passages = 8;
    const auto clause = choose<ArrayClause>("clause", point.text("clause"), clauses);
    const int threads = omp_get_max_threads();
    const bool right = array_clause_is_right<Bytes>(clause, threads, checked_passages);
    ArrayBench<Bytes> bench(session.clock(), clause);
    const std::uint64_t batch = passages_per_sample(bench, session.clock_facts(), fewest_passages);
    return paired_result(point, sample_pairs(session, bench, batch), batch)
        .check(right, "in " + std::to_string(checked_passages) +
                          " passages every thread had its own copy with the right content")
        .quantity("threads", threads)
        .quantity("bytes", Bytes);
}

PointResult measure_of_size(NodeSession& session, const Parameters& point) {
    switch (point.count("size")) {
        case 8:
            return measure<8>(session, point);
        case 512:
            return measure<512>(session, point);
        case 8192:
            return measure<8192>(session, point);
        case 131072:
            return measure<131072>(session, point);
        default:
            throw UsageError("size: " + point.text("size") +
                             " bytes is none of 8, 512, 8192, 131072: the size is part of "
                             "its array when it is compiled");
    }
}

void run_arrays(NodeSession& session) {
    session.record_each([&](const Parameters& point) { return measure_of_size(session, point); });
}

const RegisterNodeBenchmark registered({"threads.arrays", {"clause", "size"}, &run_arrays});

}  // namespace
}  // namespace machmeter
