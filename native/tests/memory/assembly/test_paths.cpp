// Paths are the transcripts that were read, for any team and table; the checks see when a word, a
// chain, a cluster or a path is wrong.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "memory/assembly/pipeline.hpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter::assembly {
namespace {

constexpr std::size_t page = 4096;
constexpr std::uint64_t coverage = 50;

Request request_for(std::uint64_t reads, std::uint64_t errors, Strands strands, int threads,
                    const std::string& folder = "", std::uint64_t joined = 0) {
    return {{seed, reads, coverage, errors, strands},
            Table::owned,
            1,
            joined,
            codes::Touch::owner,
            folder,
            page,
            threads};
}

// After one event.
template <Strands strands, class Counts>
class Made : public Pipeline<strands, Counts> {
   public:
    explicit Made(const Request& request) : Pipeline<strands, Counts>(request) {
        Stages stages(test::fake_session().clock());
        this->run(stages);
    }
};

using Usual = Made<Strands::both, OwnedCounts>;

template <Strands strands>
void check_without_errors() {
    Made<strands, OwnedCounts> made(request_for(5'000, 0, strands, 2));
    CHECK(made.fault() == "");
    const Recovery recovery = made.recovery();
    CHECK(recovery.transcripts > 4 && recovery.found == recovery.transcripts);
    // Without errors a path goes through every transcript, and no other letter is in any.
    std::set<std::string> words;
    for (const Transcript& one : made.transcripts()) {
        for (const std::string& text : {one.sequence, reverse_complement(one.sequence)}) {
            for (std::size_t i = 0; i + word <= text.size(); ++i) {
                words.insert(text.substr(i, word));
            }
        }
    }
    for (const PathsOfCluster& cluster : made.made().paths) {
        CHECK(!cluster.paths.empty() && !cluster.is_cut);
        for (const std::string& path : cluster.paths) {
            for (std::size_t i = 0; i + word <= path.size(); ++i) {
                CHECK(words.contains(path.substr(i, word)));
            }
        }
    }
}

TEST(reads_without_errors_become_their_transcripts) {
    check_without_errors<Strands::both>();
    check_without_errors<Strands::one>();
}

TEST(nearly_all_transcripts_come_out_of_reads_with_errors) {
    const Request own = request_for(20'000, 5, Strands::both, 2);
    Usual made(own);
    CHECK(made.fault() == "");
    const Recovery recovery = made.recovery();
    CHECK(recovery.transcripts > 25);
    CHECK(static_cast<double>(recovery.found) >= 0.96 * static_cast<double>(recovery.transcripts));
}

TEST(any_team_and_table_assembles_the_same) {
    const Request alone = request_for(5'000, 10, Strands::both, 1);
    const std::uint64_t expected = digest_of(Usual(alone).made().paths);
    for (const int threads : {2, 3}) {
        const Request own = request_for(5'000, 10, Strands::both, threads);
        CHECK(digest_of(Usual(own).made().paths) == expected);
        CHECK(digest_of(Made<Strands::both, SharedCounts>(own).made().paths) == expected);
    }
}

TEST(reads_that_cover_no_transcript_are_no_assembly) {
    Request own = request_for(1'000, 100, Strands::both, 2);
    own.sample.coverage = 4;
    CHECK(Usual(own).fault().starts_with("no transcript"));
}

TEST(two_transcripts_of_a_gene_are_two_paths_of_a_cluster) {
    const Request own = request_for(2'000, 0, Strands::both, 2);
    Usual made(own);
    std::size_t most = 0;
    for (const PathsOfCluster& cluster : made.made().paths) {
        most = std::max(most, cluster.paths.size());
    }
    CHECK(most == 2);
    CHECK(made.made().clusters.count() < made.transcripts().size());
}

TEST(lookups_are_counted_for_any_team) {
    Usual alone(request_for(2'000, 0, Strands::both, 1));
    const Graph& graph = alone.made().graph;
    std::size_t left = 0;
    graph.each(1, [&](const Node& node) { left += node.is_left() ? 1 : 0; });
    std::uint64_t in_chains = 0;
    for (const auto& chain : alone.made().chains) {
        in_chains += chain.words();
    }
    CHECK(in_chains == left);
    // The word before each, from both sides; each chain is followed from both ends, and marked.
    ChainFinder<Strands::both> finder(graph);
    finder.find(1);
    CHECK(finder.lookups() == 2 * left + 2 * left + left);
    std::uint64_t ends = 0;
    for (const auto& chain : alone.made().chains) {
        for (const auto& end : {chain.last, chain.first.turned()}) {
            ends += 1 + static_cast<unsigned>(
                            std::popcount(graph.find(end.canonical())->after(end.is_turned())));
        }
    }
    CHECK(alone.made().clusters.lookups == ends);
    Usual two(request_for(2'000, 0, Strands::both, 2));
    CHECK(two.made().clusters.lookups == ends);
    CHECK(bytes_to_trace(two.made().paths) == bytes_to_trace(alone.made().paths));
    CHECK(bytes_to_trace(alone.made().paths) > 64.0 * static_cast<double>(ends));
}

TEST(files_hand_over_the_same) {
    const std::uint64_t expected =
        digest_of(Usual(request_for(5'000, 10, Strands::both, 2)).made().paths);
    for (const std::string folder : {".", "/dev/shm"}) {
        Usual filed(request_for(5'000, 10, Strands::both, 2, folder));
        CHECK(filed.fault() == "");
        CHECK(digest_of(filed.made().paths) == expected);
        CHECK(filed.file_bytes() > 5'000 * read_length);
        // As a second event finds it.
        filed.clear();
        Stages stages(test::fake_session().clock());
        filed.run(stages);
        CHECK(filed.fault() == "");
        filed.reads().at(77)[3] ^= 6;
        CHECK(filed.fault().starts_with("the reads are others"));
    }
}

TEST(what_is_no_folder_is_an_error) {
    CHECK_THROWS(std::system_error, "no file can be made",
                 Usual(request_for(1'000, 10, Strands::both, 2, "/proc/nowhere")));
}

TEST(genes_that_end_alike_are_one_cluster) {
    Usual apart(request_for(5'000, 0, Strands::both, 2));
    Usual joined(request_for(5'000, 0, Strands::both, 2, "", 100));
    CHECK(apart.fault() == "" && joined.fault() == "");
    CHECK(apart.made().clusters.count() > 4);
    CHECK(joined.made().clusters.count() == 1);
    CHECK(joined.recovery().found == joined.recovery().transcripts);
}

TEST(the_smallest_of_a_set_is_its_root) {
    Sets sets(1000);
#pragma omp parallel for num_threads(4)
    for (std::uint32_t i = 0; i < 997; ++i) {
        sets.unite(i, i + 3);
    }
    for (std::uint32_t i = 0; i < 1000; ++i) {
        CHECK(sets.root_of(i) == i % 3);
    }
}

Node& any_node(const Graph& graph, std::size_t skipped = 0) {
    for (std::size_t slot = 0;; ++slot) {
        if (graph.at(slot).is_left() && skipped-- == 0) {
            return graph.at(slot);
        }
    }
}

TEST(a_wrong_graph_is_refused) {
    const Request own = request_for(3'000, 10, Strands::both, 2);
    Usual made(own);
    CHECK(made.fault() == "");
    Node& node = any_node(made.made().graph, 5);
    const std::uint8_t edges = node.edges;
    node.edges ^= 1U;
    CHECK(made.fault().starts_with("a word was kept or dropped"));
    node.edges = edges;
    node.is_dropped = true;
    CHECK(made.fault().starts_with("a word was kept or dropped"));
    node.is_dropped = false;
    node.chain = node.chain == 0 ? 1 : 0;
    CHECK(made.fault().starts_with("a word that is left is in no chain"));
}

TEST(a_chain_in_two_pieces_is_refused) {
    const Request own = request_for(3'000, 0, Strands::both, 2);
    Usual made(own);
    auto& chains = made.made().chains;
    auto& first = *std::max_element(chains.begin(), chains.end(), [](const auto& a, const auto& b) {
        return a.letters.size() < b.letters.size();
    });
    const std::string letters = first.letters;
    using Word = Oriented<Strands::both>;
    const auto number = static_cast<std::uint32_t>(chains.size());
    Word at = first.first;
    for (std::size_t i = word; i < 60; ++i) {
        at = at.next(code_of(letters[i]));
    }
    const Word after = at.next(code_of(letters[60]));
    Chain<Strands::both> rest{after, first.last, letters.substr(60 - word + 1)};
    each_word<Strands::both>(rest.letters.data(), rest.letters.size(),
                             [&](Kmer kmer) { made.made().graph.find(kmer)->chain = number; });
    first.last = at;
    first.letters = letters.substr(0, 60);
    chains.push_back(rest);
    CHECK(chains_hold_all_words<Strands::both>(made.made().graph, chains));
    CHECK(!chains_are_longest<Strands::both>(made.made().graph, chains));
}

TEST(wrong_clusters_reads_and_paths_are_refused) {
    const Request own = request_for(3'000, 0, Strands::both, 2);
    const auto fault_of = [&](auto change) {
        Usual made(own);
        change(made.made());
        return made.fault();
    };
    using All = Assembled<Strands::both>;
    CHECK(fault_of([](All&) {}) == "");
    CHECK(fault_of([](All& all) { all.clusters.of_chain[0] = 1; }) != "");
    CHECK(fault_of([](All& all) {
              all.clusters.begins.push_back(all.clusters.begins.back());
          }).starts_with("chains that touch"));
    CHECK(fault_of([](All& all) { --all.reads_of.counts[0]; }).starts_with("a read is counted"));
    CHECK(fault_of([](All& all) {
              all.paths[0].paths.clear();
          }).starts_with("a transcript all of whose words"));
    CHECK(fault_of([](All& all) {
              for (PathsOfCluster& cluster : all.paths) {
                  for (std::string& path : cluster.paths) {
                      path[path.size() / 2] = alphabet[(code_of(path[path.size() / 2]) + 1) & 3U];
                  }
              }
          }).starts_with("a transcript all of whose words"));
}

}  // namespace
}  // namespace machmeter::assembly
