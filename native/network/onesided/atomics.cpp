// network.atomics: fetch-and-op and compare-and-swap by rank 0 on one 8-byte integer of rank 1.
#include <string>
#include <utility>

#include "mpi/library.hpp"
#include "network/onesided/counter.hpp"
#include "network/onesided/measure.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {
namespace {

constexpr std::size_t counter_bytes = sizeof(std::int64_t);

// Over all epochs, timed or not.
bool counter_is_right(MpiSession& session, RmaWindow& window, const RmaCounter& counter) {
    const MpiTeam& team = session.team();
    const double raised = team.share(static_cast<double>(counter.raised()));
    bool right = true;
    if (team.leads()) {
        right = counter.fetched_in_order();
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

PointResult measure(MpiSession& session, const Parameters& point) {
    const RmaAxes axes = rma_axes_of(point);
    const AtomicOperation operation = atomic_operation_of(point.text("operation"));
    const MpiTeam& team = session.team();
    std::string lacking = why_not(axes, team);
    if (lacking.empty()) {
        lacking = known_defect(open_mpi_version_in(mpi_version_text()), operation,
                               axes.window == WindowKind::allocate && share_a_node(team));
    }
    if (!lacking.empty()) {
        return not_measured(point, lacking);
    }
    RmaWindow window(team, axes.window, counter_bytes + guard_bytes, session.own().page_bytes());
    if (!window.made()) {
        return not_measured(point, what_failed(team, window));
    }
    window.own([](std::byte* memory) {
        prepare_receive(memory, counter_bytes);
        std::memset(memory, 0, counter_bytes);
    });
    team.meet();
    RmaCounter counter(operation, axes.outstanding);
    const auto operate = [&] { counter.begin_operations(window); };
    EpochTimes times = time_epochs(session, window, axes, operate);
    run_one_epoch(session, window, axes, operate);
    const bool right = counter_is_right(session, window, counter);
    const std::string failed = what_failed(team, window);
    if (!failed.empty()) {
        return not_measured(point, failed);
    }
    PointResult result{point,
                       {{"seconds", std::move(times.samples.seconds)}},
                       times.samples.batch,
                       right,
                       "the integer counted every operation once and those of the last epoch "
                       "fetched its values in order"};
    result.words = {{"transfer", operation == AtomicOperation::fetch_and_op
                                     ? "MPI_Fetch_and_op (MPI_SUM) of one MPI_INT64_T"
                                     : "MPI_Compare_and_swap of one MPI_INT64_T, each of which "
                                       "finds what it expects and swaps"}};
    add_axes(result, session, axes, times);
    result.page_bytes = team.smallest(window.page_bytes());
    return result;
}

void run_atomics(MpiSession& session) {
    for (const Parameters& point : session.own().points()) {
        session.begin(point);
        session.own().record(measure(session, point));
    }
}

const RegisterMpiBenchmark registered("network.atomics",
                                      {"operation", "synchronization", "window", "outstanding",
                                       "target"},
                                      two_ranks, &run_atomics);

}  // namespace
}  // namespace machmeter
