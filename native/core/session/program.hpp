// The main function of every program: parse, start the runtime, measure, record, end.
#pragma once

#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <concepts>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/clock/clock.hpp"
#include "core/record/header.hpp"
#include "core/record/hosts.hpp"
#include "core/record/phase_report.hpp"
#include "core/record/point.hpp"
#include "core/record/record_file.hpp"
#include "core/session/arguments.hpp"
#include "core/session/benchmark.hpp"
#include "core/session/packed.hpp"
#include "core/session/team.hpp"

namespace machmeter {

// What differs between the programs. start: starts the library for a benchmark with such needs;
// library, transport: its description in the header; start_progress: starts its progress threads,
// if requested; observe_progress: their places as JSON; require: throws where the benchmark needs
// more than the library gives; finish: ends it; abandon: ends all ranks after an error, without
// effect before the start.
template <class R>
concept Runtime = Team<const typename R::Team> &&
                  requires(R& runtime, const Benchmark<R>& benchmark, const Arguments& arguments,
                           int& count, char**& words) {
                      { R::program } -> std::convertible_to<std::string>;
                      runtime.start(benchmark.needs, arguments, count, words);
                      { runtime.team() } -> std::convertible_to<const typename R::Team&>;
                      { runtime.linked_library() } -> std::convertible_to<std::string>;
                      { runtime.transport() } -> std::convertible_to<std::string>;
                      runtime.start_progress();
                      { runtime.observe_progress() } -> std::convertible_to<std::string>;
                      runtime.require(benchmark);
                      runtime.finish();
                      runtime.abandon(1);
                  };

// The exit codes that the launcher knows: its own, and EX_IOERR where a record cannot be written.
inline int exit_code_of(const std::exception& error) {
    if (dynamic_cast<const UsageError*>(&error) != nullptr) {
        return 2;
    }
    if (dynamic_cast<const StorageError*>(&error) != nullptr) {
        return EX_IOERR;
    }
    return dynamic_cast<const MachineLacksError*>(&error) != nullptr ? 3 : 1;
}

// A program of several processes reports its phase when it is ended; one alone has nothing to wait
// for.
template <class R>
inline constexpr bool has_peers = !std::same_as<typename R::Team, SingleTeam>;

template <Runtime R>
class Program {
   public:
    // Returns the exit code.
    int run(int count, char** words) {
        try {
            Arguments arguments = parse_arguments(count, words);
            const Benchmark<R>& benchmark = find_benchmark<R>(arguments.benchmark);
            require_known(arguments, benchmark.parameters);
            report_phase("start-up of the library");
            if (has_peers<R>) {
                phase_report::on_signal(SIGTERM);
            }
            runtime_.start(benchmark.needs, arguments, count, words);
            started_ = true;
            launch(benchmark, std::move(arguments));
            report_phase("shutdown of the library");
            runtime_.finish();
            return 0;
        } catch (const std::exception& error) {
            const int code = exit_code_of(error);
            std::fprintf(stderr, "%s: %s\n", speaker().c_str(), error.what());
            std::fflush(stderr);
            runtime_.abandon(code);
            return code;
        }
    }

   private:
    void launch(const Benchmark<R>& benchmark, Arguments arguments) {
        const auto& team = runtime_.team();
        report_phase("the start of the launch");
        std::shuffle(arguments.points.begin(), arguments.points.end(),
                     std::mt19937_64(arguments.seed));
        LaunchHeader header;
        header.benchmark = arguments.benchmark;
        header.launch = arguments.launch;
        header.seed = arguments.seed;
        header.world_size = team.size();
        header.started = utc_now();
        // The root alone writes the record.
        const auto file = team.is_root() ? std::make_unique<RecordFile>(arguments.record) : nullptr;
        const auto write = [&](const std::string& line) {
            if (file != nullptr) {
                file->write_line(line);
            }
        };
        const auto announce = [&](const Parameters& point) {
            if (has_peers<R>) {
                report_phase("measuring " + point.to_text());
                write(begun_line(point));
            }
        };
        typename R::Session session(
            runtime_, monotonic_clock, std::move(arguments),
            [&](const PointResult& point) { write(point.to_json()); }, announce);
        header.clock = session.clock_facts();
        header.mpi_library = runtime_.linked_library();
        header.transport = runtime_.transport();
        if constexpr (requires { runtime_.described_device(); }) {
            header.device = runtime_.described_device();
        }
        runtime_.start_progress();
        header.observed = observe_all();
        header.hosts = describe_hosts(team);
        write(header_line(header));
        team.barrier();
        // After the header is on disk, so that the launcher sees the world that there was.
        require_ranks(benchmark);
        runtime_.require(benchmark);
        benchmark.body(session);
        report_phase("the end of the launch, after its last point");
        constexpr double watched_seconds = 0.06;  // 15 ticks of 4 ms
        Spent spent;
        if constexpr (requires { runtime_.exchange(); }) {
            session.watch_for(watched_seconds, [&] { runtime_.exchange(); });
            spent.yields = session.yields_of_messages([&] { return runtime_.exchange(); });
        }
        spent.cpu = session.cpu_of_all();
        if constexpr (requires { runtime_.compile_seconds(); }) {
            spent.compile_seconds = runtime_.compile_seconds();
        }
        write(closing_line(session.recorded(), session.timed_seconds(), spent, observe_all()));
        if (file != nullptr) {
            file->commit();
        }
    }

    [[nodiscard]] Observed observe_all() {
        Observed all = observe_ranks(monotonic_clock, runtime_.team());
        all.progress = runtime_.observe_progress();
        return all;
    }

    void require_ranks(const Benchmark<R>& benchmark) {
        const int size = runtime_.team().size();
        if (!benchmark.ranks.allow(size)) {
            throw std::runtime_error(
                std::string(benchmark.name) + " takes " + benchmark.ranks.to_text() +
                " ranks, but " + std::to_string(size) +
                " started: use the launcher of the library that this program was built with, " +
                runtime_.linked_library());
        }
    }

    [[nodiscard]] std::string speaker() {
        if (!has_peers<R>) {
            return R::program;
        }
        return std::string(R::program) + (started_
                                              ? ": rank " + std::to_string(runtime_.team().rank())
                                              : ": process " + std::to_string(getpid()));
    }

    void report_phase(const std::string& phase) {
        if (has_peers<R>) {
            phase_report::set(speaker(), phase);
        }
    }

    R runtime_;
    bool started_ = false;
};

}  // namespace machmeter
