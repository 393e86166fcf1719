#include <sstream>
#include <string_view>
#include <vector>

#include "core/host/memory_size.hpp"
#include "core/values/parameters.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(memory_is_read_in_bytes) {
    std::istringstream status(
        "Name:\tmachmeter-mpi\nVmPeak:\t  999 kB\nVmRSS:\t   120 kB\nRssAnon:\t 80 kB\n"
        "RssShmem:\t  24 kB\nThreads:\t1\n");
    const ProcessMemory memory = read_process_memory(status);
    CHECK(memory.resident == 120 * 1024);
    CHECK(memory.shared == 24 * 1024);
}

TEST(what_the_kernel_does_not_report_is_zero) {
    std::istringstream status("Name:\tVmRSS: 12 kB\nRssShmem:\n");
    const ProcessMemory memory = read_process_memory(status);
    CHECK(memory.resident == 0);
    CHECK(memory.shared == 0);
}

TEST(touched_memory_counts_for_this_process) {
    constexpr std::size_t bytes = std::size_t{16} * 1024 * 1024;
    const ProcessMemory before = process_memory();
    const std::vector<char> touched(bytes, 'x');
    // Else a compiler may leave the memory out.
    asm volatile("" : : "r"(touched.data()) : "memory");
    const ProcessMemory after = process_memory();
    CHECK(before.resident > 0);
    CHECK(after.resident >= before.resident + bytes / 2);
    CHECK(touched.back() == 'x');
}

TEST(more_memory_than_available_is_a_usage_error_that_names_the_parameter) {
    require_memory("size: 4 threads", 1e9, 1e9);
    CHECK_THROWS(UsageError, "size: 4 threads", (require_memory("size: 4 threads", 2e9, 1e9), 0));
    CHECK(available_memory_bytes() > 0);
}

}  // namespace
}  // namespace machmeter
