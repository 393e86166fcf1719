// network.onesided: put, get and accumulate by rank 0 in the memory of rank 1, until complete.
#include <algorithm>
#include <string>
#include <utility>

#include "mpi/memory.hpp"
#include "network/onesided/measure.hpp"
#include "patterns/one_sided.hpp"

namespace machmeter {
namespace {

RmaShape shape_of(const Parameters& point, const RmaAxes& axes) {
    const std::size_t bytes = point.count("size");
    if (bytes == 0 || bytes % sizeof(std::int64_t) != 0) {
        throw UsageError("size: " + std::to_string(bytes) + " is not a positive multiple of 8");
    }
    return {rma_operation_of(point), bytes, axes.outstanding, places_for(bytes, axes.outstanding)};
}

// Why operations of this size cannot be done; empty where they can.
std::string why_too_large(const RmaShape& shape, const MpiTeam& team) {
    if (shape.adds() && shape.bytes / sizeof(std::int64_t) > most_int) {
        return "an accumulate counts its integers with a C int: request smaller sizes";
    }
    // Both ranks have a window; only the origin has buffers to send and to receive.
    const double copies = share_a_node(team) ? 2 : 3;
    const double fetched = static_cast<double>(std::max(shape.extent(), shape.fetched_extent()));
    const double bytes = (copies - 1) * static_cast<double>(shape.extent()) + 2 * fetched;
    return NodeMemory(team).why_not(bytes);
}

std::string transfer_text(const RmaShape& shape) {
    const char* of_bytes =
        shape.bytes > most_int ? " of one element of a derived datatype" : " of MPI_BYTE";
    switch (shape.operation) {
        case RmaOperation::put:
            return std::string("MPI_Put") + of_bytes;
        case RmaOperation::get:
            return std::string("MPI_Get") + of_bytes;
        case RmaOperation::accumulate:
            return "MPI_Accumulate (MPI_SUM) of MPI_INT64_T";
        case RmaOperation::get_accumulate:
            break;
    }
    return "MPI_Get_accumulate (MPI_SUM) of MPI_INT64_T";
}

// One more epoch over known data.
bool epoch_is_right(MpiSession& session, RmaWindow& window, const RmaAxes& axes,
                    const RmaShape& shape, const MessageBuffers& buffers) {
    const RmaCheck check(shape, session.seed());
    const bool origin = session.team().is_root();
    if (origin) {
        check.fill_out(buffers.out());
        prepare_receive(buffers.in(), shape.fetched_extent());
    } else {
        window.own([&](std::byte* memory) { check.fill_window(memory); });
    }
    run_one_epoch(session, window, axes,
                  [&] { begin_operations(window, shape, buffers.out(), buffers.in()); });
    bool right = true;
    if (origin) {
        right = check.fetched_is_right(buffers.in());
    } else {
        window.own([&](const std::byte* memory) { right = check.window_is_right(memory); });
    }
    return session.team().all(right);
}

PointResult measure(MpiSession& session, const Parameters& point) {
    const RmaAxes axes = rma_axes_of(point);
    const RmaShape shape = shape_of(point, axes);
    const MpiTeam& team = session.team();
    std::string lacking = why_not(axes, team);
    lacking = lacking.empty() ? why_too_large(shape, team) : lacking;
    if (!lacking.empty()) {
        return not_measured(point, lacking);
    }
    const std::size_t page_bytes = session.page_bytes();
    const MessageBuffers buffers(team.is_root() ? shape.fetched_extent() : sizeof(std::int64_t),
                                 page_bytes);
    RmaWindow window(team, axes.window, shape.extent() + guard_bytes, page_bytes);
    if (!window.made()) {
        return not_measured(point, what_failed(team, window));
    }
    const EpochTimes times = time_epochs(session, window, axes, [&] {
        begin_operations(window, shape, buffers.out(), buffers.in());
    });
    const bool right = epoch_is_right(session, window, axes, shape, buffers);
    const std::string failed = what_failed(team, window);
    if (!failed.empty()) {
        return not_measured(point, failed);
    }
    PointResult result(point);
    result.add_samples(times.samples);
    result.check(right,
                 "the operations of one epoch left their own bytes or sums at both ranks and "
                 "nothing behind them");
    result.quantity("bytes_one_way", shape.bytes * shape.count).quantity("places", shape.places);
    result.attribute("transfer", transfer_text(shape))
        .attribute("buffer",
                   "reused: every operation of an epoch has its own place, up to 64 MiB; "
                   "every get-accumulate has its own result");
    add_axes(result, session, axes, times);
    const std::size_t window_pages = window.page_bytes();
    result.page_bytes = team.smallest(
        window_pages == 0 ? buffers.page_bytes() : std::min(window_pages, buffers.page_bytes()));
    return result;
}

void run_onesided(MpiSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterMpiBenchmark registered({"network.onesided",
                                       {"operation", "size", "synchronization", "window",
                                        "outstanding", "target"},
                                       &run_onesided,
                                       two_ranks});

}  // namespace
}  // namespace machmeter
