// Epochs of one-sided communication between ranks 0 and 1, sampled: what benchmarks of it share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/work.hpp"
#include "core/record/not_measured.hpp"
#include "mpi/benchmark.hpp"
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

inline RmaAxes rma_axes_of(const Parameters& point) {
    constexpr std::uint64_t most_outstanding = 4096;
    const std::string& target = point.text("target");
    if (target != "waiting" && target != "working") {
        throw UsageError("target: '" + target + "' is neither waiting nor working");
    }
    return {synchronization_of(point.text("synchronization")), window_kind_of(point.text("window")),
            point.count_within("outstanding", 1, most_outstanding), target == "working"};
}

// Why such epochs cannot be measured between these ranks; empty where they can.
inline std::string why_not(const RmaAxes& axes, const MpiTeam& team) {
    if (axes.target_works && target_takes_part(axes.synchronization)) {
        return "the target takes part in every epoch of this synchronization and cannot work "
               "meanwhile: ask for target=waiting, or synchronization=lock or lock-all";
    }
    if (axes.window == WindowKind::shared && !share_a_node(team)) {
        return "ranks on different nodes share no memory: ask for window=allocate, or for one node";
    }
    return "";
}

inline Role role_of(const MpiTeam& team) { return team.leads() ? Role::origin : Role::target; }

// work_seconds: how long the target computed after the origin began, 0 where it waited;
// waiting_seconds: of an epoch while it waited, timed the same way; clock_share: of a sample of
// those.
struct EpochTimes {
    Samples samples;
    double waiting_seconds = 0;
    double work_seconds = 0;
    double clock_share = 0;
};

inline double median_or_zero(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The middle one of the target's values, at the leader.
inline double median_at_leader(const MpiTeam& team, std::vector<double> of_target) {
    const std::vector<std::vector<double>> medians =
        team.gather({median_or_zero(std::move(of_target))});
    return medians.empty() ? 0 : medians.back().front();
}

// Samples by that plan; the target computes outside MPI for the whole of each.
template <class Event>
WorkedSamples sample_by(MpiSession& session, const WorkPlan& plan, const SamplingLimits& limits,
                        double steps_per_second, Event&& event) {
    const Clock& clock = session.own().clock();
    WorkedSamples taken = sample_over_work(
        session.team(), clock, limits, plan, session.team().leads(),
        [&] { meet(session.transport(), session.end()); },
        [&](double seconds) {
            work(clock.now(), static_cast<std::uint64_t>(seconds * steps_per_second));
        },
        event);
    session.own().add_timed(taken.samples.timed_seconds);
    return taken;
}

// A few samples beside a target that waits, then those beside one that computes: the same loop, the
// same number of epochs, the same reading of the clock.
template <class Event>
EpochTimes time_over_work(MpiSession& session, Event&& event) {
    const MpiTeam& team = session.team();
    const Clock& clock = session.own().clock();
    const ClockFacts& facts = session.own().clock_facts();
    const SamplingLimits& limits = session.own().limits();
    constexpr double some_seconds = 1e-3;
    const double steps_per_second =
        static_cast<double>(work_steps_for(clock, some_seconds)) / some_seconds;
    event(1);
    const double epoch = calibrate_together(team, clock, facts, event);
    const auto batch = static_cast<std::uint64_t>(
        team.share(static_cast<double>(plan_sampling(epoch, facts, limits).batch)));
    const WorkPlan working = plan_over_work(epoch, batch);
    const WorkPlan waiting{working.batch, working.sample_seconds, 0};
    const SamplingLimits few{3 * limits.least, limits.least, limits.seconds / 4};
    EpochTimes times;
    times.waiting_seconds =
        median_or_zero(sample_by(session, waiting, few, steps_per_second, event).samples.seconds);
    WorkedSamples taken = sample_by(session, working, limits, steps_per_second, event);
    times.samples = std::move(taken.samples);
    times.work_seconds = median_at_leader(team, std::move(taken.worked_seconds));
    times.clock_share = share_of_clock(facts, times.waiting_seconds * static_cast<double>(batch));
    return times;
}

// `operate()` begins the operations of one epoch; on the target it is not called.
template <class Operate>
EpochTimes time_epochs(MpiSession& session, RmaWindow& window, const RmaAxes& axes,
                       Operate&& operate) {
    const Role role = role_of(session.team());
    const auto event = [&](std::uint64_t epochs) {
        run_epochs(window, axes.synchronization, role, epochs, operate);
    };
    EpochTimes times;
    open_epochs(window, axes.synchronization, role);
    if (axes.target_works) {
        times = time_over_work(session, event);
    } else {
        times.samples = session.sample(usual_clock_share, event);
    }
    close_epochs(window, axes.synchronization, role);
    return times;
}

// One epoch more, by itself; complete on both ranks when it returns.
template <class Operate>
void run_one_epoch(MpiSession& session, RmaWindow& window, const RmaAxes& axes, Operate&& operate) {
    const Role role = role_of(session.team());
    session.team().meet();
    open_epochs(window, axes.synchronization, role);
    run_epochs(window, axes.synchronization, role, 1, operate);
    close_epochs(window, axes.synchronization, role);
    session.team().meet();
}

// The point as it is recorded where a call of MPI failed on any rank; empty where none did.
inline std::string what_failed(const MpiTeam& team, const RmaWindow& window) {
    const std::string mine = window.error();
    if (team.all(mine.empty())) {
        return "";
    }
    std::string errors;
    for (const char character : team.join(mine)) {
        errors += errors.empty() && character == ',' ? "" : std::string(1, character);
    }
    return "this MPI library says: " + errors +
           "; ask for another kind of window or synchronization, or measure under another library";
}

inline void add_axes(PointResult& result, const MpiSession& session, const RmaAxes& axes,
                     const EpochTimes& times) {
    result.facts.emplace_back("operations", static_cast<double>(axes.outstanding));
    if (axes.target_works) {
        result.facts.emplace_back("work_seconds", times.work_seconds);
        result.facts.emplace_back("waiting_seconds", times.waiting_seconds);
        result.facts.emplace_back("clock_share", times.clock_share);
        if (times.clock_share > usual_clock_share) {
            result.check_passed = false;
            result.check_what =
                "a sample is too short for the clock, over 5 % of it is the clock's own: ask for "
                "larger sizes or more operations outstanding";
        }
    }
    result.words.emplace_back("event",
                              "one epoch of the origin, rank 0, all of it until completion");
    result.words.emplace_back("synchronization", words_of(axes.synchronization));
    result.words.emplace_back("window", words_of(axes.window));
    std::string target = "rank 1 waits inside MPI for the next collective operation";
    if (axes.target_works) {
        target =
            "rank 1 computes outside MPI until after the origin could have completed; of the " +
            std::to_string(times.samples.batch) +
            " epochs of a sample the first alone can wait for it";
    } else if (target_takes_part(axes.synchronization)) {
        target = "rank 1 takes part in every epoch";
    }
    result.words.emplace_back("target", std::move(target));
    result.words.emplace_back("progress", session.progress());
}

}  // namespace machmeter
