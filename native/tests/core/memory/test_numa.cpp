// The domains that the kernel reports are compared with where the pages must be.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "core/host/places.hpp"
#include "core/memory/memory.hpp"
#include "core/memory/numa.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

std::vector<const void*> pages_of(const Memory& memory) {
    std::vector<const void*> pages;
    for (std::size_t at = 0; at < memory.bytes(); at += base_page_bytes()) {
        pages.push_back(memory.as<char>() + at);
    }
    return pages;
}

bool kernel_reports_domains() {
    const int here = 1;
    return !domains_of_pages({&here}).empty();
}

bool domain_exists(int domain) {
    return std::ifstream("/sys/devices/system/node/node" + std::to_string(domain) + "/distance")
        .good();
}

}  // namespace

TEST(a_touched_page_has_a_domain_of_this_machine_and_an_untouched_one_has_none) {
    const Memory memory(8 * base_page_bytes(), base_page_bytes());
    const auto pages = pages_of(memory);
    for (std::size_t page = 0; page < pages.size(); page += 2) {
        memory.as<char>()[page * base_page_bytes()] = 1;
    }
    const std::vector<int> domains = domains_of_pages(pages);
    CHECK(domains.size() == (kernel_reports_domains() ? pages.size() : 0));
    for (std::size_t page = 0; page < domains.size(); ++page) {
        const bool touched = page % 2 == 0;
        CHECK((domains[page] >= 0) == touched);
        CHECK(!touched || domain_exists(domains[page]));
    }
}

TEST(pages_bound_to_a_domain_are_there_once_touched) {
    const int domain = std::max(current_domain(), 0);
    const Memory memory(4 * base_page_bytes(), base_page_bytes());
    const bool bound = bind_to_domain(memory.as<void>(), memory.bytes(), domain);
    std::fill_n(memory.as<char>(), memory.bytes(), 1);
    for (const int found : domains_of_pages(pages_of(memory))) {
        CHECK(!bound || found == domain);
    }
    CHECK(memory.as<char>()[0] == 1);
}

TEST(a_domain_that_does_not_exist_is_refused) {
    const Memory memory(base_page_bytes(), base_page_bytes());
    CHECK(!bind_to_domain(memory.as<void>(), memory.bytes(), -1));
    CHECK(!bind_to_domain(memory.as<void>(), memory.bytes(), 1 << 20));
    if (!domain_exists(200)) {
        CHECK(!bind_to_domain(memory.as<void>(), memory.bytes(), 200));
    }
}

TEST(placement_comes_from_a_sample_and_finds_a_page_elsewhere) {
    const Memory memory(600 * base_page_bytes(), base_page_bytes());
    const bool known = kernel_reports_domains();
    CHECK(placement_of(memory.as<void>(), memory.bytes(), 0).elsewhere == known);
    std::fill_n(memory.as<char>(), memory.bytes(), 1);
    const int domain = known ? domains_of_pages({memory.as<void>()}).front() : 0;
    const Placement right = placement_of(memory.as<void>(), memory.bytes(), domain);
    CHECK(!right.elsewhere);
    CHECK(!known || right.what.find("256 of 256 sampled pages") != std::string::npos);
    const bool found = right.what.find("unknown") == std::string::npos;
    CHECK(placement_of(memory.as<void>(), memory.bytes(), domain + 1).elsewhere == found);
    CHECK(!placement_of(memory.as<void>(), 100, domain).elsewhere);
}

TEST(mappings_have_domains_where_pages_do_not) {
    const std::string maps =
        "1000 default file=/bin/N7=9 mapped=2 N0=2 kernelpagesize_kB=4\n"
        "4000 bind:1 anon=5 dirty=5 N0=1 N1=4 kernelpagesize_kB=4\n"
        "9000 default anon=3 active=0 N1=3 kernelpagesize_kB=4\n"
        "f000 default stack anon=7 N0=7 kernelpagesize_kB=4\n";
    const auto pages_in = [&](std::uintptr_t begin, std::uintptr_t end) {
        std::istringstream file(maps);
        return pages_of_domains(file, {begin, end});
    };
    using Pages = std::map<int, std::size_t>;
    CHECK(pages_in(0x1000, 0x2000) == Pages{{0, 2}});
    CHECK(pages_in(0x5000, 0x6000) == Pages{{0, 1}, {1, 4}});
    CHECK(pages_in(0x5000, 0x9001) == Pages{{0, 1}, {1, 7}});
    CHECK(pages_in(0x9000, 0xa000) == Pages{{1, 3}});
    CHECK(pages_in(0x100, 0x200).empty());
    const auto placed = [&](std::uintptr_t begin, int domain) {
        std::istringstream file(maps);
        return placement_by_mappings(file, {begin, begin + 0x100}, domain);
    };
    CHECK(!placed(0x9000, 1).elsewhere);
    CHECK(placed(0x9000, 1).what.find("3 of 3 pages are in NUMA domain 1") != std::string::npos);
    CHECK(placed(0x9000, 0).elsewhere);
    CHECK(placed(0x4000, 1).elsewhere);
    CHECK(placed(0x4000, 1).what.find("4 of 5 pages") != std::string::npos);
    CHECK(!placed(0x100, 0).elsewhere);
    CHECK(placed(0x100, 0).what.find("unknown") != std::string::npos);
}

TEST(mappings_of_this_machine_have_the_domain_of_touched_memory) {
    const Memory memory(64 * base_page_bytes(), base_page_bytes());
    std::fill_n(memory.as<char>(), memory.bytes(), 1);
    std::ifstream maps("/proc/self/numa_maps");
    const auto pages = pages_of_domains(maps, range_of(memory.as<void>(), memory.bytes()));
    if (pages.empty()) {
        std::printf("skipped: no numa_maps here\n");
        return;
    }
    std::size_t all = 0;
    for (const auto& [domain, count] : pages) {
        CHECK(domain_exists(domain));
        all += count;
    }
    CHECK(all >= 64);
}

TEST(an_address_that_is_not_mapped_has_no_domain) {
    std::vector<const void*> pages;
    {
        const Memory memory(base_page_bytes(), base_page_bytes());
        pages = pages_of(memory);
    }
    for (const int domain : domains_of_pages(pages)) {
        CHECK(domain < 0);
    }
}

}  // namespace machmeter
