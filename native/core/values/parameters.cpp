#include "core/values/parameters.hpp"

#include <algorithm>
#include <charconv>

#include "core/values/json.hpp"

namespace machmeter {
namespace {

std::string list(const std::vector<std::string_view>& names) {
    std::string text;
    for (const std::string_view name : names) {
        text.append(text.empty() ? "" : ", ").append(name);
    }
    return text.empty() ? "none" : text;
}

bool is_whole_number(std::string_view text) {
    const bool leading_zero = text.size() > 1 && text.front() == '0';
    return !text.empty() && text.size() < 19 && !leading_zero &&
           std::all_of(text.begin(), text.end(),
                       [](char character) { return character >= '0' && character <= '9'; });
}

}  // namespace

std::uint64_t parse_count(std::string_view text, std::string_view what) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw UsageError(std::string(what) + ": '" + std::string(text) + "' is not a whole number");
    }
    return value;
}

std::pair<std::uint64_t, std::uint64_t> parse_two(std::string_view text, std::string_view what) {
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) {
        throw UsageError(std::string(what) + ": '" + std::string(text) +
                         "' is not two numbers such as 0-17");
    }
    return {parse_count(text.substr(0, dash), what), parse_count(text.substr(dash + 1), what)};
}

void refuse_choice(std::string_view what, std::string_view word,
                   const std::vector<std::string_view>& known) {
    throw UsageError(std::string(what) + ": '" + std::string(word) + "' is none of " + list(known));
}

Parameters::Parameters(std::string_view text) {
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view pair = text.substr(0, comma);
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos || equals == 0) {
            throw UsageError("'" + std::string(pair) + "' is not name=value");
        }
        values_.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
}

const std::string& Parameters::text(std::string_view name) const {
    const auto found = std::find_if(values_.begin(), values_.end(),
                                    [&](const auto& pair) { return pair.first == name; });
    if (found == values_.end()) {
        throw UsageError("the point lacks parameter '" + std::string(name) + "'");
    }
    return found->second;
}

std::uint64_t Parameters::count(std::string_view name) const {
    return parse_count(text(name), name);
}

std::uint64_t Parameters::count_within(std::string_view name, std::uint64_t least,
                                       std::uint64_t most) const {
    const std::uint64_t value = count(name);
    if (value < least || value > most) {
        throw UsageError(std::string(name) + ": " + std::to_string(value) + " is not within " +
                         std::to_string(least) + " and " + std::to_string(most));
    }
    return value;
}

void Parameters::require_only(const ParameterNames& known) const {
    for (const auto& [name, value] : values_) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw UsageError("there is no parameter '" + name + "'; there is " + list(known));
        }
    }
}

Parameters Parameters::without(std::string_view name) const {
    Parameters others = *this;
    std::erase_if(others.values_, [&](const auto& value) { return value.first == name; });
    return others;
}

std::string Parameters::to_text() const {
    std::string text;
    for (const auto& [name, value] : values_) {
        text.append(text.empty() ? "" : ",").append(name).append("=").append(value);
    }
    return text;
}

std::string Parameters::to_json() const {
    json::Object object;
    for (const auto& [name, value] : values_) {
        object.add(name, is_whole_number(value) ? value : json::quote(value));
    }
    return object.str();
}

}  // namespace machmeter
