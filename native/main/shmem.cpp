// machmeter-shmem: benchmarks of several processing elements. The first one alone writes the
// record.
#include <shmem.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <random>
#include <string>

#include "core/libraries/transports.hpp"
#include "core/record/header.hpp"
#include "core/record/phase_report.hpp"
#include "shmem/benchmark.hpp"

namespace machmeter {
namespace {

const ShmemBenchmark& find_benchmark(const std::string& name) {
    for (const ShmemBenchmark& benchmark : shmem_benchmarks()) {
        if (benchmark.name == name) {
            return benchmark;
        }
    }
    throw UsageError("machmeter-shmem has no benchmark '" + name + "'");
}

// What the launcher says of it before the library can; 0 where it says nothing.
int size_by_launcher() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
        const char* text = std::getenv(name);
        const int size = text != nullptr ? std::atoi(text) : 0;
        if (size > 0) {
            return size;
        }
    }
    return 0;
}

// The heap has its size at start-up, and some libraries round every piece of it up to a power of
// two. What a person has set stays.
void ask_for_heap(const ShmemBenchmark& benchmark, const Arguments& arguments) {
    constexpr int many = 64;
    constexpr double least = 256.0 * 1024 * 1024;
    const int size = size_by_launcher() > 0 ? size_by_launcher() : many;
    double bytes = least;
    for (const Parameters& point : arguments.points) {
        bytes = std::max(bytes, 4 * benchmark.symmetric_bytes(point, size));
    }
    const std::string text = std::to_string(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
    if (std::getenv("SMA_SYMMETRIC_SIZE") != nullptr ||
        std::getenv("SHMEM_SYMMETRIC_HEAP_SIZE") != nullptr) {
        return;
    }
    setenv("SHMEM_SYMMETRIC_SIZE", text.c_str(), 0);
    // Open MPI 4 has a name of its own for it.
    setenv("SHMEM_SYMMETRIC_HEAP_SIZE", std::getenv("SHMEM_SYMMETRIC_SIZE"), 0);
}

void leave_out_what_dies() {
    if (dies_at_finalize(open_mpi_version)) {
        setenv("OMPI_MCA_btl", "^openib", 0);
    }
}

std::string library_words() {
    std::array<char, SHMEM_MAX_NAME_LEN + 1> name{};
    int major = 0;
    int minor = 0;
    shmem_info_get_name(name.data());
    shmem_info_get_version(&major, &minor);
    return shmem_library_words(open_mpi_version, name.data(), major, minor);
}

// Before it the header is on disk, so that the launcher sees the world there really was.
void require_world(const ShmemBenchmark& benchmark, const ShmemTeam& team) {
    if (!benchmark.allows(team.size())) {
        throw std::runtime_error(
            std::string(benchmark.name) + " takes at least " + std::to_string(benchmark.least) +
            " processing elements" +
            (benchmark.most > 0 ? ", at most " + std::to_string(benchmark.most) : "") +
            ", but OpenSHMEM started " + std::to_string(team.size()) +
            "; use the oshrun of the library this program was built with: " + library_words());
    }
}

Observed observe_all(const Session& session, const ShmemTeam& team) {
    const Observed mine = observe(session.clock(), team.rank(), team.size());
    return {team.join(mine.places), team.join(mine.noise), ""};
}

void launch(const ShmemBenchmark& benchmark, Arguments arguments) {
    const ShmemTeam team;
    const auto now_in = [&](const std::string& phase) {
        PhaseReport::set("machmeter-shmem: rank " + std::to_string(team.rank()), phase);
    };
    now_in("the start of the launch");
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
    const Observed before = observe_all(session, team);
    write(header_line(session, before, team.size(), started, library_words(),
                      team.leads() ? to_json(observed_transports()) : "{}"));
    ShmemTeam::meet();
    require_world(benchmark, team);
    ShmemSession together(session, team);
    benchmark.run(together);
    now_in("the end of the launch, after its last point");
    write(closing_line(session, observe_all(session, team)));
    if (file != nullptr) {
        file->commit();
    }
}

int complain(const char* reason, int code) {
    std::fprintf(stderr, "machmeter-shmem: %s\n", reason);
    std::fflush(stderr);
    return code;
}

// Ends them all: one that waits for this one would wait for ever.
void abandon(const char* reason, int code) { shmem_global_exit(complain(reason, code)); }

void launch_or_abandon(const ShmemBenchmark& benchmark, Arguments arguments) {
    try {
        launch(benchmark, std::move(arguments));
    } catch (const UsageError& error) {
        abandon(error.what(), 2);
    } catch (const StorageError& error) {
        abandon(error.what(), 3);
    } catch (const std::exception& error) {
        abandon(error.what(), 1);
    }
}

}  // namespace
}  // namespace machmeter

int main(int count, char** words) {
    using machmeter::PhaseReport;
    const std::string speaker = "machmeter-shmem: process " + std::to_string(getpid());
    PhaseReport::set(speaker, "shmem_init");
    PhaseReport::on_signal(SIGTERM);
    try {
        machmeter::Arguments arguments = machmeter::parse_arguments(count, words);
        const machmeter::ShmemBenchmark& benchmark = machmeter::find_benchmark(arguments.benchmark);
        machmeter::require_known(arguments, benchmark.parameters);
        machmeter::ask_for_heap(benchmark, arguments);
        machmeter::leave_out_what_dies();
        shmem_init();
        machmeter::launch_or_abandon(benchmark, std::move(arguments));
    } catch (const machmeter::UsageError& error) {
        return machmeter::complain(error.what(), 2);
    } catch (const std::exception& error) {
        return machmeter::complain(error.what(), 1);
    }
    PhaseReport::set(speaker, "shmem_finalize");
    shmem_finalize();
    return 0;
}
