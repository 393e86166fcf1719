// memory.assembly: a made-up transcriptome from its reads, all of whose stages live in memory.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "codes/common/touch.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"
#include "memory/assembly/chains.hpp"
#include "memory/assembly/checks.hpp"
#include "memory/assembly/clusters.hpp"
#include "memory/assembly/graph.hpp"
#include "memory/assembly/owned_counts.hpp"
#include "memory/assembly/path_checks.hpp"
#include "memory/assembly/paths.hpp"
#include "memory/assembly/reads.hpp"
#include "memory/assembly/shared_counts.hpp"
#include "memory/assembly/stages.hpp"
#include "memory/assembly/transcripts.hpp"

namespace machmeter::assembly {
namespace {

enum class Table { owned, shared };

// The same reads in every launch, so that digests of launches can be compared.
constexpr std::uint64_t seed = 1;

struct Request {
    Sample sample;
    Table table;
    std::uint64_t passes;
    codes::Touch touch;
    std::size_t page_bytes;
    int threads;
};

Request request_of(const NodeSession& session, const Teams& teams, const Parameters& point) {
    return {
        {seed, point.count_within("reads", 1'000, 4'000'000'000),
         point.count_within("coverage", 4, 1'000), point.count_within("errors", 0, 100),
         point.choice<Strands>("strands", {{"both", Strands::both}, {"one", Strands::one}})},
        point.choice<Table>("table", {{"owned", Table::owned}, {"shared", Table::shared}}),
        point.count_within("passes", 1, 64),
        codes::touch_of(point),
        session.page_bytes(),
        teams.threads(),
    };
}

// Different words at most: those of the transcripts and those with a wrong letter.
std::uint64_t expected_words(const Sample& sample) {
    const std::uint64_t letters = sample.reads * read_length;
    const std::uint64_t wrong = letters * sample.errors / 1000;
    const std::uint64_t words_of_letter = read_words * word / read_length;
    return std::min(2 * letters / sample.coverage + wrong * words_of_letter, sample.words());
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
Counts count(const Request& request, const Reads& reads, MemoryLog& log) {
    if constexpr (std::is_same_v<Counts, SharedCounts>) {
        return SharedCounts::of<strands>(reads, expected_words(request.sample), request.touch,
                                         request.page_bytes, request.threads, log);
    } else {
        return OwnedCounts::of<strands>(reads, request.passes, request.page_bytes, request.threads,
                                        log);
    }
}

// Words that are counted less often have a wrong letter: the more of them, the more often a letter
// is read.
std::uint32_t threshold_for(std::uint64_t coverage) {
    constexpr std::uint64_t coverage_of_one = 25;
    return static_cast<std::uint32_t>(2 + coverage / coverage_of_one);
}

template <Strands strands, class Counts>
Assembled<strands> assemble(const Request& request, const Reads& reads,
                            std::optional<Counts>& counts, Stages& stages) {
    const int threads = request.threads;
    stages.run(Stage::count,
               [&] { counts.emplace(count<strands, Counts>(request, reads, stages.log())); });
    std::optional<Graph> graph;
    stages.run(Stage::prune, [&] {
        graph.emplace(Graph::of<strands>(*counts, threshold_for(request.sample.coverage),
                                         request.touch, request.page_bytes, threads));
    });
    Assembled<strands> made{std::move(*graph), {}, {}, {}, {}};
    stages.run(Stage::extend,
               [&] { made.chains = ChainFinder<strands>(made.graph).find(threads); });
    stages.run(Stage::cluster,
               [&] { made.clusters = clusters_of<strands>(made.graph, made.chains, threads); });
    stages.run(Stage::assign, [&] {
        made.reads_of_cluster =
            reads_of_clusters<strands>(made.graph, made.clusters, reads, threads);
    });
    stages.run(Stage::trace, [&] {
        made.paths = paths_of<strands>(made.graph, made.chains, made.clusters, threads);
    });
    return made;
}

template <Strands strands, class Counts>
PointResult measure(NodeSession& session, const Parameters& point, const Request& request) {
    const Sample& sample = request.sample;
    const auto transcripts = make_transcripts(sample.seed, sample.reads, sample.coverage);
    const Reads reads(sample, transcripts, request.touch, request.page_bytes, request.threads);
    Stages stages(session.clock());
    std::optional<Counts> counts;
    std::optional<Assembled<strands>> made;
    const auto prepare = [&] {
        made.reset();
        counts.reset();
        stages.log().restart();
    };
    Samples samples = session.sample_long(
        prepare, [&] { made.emplace(assemble<strands>(request, reads, counts, stages)); });
    const Totals totals = totals_of(*counts, request.threads);
    const Recovery recovery = recovery_of<strands>(transcripts, *made);
    std::string fault = fault_of_counts(reads, *counts, totals, request.threads);
    if (fault.empty()) {
        fault = fault_of_assembled<strands>(*counts, reads, *made, recovery,
                                            threshold_for(sample.coverage));
    }
    PointResult result(point);
    result.add_samples(std::move(samples))
        .check(fault.empty(),
               fault.empty() ? "counts are those of the reads, words, chains and clusters those of "
                               "their definitions, and every transcript whose words are left is "
                               "in a path"
                             : fault)
        .quantity("reads", sample.reads)
        .quantity("words", sample.words())
        .quantity("distinct", totals.distinct)
        .quantity("data_bytes", stages.log().most())
        .quantity("transcripts", recovery.transcripts)
        .quantity("recovered",
                  static_cast<double>(recovery.found) / static_cast<double>(recovery.transcripts))
        .attribute("digest", std::to_string(totals.digest))
        .attribute("digest_of_paths", std::to_string(digest_of(made->paths)))
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime());
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
                                         "passes", "touch"},
                                        &run});

}  // namespace
}  // namespace machmeter::assembly
