// The operations of one epoch, and the data by which origin and target check that they were right.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/values/parameters.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {

enum class RmaOperation : std::uint8_t { put, get, accumulate, get_accumulate };

// Throws UsageError.
inline RmaOperation rma_operation_of(const Parameters& point) {
    return point.choice<RmaOperation>("operation",
                                      {{"put", RmaOperation::put},
                                       {"get", RmaOperation::get},
                                       {"accumulate", RmaOperation::accumulate},
                                       {"get-accumulate", RmaOperation::get_accumulate}});
}

// `count` operations of `bytes`, started one after another. The first `places` of them have
// their own adjacent places; the others reuse these in turn.
struct RmaShape {
    RmaOperation operation = RmaOperation::put;
    std::size_t bytes = 8;
    std::size_t count = 1;
    std::size_t places = 1;

    [[nodiscard]] std::size_t extent() const { return places * bytes; }
    // Places of what the origin gets. Sums in flight at once fetch different values, so each needs
    // its own result (MPI 3.1, section 11.7.1).
    [[nodiscard]] std::size_t results() const {
        return operation == RmaOperation::get_accumulate ? count : places;
    }
    [[nodiscard]] std::size_t fetched_extent() const { return results() * bytes; }
    [[nodiscard]] bool fetches() const {
        return operation == RmaOperation::get || operation == RmaOperation::get_accumulate;
    }
    [[nodiscard]] bool adds() const {
        return operation == RmaOperation::accumulate || operation == RmaOperation::get_accumulate;
    }
    // Operations on a place in one epoch.
    [[nodiscard]] std::size_t visits(std::size_t place) const {
        return count / places + (place < count % places ? 1 : 0);
    }
};

inline std::size_t places_for(std::size_t bytes, std::size_t count) {
    constexpr std::size_t most_bytes = std::size_t{64} * 1024 * 1024;
    return std::clamp<std::size_t>(most_bytes / bytes, 1, count);
}

// out: what the origin gives; in: what it gets.
template <class W>
void begin_operations(W& window, const RmaShape& shape, const std::byte* out, std::byte* in) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < shape.count; ++i) {
        const std::size_t at = place * shape.bytes;
        place = place + 1 == shape.places ? 0 : place + 1;
        switch (shape.operation) {
            case RmaOperation::put:
                window.put(out + at, at, shape.bytes);
                break;
            case RmaOperation::get:
                window.get(in + at, at, shape.bytes);
                break;
            case RmaOperation::accumulate:
                window.accumulate(out + at, at, shape.bytes);
                break;
            case RmaOperation::get_accumulate:
                window.get_accumulate(out + at, in + i * shape.bytes, at, shape.bytes);
                break;
        }
    }
}

// Known data of one epoch. Sums are of small numbers and cannot overflow.
class RmaCheck {
   public:
    RmaCheck(const RmaShape& shape, std::uint64_t seed) : shape_(shape), seed_(seed) {}

    void fill_out(std::byte* out) const {
        for (std::size_t place = 0; place < shape_.places; ++place) {
            fill(out + place * shape_.bytes, place, addends);
        }
    }

    // The window before the epoch, with a guard behind it.
    void fill_window(std::byte* window) const {
        prepare_receive(window, shape_.extent());
        for (std::size_t place = 0; shape_.operation != RmaOperation::put && place < shape_.places;
             ++place) {
            fill(window + place * shape_.bytes, place, initials);
        }
    }

    // The window after the epoch.
    [[nodiscard]] bool window_is_right(const std::byte* window) const {
        const std::uint64_t filler = shape_.operation == RmaOperation::put ? addends : initials;
        bool right = guard_is_whole(window, shape_.extent());
        for (std::size_t place = 0; right && place < shape_.places; ++place) {
            const std::byte* data = window + place * shape_.bytes;
            right = shape_.adds() ? sums_are_right(data, place, shape_.visits(place))
                                  : message_is_right(data, name_of(place, filler));
        }
        return right;
    }

    // What the origin got. Of several sums at one place each fetches what those before it left, as
    // sums of one origin are made in order (MPI 3.1, section 11.7.1).
    [[nodiscard]] bool fetched_is_right(const std::byte* in) const {
        if (!shape_.fetches()) {
            return true;
        }
        bool right = guard_is_whole(in, shape_.fetched_extent());
        for (std::size_t result = 0; right && result < shape_.results(); ++result) {
            const std::size_t place = result % shape_.places;
            const std::byte* fetched = in + result * shape_.bytes;
            right = shape_.adds() ? sums_are_right(fetched, place, result / shape_.places)
                                  : message_is_right(fetched, name_of(place, initials));
        }
        return right;
    }

   private:
    static constexpr std::uint64_t addends = 0;
    static constexpr std::uint64_t initials = 1;

    [[nodiscard]] MessageName name_of(std::size_t place, std::uint64_t side) const {
        return {seed_, shape_.bytes, side, place};
    }

    [[nodiscard]] std::int64_t number(const MessageName& name, std::size_t at) const {
        constexpr std::uint64_t small = 0xFFFFFFFFU;
        return static_cast<std::int64_t>(mix(message_key(name) + at) & small);
    }

    void fill(std::byte* data, std::size_t place, std::uint64_t side) const {
        const MessageName name = name_of(place, side);
        if (!shape_.adds()) {
            fill_message(data, name);
            return;
        }
        for (std::size_t at = 0; at < shape_.bytes; at += sizeof(std::int64_t)) {
            const std::int64_t value = number(name, at);
            std::memcpy(data + at, &value, sizeof value);
        }
    }

    [[nodiscard]] bool sums_are_right(const std::byte* data, std::size_t place,
                                      std::size_t additions) const {
        const MessageName before = name_of(place, initials);
        const MessageName added = name_of(place, addends);
        for (std::size_t at = 0; at < shape_.bytes; at += sizeof(std::int64_t)) {
            const std::int64_t expected =
                number(before, at) + static_cast<std::int64_t>(additions) * number(added, at);
            if (std::memcmp(data + at, &expected, sizeof expected) != 0) {
                return false;
            }
        }
        return true;
    }

    RmaShape shape_;
    std::uint64_t seed_;
};

}  // namespace machmeter
