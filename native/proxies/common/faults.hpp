// What is wrong with a run, from what its checks found.
#pragma once

#include <array>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string>

namespace machmeter::proxies {

// What has to hold, and what is wrong where it does not. A deviation is to be compared so that one
// that is no number does not hold: `deviation <= most`, not `!(deviation > most)`.
struct Condition {
    bool holds;
    std::string fault;
};

// Of the first condition that does not hold; empty where all do.
inline std::string first_fault(std::initializer_list<Condition> conditions) {
    for (const Condition& condition : conditions) {
        if (!condition.holds) {
            return condition.fault;
        }
    }
    return "";
}

// As a fault names how many there are, and a deviation.
inline std::string whole_text(double count) { return std::to_string(std::llround(count)); }
inline std::string short_text(double deviation) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", deviation);
    return text.data();
}

}  // namespace machmeter::proxies
