// network.threads: each thread of rank 0 with the same thread of rank 1, each pair with a
// communicator and buffers of its own (MPI_THREAD_MULTIPLE; MPI 3.1, section 12.4).
#include <omp.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/openmp/team_errors.hpp"
#include "core/openmp/team_size.hpp"
#include "mpi/benchmark.hpp"
#include "mpi/message_memory.hpp"
#include "network/pairs/mpi_pairs.hpp"
#include "network/points.hpp"
#include "patterns/window.hpp"

namespace machmeter {
namespace {

struct Shape {
    std::size_t bytes;
    std::size_t window;
};

Shape shape_of(const Parameters& point) {
    return {point.count("size"), point.count_within("window", 1, most_window)};
}

class OwnCommunicator {
   public:
    explicit OwnCommunicator(MPI_Comm group) { MPI_Comm_dup(group, &group_); }
    OwnCommunicator(const OwnCommunicator&) = delete;
    OwnCommunicator& operator=(const OwnCommunicator&) = delete;
    OwnCommunicator& operator=(OwnCommunicator&&) = delete;
    OwnCommunicator(OwnCommunicator&& other) noexcept
        : group_(std::exchange(other.group_, MPI_COMM_NULL)) {}

    // By all ranks together, which they do not do where one has failed.
    ~OwnCommunicator() {
        if (group_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) {
            MPI_Comm_free(&group_);
        }
    }

    [[nodiscard]] MPI_Comm get() const { return group_; }

   private:
    MPI_Comm group_ = MPI_COMM_NULL;
};

// What one thread has for its messages; made by the thread itself, so that its pages are near it.
struct ThreadEnd {
    ThreadEnd(MPI_Comm group, std::size_t bytes, std::size_t page_bytes)
        : transport(group), buffers(bytes, page_bytes) {}

    MpiTransport transport;
    MessageBuffers buffers;
    std::vector<MpiTransport::Request> requests;
    std::vector<double> samples;  // seconds of a batch
    double seconds = 0;           // of the events timed last
    bool right = true;
};

// All threads of this rank, each the end of one pair.
class ThreadEnds {
   public:
    // All ranks make it together: as many threads each.
    ThreadEnds(MpiSession& session, std::size_t threads, std::size_t bytes)
        : session_(session), ends_(threads) {
        for (std::size_t i = 0; i < threads; ++i) {
            groups_.emplace_back(session.team().group());
        }
        TeamErrors errors;
        std::size_t team = 0;
#pragma omp parallel num_threads(static_cast<int>(threads)) reduction(+ : team)
        errors.catching([&] {
            ++team;
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            ends_[thread] = std::make_unique<ThreadEnd>(groups_[thread].get(), bytes,
                                                        session.own().page_bytes());
        });
        errors.rethrow();
        require_team(session.team().smallest(team), threads);
    }

    [[nodiscard]] std::size_t size() const { return ends_.size(); }
    [[nodiscard]] ThreadEnd& operator[](std::size_t thread) const { return *ends_[thread]; }

    // `run(thread, end)` by every thread at once. A team that lacks a thread sends nothing: the
    // peer of that thread would wait for ever.
    template <class Run>
    void all_at_once(Run&& run) const {
        std::size_t team = 0;
#pragma omp parallel num_threads(static_cast<int>(ends_.size()))
        {
            const auto threads = static_cast<std::size_t>(omp_get_num_threads());
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            if (thread == 0) {
                team = threads;
            }
            if (threads == ends_.size()) {
                run(thread, *ends_[thread]);
            }
        }
        require_team(team, ends_.size());
    }

    // Seconds of `count` events of the slowest thread; all begin when every pair has met.
    [[nodiscard]] double time_events(const Shape& shape, std::uint64_t count) const {
        const Clock& clock = session_.own().clock();
        all_at_once([&](std::size_t /*thread*/, ThreadEnd& mine) {
            meet(mine.transport, session_.end());
#pragma omp barrier
            const std::uint64_t begin = clock.now();
            transfer(shape, reused_window(mine.buffers, shape.bytes, shape.window), mine, count);
            mine.seconds = seconds_between(begin, clock.now());
        });
        double slowest = 0;
        for (const std::unique_ptr<ThreadEnd>& end : ends_) {
            slowest = std::max(slowest, end->seconds);
        }
        return slowest;
    }

    // One event more of every thread, every message with bytes and a place of its own.
    [[nodiscard]] bool transfer_is_right(const Shape& shape) const {
        const std::uint64_t seed = session_.own().seed();
        const End pair = session_.end();
        const auto rank = static_cast<std::uint64_t>(session_.team().rank());
        all_at_once([&](std::size_t thread, ThreadEnd& mine) {
            const Messages messages = checked_window(mine.buffers, shape.bytes, shape.window);
            const std::uint64_t number = thread * most_window;
            prepare_window(mine.buffers, messages, {seed, rank, number});
            transfer(shape, messages, mine, 1);
            const bool receives = shape.window == 1 || !pair.first;
            mine.right =
                !receives ||
                window_is_right(messages, {seed, static_cast<std::uint64_t>(pair.peer), number});
        });
        return session_.team().all(
            std::all_of(ends_.begin(), ends_.end(), [](const auto& end) { return end->right; }));
    }

    [[nodiscard]] std::uint64_t smallest_page_bytes() const {
        std::uint64_t smallest = ends_.front()->buffers.page_bytes();
        for (const std::unique_ptr<ThreadEnd>& end : ends_) {
            smallest = std::min<std::uint64_t>(smallest, end->buffers.page_bytes());
        }
        return session_.team().smallest(smallest);
    }

   private:
    // A window of one is a ping-pong.
    void transfer(const Shape& shape, const Messages& messages, ThreadEnd& mine,
                  std::uint64_t count) const {
        const End end = session_.end();
        if (shape.window == 1) {
            ping_pong(mine.transport, end, messages.out, messages.in, shape.bytes, count);
        } else {
            window_one_way(mine.transport, end, messages, mine.requests, count);
        }
    }

    MpiSession& session_;
    std::vector<OwnCommunicator> groups_;
    std::vector<std::unique_ptr<ThreadEnd>> ends_;
};

std::vector<NamedSeries> series_of(const ThreadEnds& ends, Samples taken) {
    std::vector<NamedSeries> series{{"seconds", std::move(taken.seconds)}};
    for (std::size_t thread = 0; ends.size() > 1 && thread < ends.size(); ++thread) {
        std::vector<double> own = std::move(ends[thread].samples);
        for (double& seconds : own) {
            seconds /= static_cast<double>(taken.batch);
        }
        series.emplace_back("thread " + std::to_string(thread), std::move(own));
    }
    return series;
}

PointResult measure(MpiSession& session, const ThreadEnds& ends, const Parameters& point) {
    const Shape shape = shape_of(point);
    for (std::size_t thread = 0; thread < ends.size(); ++thread) {
        ends[thread].samples.clear();
        ends[thread].requests.reserve(shape.window);
    }
    Samples taken = sample_timed(
        session, usual_clock_share,
        [&](std::uint64_t count) { return ends.time_events(shape, count); },
        [&] {
            for (std::size_t thread = 0; thread < ends.size(); ++thread) {
                ends[thread].samples.push_back(ends[thread].seconds);
            }
        });
    const bool right = ends.transfer_is_right(shape);
    const std::uint64_t batch = taken.batch;
    const bool ping_pongs = shape.window == 1;
    const auto threads = static_cast<double>(ends.size());
    return {
        point,
        series_of(ends, std::move(taken)),
        batch,
        right,
        "every thread received its peer's bytes in its own buffers and nothing behind them",
        {{"bytes", static_cast<double>(shape.bytes)},
         {"messages", threads * static_cast<double>(ping_pongs ? 2 : shape.window)},
         {"threads", threads}},
        {{"event", ping_pongs ? "one round trip: a message each way, not halved"
                              : "one window and the 4 B token that answers it"},
         {"threads",
          "all begin together; the slowest pair sets the time, messages are those of all; a "
          "sample has so many events that beginning together is a twentieth of it where the time "
          "limit leaves room"},
         {"transfer",
          std::string(ping_pongs ? "MPI_Send, MPI_Recv" : "MPI_Isend, MPI_Irecv, MPI_Waitall") +
              " of " + content_words(shape.bytes) + ", MPI_THREAD_MULTIPLE"},
         {"buffer", "hot: reused; each thread's own, touched by it"}},
        ends.smallest_page_bytes()};
}

// Threads that a parallel region gets, which may be fewer than were asked for.
std::uint64_t threads_of_team() {
    std::uint64_t threads = 0;
#pragma omp parallel reduction(+ : threads)
    ++threads;
    return threads;
}

void run_threads(MpiSession& session) {
    const MessageMemory available(session.team());
    const auto threads = static_cast<std::size_t>(session.team().smallest(threads_of_team()));
    std::size_t most_bytes = 0;
    std::vector<std::string> lacking;
    for (const Parameters& point : session.own().points()) {
        const Shape shape = shape_of(point);
        const std::size_t bytes = window_bytes(shape.bytes, shape.window);
        lacking.push_back(available.why_not(2 * static_cast<double>(bytes * threads)));
        most_bytes = std::max(most_bytes, lacking.back().empty() ? bytes : 0);
    }
    const ThreadEnds ends(session, threads, most_bytes);
    record_each(session, lacking,
                [&](const Parameters& point) { return measure(session, ends, point); });
}

const RegisterMpiBenchmark registered("network.threads", {"size", "window"}, two_ranks,
                                      &run_threads, MPI_THREAD_MULTIPLE);

}  // namespace
}  // namespace machmeter
