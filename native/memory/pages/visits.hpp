// A set of pages that one thread writes and another visits; no clock here.
//
// A page here is a block of 4096 bytes, whatever the size of the pages behind it. One line of each,
// drawn at random so that the lines spread over the sets of the caches, links it to the page that
// is visited next; the links form one random cycle.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "memory/latency/chase.hpp"

namespace machmeter {

inline constexpr std::size_t visited_page_bytes = 4096;
inline constexpr std::size_t visited_page_words = visited_page_bytes / sizeof(std::uint64_t);

// The begin of the line of a page that a visit starts with. Like all of the page it consists of
// numbers, one of them the address of the next link: what is written as a word may be read as a
// link.
struct Link {
    std::uint64_t next;
    std::uint64_t value;

    [[nodiscard]] Link* following() const { return reinterpret_cast<Link*>(next); }

    [[nodiscard]] std::uint64_t* page() {
        return reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(this) /
                                                visited_page_bytes * visited_page_bytes);
    }
};

enum class Visit : std::uint8_t { read, write };
enum class Extent : std::uint8_t { word, page };
enum class Order : std::uint8_t { dependent, independent };

// `memory` begins at a page boundary and holds `pages` pages; nothing touches it before `write`.
class PageSet {
   public:
    PageSet(void* memory, std::size_t pages, std::uint64_t seed)
        : memory_(static_cast<std::byte*>(memory)) {
        std::mt19937_64 random(seed);
        std::vector<std::uint32_t> order;
        shuffle_order(order, pages, random());
        const std::size_t lines_of_page = visited_page_bytes / line_bytes();
        links_.reserve(pages);
        for (const std::uint32_t page : order) {
            const std::size_t line = ((random() >> 32U) * lines_of_page) >> 32U;
            links_.push_back(
                reinterpret_cast<Link*>(memory_ + page * visited_page_bytes + line * line_bytes()));
        }
        next_of_page_.resize(pages);
        for (std::size_t i = 0; i < pages; ++i) {
            next_of_page_[order[i]] = {links_[i],
                                       reinterpret_cast<std::uintptr_t>(links_[(i + 1) % pages])};
        }
    }

    [[nodiscard]] std::size_t pages() const { return links_.size(); }
    [[nodiscard]] std::uint64_t* page(std::size_t number) const {
        return reinterpret_cast<std::uint64_t*>(memory_ + number * visited_page_bytes);
    }

    // The pages in the order of the visits, which is that of the links.
    [[nodiscard]] const std::vector<Link*>& links() const { return links_; }

    // Every word of every page, with values that differ in every round.
    void write(std::uint64_t round) const {
        for (std::size_t number = 0; number < pages(); ++number) {
            std::uint64_t* words = page(number);
            const std::uint64_t value = written(round, number);
            for (std::size_t i = 0; i < visited_page_words; ++i) {
                words[i] = value;
            }
            next_of_page_[number].link->next = next_of_page_[number].next;
        }
    }

    static std::uint64_t written(std::uint64_t round, std::size_t number) {
        return (round << 32U) + number;
    }

    // What visits to a round's words, or to its whole pages, must have read in sum.
    [[nodiscard]] std::uint64_t sum_read(Extent extent, std::uint64_t round) const {
        std::uint64_t sum = 0;
        for (std::size_t number = 0; number < pages(); ++number) {
            sum += written(round, number);
        }
        if (extent == Extent::word) {
            return sum;
        }
        sum *= visited_page_words - 1;
        for (Link* link : links_) {
            sum += reinterpret_cast<std::uintptr_t>(link);
        }
        return sum;
    }

    // Whether the pages hold what writing visits with `mark` leave of a round. A dependent visit to
    // a word adds the mark to what it finds, all others replace it.
    [[nodiscard]] bool holds(Extent extent, Order order, std::uint64_t round,
                             std::uint64_t mark) const {
        for (std::size_t number = 0; number < pages(); ++number) {
            const std::uint64_t* words = page(number);
            const std::uint64_t before = written(round, number);
            std::uint64_t wrong = 0;
            const std::uint64_t everywhere = extent == Extent::page ? mark : before;
            for (std::size_t i = 0; i < visited_page_words; ++i) {
                wrong += words[i] != everywhere ? 1 : 0;
            }
            const auto [link, next] = next_of_page_[number];
            const std::uint64_t visited = order == Order::dependent ? before + mark : mark;
            const bool word_right = link->value == visited && link->next == next && wrong == 2;
            if (extent == Extent::page ? wrong != 0 : !word_right) {
                return false;
            }
        }
        return true;
    }

   private:
    struct Step {
        Link* link;
        std::uint64_t next;
    };

    std::byte* memory_;
    std::vector<Link*> links_;
    std::vector<Step> next_of_page_;
};

// Where a visitor is. mark: what it writes; sum: of what it read; zero: 0, unknown to the compiler.
struct Visitor {
    Link* at;
    Link* const* list;
    std::uint64_t mark = 0;
    std::uint64_t sum = 0;
    std::uint64_t zero = 0;
};

inline std::uint64_t read_page(const std::uint64_t* words) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < visited_page_words; ++i) {
        sum += words[i];
    }
    return sum;
}

inline void write_page(std::uint64_t* words, std::uint64_t value) {
    for (std::size_t i = 0; i < visited_page_words; ++i) {
        words[i] = value;
    }
}

// Visits the next `pages` pages. Where the order is dependent, this page holds the link to the
// next: the next visit begins when the link has been read, and a visit that reads the whole page
// must have read every line of it. Nothing waits for writes: a visit that writes depends on the one
// before it by the link alone, and its writes may overlap with the visits that follow.
template <Visit visit, Extent extent, Order order>
void visit_pages(Visitor& visitor, std::size_t pages) {
    constexpr bool dependent = order == Order::dependent;
    Visitor local = visitor;
    asm volatile("" : "+r"(local.zero));
    for (std::size_t i = 0; i < pages; ++i) {
        Link* link = dependent ? local.at : local.list[i];
        if constexpr (dependent) {
            local.at = link->following();
        }
        if constexpr (visit == Visit::read && extent == Extent::word) {
            local.sum += link->value;
        } else if constexpr (visit == Visit::read) {
            const std::uint64_t sum = read_page(link->page());
            local.sum += sum;
            if constexpr (dependent) {
                // Adds nothing, but waits for the sum.
                const auto address = reinterpret_cast<std::uintptr_t>(local.at);
                local.at = reinterpret_cast<Link*>(address + (sum & local.zero));
            }
        } else if constexpr (extent == Extent::page) {
            write_page(link->page(), local.mark);
        } else if constexpr (dependent) {
            link->value += local.mark;
        } else {
            link->value = local.mark;
        }
    }
    asm volatile("" : : "r"(local.at), "r"(local.sum) : "memory");
    if constexpr (visit == Visit::write) {
        // A write is done when others can see it, not when it waits to leave the core.
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    visitor.at = local.at;
    visitor.sum = local.sum;
    visitor.list = local.list + pages;
}

using VisitPages = void (*)(Visitor&, std::size_t);

inline VisitPages visits_of(Visit visit, Extent extent, Order order) {
    using enum Extent;
    using enum Order;
    constexpr VisitPages visits[2][2][2] = {
        {{&visit_pages<Visit::read, word, dependent>, &visit_pages<Visit::read, word, independent>},
         {&visit_pages<Visit::read, page, dependent>,
          &visit_pages<Visit::read, page, independent>}},
        {{&visit_pages<Visit::write, word, dependent>,
          &visit_pages<Visit::write, word, independent>},
         {&visit_pages<Visit::write, page, dependent>,
          &visit_pages<Visit::write, page, independent>}}};
    return visits[static_cast<int>(visit)][static_cast<int>(extent)][static_cast<int>(order)];
}

}  // namespace machmeter
