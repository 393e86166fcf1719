#include "check.hpp"
#include "machmeter/pages.hpp"

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
