// Clusters: chains that touch each other, and so what may be of one gene.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/assembly/paths/chains.hpp"
#include "memory/assembly/reads/reads.hpp"

namespace machmeter::assembly {

// Sets that several threads unite; each has its smallest member as its root, whoever unites first
// (Anderson and Woll, STOC 1991).
class Sets {
   public:
    explicit Sets(std::size_t members) : parents_(members) {
        for (std::size_t i = 0; i < members; ++i) {
            parents_[i].store(static_cast<std::uint32_t>(i), std::memory_order_relaxed);
        }
    }

    void unite(std::uint32_t a, std::uint32_t b) {
        for (;;) {
            a = root_of(a);
            b = root_of(b);
            if (a == b) {
                return;
            }
            std::uint32_t larger = std::max(a, b);
            if (parents_[larger].compare_exchange_strong(larger, std::min(a, b))) {
                return;
            }
        }
    }

    std::uint32_t root_of(std::uint32_t member) {
        for (;;) {
            std::uint32_t parent = parents_[member].load();
            if (parent == member) {
                return member;
            }
            const std::uint32_t above = parents_[parent].load();
            parents_[member].compare_exchange_weak(parent, above);
            member = above;
        }
    }

   private:
    std::vector<std::atomic<std::uint32_t>> parents_;
};

// The chains that follow the end of another one, as `take(chain, first word)`. Returns how many
// words it looked for.
template <Strands strands, class Take>
unsigned each_after(const Graph& graph, const Oriented<strands>& last, Take&& take) {
    const Edges after = graph.find(last.canonical())->after(last.is_turned());
    for (Kmer code = 0; code < 4; ++code) {
        if ((after >> code & 1U) != 0) {
            const Oriented<strands> next = last.next(code);
            take(graph.find(next.canonical())->chain, next);
        }
    }
    return 1 + static_cast<unsigned>(std::popcount(after));
}

// Clusters in the order of their smallest chain, with the chains of each; lookups: of words.
struct Clusters {
    std::vector<std::uint32_t> of_chain;
    std::vector<std::uint32_t> chains;
    std::vector<std::size_t> begins;
    std::uint64_t lookups = 0;

    [[nodiscard]] std::size_t count() const { return begins.size() - 1; }
};

template <Strands strands>
Clusters clusters_of(const Graph& graph, const std::vector<Chain<strands>>& chains, int threads) {
    Sets sets(chains.size());
    Clusters found;
    std::uint64_t lookups = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : lookups)
    for (std::size_t i = 0; i < chains.size(); ++i) {
        const auto own = static_cast<std::uint32_t>(i);
        const auto unite = [&](std::uint32_t other, const Oriented<strands>&) {
            sets.unite(own, other);
        };
        lookups += each_after<strands>(graph, chains[i].last, unite);
        if (strands == Strands::both) {
            lookups += each_after<strands>(graph, chains[i].first.turned(), unite);
        }
    }
    found.lookups = lookups;
    found.of_chain.resize(chains.size());
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < chains.size(); ++i) {
        const std::uint32_t root = sets.root_of(i);
        found.of_chain[i] = root == i ? static_cast<std::uint32_t>(count++) : found.of_chain[root];
    }
    found.begins.assign(count + 1, 0);
    for (const std::uint32_t cluster : found.of_chain) {
        ++found.begins[cluster + 1];
    }
    for (std::size_t i = 0; i < count; ++i) {
        found.begins[i + 1] += found.begins[i];
    }
    found.chains.resize(chains.size());
    std::vector<std::size_t> next(found.begins.begin(), found.begins.end() - 1);
    for (std::uint32_t i = 0; i < chains.size(); ++i) {
        found.chains[next[found.of_chain[i]]++] = i;
    }
    return found;
}

inline constexpr std::uint32_t no_cluster = ~std::uint32_t{0};

// The cluster of a read, that of its first word that is left, and how many words were looked for.
struct OfRead {
    std::uint32_t cluster = no_cluster;
    std::uint32_t lookups = 0;
};

template <Strands strands>
OfRead cluster_of(const Graph& graph, const Clusters& clusters, const char* read) {
    OfRead found;
    each_word<strands>(read, read_length, [&](Kmer kmer) {
        if (found.cluster == no_cluster) {
            const Node* const node = graph.find(kmer);
            found.cluster = node == nullptr ? no_cluster : clusters.of_chain[node->chain];
            ++found.lookups;
        }
    });
    return found;
}

// How many reads are of each cluster, and how many words were looked for.
struct ReadsOfClusters {
    std::vector<std::uint64_t> counts;
    std::uint64_t lookups = 0;
};

template <Strands strands>
ReadsOfClusters reads_of_clusters(const Graph& graph, const Clusters& clusters, const Reads& reads,
                                  int threads) {
    std::vector<std::atomic<std::uint64_t>> counts(clusters.count());
    std::uint64_t lookups = 0;
    const auto count = static_cast<std::int64_t>(reads.count());
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : lookups)
    for (std::int64_t i = 0; i < count; ++i) {
        const OfRead one =
            cluster_of<strands>(graph, clusters, reads.read(static_cast<std::uint64_t>(i)));
        lookups += one.lookups;
        if (one.cluster != no_cluster) {
            counts[one.cluster].fetch_add(1, std::memory_order_relaxed);
        }
    }
    return {{counts.begin(), counts.end()}, lookups};
}

}  // namespace machmeter::assembly
