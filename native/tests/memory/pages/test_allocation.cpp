#include "memory/pages/allocation.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

std::string way(const std::string& name, const std::string& pages = "base",
                std::size_t mebibytes = 4) {
    return "way=" + name + ",pages=" + pages + ",size=" + std::to_string(mebibytes * mebibyte);
}

std::vector<PointResult> run(const std::vector<std::string>& points) {
    return test::run_with_fake_clock(&run_allocation, points, 1'000'000);
}

std::vector<std::string> ways() {
    return {way("map"), way("malloc-outside"), way("malloc-inside"), way("malloc-loop")};
}

}  // namespace

TEST(every_way_is_timed_phase_by_phase_by_the_clock_given) {
    omp_set_num_threads(1);
    for (const PointResult& point : run(ways())) {
        CHECK(point.check_passed);
        CHECK(point.page_bytes == 0);
        const std::size_t samples = test::series_of(point, "total").size();
        CHECK(samples >= 8);
        for (const char* phase : {"allocate", "first_touch", "second_pass", "release"}) {
            CHECK(test::series_of(point, phase) == std::vector<double>(samples, 1e-3));
        }
        for (const double total : test::series_of(point, "total")) {
            CHECK(test::near(total, 3e-3));
        }
    }
}

TEST(sampling_ends_with_the_time_of_the_point) {
    omp_set_num_threads(1);
    // A round takes 4 ms of this clock and a point 30 ms: the eighth sample is over it.
    CHECK(test::series_of(run({way("map")}).at(0), "total").size() == 8);
    const auto quick = test::run_with_fake_clock(&run_allocation, {way("map")}, 100'000);
    CHECK(test::series_of(quick.at(0), "total").size() == 75);
}

TEST(several_threads_pass_the_check_in_every_way) {
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        for (const PointResult& point : run(ways())) {
            CHECK(point.check_passed);
            CHECK(test::quantity_of(point, "threads") == threads);
        }
    }
}

TEST(a_mapping_faults_once_for_each_page) {
    omp_set_num_threads(2);
    const PointResult point = run({way("map", "base", 8)}).at(0);
    const double pages = 8.0 * mebibyte / static_cast<double>(base_page_bytes());
    CHECK(test::quantity_of(point, "events_per_sample") == pages / 2);
    CHECK(test::quantity_of(point, "page_faults") >= pages);
    CHECK(test::quantity_of(point, "page_faults") <= 1.02 * pages + 64);
}

TEST(memory_that_is_never_released_is_reported) {
    const auto words = [](double faults) { return faults_text(faults, 1000); };
    CHECK(words(1000) == "1000 faults in a first touch of 1000 pages");
    CHECK(words(3.4) == "3 faults in a first touch of 1000 pages: the memory was never released");
    CHECK(words(500).find("some of the memory was never released") != std::string::npos);
}

TEST(points_stand_in_the_order_of_what_they_leave_to_the_allocator) {
    omp_set_num_threads(1);
    const auto recorded = run({way("malloc-outside"), way("malloc-inside"), way("malloc-loop"),
                               way("malloc-outside", "base", 1), way("map")});
    const std::vector<std::string> expected{way("map"), way("malloc-loop"), way("malloc-inside"),
                                            way("malloc-outside", "base", 1),
                                            way("malloc-outside")};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(recorded.at(i).parameters.to_json() == Parameters(expected[i]).to_json());
    }
}

TEST(transparent_huge_pages_are_obtained_or_reported_as_missing) {
    omp_set_num_threads(2);
    const std::size_t huge = transparent_huge_page_bytes();
    if (huge > 64 * mebibyte) {
        std::printf("skipped: huge pages of this machine are large\n");
        return;
    }
    const PointResult point = run({way("map", "transparent", 4 * huge / mebibyte)}).at(0);
    const bool obtained = point.check_what.find(", transparent;") != std::string::npos;
    CHECK(point.check_passed == obtained);
    CHECK(!obtained || test::quantity_of(point, "events_per_sample") == 2);
}

TEST(the_check_finds_one_wrong_word_and_an_earlier_pass) {
    std::vector<std::uint64_t> words(1000);
    const Block block{reinterpret_cast<std::byte*>(words.data()), words.size() * sizeof words[0]};
    write_block(block, 7);
    CHECK(wrong_words(block, 7) == 0);
    CHECK(wrong_words(block, 6) == words.size());
    words.back() ^= 1U;
    CHECK(wrong_words(block, 7) == 1);
}

TEST(pages_other_than_requested_are_reported) {
    const std::size_t base = base_page_bytes();
    const PageKind base_kind = page_kind_of("base");
    const PageKind huge_kind = page_kind_of("transparent");
    const PageKind pool_kind = page_kind_of("hugetlb-2m");
    const std::size_t pool = pool_kind.bytes;
    CHECK(obtained_as_requested(base_kind, {8 * base, 0, base}));
    CHECK(!obtained_as_requested(base_kind, {8 * base, base, base}));
    CHECK(!obtained_as_requested(base_kind, {pool, 0, 2 * pool}));
    CHECK(obtained_as_requested(huge_kind, {8 * base, 8 * base, base}));
    CHECK(!obtained_as_requested(huge_kind, {8 * base, 7 * base, base}));
    CHECK(obtained_as_requested(pool_kind, {pool, 0, pool}));
    CHECK(!obtained_as_requested(pool_kind, {pool, pool, base}));
    CHECK(obtained_text({200, 100, base}).find("for 50 % of it") != std::string::npos);
}

TEST(smaller_pages_in_some_rounds_show_in_the_faults) {
    const TeamMemory mapped(Way::map, page_kind_of("base"), 1000 * base_page_bytes(), 2);
    CHECK(no_smaller_pages(1000, mapped));
    CHECK(!no_smaller_pages(1200, mapped));
    // A page between two threads may fault for both.
    const TeamMemory shared(Way::map, page_kind_of("base"), 1000 * base_page_bytes(), 200);
    CHECK(no_smaller_pages(1200, shared));
    const TeamMemory allocated(Way::malloc_inside, page_kind_of("base"), 4096, 1);
    CHECK(no_smaller_pages(1e6, allocated));
}

TEST(huge_pages_are_forbidden_and_allowed_again_scope_by_scope) {
    const auto forbidden = [] { return prctl(PR_GET_THP_DISABLE, 0UL, 0UL, 0UL, 0UL) == 1; };
    const bool before = forbidden();
    {
        const HugePagesAllowed none(false);
        CHECK(forbidden());
        {
            const HugePagesAllowed some(true);
            CHECK(!forbidden());
        }
        CHECK(forbidden());
    }
    CHECK(forbidden() == before);
}

TEST(the_blocks_of_all_threads_are_the_whole_once) {
    for (const Way kind : {Way::map, Way::malloc_inside, Way::malloc_loop}) {
        for (const std::size_t threads : {1U, 2U, 7U, 300U}) {
            const TeamMemory memory(kind, page_kind_of("base"), mebibyte, threads);
            std::size_t bytes = 0;
            for (std::size_t thread = 0; thread < threads; ++thread) {
                for (const Block& block : memory.blocks(thread)) {
                    CHECK(block.bytes > 0);
                    bytes += block.bytes;
                }
            }
            CHECK(bytes == mebibyte);
        }
    }
}

TEST(threads_share_a_page_only_where_there_are_fewer_pages) {
    const PageKind huge{"made-up", 4 * base_page_bytes()};
    const TeamMemory few(Way::map, huge, 4 * base_page_bytes(), 2);
    CHECK(few.blocks(0).at(0).bytes == 2 * base_page_bytes());
    CHECK(few.most_pages() == 1);
    const TeamMemory enough(Way::map, huge, 12 * base_page_bytes(), 2);
    CHECK(enough.blocks(0).at(0).bytes == 4 * base_page_bytes());
    CHECK(enough.blocks(1).at(0).bytes == 8 * base_page_bytes());
    CHECK(enough.most_pages() == 2);
    CHECK(enough.pages() == 3);
}

TEST(points_that_mean_nothing_are_refused) {
    omp_set_num_threads(1);
    CHECK_THROWS(UsageError, "way: 'brk'", run({way("brk")}));
    CHECK_THROWS(UsageError, "pages: 'giant'", run({way("map", "giant")}));
    CHECK_THROWS(UsageError, "request pages=base", run({way("malloc-loop", "transparent")}));
    CHECK_THROWS(UsageError, "lacks parameter 'size'", run({"way=map,pages=base"}));
}

TEST(more_memory_than_there_is_address_space_is_an_error) {
    omp_set_num_threads(2);
    const std::size_t too_much = std::size_t{1} << 40U;
    CHECK_THROWS(std::runtime_error, "cannot map", run({way("map", "base", too_much)}));
    for (const char* name : {"malloc-outside", "malloc-inside"}) {
        CHECK_THROWS(std::runtime_error, "malloc refused", run({way(name, "base", too_much)}));
    }
}

}  // namespace machmeter
