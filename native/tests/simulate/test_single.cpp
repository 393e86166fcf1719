#include <cmath>

#include "simulate/single.hpp"
#include "tests/simulate/models.hpp"
#include "tests/support/check.hpp"

namespace machmeter::simulate {
namespace {

using machmeter::test::near;
using test::request_of;

struct Overlap {
    double total;
    double work;
    double communication;

    [[nodiscard]] double communication_hidden() const { return 1 - (total - work) / communication; }
};

Overlap overlap(const Request& request, const std::string& size, const std::string& side,
                const std::string& percent = "100") {
    const PointResult result =
        simulate_overlap(Machine(request), request,
                         Parameters("size=" + size + ",side=" + side + ",work_percent=" + percent));
    CHECK(result.series[0].first == "total" && result.series[1].first == "work" &&
          result.series[2].first == "communication");
    return {result.series[0].second[0], result.series[1].second[0], result.series[2].second[0]};
}

Request by_host() {
    Request request = request_of(2, 1);
    request.nic_progress = false;
    request.host_progress = true;
    return request;
}

TEST(the_network_hides_all_but_the_overheads) {
    const Overlap large = overlap(request_of(2, 1), "1048576", "send");
    CHECK(near(large.communication, 3 * 1.3e-6 + 1048576 / 1e10));
    CHECK(near(large.total, large.work + 6e-7));
    CHECK(near(large.communication_hidden(), 1 - 6e-7 / large.communication));
    const Overlap little = overlap(request_of(2, 1), "1048576", "send", "10");
    CHECK(near(little.total, little.communication));
}

TEST(the_host_hides_nothing_of_a_rendezvous) {
    for (const char* side : {"send", "receive"}) {
        CHECK(std::abs(overlap(by_host(), "1048576", side).communication_hidden()) < 1e-12);
        CHECK(overlap(by_host(), "8192", side).communication_hidden() > 0.5);
    }
}

TEST(a_progress_thread_hides_for_one_more_overhead) {
    for (const char* progress : {"thread", "reserved"}) {
        Request request = by_host();
        request.progress = progress;
        const Overlap large = overlap(request, "1048576", "send");
        CHECK(near(large.communication, 3 * 1.3e-6 + 1048576 / 1e10 + 3e-7));
        CHECK(near(large.total, large.work + 9e-7));
    }
}

TEST(availability_has_the_same_messages_behind_12_lengths_of_work) {
    const Request request = request_of(2, 1);
    const PointResult result =
        simulate_availability(Machine(request), request, Parameters("size=1048576,side=receive"));
    const std::vector<double>& total = result.series[0].second;
    const std::vector<double>& work = result.series[1].second;
    const double base = result.series[2].second[0];
    CHECK(total.size() == 12 && work.size() == 12);
    for (std::size_t i = 0; i < total.size(); ++i) {
        CHECK(near(total[i], std::max(base, work[i] + 6e-7)));
    }
    const double lag = 1.3e-6 + 4 / 1e10 - 3e-7;
    CHECK(near(base, lag + 3 * 1.3e-6 + 1048576 / 1e10));
}

double one_sided(const Request& request, const std::string& operation, const std::string& size,
                 const std::string& outstanding) {
    const PointResult result = simulate_onesided(
        Machine(request), request,
        Parameters("operation=" + operation + ",size=" + size + ",outstanding=" + outstanding +
                   ",synchronization=lock-all,window=allocate,target=waiting"));
    return result.series[0].second[0];
}

TEST(one_sided_operations_are_their_latency_their_hops_and_their_bytes) {
    Request request = request_of(2, 1, "torus", {4, 6, 8}, 384);
    CHECK(near(one_sided(request, "put", "8", "1"), 9e-7));
    CHECK(near(one_sided(request, "get", "8", "1"), 1.5e-6));
    request.pair = "far";
    CHECK(near(one_sided(request, "put", "1008", "1"), 9e-7 + 18e-7 + 1000 / 3e9));
    CHECK(near(one_sided(request_of(2, 1), "put", "8", "64"), 9e-7 + 63 * 3e-7));
    CHECK(near(one_sided(request_of(2, 1), "put", "1000008", "2"),
               9e-7 + (1000000 + 1000008) / 1e10));
}

TEST(atomics_are_their_latency) {
    const Request request = request_of(2, 1);
    const PointResult result =
        simulate_atomics(Machine(request), request,
                         Parameters("operation=fetch-and-op,outstanding=3,synchronization=lock-all,"
                                    "window=allocate,target=waiting"));
    CHECK(near(result.series[0].second[0], 1.6e-6 + 2 * 3e-7));
    CHECK(result.quantities[0].first == "operations" && result.quantities[0].second == 3);
}

TEST(what_the_model_of_one_rank_lacks_is_refused) {
    const Request inside = request_of(1, 2);
    CHECK_THROWS(
        UsageError, "two nodes",
        simulate_overlap(Machine(inside), inside, Parameters("size=8,side=send,work_percent=100")));
    const Request request = request_of(2, 1);
    CHECK_THROWS(UsageError, "target=working is not part of the model",
                 simulate_atomics(Machine(request), request,
                                  Parameters("operation=fetch-and-op,outstanding=1,"
                                             "synchronization=lock-all,window=allocate,"
                                             "target=working")));
}

}  // namespace
}  // namespace machmeter::simulate
