#include <set>

#include "device/stream/stream.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

using device_stream::shape_for;
using device_stream::Step;

constexpr std::size_t small_bytes = 100'000;
constexpr Shape on_cpus{8, 4, 1, true};
constexpr Shape elsewhere{1, 4, 64, false};

// GPUs take no vectors.
Shape usual() { return test::any_device().description().is_host ? on_cpus : elsewhere; }

std::string changed(const std::string& from, const std::string& to) {
    std::string text = kernels::stream;
    const std::size_t at = text.find(from);
    if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
        throw std::runtime_error("not once in the kernels: " + from);
    }
    return text.replace(at, from.size(), to);
}

double error_after(const Shape& shape, const std::string& text, int rounds) {
    Device& device = test::any_device();
    const DeviceHandle program = device_stream::compile(device, shape, text);
    Arrays arrays(device, shape, program, small_bytes, 4096);
    Rounds timed(monotonic_clock, device, arrays);
    timed(static_cast<std::uint64_t>(rounds));
    return arrays.error();
}

}  // namespace

TEST(every_shape_of_the_kernels_leaves_what_it_should) {
    for (const Shape& shape : {on_cpus, elsewhere, Shape{1, 3, 1, true}, Shape{8, 2, 16, false}}) {
        if (shape.lanes > usual().lanes) {
            continue;
        }
        CHECK(error_after(shape, kernels::stream, 1) <= 1);
        CHECK(error_after(shape, kernels::stream, 200) <= 1);
    }
}

TEST(a_wrong_kernel_is_refused) {
    const std::pair<const char*, const char*> mutants[] = {
        {"STORE(b + i, scalar * c[i])", "STORE(b + i, (scalar + 1e-13) * c[i])"},
        {"b[i] + scalar * c[i]", "b[i] + (scalar + 1e-13) * c[i]"},
        {"b[i] + scalar * c[i]", "b[i] + c[i]"},
        {"a[i] + b[i]", "a[i] + b[0]"},
        {"STORE(c + i, a[i])", "STORE(c + i, a[0])"},
        {"sum += a[i] * b[i]", "sum += a[i]"},
        // Without the last element of every item.
        {"SWEEP(i, each) { STORE(c + i, a[i]); }", "SWEEP(i, each - 1) { STORE(c + i, a[i]); }"},
        {"SWEEP(i, each) { STORE(b + i, scalar * c[i]); }",
         "SWEEP(i, each - 1) { STORE(b + i, scalar * c[i]); }"},
        {"SWEEP(i, each) { sum += a[i] * b[i]; }", "SWEEP(i, each - 1) { sum += a[i] * b[i]; }"},
        // Without the first item of all.
        {"STORE(c + i, a[i])", "if (GROUP + ITEM > 0) STORE(c + i, a[i])"},
        {"STORE(b + i, scalar * c[i])", "if (GROUP + ITEM > 0) STORE(b + i, scalar * c[i])"},
        {"STORE(c + i, a[i] + b[i])", "if (GROUP + ITEM > 0) STORE(c + i, a[i] + b[i])"},
        // Without one part of the sum.
        {"parts[GROUP] = sum", "parts[GROUP] = GROUP == 1 ? (Number)(0) : sum"},
    };
    for (const auto& [from, to] : mutants) {
        CHECK(error_after(usual(), changed(from, to), 2) > 1);
    }
    CHECK(error_after(elsewhere, changed(mutants[0].first, mutants[0].second), 2) > 1);
    CHECK(error_after(elsewhere, changed("parts[GROUP] = sum", "parts[GROUP] = 0"), 2) > 1);
    // Of a group, the sum without half of its items.
    CHECK(error_after(elsewhere, changed("others = GROUP_ITEMS / 2", "others = GROUP_ITEMS / 4"),
                      2) > 1);
}

TEST(a_wrong_launch_of_one_round_is_seen_after_all_later_ones) {
    Device& device = test::any_device();
    const DeviceHandle program = device_stream::compile(device, usual(), kernels::stream);
    Arrays arrays(device, usual(), program, small_bytes, 4096);
    Rounds timed(monotonic_clock, device, arrays);
    timed(3);
    CHECK(arrays.error() <= 1);
    arrays.run(Step::triad);
    CHECK(arrays.error() <= 1);
    // One mul too many: the triad that follows has another b.
    arrays.run(Step::add);
    arrays.run(Step::copy);
    arrays.run(Step::triad);
    timed(3);
    CHECK(arrays.error() > 1);
}

TEST(times_of_a_device_that_says_none_or_too_long_ones_are_refused) {
    Device& device = test::any_device();
    const DeviceHandle program = device_stream::compile(device, usual(), kernels::stream);
    Arrays arrays(device, usual(), program, small_bytes, 4096);
    Rounds timed(monotonic_clock, device, arrays);
    for (int i = 0; i < 3; ++i) {
        timed(1);
    }
    timed.keep(2);
    CHECK(timed.by_host[4].size() == 2 && timed.by_device[0].size() == 2);
    CHECK(agree(timed));
    const double right = timed.by_device[3][1];
    timed.by_device[3][1] = 0;
    CHECK(!agree(timed));
    timed.by_device[3][1] = 1.01 * timed.by_host[3][1];
    CHECK(!agree(timed));
    timed.by_device[3][1] = right;
    CHECK(agree(timed));
}

TEST(shapes_fit_their_device) {
    DeviceDescription device;
    device.is_host = true;
    device.units = 3;
    CHECK(shape_for(device).granule_bytes() == 8 * 8 * 24 && shape_for(device).stretches);
    device.is_host = false;
    CHECK(shape_for(device).granule_bytes() == 8 * 96 * 256 && !shape_for(device).stretches);
}

TEST(bytes_are_counted_as_babelstream_does_over_all_that_is_swept) {
    Arguments arguments;
    arguments.limits.seconds = 0.01;
    arguments.points.emplace_back("size=100000");
    std::vector<PointResult> recorded;
    DeviceSession session(test::any_runtime(), monotonic_clock, arguments,
                          [&](const PointResult& point) { recorded.push_back(point); });
    run_stream(session);
    CHECK(recorded.size() == 1);
    const PointResult& point = recorded.at(0);
    CHECK(point.check_passed);
    double bytes = 0;
    std::set<double> arrays;
    for (const auto& [name, value] : point.quantities) {
        bytes = name == "bytes" ? value : bytes;
    }
    CHECK(bytes >= 100'000 && std::fmod(bytes, 64) == 0);
    for (const auto& [name, value] : point.quantities) {
        if (name.ends_with("_bytes")) {
            const bool three = name == "add_bytes" || name == "triad_bytes";
            CHECK(value == (three ? 3 : 2) * bytes);
            arrays.insert(value);
        }
    }
    CHECK(arrays.size() == 2);
    CHECK(point.series.size() == 10);
    for (const auto& [name, values] : point.series) {
        CHECK(values.size() == point.series.front().second.size() && values.size() >= 3);
    }
    std::printf("%s\n", point.check_what.c_str());
}

}  // namespace machmeter
