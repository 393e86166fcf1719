#include <sstream>
#include <string>

#include "core/libraries/transports.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

TEST(the_device_is_read_from_what_mpich_says) {
    CHECK(device_of("MPICH Version:      5.0.2\nMPICH Device:       ch4:ucx ofi\nMPICH CC: cc\n") ==
          "ch4:ucx ofi");
    CHECK(device_of("MPICH Device:\tch4:ofi\r\n") == "ch4:ofi");
    CHECK(device_of("MPICH Device:   \nrest") == "");
    CHECK(device_of("Open MPI v5.0.11, package: Open MPI") == "");
}

TEST(libraries_that_communicate_are_distinguished_from_the_others) {
    std::istringstream maps(
        "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libfabric.so.1.2\n"
        "7f01-7f02 r--p 00000000 08:01 1 /usr/lib/libfabric.so.1.2\n"
        "7f02-7f03 r-xp 00000000 08:01 2 /opt/ucx/libucp.so.0\n"
        "7f03-7f04 r-xp 00000000 08:01 3 /usr/lib/libc.so.6\n"
        "7f04-7f05 rw-p 00000000 00:00 0 [stack]\n"
        "7f05-7f06 rw-p 00000000 00:00 0\n"
        "7f06-7f07 r--s 00000000 08:01 4 /home/a/libfabric-notes.txt\n"
        "7f07-7f08 r-xp 00000000 08:01 5 /opt/psm2/libpsm2.so.2\n");
    CHECK(joined(communication_libraries(maps)) == "libfabric.so.1.2 libpsm2.so.2 libucp.so.0");
}

TEST(channels_are_devices_and_shared_memory_without_the_numbers_of_a_job) {
    CHECK(channel_of("/dev/infiniband/uverbs0") == "/dev/infiniband/uverbs0");
    CHECK(channel_of("/dev/cxi1") == "/dev/cxi1");
    CHECK(channel_of("/dev/shm/mpich_shm_ecbb4af_0") == "mpich_shm");
    CHECK(channel_of("/dev/shm/ucx_shm_posix_7ee05574 (deleted)") == "ucx_shm_posix");
    CHECK(channel_of("/tmp/ompi.vm.0/sm_segment.vm.0.1a2b.0") == "sm_segment");
    CHECK(channel_of("/dev/null") == "");
    CHECK(channel_of("socket:[1351142]") == "");
    CHECK(channel_of("/usr/lib/libc.so.6") == "");
    CHECK(channel_of("/dev/shm/4711") == "");
    CHECK(channel_of("") == "");
}

TEST(a_report_is_one_object) {
    CHECK(to_json(TransportReport{{"device", "ch4:\"ofi\""}, {"pml", "ob1"}}) ==
          R"({"device":"ch4:\"ofi\"","pml":"ob1"})");
    CHECK(to_json(TransportReport{}) == "{}");
}

TEST(this_process_uses_no_network) {
    const TransportReport report = observed_transports();
    CHECK(report.size() == 2);
    CHECK(report[0].first == "libraries" && report[0].second.empty());
    CHECK(report[1].first == "channels");
}

}  // namespace
}  // namespace machmeter
