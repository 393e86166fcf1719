// Parameters that are one of a few words.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/values/parameters.hpp"

namespace machmeter {

// The value that belongs to the word which the point has for `name`. Throws UsageError, with all
// words, for another one.
template <class T>
T chosen(const Parameters& point, std::string_view name,
         std::initializer_list<std::pair<std::string_view, T>> choices) {
    const std::string& word = point.text(name);
    std::string known;
    for (const auto& [choice, value] : choices) {
        if (word == choice) {
            return value;
        }
        known += known.empty() ? "" : ", ";
        known += choice;
    }
    throw UsageError(std::string(name) + ": '" + word + "' is none of " + known);
}

}  // namespace machmeter
