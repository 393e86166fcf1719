// What has to hold of graph, chains, clusters and paths; and which transcripts came out again.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/assembly/paths/chains.hpp"
#include "memory/assembly/paths/clusters.hpp"
#include "memory/assembly/paths/graph.hpp"
#include "memory/assembly/paths/paths.hpp"
#include "memory/assembly/reads/transcripts.hpp"
#include "proxies/common/faults.hpp"

namespace machmeter::assembly {

// All that was made of the counts.
template <Strands strands>
struct Assembled {
    Graph graph;
    std::vector<Chain<strands>> chains;
    Clusters clusters;
    ReadsOfClusters reads_of;
    std::vector<PathsOfCluster> paths;
};

// By the definition: a word is left where it is frequent enough, by itself and beside those that
// differ in its first or last letter; what follows it is what is left of four words.
template <Strands strands, class Counts>
bool words_are_left_by_definition(const Counts& counts, const Graph& graph,
                                  std::uint32_t threshold) {
    bool holds = true;
    std::size_t expected = 0;
    for (std::size_t part = 0; part < counts.parts(); ++part) {
        counts.visit(part, [&](Kmer, std::uint32_t times) { expected += times >= threshold; });
    }
    std::size_t found = 0;
    for (std::size_t slot = 0; slot < graph.slots(); ++slot) {
        const Node& node = graph.at(slot);
        if (node.is_empty()) {
            continue;
        }
        ++found;
        const std::string own = letters_of(node.kmer());
        std::uint32_t most = 0;
        Edges edges = 0;
        for (Kmer code = 0; code < 4; ++code) {
            const std::string letter(1, alphabet[code]);
            const auto node_of = [&](const std::string& text) {
                Kmer kmer = 0;
                for (const char one : text) {
                    kmer = kmer * 4 + code_of(one);
                }
                return graph.place_with(strands == Strands::both ? std::min(kmer, reversed(kmer))
                                                                 : kmer);
            };
            for (const std::string& text :
                 {own.substr(0, word - 1) + letter, letter + own.substr(1)}) {
                const Node* const sibling = node_of(text);
                most = std::max(most, sibling->is_empty() ? 0 : sibling->times);
            }
            const std::string before = complement(alphabet[code]) + own.substr(0, word - 1);
            edges |= (node_of(own.substr(1) + letter)->is_left() ? 1U : 0U) << code;
            edges |= (node_of(before)->is_left() ? 16U : 0U) << code;
        }
        const bool is_dropped = node.times < sibling_share * most;
        holds = holds && node.is_dropped == is_dropped && node.times >= threshold &&
                node.edges == (is_dropped ? 0 : edges);
    }
    return holds && found == expected;
}

// Every word that is left is in one chain, once; its neighbors there are its only ones.
template <Strands strands>
bool chains_hold_all_words(const Graph& graph, const std::vector<Chain<strands>>& chains) {
    std::size_t left = 0;
    for (std::size_t slot = 0; slot < graph.slots(); ++slot) {
        left += graph.at(slot).is_left() ? 1U : 0U;
    }
    std::size_t in_chains = 0;
    bool holds = true;
    for (std::size_t i = 0; i < chains.size(); ++i) {
        const std::string& letters = chains[i].letters;
        std::size_t place = 0;
        each_word<strands>(letters.data(), letters.size(), [&](Kmer kmer) {
            const Node* const node = graph.find(kmer);
            holds = holds && node != nullptr && node->chain == i;
            if (holds && place > 0 && place + word < letters.size()) {
                holds = std::has_single_bit(node->after(false)) &&
                        std::has_single_bit(node->before(false));
            }
            ++place;
        });
        in_chains += place;
    }
    return holds && in_chains == left;
}

// A chain ends where it branches, where another one comes in, or at itself.
template <Strands strands>
bool chains_are_longest(const Graph& graph, const std::vector<Chain<strands>>& chains) {
    const auto ends = [&](const Oriented<strands>& last, const Chain<strands>& chain) {
        bool is_end = true;
        std::size_t count = 0;
        each_after<strands>(graph, last, [&](std::uint32_t, const Oriented<strands>& next) {
            ++count;
            const Edges before = graph.find(next.canonical())->before(next.is_turned());
            const bool is_own = next.canonical() == chain.first.canonical() ||
                                next.canonical() == chain.last.canonical();
            is_end = !std::has_single_bit(before) || is_own;
        });
        return count != 1 || is_end;
    };
    return std::all_of(chains.begin(), chains.end(), [&](const Chain<strands>& chain) {
        return ends(chain.last, chain) &&
               (strands == Strands::one || ends(chain.first.turned(), chain));
    });
}

// As a walk over all chains finds them.
template <Strands strands>
bool clusters_are_connected(const Graph& graph, const std::vector<Chain<strands>>& chains,
                            const Clusters& clusters) {
    std::vector<std::vector<std::uint32_t>> next_to(chains.size());
    bool holds = true;
    for (std::uint32_t i = 0; i < chains.size(); ++i) {
        const auto note = [&](std::uint32_t other, const Oriented<strands>&) {
            next_to[i].push_back(other);
            next_to[other].push_back(i);
            holds = holds && clusters.of_chain[i] == clusters.of_chain[other];
        };
        each_after<strands>(graph, chains[i].last, note);
        if (strands == Strands::both) {
            each_after<strands>(graph, chains[i].first.turned(), note);
        }
    }
    std::vector<bool> seen(chains.size(), false);
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < chains.size(); ++i) {
        count += seen[i] ? 0 : 1;
        for (std::vector<std::uint32_t> open{i}; !open.empty();) {
            const std::uint32_t one = open.back();
            open.pop_back();
            if (!seen[one]) {
                seen[one] = true;
                open.insert(open.end(), next_to[one].begin(), next_to[one].end());
            }
        }
    }
    return holds && count == clusters.count();
}

// transcripts: all; whole: those all of whose words were left, without the ends that one read alone
// has; found: of these, those that are part of a path; cut: of these, in a cluster with more paths
// than were followed.
struct Recovery {
    std::size_t transcripts = 0;
    std::size_t whole = 0;
    std::size_t found = 0;
    std::size_t cut = 0;
};

template <Strands strands>
Recovery recovery_of(const std::vector<Transcript>& transcripts,
                     const Assembled<strands>& assembled) {
    Recovery recovery;
    for (const Transcript& one : transcripts) {
        const std::string inner = one.sequence.substr(word, one.sequence.size() - 2 * word);
        bool is_whole = true;
        std::uint32_t chain = no_chain;
        each_word<strands>(inner.data(), inner.size(), [&](Kmer kmer) {
            const Node* const node = assembled.graph.find(kmer);
            is_whole = is_whole && node != nullptr;
            chain = node == nullptr ? chain : node->chain;
        });
        ++recovery.transcripts;
        if (!is_whole) {
            continue;
        }
        ++recovery.whole;
        const PathsOfCluster& own = assembled.paths[assembled.clusters.of_chain[chain]];
        const std::string turned = reverse_complement(inner);
        const bool is_found =
            std::any_of(own.paths.begin(), own.paths.end(), [&](const std::string& path) {
                return path.find(inner) != std::string::npos ||
                       path.find(turned) != std::string::npos;
            });
        recovery.found += is_found ? 1 : 0;
        recovery.cut += !is_found && own.is_cut ? 1 : 0;
    }
    return recovery;
}

// Of all paths, in any order and direction.
inline std::uint64_t digest_of(const std::vector<PathsOfCluster>& all) {
    std::uint64_t digest = 0;
    for (const PathsOfCluster& cluster : all) {
        for (const std::string& path : cluster.paths) {
            std::uint64_t own = path.size();
            const std::string smaller = std::min(path, reverse_complement(path));
            for (const char letter : smaller) {
                own = mix(own + code_of(letter) + golden_step);
            }
            digest += own;
        }
    }
    return digest;
}

// What is wrong with what was assembled; empty where nothing is.
template <Strands strands, class Counts>
std::string fault_of_assembled(const Counts& counts, const Reads& reads,
                               const Assembled<strands>& made, const Recovery& recovery,
                               std::uint32_t threshold) {
    std::vector<std::uint64_t> expected(made.clusters.count());
    for (std::uint64_t i = 0; i < reads.count(); ++i) {
        const std::uint32_t own =
            cluster_of<strands>(made.graph, made.clusters, reads.read(i)).cluster;
        if (own != no_cluster) {
            ++expected[own];
        }
    }
    return proxies::first_fault({
        {words_are_left_by_definition<strands>(counts, made.graph, threshold),
         "a word was kept or dropped, or has neighbors, against the rule"},
        {chains_hold_all_words<strands>(made.graph, made.chains),
         "a word that is left is in no chain, in two, or in one that branches"},
        {chains_are_longest<strands>(made.graph, made.chains), "a chain ends too early"},
        {clusters_are_connected<strands>(made.graph, made.chains, made.clusters),
         "chains that touch are in two clusters, or others in one"},
        {made.reads_of.counts == expected, "a read is counted to another cluster than its own"},
        {recovery.whole > 0,
         "no transcript has all its words: nothing is assembled, so request more coverage"},
        {recovery.found + recovery.cut == recovery.whole,
         "a transcript all of whose words are left is in no path"},
    });
}

}  // namespace machmeter::assembly
