#include "core/record/point.hpp"

#include "core/values/json.hpp"

namespace machmeter {

PointResult& PointResult::add_samples(Samples taken) {
    return add_samples({{"seconds", std::move(taken.seconds)}}, taken.batch);
}

PointResult& PointResult::add_samples(std::vector<NamedSeries> all, std::uint64_t rounds) {
    series = std::move(all);
    batch = rounds;
    return *this;
}

PointResult& PointResult::add_series(std::string_view name, std::vector<double> values) {
    series.emplace_back(name, std::move(values));
    return *this;
}

PointResult& PointResult::check(bool passed, std::string what) {
    check_passed = passed;
    check_what = std::move(what);
    return *this;
}

PointResult& PointResult::attribute(std::string_view name, std::string text) {
    attributes.emplace_back(name, std::move(text));
    return *this;
}

PointResult& PointResult::on_pages(std::size_t bytes) {
    page_bytes = bytes;
    return *this;
}

PointResult& PointResult::add_quantity(std::string_view name, double value) {
    quantities.emplace_back(name, value);
    return *this;
}

std::string PointResult::to_json() const {
    json::Object series_object;
    for (const auto& [name, values] : series) {
        series_object.add(name, json::numbers(values));
    }
    json::Object quantities_object;
    for (const auto& [name, value] : quantities) {
        quantities_object.add(name, json::number(value));
    }
    json::Object attributes_object;
    for (const auto& [name, text] : attributes) {
        attributes_object.add(name, json::quote(text));
    }
    json::Object line;
    line.add("kind", R"("point")")
        .add("parameters", parameters.to_json())
        .add("series", series_object.str())
        .add("batch", json::integer(batch))
        .add("check", json::Object{}
                          .add("passed", check_passed ? "true" : "false")
                          .add("what", json::quote(check_what))
                          .str())
        .add("quantities", quantities_object.str())
        .add("attributes", attributes_object.str())
        .add("page_bytes", json::integer(page_bytes));
    if (!device_state.empty()) {
        line.add("device_state", device_state);
    }
    return line.str();
}

PointResult not_measured(const Parameters& point, const std::string& why) {
    return PointResult(point).check(false, "not measured: " + why);
}

std::string begun_line(const Parameters& parameters) {
    return json::Object{}.add("kind", R"("begun")").add("parameters", parameters.to_json()).str();
}

}  // namespace machmeter
