// The stages of an assembly one after the other, in memory or by files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "codes/common/touch.hpp"
#include "memory/assembly/counts/checks.hpp"
#include "memory/assembly/counts/filed.hpp"
#include "memory/assembly/counts/owned.hpp"
#include "memory/assembly/counts/shared.hpp"
#include "memory/assembly/paths/chains.hpp"
#include "memory/assembly/paths/checks.hpp"
#include "memory/assembly/paths/clusters.hpp"
#include "memory/assembly/paths/graph.hpp"
#include "memory/assembly/paths/paths.hpp"
#include "memory/assembly/reads/read_file.hpp"
#include "memory/assembly/reads/reads.hpp"
#include "memory/assembly/reads/transcripts.hpp"
#include "memory/assembly/stages.hpp"

namespace machmeter::assembly {

enum class Table { owned, shared };

// The same reads in every launch, so that digests of launches can be compared.
inline constexpr std::uint64_t seed = 1;

struct Request {
    Sample sample;
    Table table;
    std::uint64_t passes;
    // Genes of a hundred that end with one piece.
    std::uint64_t joined;
    codes::Touch touch;
    // Of the files by which stages hand over what they made; empty: all stays in memory.
    std::string folder;
    std::size_t page_bytes;
    int threads;
};

// Different words at most: those of the transcripts and those with a wrong letter.
inline std::uint64_t expected_words(const Sample& sample) {
    const std::uint64_t letters = sample.reads * read_length;
    const std::uint64_t wrong = letters * sample.errors / 1000;
    const std::uint64_t words_of_letter = read_words * word / read_length;
    return std::min(2 * letters / sample.coverage + wrong * words_of_letter, sample.words());
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
inline std::uint32_t threshold_for(std::uint64_t coverage) {
    constexpr std::uint64_t coverage_of_one = 25;
    return static_cast<std::uint32_t>(2 + coverage / coverage_of_one);
}

template <Strands strands, class Counts>
class Pipeline {
   public:
    explicit Pipeline(const Request& request)
        : request_(request),
          transcripts_(make_transcripts(request.sample.seed, request.sample.reads,
                                        request.sample.coverage, request.joined)) {
        reads_.emplace(request.sample, transcripts_, request.touch, request.page_bytes,
                       request.threads);
        letters_ = digest_of(*reads_);
        if (by_files()) {
            file_.emplace(*reads_, request.folder);
            reads_.reset();
        }
    }

    // What the event before this one made.
    void clear() {
        made_.reset();
        counts_.reset();
        filed_.reset();
        if (by_files()) {
            reads_.reset();
        }
    }

    void run(Stages& stages) {
        const int threads = request_.threads;
        const auto letters = static_cast<double>(request_.sample.reads * read_length);
        if (by_files()) {
            stages.run(Stage::load, [&] {
                reads_.emplace(file_->load(request_.touch, request_.page_bytes, threads));
            });
            stages.moved(Stage::load, static_cast<double>(file_->bytes()) + letters);
        }
        stages.run(Stage::count, [&] {
            counts_.emplace(count<strands, Counts>(request_, *reads_, stages.log()));
        });
        stages.moved(Stage::count,
                     passes_over_reads() * letters +
                         Counts::bytes_of_word * static_cast<double>(request_.sample.words()));
        if (by_files()) {
            stages.run(Stage::hand_over, [&] {
                filed_.emplace(*counts_, request_.folder, threads);
                counts_.reset();
            });
            stages.moved(Stage::hand_over, static_cast<double>(filed_->bytes()));
        }
        std::optional<Graph> graph;
        stages.run(Stage::prune, [&] {
            with_counts([&](const auto& counts) {
                graph.emplace(Graph::of<strands>(counts, threshold(), request_.touch,
                                                 request_.page_bytes, threads));
            });
        });
        stages.moved(Stage::prune, graph->bytes_to_make() + 2 * static_cast<double>(filed_bytes()));
        made_.emplace(Assembled<strands>{std::move(*graph), {}, {}, {}, {}});
        Assembled<strands>& made = *made_;
        ChainFinder<strands> finder(made.graph);
        stages.run(Stage::extend, [&] { made.chains = finder.find(threads); });
        stages.moved(Stage::extend,
                     made.graph.bytes_to_visit() + bytes_of_lookups(finder.lookups()));
        stages.run(Stage::cluster,
                   [&] { made.clusters = clusters_of<strands>(made.graph, made.chains, threads); });
        stages.moved(Stage::cluster, bytes_of_lookups(made.clusters.lookups));
        stages.run(Stage::assign, [&] {
            made.reads_of = reads_of_clusters<strands>(made.graph, made.clusters, *reads_, threads);
        });
        stages.moved(Stage::assign, letters + bytes_of_lookups(made.reads_of.lookups));
        stages.run(Stage::trace, [&] {
            made.paths = paths_of<strands>(made.graph, made.chains, made.clusters, threads);
        });
        stages.moved(Stage::trace, bytes_to_trace(made.paths));
    }

    [[nodiscard]] const std::vector<Transcript>& transcripts() const { return transcripts_; }
    [[nodiscard]] Assembled<strands>& made() { return *made_; }
    [[nodiscard]] Reads& reads() { return *reads_; }
    [[nodiscard]] std::uint64_t file_bytes() const { return file_ ? file_->bytes() : 0; }
    [[nodiscard]] std::uint64_t filed_bytes() const { return filed_ ? filed_->bytes() : 0; }
    [[nodiscard]] Totals totals() const {
        Totals totals;
        with_counts([&](const auto& counts) { totals = totals_of(counts, request_.threads); });
        return totals;
    }
    [[nodiscard]] Recovery recovery() const { return recovery_of<strands>(transcripts_, *made_); }

    // What is wrong with the last event; empty where nothing is.
    [[nodiscard]] std::string fault() const {
        if (digest_of(*reads_) != letters_) {
            return "the reads are others than those that were made";
        }
        std::string fault;
        with_counts([&](const auto& counts) {
            const Totals totals = totals_of(counts, request_.threads);
            fault = fault_of_counts(*reads_, counts, totals, request_.threads);
            if (fault.empty()) {
                fault =
                    fault_of_assembled<strands>(counts, *reads_, *made_, recovery(), threshold());
            }
        });
        return fault;
    }

   private:
    [[nodiscard]] bool by_files() const { return !request_.folder.empty(); }
    [[nodiscard]] std::uint32_t threshold() const {
        return threshold_for(request_.sample.coverage);
    }
    [[nodiscard]] double passes_over_reads() const {
        return std::is_same_v<Counts, OwnedCounts> ? static_cast<double>(request_.passes) : 1;
    }
    template <class Use>
    void with_counts(Use&& use) const {
        if (filed_) {
            use(*filed_);
            filed_->rethrow();
        } else {
            use(*counts_);
        }
    }

    Request request_;
    std::vector<Transcript> transcripts_;
    std::optional<Reads> reads_;
    std::uint64_t letters_ = 0;
    std::optional<ReadFile> file_;
    std::optional<Counts> counts_;
    std::optional<FileCounts> filed_;
    std::optional<Assembled<strands>> made_;
};

}  // namespace machmeter::assembly
