// What ranks reduce: small whole numbers whose sum every datatype holds exactly in any order, so
// that a missing, doubled or misplaced one shows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/values/parameters.hpp"
#include "core/values/random_bits.hpp"

namespace machmeter {

enum class Element : std::uint8_t { float_, double_, int32, char_ };

// Throws UsageError.
inline Element element_named(std::string_view name) {
    return choose<Element>("datatype", name,
                           {{"float", Element::float_},
                            {"double", Element::double_},
                            {"int32", Element::int32},
                            {"char", Element::char_}});
}

// Calls `use` with a value of the element's type; char is a signed one-byte integer.
template <class Use>
decltype(auto) with_element(Element element, Use&& use) {
    switch (element) {
        case Element::double_:
            return use(double{});
        case Element::int32:
            return use(std::int32_t{});
        case Element::char_:
            return use(static_cast<signed char>(0));
        default:
            return use(float{});
    }
}

inline std::size_t element_bytes(Element element) {
    return with_element(element, [](auto value) { return sizeof value; });
}

// Values repeat after a prime number of elements, so that blocks of usual lengths differ.
inline constexpr std::uint64_t value_period = 1021;

// Value `index` of a rank, from 0 to a largest that lets the sum of all ranks fit; sums of chars
// over more than 127 ranks wrap.
template <class T>
std::uint64_t reduced_value(std::uint64_t seed, std::uint64_t ranks, std::uint64_t rank,
                            std::uint64_t index) {
    const std::uint64_t room = std::is_same_v<T, signed char> ? 127 : std::uint64_t{1} << 23U;
    const std::uint64_t most = std::clamp<std::uint64_t>(room / ranks, 1, 1000);
    return mix(mix(seed + rank) + index % value_period) % (most + 1);
}

// Sums of the values of ranks `first` to `last`, over a period.
template <class T>
std::array<T, value_period> reduced_sums(std::uint64_t seed, std::uint64_t ranks,
                                         std::uint64_t first, std::uint64_t last) {
    std::array<T, value_period> sums{};
    for (std::uint64_t i = 0; i < value_period; ++i) {
        std::uint64_t sum = 0;
        for (std::uint64_t rank = first; rank <= last; ++rank) {
            sum += reduced_value<T>(seed, ranks, rank, i);
        }
        // One-byte integers wrap as two's complement.
        sums[i] = static_cast<T>(sum);
    }
    return sums;
}

// Fills the elements of a rank.
template <class T>
void fill_elements(T* data, std::uint64_t count, std::uint64_t seed, std::uint64_t ranks,
                   std::uint64_t rank) {
    const auto values = reduced_sums<T>(seed, ranks, rank, rank);
    for (std::uint64_t i = 0; i < count; ++i) {
        data[i] = values[i % value_period];
    }
}

// Whether these are the sums of ranks 0 to `last` from element `first_index` on.
template <class T>
bool sums_are_right(const T* data, std::uint64_t count, std::uint64_t seed, std::uint64_t ranks,
                    std::uint64_t last, std::uint64_t first_index) {
    const auto sums = reduced_sums<T>(seed, ranks, 0, last);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (data[i] != sums[(first_index + i) % value_period]) {
            return false;
        }
    }
    return true;
}

}  // namespace machmeter
