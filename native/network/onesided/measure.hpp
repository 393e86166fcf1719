// Epochs of one-sided communication between ranks 0 and 1, sampled: what benchmarks of it share.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/work.hpp"
#include "mpi/runtime.hpp"
#include "network/onesided/target_work.hpp"
#include "network/onesided/window.hpp"
#include "patterns/epochs.hpp"

namespace machmeter {

struct RmaAxes {
    Synchronization synchronization = Synchronization::lock_all;
    WindowKind window = WindowKind::allocate;
    std::size_t outstanding = 1;
    bool target_works = false;
};

// Throws UsageError.
inline RmaAxes rma_axes_of(const Parameters& point) {
    constexpr std::uint64_t most_outstanding = 4096;
    return {synchronization_of(point), window_kind_of(point),
            point.count_within("outstanding", 1, most_outstanding),
            point.choice<bool>("target", {{"waiting", false}, {"working", true}})};
}

inline const char* text_of(Synchronization synchronization) {
    constexpr const char* texts[] = {
        "from one MPI_Win_fence of both ranks to the next",
        "MPI_Win_start and MPI_Win_complete, matched by MPI_Win_post and MPI_Win_wait",
        "MPI_Win_lock (MPI_LOCK_SHARED) and MPI_Win_unlock",
        "MPI_Win_flush; MPI_Win_lock_all stays open over all samples"};
    return texts[static_cast<std::size_t>(synchronization)];
}

// Why such epochs cannot be measured between these ranks; empty where they can.
inline std::string why_not(const RmaAxes& axes, const MpiTeam& team) {
    if (axes.target_works && target_takes_part(axes.synchronization)) {
        return "the target takes part in every epoch of this synchronization and cannot "
               "compute: request target=waiting, or synchronization=lock or lock-all";
    }
    if (axes.window == WindowKind::shared && !share_a_node(team)) {
        return "ranks on different nodes share no memory: request window=allocate, or one node";
    }
    return "";
}

inline Role role_of(const MpiTeam& team) { return team.is_root() ? Role::origin : Role::target; }

// epochs: all that were run; work_seconds: how long the target computed after the origin began, 0
// where it waited; waiting_seconds: of an epoch while it waited, timed the same way; clock_share:
// of a sample of those.
struct EpochTimes {
    Samples samples;
    std::uint64_t epochs = 0;
    double waiting_seconds = 0;
    double work_seconds = 0;
    double clock_share = 0;
};

// The median of the target's values, at the root.
inline double median_at_root(const MpiTeam& team, std::vector<double> of_target) {
    const std::vector<std::vector<double>> medians = team.gather({median(std::move(of_target))});
    return medians.empty() ? 0 : medians.back().front();
}

// Samples by that plan; the target computes outside MPI for the whole of each.
template <TimedEvent E>
WorkedSamples sample_by(MpiSession& session, const WorkPlan& plan, const SamplingLimits& limits,
                        double steps_per_second, E&& event) {
    const CpuWatch watch = session.watch_cpu();
    const Clock& clock = session.clock();
    WorkedSamples taken = sample_over_work(
        session.team(), clock, limits, plan, session.team().is_root(),
        [&] { barrier(session.transport(), session.end()); },
        [&](double seconds) {
            work(clock.now(), static_cast<std::uint64_t>(seconds * steps_per_second));
        },
        event);
    session.add_timed(taken.samples.timed_seconds);
    return taken;
}

// A few samples with a target that waits, then those with one that computes: the same loop, the
// same number of epochs, the same clock readings.
template <TimedEvent E>
EpochTimes time_over_work(MpiSession& session, E&& event) {
    const MpiTeam& team = session.team();
    const ClockFacts& facts = session.clock_facts();
    const SamplingLimits& limits = session.limits();
    constexpr double some_seconds = 1e-3;
    const double steps_per_second =
        static_cast<double>(work_steps_for(session.clock(), some_seconds)) / some_seconds;
    event(1);
    const double epoch = calibrate_together(team, facts, event);
    const std::uint64_t batch = broadcast_count(team, plan_sampling(epoch, facts, limits).batch);
    const WorkPlan working = plan_over_work(epoch, batch);
    const WorkPlan waiting{working.batch, working.sample_seconds, 0};
    const SamplingLimits few{3 * limits.least, limits.least, limits.seconds / 4};
    EpochTimes times;
    times.waiting_seconds =
        median(sample_by(session, waiting, few, steps_per_second, event).samples.seconds);
    WorkedSamples taken = sample_by(session, working, limits, steps_per_second, event);
    times.samples = std::move(taken.samples);
    times.work_seconds = median_at_root(team, std::move(taken.worked_seconds));
    times.clock_share = share_of_clock(facts, times.waiting_seconds * static_cast<double>(batch));
    return times;
}

// `operate()` starts the operations of one epoch; the target does not call it.
template <class Operate>
EpochTimes time_epochs(MpiSession& session, RmaWindow& window, const RmaAxes& axes,
                       Operate&& operate) {
    const Role role = role_of(session.team());
    auto event = session.event([&](std::uint64_t epochs) {
        run_epochs(window, axes.synchronization, role, epochs, operate);
    });
    EpochTimes times;
    open_epochs(window, axes.synchronization, role);
    if (axes.target_works) {
        times = time_over_work(session, event);
    } else {
        times.samples = session.sample(event);
    }
    close_epochs(window, axes.synchronization, role);
    times.epochs = event.rounds();
    return times;
}

// One more epoch by itself; complete on both ranks when it returns.
template <class Operate>
void run_one_epoch(MpiSession& session, RmaWindow& window, const RmaAxes& axes, Operate&& operate) {
    const Role role = role_of(session.team());
    session.team().barrier();
    open_epochs(window, axes.synchronization, role);
    run_epochs(window, axes.synchronization, role, 1, operate);
    close_epochs(window, axes.synchronization, role);
    session.team().barrier();
}

// Why the point cannot be recorded: an MPI call failed on some rank; empty if none did.
inline std::string what_failed(const MpiTeam& team, const RmaWindow& window) {
    const std::string mine = window.error();
    if (team.all(mine.empty())) {
        return "";
    }
    return "this MPI library reports: " + team.join(mine) +
           "; request another kind of window or synchronization, or use another library";
}

inline std::string target_text(const RmaAxes& axes, std::uint64_t batch) {
    if (axes.target_works) {
        return "rank 1 computes outside MPI until after the origin could have completed; of the " +
               std::to_string(batch) + " epochs of a sample only the first can wait for it";
    }
    return target_takes_part(axes.synchronization)
               ? "rank 1 takes part in every epoch"
               : "rank 1 waits inside MPI for the next collective operation";
}

inline void add_axes(PointResult& result, const MpiSession& session, const RmaAxes& axes,
                     const EpochTimes& times) {
    result.quantity("operations", axes.outstanding);
    if (axes.target_works) {
        result.quantity("work_seconds", times.work_seconds)
            .quantity("waiting_seconds", times.waiting_seconds)
            .quantity("clock_share", times.clock_share);
        if (times.clock_share > usual_clock_share) {
            result.check(false,
                         "a sample is too short for the clock, whose cost is over 5 % of it: "
                         "request larger sizes or more outstanding operations");
        }
    }
    result.attribute("event", "one epoch of the origin, rank 0, until completion")
        .attribute("synchronization", text_of(axes.synchronization))
        .attribute("window", text_of(axes.window))
        .attribute("target", target_text(axes, times.samples.batch))
        .attribute("progress", session.runtime().progress_text());
}

}  // namespace machmeter
