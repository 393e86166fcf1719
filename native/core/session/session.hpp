// What the body of a benchmark is given: the ranks, the clock, memory, the points to measure and
// where their results go.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/clock/cpu_time.hpp"
#include "core/clock/event.hpp"
#include "core/clock/sampling.hpp"
#include "core/memory/memory.hpp"
#include "core/record/point.hpp"
#include "core/session/arguments.hpp"
#include "core/session/long_events.hpp"
#include "core/session/phases.hpp"
#include "core/session/team.hpp"
#include "core/session/team_sampling.hpp"

namespace machmeter {

// Some messages of a rank: those that it received, and its calls of sched_yield meanwhile.
struct Exchanged {
    std::uint64_t received = 0;
    std::uint64_t yields = 0;
};

// Runtime: what differs between the programs, see core/session/program.hpp.
template <class Runtime>
class BasicSession {
   public:
    using Team = typename Runtime::Team;
    using Record = std::function<void(const PointResult&)>;
    using Announce = std::function<void(const Parameters&)>;

    // record: takes each result; announce: takes each point before it is measured.
    BasicSession(Runtime& runtime, Clock clock, Arguments arguments, Record record,
                 Announce announce = {})
        : runtime_(runtime),
          clock_(clock),
          facts_(measure_clock(clock)),
          phases_(clock),
          arguments_(std::move(arguments)),
          record_(std::move(record)),
          announce_(std::move(announce)) {}

    [[nodiscard]] Runtime& runtime() const { return runtime_; }
    [[nodiscard]] const Team& team() const { return runtime_.team(); }
    [[nodiscard]] const Clock& clock() const { return clock_; }
    [[nodiscard]] const ClockFacts& clock_facts() const { return facts_; }
    [[nodiscard]] const SamplingLimits& limits() const { return arguments_.limits; }
    [[nodiscard]] const std::vector<Parameters>& points() const { return arguments_.points; }
    [[nodiscard]] std::uint64_t page_bytes() const { return arguments_.page_bytes; }
    [[nodiscard]] std::uint64_t seed() const { return arguments_.seed; }

    // Where the record of the launch is, and what it may write besides.
    [[nodiscard]] std::string folder() const {
        const std::size_t end = arguments_.record.rfind('/');
        return end == std::string::npos ? "." : arguments_.record.substr(0, end + 1);
    }

    // Memory as the layout requests it; nothing has touched it.
    [[nodiscard]] Memory allocate(std::size_t bytes) const { return {bytes, page_bytes()}; }

    // An event on the session's clock; `body(rounds)` runs so many rounds.
    template <class Body>
    [[nodiscard]] Event<std::decay_t<Body>> event(Body&& body) const {
        return {clock_, std::forward<Body>(body)};
    }

    // Warm up, calibrate and sample an event that all ranks take part in; its time counts as timed.
    template <TimedEvent E>
    Samples sample(E&& event, double largest_clock_share = usual_clock_share) {
        const CpuWatch watch = watch_cpu();
        Samples taken;
        if constexpr (std::same_as<Team, SingleTeam>) {
            taken = sample_event(facts_, limits(), event);
        } else {
            taken = sample_together(team(), facts_, limits(), largest_clock_share, event);
        }
        end_watch();
        add_timed(taken.timed_seconds);
        return taken;
    }

    // Sample an event that may take all of a point's time; `prepare` is not timed, and the phases
    // are those of the events alone.
    template <class Prepare, class Event>
    Samples sample_long(Prepare&& prepare, Event&& event) {
        Phases of_events(clock_);
        const Samples taken = machmeter::sample_long(team(), clock_, limits(), prepare, [&] {
            const CpuWatch watch = watch_cpu();
            phases_.clear();
            event();
            for (const auto& [phase, name] : all_phases) {
                of_events.add(phase, phases_.seconds(phase));
            }
        });
        phases_ = of_events;
        end_watch();
        add_timed(taken.timed_seconds);
        return taken;
    }

    // Where the time of this rank goes: `const auto span = session.phases().in(Phase::halo);`
    [[nodiscard]] Phases& phases() { return phases_; }

    // Time inside the timed parts, for the account of a launch's time.
    void add_timed(double seconds) { timed_seconds_ += seconds; }

    // Counts this process's CPU time until the watch ends; around a kernel's own sampling of a
    // point, warm-up and calibration included.
    [[nodiscard]] CpuWatch watch_cpu() { return CpuWatch(cpu_); }

    // Announces the point to be measured next: the record of a launch that hangs shows it.
    void begin(const Parameters& point) {
        if (announce_) {
            announce_(point);
        }
    }

    // The result goes to disk at once: a crash later in the launch does not lose it.
    void record(const PointResult& point) {
        record_(point);
        ++recorded_;
    }

    // Measures and records every point in order.
    template <class Measure>
    void record_each(Measure&& measure) {
        for (const Parameters& point : points()) {
            begin(point);
            if constexpr (requires { runtime_.begin_watch(clock_); }) {
                runtime_.begin_watch(clock_);
                PointResult result(point);
                try {
                    result = measure(point);
                } catch (const typename Runtime::NoRoom& lacking) {
                    result = not_measured(point, lacking.what());
                }
                result.device_state = runtime_.watched();
                record(result);
            } else {
                record(measure(point));
            }
        }
    }

    [[nodiscard]] double timed_seconds() const { return timed_seconds_; }
    // Exchanges until this much CPU time of the root was watched: Linux divides it into that of
    // user and system by its tick, of which the samples of short points see none.
    template <class Exchange>
    void watch_for(double seconds, Exchange&& exchange) {
        const CpuWatch watch = watch_cpu();
        const double missing = seconds - cpu_.user_seconds - cpu_.system_seconds;
        const std::uint64_t begin = clock_.now();
        while (broadcast_decision(team(), seconds_between(begin, clock_.now()) < missing)) {
            exchange();
        }
    }

    // Calls of sched_yield for each message that any rank received; negative where none was.
    template <class Exchange>
    [[nodiscard]] double yields_of_messages(Exchange&& exchange) const {
        constexpr int exchanges = 64;
        double received = 0;
        double yields = 0;
        for (int i = 0; i < exchanges; ++i) {
            const Exchanged one = exchange();
            received += static_cast<double>(one.received);
            yields += static_cast<double>(one.yields);
        }
        double of_all[] = {0, 0};
        for (const std::vector<double>& of_rank : team().gather({received, yields})) {
            of_all[0] += of_rank[0];
            of_all[1] += of_rank[1];
        }
        return of_all[0] > 0 ? of_all[1] / of_all[0] : -1;
    }

    // Of all ranks, at the root: every rank calls this.
    [[nodiscard]] CpuTime cpu_of_all() const {
        CpuTime all;
        for (const std::vector<double>& of_rank :
             team().gather({cpu_.user_seconds, cpu_.system_seconds})) {
            all.user_seconds += of_rank[0];
            all.system_seconds += of_rank[1];
        }
        return all;
    }
    [[nodiscard]] std::size_t recorded() const { return recorded_; }

   private:
    // Of what the runtime watches besides, if it does.
    void end_watch() {
        if constexpr (requires { runtime_.end_watch(); }) {
            runtime_.end_watch();
        }
    }

    Runtime& runtime_;
    Clock clock_;
    ClockFacts facts_;
    Phases phases_;
    Arguments arguments_;
    Record record_;
    Announce announce_;
    double timed_seconds_ = 0;
    CpuTime cpu_;
    std::size_t recorded_ = 0;
};

}  // namespace machmeter
