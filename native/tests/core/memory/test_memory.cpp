#include <sstream>

#include "core/memory/memory.hpp"
#include "tests/support/check.hpp"

namespace machmeter {

const std::size_t huge_page_bytes = transparent_huge_page_bytes();
constexpr std::size_t mebibyte = std::size_t{1} << 20U;

void touch(const PageBuffer& buffer) {
    for (std::size_t i = 0; i < buffer.bytes(); i += 512) {
        buffer.as<char>()[i] = 1;
    }
}

bool huge_pages_can_be_had() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string text;
    std::getline(file, text);
    return text.find("[madvise]") != std::string::npos ||
           text.find("[always]") != std::string::npos;
}

TEST(buffers_start_on_a_page_and_hold_what_was_asked) {
    for (const std::size_t page : {base_page_bytes(), huge_page_bytes}) {
        const PageBuffer buffer(3 * mebibyte + 1, page);
        CHECK(reinterpret_cast<std::uintptr_t>(buffer.as<char>()) % page == 0);
        CHECK(buffer.bytes() >= 3 * mebibyte + 1);
        CHECK(buffer.bytes() % page == 0);
    }
}

TEST(base_pages_are_obtained_when_asked_for) {
    const PageBuffer buffer(8 * mebibyte, base_page_bytes());
    touch(buffer);
    CHECK(buffer.obtained_page_bytes() == base_page_bytes());
}

TEST(huge_pages_are_reported_as_the_kernel_gave_them) {
    const PageBuffer buffer(2 * huge_page_bytes, huge_page_bytes);
    touch(buffer);
    const std::size_t obtained = buffer.obtained_page_bytes();
    if (huge_pages_can_be_had()) {
        CHECK(obtained == huge_page_bytes);
    } else {
        std::printf("transparent huge pages are off: base pages expected\n");
        CHECK(obtained == base_page_bytes());
    }
}

TEST(pages_larger_than_the_kernel_gives_are_not_told_as_obtained) {
    const std::size_t asked = 2 * huge_page_bytes;
    const PageBuffer buffer(asked, asked);
    touch(buffer);
    CHECK(buffer.obtained_page_bytes() ==
          (huge_pages_can_be_had() ? huge_page_bytes : base_page_bytes()));
}

TEST(pages_made_huge_in_part_count_as_base_pages) {
    const PageBuffer buffer(2 * huge_page_bytes, huge_page_bytes);
    madvise(buffer.as<char>(), buffer.bytes() / 2, MADV_NOHUGEPAGE);
    touch(buffer);
    CHECK(buffer.obtained_page_bytes() == base_page_bytes());
}

TEST(the_least_page_of_several_buffers_is_found) {
    CHECK(least_obtained_page_bytes({}) == 0);
    const PageBuffer base(2 * huge_page_bytes, base_page_bytes());
    const PageBuffer huge(2 * huge_page_bytes, huge_page_bytes);
    touch(base);
    touch(huge);
    CHECK(least_obtained_page_bytes({&huge}) == huge.obtained_page_bytes());
    CHECK(least_obtained_page_bytes({&huge, &base}) == base_page_bytes());
    CHECK(least_obtained_page_bytes({&base, &huge}) == base_page_bytes());
}

TEST(each_range_gets_the_pages_of_its_own_mappings) {
    std::istringstream file(
        "1000-3000 rw-p 00000000 00:00 0\nRss: 8 kB\nAnonHugePages: 0 kB\nKernelPageSize: 4 kB\n"
        "3000-5000 rw-p 00000000 00:00 0\nRss: 6 kB\nAnonHugePages: 2 kB\nKernelPageSize: 16 kB\n"
        "7000-8000 rw-p 00000000 00:00 0  [heap]\nRss: 4 kB\nVmFlags: rd wr\n");
    const auto pages = smaps::pages_of_each(
        file, {{0x2000, 0x4000}, {0x7800, 0x9000}, {0x5000, 0x7000}, {0x1000, 0x1001}});
    CHECK(pages.size() == 4);
    CHECK(pages[0].bytes == 14 * 1024 && pages[0].huge_bytes == 2 * 1024);
    CHECK(pages[0].kernel_page_bytes == 16 * 1024);
    CHECK(pages[1].bytes == 4 * 1024 && pages[1].kernel_page_bytes == 0);
    CHECK(pages[2].bytes == 0);
    CHECK(pages[3].bytes == 8 * 1024 && pages[3].kernel_page_bytes == 4 * 1024);
}

TEST(a_moved_buffer_keeps_its_memory) {
    PageBuffer first(mebibyte, base_page_bytes());
    first.as<char>()[5] = 42;
    const PageBuffer second(std::move(first));
    CHECK(second.as<char>()[5] == 42);
}

TEST(more_memory_than_there_is_address_space_is_an_error) {
    CHECK_THROWS(std::runtime_error, "cannot map",
                 PageBuffer(std::size_t{1} << 60U, base_page_bytes()));
}

}  // namespace machmeter
