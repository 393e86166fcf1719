// machmeter-node: benchmarks of one process and its OpenMP threads.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>

#include "core/record/header.hpp"
#include "core/session/node_benchmark.hpp"

namespace machmeter {
namespace {

const NodeBenchmark& find_benchmark(const std::string& name) {
    for (const NodeBenchmark& benchmark : node_benchmarks()) {
        if (benchmark.name == name) {
            return benchmark;
        }
    }
    throw UsageError("machmeter-node has no benchmark '" + name + "'");
}

void launch(int count, const char* const* words) {
    Arguments arguments = parse_arguments(count, words);
    const NodeBenchmark& benchmark = find_benchmark(arguments.benchmark);
    require_known(arguments, benchmark.parameters);
    std::shuffle(arguments.points.begin(), arguments.points.end(), std::mt19937_64(arguments.seed));
    const std::string started = utc_now();
    RecordFile file(arguments.record);
    Session session(monotonic_clock, std::move(arguments),
                    [&](const PointResult& point) { file.write_line(point.to_json()); });
    file.write_line(header_line(session, observe(session.clock(), 0, 1), 1, started, ""));
    benchmark.run(session);
    file.write_line(closing_line(session, observe(session.clock(), 0, 1)));
    file.commit();
}

}  // namespace
}  // namespace machmeter

int main(int count, char** words) {
    try {
        machmeter::launch(count, words);
        return 0;
    } catch (const machmeter::UsageError& error) {
        std::fprintf(stderr, "machmeter-node: %s\n", error.what());
        return 2;
    } catch (const machmeter::StorageError& error) {
        std::fprintf(stderr, "machmeter-node: %s\n", error.what());
        return 3;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "machmeter-node: %s\n", error.what());
        return 1;
    }
}
