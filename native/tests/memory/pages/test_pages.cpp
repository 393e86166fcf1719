// Visits read and write what they should in the right order; a wrong word is found; only the
// visitor's passes are timed.
#include <omp.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "memory/pages/pages.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

constexpr std::array all_visits = {Visit::read, Visit::write};
constexpr std::array all_extents = {Extent::word, Extent::page};
constexpr std::array all_orders = {Order::dependent, Order::independent};

// A set of pages that no two tests share.
struct Prepared {
    explicit Prepared(std::size_t pages, std::uint64_t seed = 1)
        : memory(pages * visited_page_bytes, base_page_bytes()),
          set(memory.as<void>(), pages, seed) {}

    [[nodiscard]] Visitor visitor(std::uint64_t mark = 0) const {
        return {set.links().front(), set.links().data(), mark};
    }

    Memory memory;
    PageSet set;
};

// CPUs of this process, each with a thread bound to it alone.
std::vector<int> bind_a_thread_to_each_cpu() {
    const std::vector<int> cpus = allowed_cpus();
    omp_set_num_threads(static_cast<int>(cpus.size()));
#pragma omp parallel
    bind_thread_to({cpus[static_cast<std::size_t>(omp_get_thread_num())]});
    return cpus;
}

std::string point_of(const std::string& pair, Visit visit, Extent extent, Order order) {
    return "pair=" + pair + ",visit=" + (visit == Visit::read ? "read" : "write") +
           ",extent=" + (extent == Extent::word ? "word" : "page") +
           ",order=" + (order == Order::dependent ? "dependent" : "independent");
}

}  // namespace

TEST(links_pass_every_page_once_in_an_order_that_the_seed_decides) {
    const Prepared prepared(300);
    prepared.set.write(1);
    std::set<const void*> pages;
    std::set<std::uintptr_t> lines;
    Link* at = prepared.set.links().front();
    for (std::size_t i = 0; i < 300; ++i) {
        CHECK(at == prepared.set.links()[i]);
        pages.insert(at->page());
        lines.insert(reinterpret_cast<std::uintptr_t>(at) % visited_page_bytes);
        at = at->following();
    }
    CHECK(at == prepared.set.links().front());
    CHECK(pages.size() == 300);
    // 300 draws of 64 lines miss one of them with a probability of half; never more than a few.
    CHECK(lines.size() > 56 && *lines.rbegin() < visited_page_bytes &&
          *lines.begin() % line_bytes() == 0);
    const PageSet other(prepared.memory.as<void>(), 300, 2);
    CHECK(other.links() != prepared.set.links());
}

TEST(reading_visits_find_the_sum_of_what_was_written_in_their_round) {
    for (const Extent extent : all_extents) {
        for (const Order order : all_orders) {
            const Prepared prepared(37);
            for (std::uint64_t round = 1; round <= 2; ++round) {
                prepared.set.write(round);
                Visitor visitor = prepared.visitor();
                visits_of(Visit::read, extent, order)(visitor, 20);
                CHECK(visitor.sum != prepared.set.sum_read(extent, round));
                visits_of(Visit::read, extent, order)(visitor, 17);
                CHECK(visitor.sum == prepared.set.sum_read(extent, round));
                CHECK(visitor.sum != prepared.set.sum_read(extent, round + 1));
                CHECK(order == Order::independent || visitor.at == prepared.set.links().front());
            }
        }
    }
}

TEST(a_sum_of_words_and_of_pages_counts_every_word) {
    const Prepared prepared(3);
    prepared.set.write(5);
    std::uint64_t words = 0;
    std::uint64_t pages = 0;
    for (std::size_t number = 0; number < 3; ++number) {
        words += (std::uint64_t{5} << 32U) + number;
        for (std::size_t i = 0; i < visited_page_words; ++i) {
            pages += prepared.set.page(number)[i];
        }
    }
    CHECK(prepared.set.sum_read(Extent::word, 5) == words);
    CHECK(prepared.set.sum_read(Extent::page, 5) == pages);
}

TEST(writing_visits_leave_what_they_should_and_a_wrong_word_is_seen) {
    constexpr std::uint64_t mark = 1'234'567;
    for (const Extent extent : all_extents) {
        for (const Order order : all_orders) {
            const Prepared prepared(9);
            prepared.set.write(3);
            CHECK(!prepared.set.holds(extent, order, 3, mark));
            Visitor visitor = prepared.visitor(mark);
            visits_of(Visit::write, extent, order)(visitor, 8);
            CHECK(!prepared.set.holds(extent, order, 3, mark));
            visits_of(Visit::write, extent, order)(visitor, 1);
            CHECK(prepared.set.holds(extent, order, 3, mark));
            CHECK(!prepared.set.holds(extent, order, 3, mark + 1));
            for (const std::size_t word : {std::size_t{0}, visited_page_words - 1}) {
                prepared.set.page(4)[word] += 1;
                CHECK(!prepared.set.holds(extent, order, 3, mark));
                prepared.set.page(4)[word] -= 1;
            }
            CHECK(prepared.set.holds(extent, order, 3, mark));
        }
    }
}

TEST(a_dependent_write_needs_what_the_owner_wrote) {
    const Prepared prepared(5);
    prepared.set.write(1);
    prepared.set.links()[2]->value += 1;  // not the owner's word
    Visitor visitor = prepared.visitor(7);
    visits_of(Visit::write, Extent::word, Order::dependent)(visitor, 5);
    CHECK(!prepared.set.holds(Extent::word, Order::dependent, 1, 7));
}

TEST(passes_read_stale_words_as_wrong) {
    NodeSession session = test::fake_session();
    const Prepared prepared(16);
    const Shape shape{{0, 0}, Visit::read, Extent::word, Order::independent, 16};
    Passes passes(session, shape, prepared.set);
    CHECK(passes.owner_writes());
    passes.visitor_visits();
    CHECK(passes.right());
    CHECK(passes.owner_writes());
    prepared.set.write(1);  // what a visitor sees who does not get the owner's newest words
    passes.visitor_visits();
    CHECK(!passes.right());
}

TEST(a_pass_through_many_pages_has_many_stretches) {
    CHECK(stretches_of_pass(2) == 1);
    CHECK(stretches_of_pass(511) == 1);
    CHECK(stretches_of_pass(512) == 2);
    CHECK(stretches_of_pass(1U << 20U) == 16);
}

TEST(short_stretches_are_added_up_until_the_clock_hardly_matters) {
    NodeSession session = test::fake_session();
    // A pass takes 21 ns and a reading of the clock, which costs 10 ns and must be below 5 %.
    test::fake_step = 31;
    const Prepared prepared(16);
    const Shape shape{{0, 0}, Visit::read, Extent::word, Order::dependent, 16};
    Passes passes(session, shape, prepared.set);
    while (passes.owner_writes()) {
        passes.visitor_visits();
    }
    CHECK(passes.passes() == 1 + 10 * session.limits().most);
    CHECK(passes.samples().batch() == 160);
    CHECK(std::abs(passes.samples().subtracted_share() - 10.0 / 31) < 1e-3);
    CHECK(passes.samples().seen_by_clock());
    CHECK(passes.samples().seconds().size() == session.limits().most);
    const std::vector<double> all = passes.samples().seconds();
    for (const double seconds : all) {
        CHECK(std::abs(seconds - 21e-9 / 16) < 1e-14);
    }
}

TEST(visits_too_short_for_the_clock_end_without_a_zero) {
    Arguments arguments;
    arguments.limits.seconds = 1e-6;
    NodeSession session = test::fake_session(std::move(arguments));
    const Prepared prepared(2);
    const Shape shape{{0, 0}, Visit::read, Extent::word, Order::dependent, 2};
    Passes passes(session, shape, prepared.set);
    while (passes.owner_writes()) {
        passes.visitor_visits();
    }
    CHECK(!passes.samples().seen_by_clock());
    CHECK(passes.samples().seconds().size() == 1);
    CHECK(test::near(passes.samples().seconds().front(), 5e-9));
}

TEST(passes_that_lose_their_cpus_end_with_fewer_samples) {
    NodeSession session = test::fake_session();
    test::fake_step = 10'000'000'000;
    const Prepared prepared(16);
    const Shape shape{{0, 0}, Visit::write, Extent::page, Order::independent, 16};
    Passes passes(session, shape, prepared.set);
    while (passes.owner_writes()) {
        passes.visitor_visits();
    }
    CHECK(passes.right());
    CHECK(passes.samples().seconds().size() == fewest_samples);
}

TEST(every_kind_of_visit_passes_its_check_on_every_pair) {
    const std::vector<int> cpus = bind_a_thread_to_each_cpu();
    std::vector<std::string> points;
    const auto pair_of = [](int owner, int visitor) {
        return std::to_string(owner) + "-" + std::to_string(visitor);
    };
    const int first = cpus.front();
    const int last = cpus.back();
    for (const std::string& pair :
         {pair_of(first, first), pair_of(first, last), pair_of(last, first)}) {
        for (const Visit visit : all_visits) {
            for (const Extent extent : all_extents) {
                for (const Order order : all_orders) {
                    points.push_back(point_of(pair, visit, extent, order) + ",size=262144");
                    points.push_back(point_of(pair, visit, extent, order) + ",size=4194304");
                }
            }
        }
    }
    const auto recorded = test::run_with_fake_clock(&run_pages, points, 1'000'010);
    CHECK(recorded.size() == points.size());
    for (const PointResult& point : recorded) {
        CHECK(point.check_passed);
        CHECK(point.page_bytes == base_page_bytes());
        const double pages = point.quantities.at(0).second;
        const bool small = pages == 64;
        CHECK(point.batch == (small ? 64 : 256));
        // A stretch takes 1 ms and a reading of the clock, which is subtracted. The owner's turns
        // read the clock once more: the limit of the whole counts, not of what was timed.
        for (const double seconds : point.series.at(0).second) {
            CHECK(test::near(seconds, 1e-3 / static_cast<double>(point.batch)));
        }
        CHECK(point.series.at(0).second.size() >= 8);
    }
}

TEST(points_that_make_no_sense_are_refused) {
    const std::vector<int> cpus = bind_a_thread_to_each_cpu();
    const std::string own = std::to_string(cpus.front()) + "-" + std::to_string(cpus.front());
    const auto run = [](const std::string& point) {
        return test::run_with_fake_clock(&run_pages, {point}, 1'000'000);
    };
    const std::string good = point_of(own, Visit::read, Extent::word, Order::dependent);
    CHECK_THROWS(UsageError, "two or more pages of 4096", run(good + ",size=4096"));
    CHECK_THROWS(UsageError, "two or more pages of 4096", run(good + ",size=10000"));
    CHECK_THROWS(UsageError, "'size'", run(good));
    CHECK_THROWS(UsageError, "visit: 'look' is none of read, write",
                 run("pair=" + own + ",visit=look,extent=word,order=dependent,size=8192"));
    CHECK_THROWS(UsageError, "bound to CPU 9999",
                 run("pair=9999-0,visit=read,extent=word,order=dependent,size=8192"));
}

}  // namespace machmeter
