// Atomic operations on one integer of another processing element, and what they must fetch and
// leave. No OpenSHMEM here.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Throws UsageError.
inline ShmemAtomic shmem_atomic_of(const Parameters& point) {
    return point.choice<ShmemAtomic>("operation", {{"add", ShmemAtomic::add},
                                                   {"inc", ShmemAtomic::increment},
                                                   {"fetch-add", ShmemAtomic::fetch_add},
                                                   {"fetch-inc", ShmemAtomic::fetch_increment},
                                                   {"swap", ShmemAtomic::swap},
                                                   {"compare-swap", ShmemAtomic::compare_swap}});
}

inline bool fetches(ShmemAtomic operation) {
    return operation != ShmemAtomic::add && operation != ShmemAtomic::increment;
}

// What an add adds; all others add one.
inline constexpr int added_at_once = 3;

// The integer wraps around as unsigned sums do.
template <class Integer>
class ShmemCounter {
   public:
    ShmemCounter(ShmemAtomic operation, std::size_t count)
        : operation_(operation), fetched_(count, -1) {}

    // `atomics` does one operation at a time and returns what it fetched, if anything.
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

    // What the integer must hold after all operations.
    [[nodiscard]] Integer value() const { return value_; }

    // Whether the operations of the last round fetched the integer's values in order.
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
