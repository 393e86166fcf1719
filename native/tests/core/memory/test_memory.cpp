#include <sys/mman.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/memory/memory.hpp"
#include "core/memory/pages.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

const std::size_t huge_page_bytes = transparent_huge_page_bytes();
constexpr std::size_t mebibyte = std::size_t{1} << 20U;

// Of touched memory.
std::size_t obtained(const Memory& memory) { return memory.describe().page_bytes; }

Memory touched(std::size_t bytes, std::size_t page_bytes) {
    Memory memory(bytes, page_bytes);
    memory.touch();
    return memory;
}

std::size_t expected_huge_page() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string text;
    std::getline(file, text);
    const bool available =
        text.find("[madvise]") != std::string::npos || text.find("[always]") != std::string::npos;
    if (!available) {
        std::printf("transparent huge pages are off: base pages expected\n");
    }
    return available ? huge_page_bytes : base_page_bytes();
}

TEST(memory_begins_at_a_page_and_holds_what_was_requested) {
    for (const std::size_t page : {base_page_bytes(), huge_page_bytes}) {
        const Memory memory(3 * mebibyte + 1, page);
        CHECK(reinterpret_cast<std::uintptr_t>(memory.as<char>()) % page == 0);
        CHECK(memory.bytes() >= 3 * mebibyte + 1);
        CHECK(memory.bytes() % page == 0);
    }
}

TEST(base_pages_are_obtained_when_requested) {
    CHECK(obtained(touched(8 * mebibyte, base_page_bytes())) == base_page_bytes());
}

TEST(huge_pages_are_reported_as_the_kernel_gave_them) {
    CHECK(obtained(touched(2 * huge_page_bytes, huge_page_bytes)) == expected_huge_page());
}

TEST(pages_larger_than_the_kernel_gives_are_not_reported_as_obtained) {
    const std::size_t requested = 2 * huge_page_bytes;
    CHECK(obtained(touched(requested, requested)) == expected_huge_page());
}

TEST(pages_that_are_huge_in_part_count_as_base_pages) {
    const Memory memory(2 * huge_page_bytes, huge_page_bytes);
    madvise(memory.as<char>(), memory.bytes() / 2, MADV_NOHUGEPAGE);
    memory.touch();
    CHECK(obtained(memory) == base_page_bytes());
}

TEST(the_least_page_of_several_pieces_is_found) {
    CHECK(describe({}).page_bytes == 0);
    const Memory base = touched(2 * huge_page_bytes, base_page_bytes());
    const Memory huge = touched(2 * huge_page_bytes, huge_page_bytes);
    CHECK(describe({&huge}).page_bytes == obtained(huge));
    CHECK(describe({&huge, &base}).page_bytes == base_page_bytes());
    CHECK(describe({&base, &huge}).page_bytes == base_page_bytes());
}

TEST(what_was_filled_is_checked_element_by_element) {
    const Memory memory(mebibyte, base_page_bytes());
    const auto value = [](std::size_t i) { return static_cast<double>(3 * i); };
    memory.fill<double>(0, 1000, value);
    CHECK(memory.wrong<double>(0, 1000, value) == 0);
    memory.as<double>()[999] = 1;
    CHECK(memory.wrong<double>(0, 1000, value) == 1);
    CHECK(memory.wrong<double>(0, 999, value) == 0);
}

TEST(moved_memory_keeps_its_content) {
    Memory first(mebibyte, base_page_bytes());
    first.as<char>()[5] = 42;
    const Memory second(std::move(first));
    CHECK(second.as<char>()[5] == 42);
}

TEST(more_memory_than_there_is_address_space_is_an_error) {
    CHECK_THROWS(std::runtime_error, "cannot map",
                 Memory(std::size_t{1} << 60U, base_page_bytes()));
}

TEST(each_range_gets_the_pages_of_its_own_mappings) {
    std::istringstream file(
        "1000-3000 rw-p 00000000 00:00 0\nRss: 8 kB\nAnonHugePages: 0 kB\nKernelPageSize: 4 kB\n"
        "3000-5000 rw-p 00000000 00:00 0\nRss: 6 kB\nAnonHugePages: 2 kB\nKernelPageSize: 16 kB\n"
        "7000-8000 rw-p 00000000 00:00 0  [heap]\nRss: 4 kB\nVmFlags: rd wr\n");
    const auto pages = present_pages_of_each(
        file, {{0x2000, 0x4000}, {0x7800, 0x9000}, {0x5000, 0x7000}, {0x1000, 0x1001}});
    CHECK(pages.size() == 4);
    CHECK(pages[0].bytes == 14 * 1024 && pages[0].huge_bytes == 2 * 1024);
    CHECK(pages[0].kernel_page_bytes == 16 * 1024);
    CHECK(pages[1].bytes == 4 * 1024 && pages[1].kernel_page_bytes == 0);
    CHECK(pages[2].bytes == 0);
    CHECK(pages[3].bytes == 8 * 1024 && pages[3].kernel_page_bytes == 4 * 1024);
}

}  // namespace
}  // namespace machmeter
