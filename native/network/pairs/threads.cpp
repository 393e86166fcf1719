// network.threads: each thread of rank 0 with the same thread of rank 1, each pair with a
// own communicator and buffers (MPI_THREAD_MULTIPLE; MPI 3.1, section 12.4).
#include <omp.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/openmp/team_errors.hpp"
#include "core/openmp/teams.hpp"
#include "mpi/runtime.hpp"
#include "network/pairs/pair_sampling.hpp"
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

// What one thread has for its messages; made by itself, so that its pages are near it.
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
            groups_.push_back(OwnCommunicator::duplicate(session.team().group()));
        }
        TeamErrors errors;
        std::size_t team = 0;
#pragma omp parallel num_threads(static_cast<int>(threads)) reduction(+ : team)
        errors.catching([&] {
            ++team;
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            ends_[thread] =
                std::make_unique<ThreadEnd>(groups_[thread].get(), bytes, session.page_bytes());
        });
        errors.rethrow();
        require_team(session.team().smallest(team), threads);
    }

    [[nodiscard]] std::size_t size() const { return ends_.size(); }
    [[nodiscard]] ThreadEnd& operator[](std::size_t thread) const { return *ends_[thread]; }

    // `run(thread, end)` by every thread at once. A team that lacks a thread sends nothing: the
    // peer of that thread would wait forever.
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

    // Seconds of `count` events of the slowest thread; all begin after a barrier of every pair.
    [[nodiscard]] double time_events(const Shape& shape, std::uint64_t count) const {
        const Clock& clock = session_.clock();
        all_at_once([&](std::size_t /*thread*/, ThreadEnd& mine) {
            barrier(mine.transport, session_.end());
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

    // One more event of every thread, every message with its own bytes and place.
    [[nodiscard]] bool transfer_is_right(const Shape& shape) const {
        const std::uint64_t seed = session_.seed();
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
    const bool ping_pongs = shape.window == 1;
    const std::uint64_t batch = taken.batch;
    return PointResult(point)
        .add_samples(series_of(ends, std::move(taken)), batch)
        .check(ends.transfer_is_right(shape),
               "every thread received its peer's bytes in its own buffers and nothing behind "
               "them")
        .quantity("bytes", shape.bytes)
        .quantity("messages", ends.size() * (ping_pongs ? 2 : shape.window))
        .quantity("threads", ends.size())
        .attribute("event", ping_pongs ? "one round trip: a message each way, not halved"
                                       : "one window and the 4 B token that replies to it")
        .attribute("threads",
                   "all begin together; the slowest pair sets the time, messages are of all; a "
                   "sample has so many events that beginning together is a twentieth of it where "
                   "the time limit allows")
        .attribute("transfer", std::string(ping_pongs ? "MPI_Send, MPI_Recv"
                                                      : "MPI_Isend, MPI_Irecv, MPI_Waitall") +
                                   " of " + content_text(shape.bytes) + ", MPI_THREAD_MULTIPLE")
        .attribute("buffer", "hot: reused; each thread's own, touched by it")
        .on_pages(ends.smallest_page_bytes());
}

// Threads that a parallel region gets, perhaps fewer than requested.
std::uint64_t threads_of_team() {
    std::uint64_t threads = 0;
#pragma omp parallel reduction(+ : threads)
    ++threads;
    return threads;
}

void run_threads(MpiSession& session) {
    const NodeMemory available(session.team());
    const auto threads = static_cast<std::size_t>(session.team().smallest(threads_of_team()));
    std::size_t most_bytes = 0;
    std::vector<std::string> lacking;
    for (const Parameters& point : session.points()) {
        const Shape shape = shape_of(point);
        const std::size_t bytes = window_bytes(shape.bytes, shape.window);
        lacking.push_back(available.why_not(2 * static_cast<double>(bytes * threads)));
        most_bytes = std::max(most_bytes, lacking.back().empty() ? bytes : 0);
    }
    const ThreadEnds ends(session, threads, most_bytes);
    record_each(session, lacking,
                [&](const Parameters& point) { return measure(session, ends, point); });
}

const RegisterMpiBenchmark registered(
    {"network.threads", {"size", "window"}, &run_threads, two_ranks, {MPI_THREAD_MULTIPLE}});

}  // namespace
}  // namespace machmeter
