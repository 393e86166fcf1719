// threads.arrays: what a data-sharing clause costs that gives every thread its own copy of an
// array.
//
// private, firstprivate, copyin: a parallel region with the clause over the same region without it.
// copyprivate: a single with the clause over the same single without it. The arrays of private
// clauses lie on the threads' stacks, where even the largest takes a thirtieth of the smallest
// default (4 MiB, LLVM).
#include <omp.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/libraries/openmp_runtime.hpp"
#include "core/openmp/team_clock.hpp"
#include "core/session/node_benchmark.hpp"
#include "threads/array_clause_check.hpp"
#include "threads/array_clauses.hpp"
#include "threads/paired_sampling.hpp"

namespace machmeter {

constinit ThreadArray own_array;

namespace {

constexpr std::uint64_t checked_passages = 3;

constexpr std::array<std::pair<std::string_view, ArrayClause>, 4> clauses{{
    {"private", ArrayClause::private_},
    {"firstprivate", ArrayClause::firstprivate},
    {"copyin", ArrayClause::copyin},
    {"copyprivate", ArrayClause::copyprivate},
}};

ArrayClause clause_of(const Parameters& point) {
    const std::string& wanted = point.text("clause");
    for (const auto& [name, clause] : clauses) {
        if (name == wanted) {
            return clause;
        }
    }
    throw UsageError("clause: '" + wanted +
                     "' is none of private, firstprivate, copyin, copyprivate");
}

// The array must be there for the thread, and nothing is done with it.
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
PointResult measure(Session& session, const Parameters& point) {
    constexpr std::uint64_t fewest_passages = 8;
    const ArrayClause clause = clause_of(point);
    const int threads = omp_get_max_threads();
    const bool right = array_clause_is_right<Bytes>(clause, threads, checked_passages);
    ArrayBench<Bytes> bench(session.clock(), clause);
    const std::uint64_t batch = passages_per_sample(bench, session.clock_facts(), fewest_passages);
    Paired paired = sample_pairs(session, bench, batch);
    return {point,
            {{"test", std::move(paired.test)}, {"reference", std::move(paired.reference)}},
            batch,
            right,
            "in " + std::to_string(checked_passages) +
                " passages every thread had a copy of its own, with the content it shall have",
            {{"threads", static_cast<double>(threads)}, {"bytes", static_cast<double>(Bytes)}},
            {{"wait_policy", wait_policy()}, {"runtime", openmp_runtime()}}};
}

PointResult measure_of_size(Session& session, const Parameters& point) {
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
                             " bytes is none of 8, 512, 8192, 131072: a clause knows the size of "
                             "its array when it is compiled");
    }
}

void run_arrays(Session& session) {
    for (const Parameters& point : session.points()) {
        session.record(measure_of_size(session, point));
    }
}

const RegisterNodeBenchmark registered("threads.arrays", {"clause", "size"}, &run_arrays);

}  // namespace
}  // namespace machmeter
