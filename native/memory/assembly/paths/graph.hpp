// The words that are left after pruning, and which follow which: a de Bruijn graph.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "codes/common/touch.hpp"
#include "core/memory/memory.hpp"
#include "memory/assembly/reads/kmers.hpp"

namespace machmeter::assembly {

// A word as it is read from one of its ends. Canonical: as the graph keeps it.
template <Strands strands>
struct Oriented {
    Kmer forward;
    Kmer backward;

    static Oriented of(Kmer kmer) { return {kmer, reversed(kmer)}; }
    [[nodiscard]] Oriented turned() const { return {backward, forward}; }
    [[nodiscard]] bool is_turned() const { return strands == Strands::both && backward < forward; }
    [[nodiscard]] Kmer canonical() const { return is_turned() ? backward : forward; }
    // A letter further.
    [[nodiscard]] Oriented next(Kmer code) const {
        return {((forward << letter_bits) | code) & word_mask,
                (backward >> letter_bits) | ((code ^ 2U) << (word_bits - letter_bits))};
    }
    // With this letter in place of the last one.
    [[nodiscard]] Oriented with_last(Kmer code) const {
        constexpr unsigned top = word_bits - letter_bits;
        return {(forward & ~Kmer{3}) | code, (backward & ~(Kmer{3} << top)) | ((code ^ 2U) << top)};
    }
};

// Letters, a bit each, by which a word is followed.
using Edges = unsigned;
inline constexpr Edges all_edges = 15;

inline constexpr std::uint32_t no_chain = ~std::uint32_t{0};

// entry: a word and 1, so that fresh memory is empty; edges: letters that follow the word in the
// lower four bits, those that follow its reverse complement in the upper four.
struct Node {
    std::atomic<Kmer> entry;
    std::uint32_t times;
    std::uint32_t chain;
    std::uint8_t edges;
    bool is_dropped;

    [[nodiscard]] Kmer kmer() const { return entry.load(std::memory_order_relaxed) - 1; }
    [[nodiscard]] bool is_empty() const { return entry.load(std::memory_order_relaxed) == 0; }
    [[nodiscard]] bool is_left() const { return !is_empty() && !is_dropped; }
    // That follow the word as it is read in that direction.
    [[nodiscard]] Edges after(bool is_turned) const {
        return (is_turned ? static_cast<unsigned>(edges) >> 4U : edges) & all_edges;
    }
    [[nodiscard]] Edges before(bool is_turned) const { return after(!is_turned); }
};

// A word next to another by a wrong letter has less than this share of its count.
inline constexpr double sibling_share = 0.05;

// A word that is looked for is in a line of 64 bytes that is not at hand.
inline double bytes_of_lookups(std::uint64_t lookups) { return 64 * static_cast<double>(lookups); }

class Graph {
   public:
    // Words that were counted `threshold` times at least, with what follows them.
    template <Strands strands, class Counts>
    static Graph of(const Counts& counts, std::uint32_t threshold, codes::Touch touch,
                    std::size_t page_bytes, int threads) {
        std::size_t left = 0;
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(+ : left)
        for (std::size_t part = 0; part < counts.parts(); ++part) {
            counts.visit(part, [&](Kmer, std::uint32_t times) { left += times >= threshold; });
        }
        Graph graph(left, page_bytes);
        codes::touch_pages(graph.memory_, touch, page_bytes, threads);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (std::size_t part = 0; part < counts.parts(); ++part) {
            counts.visit(part, [&](Kmer kmer, std::uint32_t times) {
                if (times >= threshold) {
                    graph.insert(kmer, times);
                }
            });
        }
        graph.each(threads, [&](Node& node) { node.is_dropped = graph.is_wrong<strands>(node); });
        graph.each(threads, [&](Node& node) { node.edges = graph.edges_of<strands>(node); });
        return graph;
    }

    // Bytes that are touched to make it: a word is put in its place, and looked for with each of
    // four letters before it, behind it, and in place of its first and last.
    [[nodiscard]] double bytes_to_make() const { return bytes_of_lookups((1 + 4 * 4) * words_); }
    // Bytes that are touched when all words are visited in the order of their places.
    [[nodiscard]] double bytes_to_visit() const {
        return static_cast<double>(slots_ * sizeof(Node));
    }

    // Null where the word was never there or is dropped.
    [[nodiscard]] Node* find(Kmer kmer) const {
        Node* const node = place_with(kmer);
        return node->is_left() ? node : nullptr;
    }

    // Where the word is, or would be.
    [[nodiscard]] Node* place_with(Kmer kmer) const {
        std::size_t slot = place_of(kmer, slots_);
        while (!at(slot).is_empty() && at(slot).kmer() != kmer) {
            slot = slot + 1 == slots_ ? 0 : slot + 1;
        }
        return &at(slot);
    }

    [[nodiscard]] std::size_t slots() const { return slots_; }
    [[nodiscard]] Node& at(std::size_t slot) const { return memory_.as<Node>()[slot]; }

    // `act(node)` for every word that is there, dropped ones too, by a team.
    template <class Act>
    void each(int threads, Act&& act) const {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::size_t slot = 0; slot < slots_; ++slot) {
            if (!at(slot).is_empty()) {
                act(at(slot));
            }
        }
    }

   private:
    Graph(std::size_t words, std::size_t page_bytes)
        : words_(words),
          slots_(words + words / 2 + 64),
          memory_(slots_ * sizeof(Node), page_bytes) {}

    // Each word comes once.
    void insert(Kmer kmer, std::uint32_t times) {
        std::size_t slot = place_of(kmer, slots_);
        for (Kmer empty = 0;
             !at(slot).entry.compare_exchange_strong(empty, kmer + 1, std::memory_order_relaxed);
             empty = 0) {
            slot = slot + 1 == slots_ ? 0 : slot + 1;
        }
        at(slot).times = times;
        at(slot).chain = no_chain;
    }

    // Whether words that differ from it in the last or in the first letter are far more frequent.
    template <Strands strands>
    [[nodiscard]] bool is_wrong(const Node& node) const {
        const auto own = Oriented<strands>::of(node.kmer());
        std::uint32_t most = 0;
        for (Kmer code = 0; code < 4; ++code) {
            most = std::max({most, times_of(own.with_last(code).canonical()),
                             times_of(own.turned().with_last(code).turned().canonical())});
        }
        return node.times < sibling_share * most;
    }
    // 0 where it is not there; dropped ones count too, so that no order of dropping matters.
    [[nodiscard]] std::uint32_t times_of(Kmer kmer) const {
        const Node* const node = place_with(kmer);
        return node->is_empty() ? 0 : node->times;
    }

    template <Strands strands>
    [[nodiscard]] std::uint8_t edges_of(const Node& node) const {
        if (node.is_dropped) {
            return 0;
        }
        const auto own = Oriented<strands>::of(node.kmer());
        Edges edges = 0;
        for (Kmer code = 0; code < 4; ++code) {
            const bool after = find(own.next(code).canonical()) != nullptr;
            const bool before = find(own.turned().next(code).turned().canonical()) != nullptr;
            edges |= (after ? 1U : 0U) << code | (before ? 16U : 0U) << code;
        }
        return static_cast<std::uint8_t>(edges);
    }

    std::size_t words_;
    std::size_t slots_;
    Memory memory_;
};

}  // namespace machmeter::assembly
