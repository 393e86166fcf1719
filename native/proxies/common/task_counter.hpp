// A counter that all ranks share, from which they take the numbers of their tasks.
#pragma once

#include <concepts>
#include <cstdint>

namespace machmeter::proxies {

// Of two slots, so that one is cleared while the other counts.
// take: adds to a slot and returns what was there before, once to each rank that asks; clear: rank
// 0 sets a slot to 0, when no rank takes from it any more and before the other slot is done with.
template <class T>
concept TaskCounter = requires(T& counter, int slot, std::int64_t count) {
    { counter.take(slot, count) } -> std::same_as<std::int64_t>;
    counter.clear(slot);
};

}  // namespace machmeter::proxies
