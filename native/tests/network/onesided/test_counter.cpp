// Atomic operations on a counter of this process, and the versions of Open MPI that cannot do them.
#include <cstdint>
#include <string_view>

#include "core/libraries/open_mpi.hpp"
#include "network/onesided/counter.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

struct FakeWindow {
    void fetch_and_add(const std::int64_t& addend, std::int64_t& fetched) {
        fetched = value;
        value += addend;
    }
    void compare_and_swap(const std::int64_t& wanted, const std::int64_t& expected,
                          std::int64_t& fetched) {
        fetched = value;
        value = value == expected ? wanted : value;
    }

    std::int64_t value = 0;
};

TEST(every_operation_counts_once) {
    for (const AtomicOperation operation :
         {AtomicOperation::fetch_and_op, AtomicOperation::compare_and_swap}) {
        FakeWindow memory;
        RmaCounter counter(operation, 5);
        for (int epoch = 1; epoch <= 3; ++epoch) {
            counter.begin_operations(memory);
            CHECK(memory.value == 5 * epoch);
            CHECK(counter.raised() == memory.value);
            CHECK(counter.fetched_in_order());
        }
    }
}

TEST(another_writer_is_found) {
    for (const AtomicOperation operation :
         {AtomicOperation::fetch_and_op, AtomicOperation::compare_and_swap}) {
        FakeWindow memory;
        RmaCounter counter(operation, 5);
        counter.begin_operations(memory);
        memory.value += 1;
        counter.begin_operations(memory);
        CHECK(!counter.fetched_in_order());
    }
}

TEST(open_mpi_has_its_version_in_its_text) {
    const OpenMpiVersion version = open_mpi_version_in(
        "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022");
    CHECK(version.text() == "4.1.4");
    CHECK(version.before({4, 1, 5}));
    CHECK(!version.before({4, 1, 4}));
    CHECK(open_mpi_version_in("Open MPI v5.0.11rc1").text() == "5.0.11");
    CHECK(open_mpi_version_in("Open MPI v6").text() == "6.0.0");
    CHECK(!open_mpi_version_in("MPICH Version: 5.0.2").known());
    CHECK(!OpenMpiVersion{}.before({4, 1, 5}));
}

TEST(what_ends_the_process_is_not_tried) {
    const OpenMpiVersion broken{4, 1, 4};
    const auto defect = [](const OpenMpiVersion& version, AtomicOperation operation, bool shared) {
        return known_defect(version, operation, shared);
    };
    const std::string text = defect(broken, AtomicOperation::compare_and_swap, true);
    CHECK(text.find("4.1.5") != std::string::npos);
    CHECK(text.find("window=create") != std::string::npos);
    CHECK(defect(broken, AtomicOperation::compare_and_swap, false).empty());
    CHECK(defect(broken, AtomicOperation::fetch_and_op, true).empty());
    CHECK(defect({4, 1, 5}, AtomicOperation::compare_and_swap, true).empty());
    CHECK(defect({}, AtomicOperation::compare_and_swap, true).empty());
}

}  // namespace
}  // namespace machmeter
