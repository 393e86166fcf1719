// memory.assembly: a made-up transcriptome from its reads, all of whose stages live in memory, or
// hand over what they made by files.
#include <cstdint>
#include <string>
#include <utility>

#include "codes/common/touch.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"
#include "memory/assembly/pipeline.hpp"
#include "memory/assembly/stages.hpp"

namespace machmeter::assembly {
namespace {

Request request_of(const NodeSession& session, const Teams& teams, const Parameters& point) {
    return {
        {seed, point.count_within("reads", 1'000, 4'000'000'000),
         point.count_within("coverage", 4, 1'000), point.count_within("errors", 0, 100),
         point.choice<Strands>("strands", {{"both", Strands::both}, {"one", Strands::one}})},
        point.choice<Table>("table", {{"owned", Table::owned}, {"shared", Table::shared}}),
        point.count_within("passes", 1, 64),
        point.count_within("joined", 0, 100),
        codes::touch_of(point),
        point.choice<std::string>(
            "handover", {{"memory", ""}, {"tmpfs", "/dev/shm"}, {"files", session.folder()}}),
        session.page_bytes(),
        teams.threads(),
    };
}

// Throws UsageError where the reads and their counts do not fit.
void require_memory_of(const Request& request) {
    const Sample& sample = request.sample;
    constexpr double bytes_of_count = 24;
    const double sorted = request.table == Table::shared
                              ? 0
                              : static_cast<double>(sample.words()) * sizeof(Kmer) /
                                    static_cast<double>(request.passes);
    require_memory("reads: " + std::to_string(sample.reads),
                   static_cast<double>(sample.reads * read_length) + sorted +
                       bytes_of_count * static_cast<double>(expected_words(sample)),
                   available_memory_bytes());
}

template <Strands strands, class Counts>
PointResult measure(NodeSession& session, const Parameters& point, const Request& request) {
    Pipeline<strands, Counts> pipeline(request);
    Stages stages(session.clock());
    const auto prepare = [&] {
        pipeline.clear();
        stages.log().restart();
    };
    Samples samples = session.sample_long(prepare, [&] { pipeline.run(stages); });
    const Totals totals = pipeline.totals();
    const Recovery recovery = pipeline.recovery();
    const std::string fault = pipeline.fault();
    PointResult result(point);
    result.add_samples(std::move(samples))
        .check(fault.empty(),
               fault.empty() ? "counts are those of the reads, words, chains and clusters those of "
                               "their definitions, and every transcript whose words are left is "
                               "in a path"
                             : fault)
        .quantity("reads", request.sample.reads)
        .quantity("words", request.sample.words())
        .quantity("distinct", totals.distinct)
        .quantity("data_bytes", stages.log().most())
        .quantity("transcripts", recovery.transcripts)
        .quantity("recovered",
                  static_cast<double>(recovery.found) / static_cast<double>(recovery.transcripts))
        .attribute("digest", std::to_string(totals.digest))
        .attribute("digest_of_paths", std::to_string(digest_of(pipeline.made().paths)))
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
    if (pipeline.file_bytes() > 0) {
        // Reads are read; counts are written and read.
        result.quantity("file_bytes", pipeline.file_bytes() + 2 * pipeline.filed_bytes());
    }
    stages.describe(result);
    return result;
}

template <Strands strands>
PointResult measure_with_table(NodeSession& session, const Parameters& point,
                               const Request& request) {
    return request.table == Table::shared ? measure<strands, SharedCounts>(session, point, request)
                                          : measure<strands, OwnedCounts>(session, point, request);
}

void run(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each([&](const Parameters& point) {
        const Request request = request_of(session, teams, point);
        require_memory_of(request);
        return request.sample.strands == Strands::both
                   ? measure_with_table<Strands::both>(session, point, request)
                   : measure_with_table<Strands::one>(session, point, request);
    });
}

const RegisterNodeBenchmark registered({"memory.assembly",
                                        {"reads", "coverage", "errors", "strands", "table",
                                         "passes", "joined", "handover", "touch"},
                                        &run});

}  // namespace
}  // namespace machmeter::assembly
