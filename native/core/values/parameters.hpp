// The parameters of one point, as written on the command line: `kernel=triad,size=65536`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/values/json.hpp"

namespace machmeter {

class UsageError : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

inline std::uint64_t parse_count(std::string_view text, std::string_view what) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw UsageError(std::string(what) + ": '" + std::string(text) + "' is not a whole number");
    }
    return value;
}

// The names of all parameters of a benchmark.
using ParameterNames = std::vector<std::string_view>;

class Parameters {
   public:
    explicit Parameters(std::string_view text) {
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

    [[nodiscard]] const std::string& text(std::string_view name) const {
        const auto found = std::find_if(values_.begin(), values_.end(),
                                        [&](const auto& pair) { return pair.first == name; });
        if (found == values_.end()) {
            throw UsageError("the point lacks parameter '" + std::string(name) + "'");
        }
        return found->second;
    }

    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return parse_count(text(name), name);
    }

    [[nodiscard]] std::uint64_t count_within(std::string_view name, std::uint64_t least,
                                             std::uint64_t most) const {
        const std::uint64_t value = count(name);
        if (value < least || value > most) {
            throw UsageError(std::string(name) + ": " + std::to_string(value) + " is not within " +
                             std::to_string(least) + " and " + std::to_string(most));
        }
        return value;
    }

    // A kernel that let a name pass which it does not know would measure another point than its
    // record says.
    void require_only(const ParameterNames& known) const {
        for (const auto& [name, value] : values_) {
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                throw UsageError("there is no parameter '" + name + "'; there is " + list(known));
            }
        }
    }

    // As written on the command line.
    [[nodiscard]] std::string to_text() const {
        std::string text;
        for (const auto& [name, value] : values_) {
            text.append(text.empty() ? "" : ",").append(name).append("=").append(value);
        }
        return text;
    }

    // Whole numbers are written as numbers, all else as text.
    [[nodiscard]] std::string to_json() const {
        json::Object object;
        for (const auto& [name, value] : values_) {
            const bool leading_zero = value.size() > 1 && value.front() == '0';
            const bool whole = !value.empty() && value.size() < 19 && !leading_zero &&
                               std::all_of(value.begin(), value.end(), [](char character) {
                                   return character >= '0' && character <= '9';
                               });
            object.add(name, whole ? value : json::quote(value));
        }
        return object.str();
    }

   private:
    [[nodiscard]] static std::string list(const ParameterNames& names) {
        std::string text;
        for (const std::string_view name : names) {
            text.append(text.empty() ? "" : ", ").append(name);
        }
        return text.empty() ? "none" : text;
    }

    std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace machmeter
