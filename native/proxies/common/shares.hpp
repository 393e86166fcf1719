// Things that are numbered from 0, shared out over ranks or threads as evenly as whole numbers are.
#pragma once

#include <concepts>
#include <cstdint>

namespace machmeter::proxies {

template <std::integral Number>
struct ShareOf {
    Number first = 0;
    Number count = 0;

    // The first of the next share.
    [[nodiscard]] Number end() const { return first + count; }
};

using Share = ShareOf<std::int64_t>;

// all * part / parts, where the product may be too large.
template <std::integral Number, std::integral Part>
Number first_of_share(Number all, Part part, Part parts) {
    const auto number = static_cast<Number>(part);
    const auto of = static_cast<Number>(parts);
    return all / of * number + all % of * number / of;
}

template <std::integral Number, std::integral Part>
ShareOf<Number> share_of(Number all, Part part, Part parts) {
    const Number first = first_of_share(all, part, parts);
    return {first, first_of_share(all, part + 1, parts) - first};
}

}  // namespace machmeter::proxies
