// machmeter-mpi: benchmarks of several ranks. Rank 0 alone writes the record.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <sstream>

#include "machmeter/header.hpp"
#include "machmeter/mpi_benchmark.hpp"

namespace machmeter {
namespace {

const MpiBenchmark& find_benchmark(const std::string& name) {
    for (const MpiBenchmark& benchmark : mpi_benchmarks()) {
        if (benchmark.name == name) {
            return benchmark;
        }
    }
    throw UsageError("machmeter-mpi has no benchmark '" + name + "'");
}

// The first line of what the library says of itself, with single spaces.
std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) {
        joined += joined.empty() ? word : " " + word;
    }
    return joined;
}

// Before it the header is on disk, so that the launcher sees the world there really was.
void require_world(const MpiBenchmark& benchmark, const MpiTeam& team) {
    if (team.size() != benchmark.ranks) {
        throw std::runtime_error(
            std::string(benchmark.name) + " takes " + std::to_string(benchmark.ranks) +
            " ranks, but MPI started a world of " + std::to_string(team.size()) +
            "; use the mpiexec of the MPI this program was built with: " + mpi_library());
    }
}

Observed observe_all(const Session& session, const MpiTeam& team) {
    const Observed mine = observe(session.clock(), team.rank(), team.size());
    return {team.join(mine.places), team.join(mine.noise)};
}

void launch(int count, const char* const* words) {
    const MpiTeam team(MPI_COMM_WORLD);
    Arguments arguments = parse_arguments(count, words);
    const MpiBenchmark& benchmark = find_benchmark(arguments.benchmark);
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
    const Observed before = observe_all(session, team);
    write(header_line(session, before, team.size(), started, mpi_library()));
    team.meet();
    require_world(benchmark, team);
    MpiSession together(session, team);
    benchmark.run(together);
    write(closing_line(session, observe_all(session, team)));
    if (file != nullptr) {
        file->commit();
    }
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
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    try {
        if (provided < MPI_THREAD_FUNNELED) {
            throw std::runtime_error("this MPI does not allow threads (MPI_THREAD_FUNNELED)");
        }
        machmeter::launch(count, words);
    } catch (const machmeter::UsageError& error) {
        return machmeter::abandon(error.what(), 2);
    } catch (const machmeter::StorageError& error) {
        return machmeter::abandon(error.what(), 3);
    } catch (const std::exception& error) {
        return machmeter::abandon(error.what(), 1);
    }
    MPI_Finalize();
    return 0;
}
