// network.atomics: fetch-and-op and compare-and-swap by rank 0 on one 8-byte integer of rank 1.
#include <cstring>
#include <string>

#include "mpi/library.hpp"
#include "network/onesided/counter.hpp"
#include "network/onesided/measure.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {
namespace {

constexpr std::size_t counter_bytes = sizeof(std::int64_t);

// Over all epochs, timed or not.
bool counter_is_right(MpiSession& session, RmaWindow& window, const RmaCounter& counter,
                      std::uint64_t operations) {
    const MpiTeam& team = session.team();
    const double raised = team.broadcast(static_cast<double>(counter.raised()));
    bool right = true;
    if (team.is_root()) {
        right =
            counter.fetched_in_order() && counter.raised() == static_cast<std::int64_t>(operations);
    } else {
        window.own([&](const std::byte* memory) {
            std::int64_t value = 0;
            std::memcpy(&value, memory, sizeof value);
            right =
                value == static_cast<std::int64_t>(raised) && guard_is_whole(memory, counter_bytes);
        });
    }
    return team.all(right);
}

// What the point lacks; empty if nothing.
std::string lacking(const RmaAxes& axes, AtomicOperation operation, const MpiTeam& team) {
    const std::string why = why_not(axes, team);
    return !why.empty() ? why
                        : known_defect(open_mpi_version_in(mpi_version_text()), operation,
                                       axes.window == WindowKind::allocate && share_a_node(team));
}

PointResult measure(MpiSession& session, const Parameters& point) {
    const RmaAxes axes = rma_axes_of(point);
    const AtomicOperation operation = atomic_operation_of(point);
    const MpiTeam& team = session.team();
    const std::string why = lacking(axes, operation, team);
    if (!why.empty()) {
        return not_measured(point, why);
    }
    RmaWindow window(team, axes.window, counter_bytes + guard_bytes, session.page_bytes());
    if (!window.made()) {
        return not_measured(point, what_failed(team, window));
    }
    window.own([](std::byte* memory) {
        prepare_receive(memory, counter_bytes);
        std::memset(memory, 0, counter_bytes);
    });
    team.barrier();
    RmaCounter counter(operation, axes.outstanding);
    const auto operate = [&] { counter.begin_operations(window); };
    const EpochTimes times = time_epochs(session, window, axes, operate);
    run_one_epoch(session, window, axes, operate);
    const bool right =
        counter_is_right(session, window, counter, (times.epochs + 1) * axes.outstanding);
    const std::string failed = what_failed(team, window);
    if (!failed.empty()) {
        return not_measured(point, failed);
    }
    PointResult result(point);
    result.add_samples(times.samples);
    result.check(right,
                 "the integer counted every operation once and those of the last epoch fetched its "
                 "values in order");
    result.attribute("transfer", operation == AtomicOperation::fetch_and_op
                                     ? "MPI_Fetch_and_op (MPI_SUM) of one MPI_INT64_T"
                                     : "MPI_Compare_and_swap of one MPI_INT64_T, each of which "
                                       "finds what it expects and swaps");
    add_axes(result, session, axes, times);
    result.page_bytes = team.smallest(window.page_bytes());
    return result;
}

void run_atomics(MpiSession& session) {
    session.record_each([&](const Parameters& point) { return measure(session, point); });
}

const RegisterMpiBenchmark registered({"network.atomics",
                                       {"operation", "synchronization", "window", "outstanding",
                                        "target"},
                                       &run_atomics,
                                       two_ranks});

}  // namespace
}  // namespace machmeter
