// Atomic operations on one integer of another processing element, and what they must fetch and
// leave behind. No OpenSHMEM here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/values/parameters.hpp"

namespace machmeter {

enum class ShmemAtomic : std::uint8_t {
    add,
    increment,
    fetch_add,
    fetch_increment,
    swap,
    compare_swap
};

inline ShmemAtomic shmem_atomic_of(const std::string& name) {
    constexpr std::array<std::pair<std::string_view, ShmemAtomic>, 6> all{{
        {"add", ShmemAtomic::add},
        {"inc", ShmemAtomic::increment},
        {"fetch-add", ShmemAtomic::fetch_add},
        {"fetch-inc", ShmemAtomic::fetch_increment},
        {"swap", ShmemAtomic::swap},
        {"compare-swap", ShmemAtomic::compare_swap},
    }};
    for (const auto& [known, operation] : all) {
        if (known == name) {
            return operation;
        }
    }
    throw UsageError("operation: '" + name +
                     "' is none of add, inc, fetch-add, fetch-inc, swap and compare-swap");
}

inline bool fetches(ShmemAtomic operation) {
    return operation != ShmemAtomic::add && operation != ShmemAtomic::increment;
}

// Adds are of this; all others raise the integer by one.
inline constexpr int added_at_once = 3;

// The integer wraps around, as the sums of unsigned numbers do.
template <class Integer>
class ShmemCounter {
   public:
    ShmemCounter(ShmemAtomic operation, std::size_t count)
        : operation_(operation), fetched_(count, -1) {}

    // `atomics` does one operation at a time and returns what it fetched, if it fetches.
    template <class Atomics>
    void operate(Atomics& atomics) {
        for (Integer& fetched : fetched_) {
            const Integer next = after(value_);
            switch (operation_) {
                case ShmemAtomic::add:
                    atomics.add(Integer{added_at_once});
                    break;
                case ShmemAtomic::increment:
                    atomics.increment();
                    break;
                case ShmemAtomic::fetch_add:
                    fetched = atomics.fetch_add(Integer{added_at_once});
                    break;
                case ShmemAtomic::fetch_increment:
                    fetched = atomics.fetch_increment();
                    break;
                case ShmemAtomic::swap:
                    fetched = atomics.swap(next);
                    break;
                case ShmemAtomic::compare_swap:
                    fetched = atomics.compare_swap(value_, next);
                    break;
            }
            before_ = value_;
            value_ = next;
        }
    }

    // What the integer must hold after all that was done.
    [[nodiscard]] Integer value() const { return value_; }

    // Whether the operations of the last round fetched the integer's values in their order.
    [[nodiscard]] bool fetched_in_order() const {
        if (!fetches(operation_)) {
            return true;
        }
        Integer expected = before_;
        for (std::size_t i = fetched_.size(); i-- > 0;) {
            if (fetched_[i] != expected) {
                return false;
            }
            expected = previous(expected);
        }
        return true;
    }

   private:
    [[nodiscard]] Integer step() const {
        const bool adds = operation_ == ShmemAtomic::add || operation_ == ShmemAtomic::fetch_add;
        return adds ? added_at_once : 1;
    }

    [[nodiscard]] Integer after(Integer value) const {
        return static_cast<Integer>(static_cast<std::uint64_t>(value) +
                                    static_cast<std::uint64_t>(step()));
    }

    [[nodiscard]] Integer previous(Integer value) const {
        return static_cast<Integer>(static_cast<std::uint64_t>(value) -
                                    static_cast<std::uint64_t>(step()));
    }

    ShmemAtomic operation_;
    std::vector<Integer> fetched_;
    Integer value_ = 0;
    Integer before_ = 0;
};

}  // namespace machmeter
