// machmeter-mpi: benchmarks of several ranks. Rank 0 alone writes the record.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <random>

#include "core/record/header.hpp"
#include "core/record/phase_report.hpp"
#include "mpi/benchmark.hpp"
#include "mpi/library.hpp"
#include "mpi/progress.hpp"

namespace machmeter {
namespace {

const MpiBenchmark* benchmark_named(std::string_view name) {
    for (const MpiBenchmark& benchmark : mpi_benchmarks()) {
        if (benchmark.name == name) {
            return &benchmark;
        }
    }
    return nullptr;
}

const MpiBenchmark& find_benchmark(const std::string& name) {
    const MpiBenchmark* found = benchmark_named(name);
    if (found == nullptr) {
        throw UsageError("machmeter-mpi has no benchmark '" + name + "'");
    }
    return *found;
}

bool wants_progress() {
    const char* cpus = std::getenv(progress_variable);
    return cpus != nullptr && *cpus != '\0';
}

// Known before MPI_Init_thread, which is asked for it: a progress thread calls MPI beside the rank.
int needed_thread_level(const MpiBenchmark& benchmark) {
    return wants_progress() ? MPI_THREAD_MULTIPLE : benchmark.thread_level;
}

int thread_level_to_ask(int count, const char* const* words) {
    const MpiBenchmark* benchmark = count > 1 ? benchmark_named(words[1]) : nullptr;
    return benchmark != nullptr ? needed_thread_level(*benchmark) : MPI_THREAD_FUNNELED;
}

// Before it the header is on disk, so that the launcher sees the world there really was.
void require_world(const MpiBenchmark& benchmark, const MpiTeam& team) {
    const Ranks& ranks = benchmark.ranks;
    if (!ranks.allow(team.size())) {
        throw std::runtime_error(
            std::string(benchmark.name) + " takes at least " + std::to_string(ranks.least) +
            " ranks" + (ranks.most > 0 ? ", at most " + std::to_string(ranks.most) : "") +
            (ranks.even ? ", an even number" : "") + ", but MPI started a world of " +
            std::to_string(team.size()) +
            "; use the mpiexec of the MPI this program was built with: " + mpi_library());
    }
}

void require_threads(const MpiBenchmark& benchmark, int provided) {
    const int needed = needed_thread_level(benchmark);
    if (provided < needed) {
        throw std::runtime_error(
            std::string(benchmark.name) + (wants_progress() ? " with a progress thread" : "") +
            " needs " + std::string(thread_level_name(needed)) + ", and " + mpi_library() +
            " gives " + std::string(thread_level_name(provided)) +
            " only: measure it under another MPI, or under one that was built with threads");
    }
}

std::optional<MpiProgress> start_progress(const MpiTeam& team, int provided) {
    const std::optional<std::vector<int>> cpus = progress_cpus(team);
    if (!cpus || provided < MPI_THREAD_MULTIPLE) {
        return std::nullopt;
    }
    return std::optional<MpiProgress>(std::in_place, team, *cpus);
}

Observed observe_all(const Session& session, const MpiTeam& team,
                     const std::optional<MpiProgress>& progress) {
    const Observed mine = observe(session.clock(), team.rank(), team.size());
    return {team.join(mine.places), team.join(mine.noise),
            progress ? team.join(progress->place().to_json()) : ""};
}

void launch(int count, const char* const* words, const StartUp& startup) {
    const MpiTeam team(MPI_COMM_WORLD);
    const auto now_in = [&](const std::string& phase) {
        PhaseReport::set("machmeter-mpi: rank " + std::to_string(team.rank()), phase);
    };
    now_in("the start of the launch");
    Arguments arguments = parse_arguments(count, words);
    const MpiBenchmark& benchmark = find_benchmark(arguments.benchmark);
    require_known(arguments, benchmark.parameters);
    std::shuffle(arguments.points.begin(), arguments.points.end(), std::mt19937_64(arguments.seed));
    const std::string started = utc_now();
    const auto file = team.leads() ? std::make_unique<RecordFile>(arguments.record) : nullptr;
    const auto write = [&](const std::string& line) {
        if (file != nullptr) {
            file->write_line(line);
        }
    };
    Session session(monotonic_clock, std::move(arguments),
                    [&](const PointResult& point) { write(point.to_json()); });
    session.announce_by([&](const Parameters& point) {
        now_in("measuring " + point.to_text());
        write(begun_line(point));
    });
    const std::string transport = team.leads() ? to_json(mpi_transports()) : "";
    const std::optional<MpiProgress> progress = start_progress(team, startup.thread_level);
    const Observed before = observe_all(session, team, progress);
    write(header_line(session, before, team.size(), started, mpi_library(), transport));
    team.meet();
    require_world(benchmark, team);
    require_threads(benchmark, startup.thread_level);
    MpiSession together(session, team, startup, progress ? progress->words() : progress_by_library);
    benchmark.run(together);
    now_in("the end of the launch, after its last point");
    write(closing_line(session, observe_all(session, team, progress)));
    if (file != nullptr) {
        file->commit();
    }
}

StartUp start_mpi(int& count, char**& words) {
    StartUp startup;
    startup.before = process_memory();
    const int level = thread_level_to_ask(count, words);
    const std::uint64_t begin = monotonic_clock.now();
    MPI_Init_thread(&count, &words, level, &startup.thread_level);
    startup.init_seconds = seconds_between(begin, monotonic_clock.now());
    startup.after = process_memory();
    return startup;
}

// Ends every rank: one that waits for this one would wait for ever.
int abandon(const char* reason, int code) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "machmeter-mpi: rank %d: %s\n", rank, reason);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, code);
    return code;
}

}  // namespace
}  // namespace machmeter

int main(int count, char** words) {
    using machmeter::PhaseReport;
    const std::string speaker = "machmeter-mpi: process " + std::to_string(getpid());
    PhaseReport::set(speaker, "MPI_Init_thread");
    PhaseReport::on_signal(SIGTERM);
    const machmeter::StartUp startup = machmeter::start_mpi(count, words);
    try {
        machmeter::launch(count, words, startup);
    } catch (const machmeter::UsageError& error) {
        return machmeter::abandon(error.what(), 2);
    } catch (const machmeter::StorageError& error) {
        return machmeter::abandon(error.what(), 3);
    } catch (const std::exception& error) {
        return machmeter::abandon(error.what(), 1);
    }
    PhaseReport::set(speaker, "MPI_Finalize");
    MPI_Finalize();
    return 0;
}
