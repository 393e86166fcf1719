// Chains: words of the graph that follow each other without a branch, as far as they go.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "memory/assembly/paths/graph.hpp"

namespace machmeter::assembly {

// first, last: its words at both ends, as they are read along it.
template <Strands strands>
struct Chain {
    Oriented<strands> first;
    Oriented<strands> last;
    std::string letters;

    [[nodiscard]] std::size_t words() const { return letters.size() - word + 1; }
};

inline std::string letters_of(Kmer kmer) {
    std::string text(word, 'A');
    for (std::size_t i = word; i-- > 0; kmer >>= letter_bits) {
        text[i] = alphabet[kmer & 3U];
    }
    return text;
}

template <Strands strands>
class ChainFinder {
   public:
    using Word = Oriented<strands>;

    explicit ChainFinder(const Graph& graph) : graph_(graph) {}

    // Marks each word with the number of its chain; numbers depend on the team, chains do not.
    std::vector<Chain<strands>> find(int threads) {
        std::vector<Found> found(static_cast<std::size_t>(threads));
        graph_.each(threads, [&](Node& node) {
            if (node.is_left()) {
                auto& own = found[static_cast<std::size_t>(omp_get_thread_num())];
                const Word straight = Word::of(node.kmer());
                add_chain_from(straight, own);
                if (strands == Strands::both) {
                    add_chain_from(straight.turned(), own);
                }
            }
        });
        add_circles(found.front());
        std::vector<Chain<strands>> chains(next_);
        for (Found& own : found) {
            lookups_ += own.lookups;
            for (auto& [number, chain] : own.chains) {
                chains[number] = std::move(chain);
            }
        }
        return chains;
    }

    // Of words, for the chains that were found; those of one that is visited are not counted.
    [[nodiscard]] std::uint64_t lookups() const { return lookups_; }

   private:
    // By one thread, chains with their numbers.
    struct Found {
        std::vector<std::pair<std::uint32_t, Chain<strands>>> chains;
        std::uint64_t lookups = 0;
    };

    // Whether the word is the only one after the one before it, and that the only one before it.
    [[nodiscard]] bool is_begin(const Word& own) const {
        const Node& node = *graph_.find(own.canonical());
        const Edges before = node.before(own.is_turned());
        if (!std::has_single_bit(before)) {
            return true;
        }
        const auto code = static_cast<Kmer>(std::countr_zero(before));
        const Word previous = own.turned().next(code).turned();
        const Node& other = *graph_.find(previous.canonical());
        return !std::has_single_bit(other.after(previous.is_turned())) ||
               previous.canonical() == own.canonical();
    }

    // Each chain is found from both ends; it is read from the one with the smaller word.
    void add_chain_from(const Word& first, Found& own) {
        // The one before it.
        ++own.lookups;
        if (!is_begin(first)) {
            return;
        }
        std::vector<Node*> nodes;
        Chain<strands> chain = follow(first, nodes);
        own.lookups += nodes.size();
        const Kmer begin = first.canonical();
        const Kmer end = chain.last.canonical();
        const bool is_other_way = begin > end || (begin == end && first.is_turned());
        if (strands == Strands::one || !is_other_way) {
            keep(std::move(chain), nodes, own);
        }
    }

    Chain<strands> follow(const Word& first, std::vector<Node*>& nodes) const {
        Chain<strands> chain{first, first, letters_of(first.forward)};
        nodes.push_back(graph_.find(first.canonical()));
        for (;;) {
            const Edges after = nodes.back()->after(chain.last.is_turned());
            if (!std::has_single_bit(after)) {
                return chain;
            }
            const auto code = static_cast<Kmer>(std::countr_zero(after));
            const Word next = chain.last.next(code);
            Node* const node = graph_.find(next.canonical());
            if (!std::has_single_bit(node->before(next.is_turned())) || node == nodes.back() ||
                node == nodes.front()) {
                return chain;
            }
            nodes.push_back(node);
            chain.letters.push_back(alphabet[code]);
            chain.last = next;
        }
    }

    void keep(Chain<strands> chain, const std::vector<Node*>& nodes, Found& own) {
        own.lookups += nodes.size();
        const std::uint32_t number = next_.fetch_add(1, std::memory_order_relaxed);
        for (Node* const node : nodes) {
            node->chain = number;
        }
        own.chains.emplace_back(number, std::move(chain));
    }

    // Those without a begin start at their smallest word.
    void add_circles(Found& own) {
        std::vector<Kmer> left;
        for (std::size_t slot = 0; slot < graph_.slots(); ++slot) {
            const Node& node = graph_.at(slot);
            if (node.is_left() && node.chain == no_chain) {
                left.push_back(node.kmer());
            }
        }
        std::sort(left.begin(), left.end());
        for (const Kmer kmer : left) {
            if (graph_.find(kmer)->chain == no_chain) {
                std::vector<Node*> nodes;
                Chain<strands> chain = follow(Word::of(kmer), nodes);
                keep(std::move(chain), nodes, own);
            }
        }
    }

    const Graph& graph_;
    std::atomic<std::uint32_t> next_{0};
    std::uint64_t lookups_ = 0;
};

}  // namespace machmeter::assembly
