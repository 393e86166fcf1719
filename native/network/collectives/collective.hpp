// One collective operation, prepared: its buffers, its call, and whether it did what it should.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/datatype.hpp"
#include "network/collectives/calls.hpp"
#include "patterns/collective_blocks.hpp"
#include "patterns/message_data.hpp"
#include "patterns/reduction_data.hpp"

namespace machmeter {

enum class Form : std::uint8_t { blocking, nonblocking, persistent };

// Throws UsageError.
inline Form form_of(const Parameters& point) {
    return point.choice<Form>("form", {{"blocking", Form::blocking},
                                       {"nonblocking", Form::nonblocking},
                                       {"persistent", Form::persistent}});
}

inline constexpr std::uint64_t most_count = std::numeric_limits<int>::max();

// What MPI or this library lacks for an operation, and what to do; empty if nothing.
inline std::string lacking(const CollectiveShape& shape, Element element, Form form) {
    const std::size_t unit = element_bytes(element);
    if (form == Form::persistent && forms_of(shape.operation).prepare == nullptr) {
        return "this MPI library lacks persistent collective operations (MPI 4.0, 6.13): request "
               "form=nonblocking, or use a library that has them";
    }
    if (is_reduction(shape.operation) && shape.bytes % unit != 0) {
        return std::to_string(shape.bytes) +
               " bytes are not a whole number of elements: request a multiple of " +
               std::to_string(unit);
    }
    if (is_reduction(shape.operation) && shape.bytes / unit > most_count) {
        return "a reduction of MPI holds 2^31 - 1 elements: request a smaller size or a larger "
               "datatype";
    }
    if (has_unequal_parts(shape.operation) && shape.unit == 0) {
        return "all parts together exceed 2^31 - 1 bytes, and the size is not a multiple of the "
               "power of two to count them in: request a power of two";
    }
    return {};
}

inline MPI_Datatype mpi_type(Element element) {
    switch (element) {
        case Element::double_:
            return MPI_DOUBLE;
        case Element::int32:
            return MPI_INT32_T;
        case Element::char_:
            return MPI_SIGNED_CHAR;
        default:
            return MPI_FLOAT;
    }
}

// Bytes of one count of the call: one, a part's unit, or a block that is too long to be counted.
inline std::uint64_t counted_bytes(const CollectiveShape& shape) {
    if (has_unequal_parts(shape.operation)) {
        return shape.unit;
    }
    return is_reduction(shape.operation) || shape.bytes <= most_count ? 1 : shape.bytes;
}

// The datatype of one count; none where it is a byte.
inline std::optional<CommittedType> counted_type(const CollectiveShape& shape) {
    const std::uint64_t bytes = counted_bytes(shape);
    return bytes > 1 ? std::optional<CommittedType>(large_type(bytes)) : std::nullopt;
}

inline Places places_of(const std::vector<CollectiveBlock>& blocks, std::uint64_t unit) {
    Places places;
    for (const CollectiveBlock& block : blocks) {
        places.counts.push_back(static_cast<int>(block.length / unit));
        places.begins.push_back(static_cast<int>(block.begin / unit));
    }
    return places;
}

// `lacking` must be empty for it. Holds the persistent request where there is one.
class Collective {
   public:
    Collective(CollectiveShape shape, Element element, Form form, const MessageBuffers& buffers,
               MPI_Comm group)
        : shape_(std::move(shape)),
          element_(element),
          form_(form),
          forms_(forms_of(shape_.operation)),
          type_(counted_type(shape_)),
          out_bytes_(out_bytes(shape_)),
          in_bytes_(in_bytes(shape_)),
          call_(make_call(buffers, group)) {
        if (form_ == Form::persistent) {
            forms_.prepare(call_, &request_);
        }
    }
    Collective(const Collective&) = delete;
    Collective& operator=(const Collective&) = delete;
    ~Collective() {
        if (form_ == Form::persistent) {
            MPI_Request_free(&request_);
        }
    }

    void run() {
        if (form_ == Form::blocking) {
            forms_.complete(call_);
            return;
        }
        start();
        wait();
    }

    void start() {
        if (form_ == Form::persistent) {
            MPI_Start(&request_);
        } else {
            forms_.start(call_, &request_);
        }
    }

    void wait() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

    // Known data before an operation to check.
    void fill(std::uint64_t seed) {
        auto* out = const_cast<std::byte*>(call_.out);
        if (is_reduction(shape_.operation)) {
            with_element(element_, [&](auto value) {
                fill_elements(reinterpret_cast<decltype(value)*>(out), out_bytes_ / sizeof value,
                              seed, shape_.ranks, shape_.rank);
            });
        }
        for (const CollectiveBlock& block : outgoing(shape_)) {
            fill_message(out + block.begin, {seed, block.length, block.sender, block.receiver});
        }
        if (in_place() != out) {
            prepare_receive(in_place(), in_bytes_);
        }
    }

    // After it: whether the bytes or sums arrived, and nothing behind them.
    [[nodiscard]] bool is_right(std::uint64_t seed) const {
        bool right = in_place() == call_.out || guard_is_whole(in_place(), in_bytes_);
        if (is_reduction(shape_.operation)) {
            right = right && with_element(element_, [&](auto value) {
                        return sums_are_right(reinterpret_cast<const decltype(value)*>(in_place()),
                                              in_bytes_ / sizeof value, seed, shape_.ranks,
                                              last_summed(), first_index(sizeof value));
                    });
        }
        for (const CollectiveBlock& block : incoming(shape_)) {
            right = right && message_is_right(in_place() + block.begin,
                                              {seed, block.length, block.sender, block.receiver});
        }
        return right;
    }

   private:
    [[nodiscard]] Call make_call(const MessageBuffers& buffers, MPI_Comm group) const {
        Call call;
        call.group = group;
        call.out = buffers.out();
        call.in = buffers.in();
        // The root of a broadcast uses the buffer that it sends from.
        if (shape_.operation == Operation::bcast && shape_.rank == root_rank) {
            call.in = buffers.out();
        }
        call.type = call_type();
        call.count = static_cast<int>(own_count());
        if (has_unequal_parts(shape_.operation)) {
            call.out_places = places_of(outgoing(shape_), shape_.unit);
            call.in_places = places_of(incoming(shape_), shape_.unit);
        }
        return call;
    }

    [[nodiscard]] std::uint64_t own_count() const {
        if (is_reduction(shape_.operation)) {
            return shape_.bytes / element_bytes(element_);
        }
        const std::uint64_t own =
            has_unequal_parts(shape_.operation) ? part_bytes(shape_, shape_.rank) : shape_.bytes;
        return own / counted_bytes(shape_);
    }

    [[nodiscard]] MPI_Datatype call_type() const {
        if (is_reduction(shape_.operation)) {
            return mpi_type(element_);
        }
        return type_ ? type_->get() : MPI_BYTE;
    }

    [[nodiscard]] std::byte* in_place() const { return call_.in; }

    [[nodiscard]] std::uint64_t last_summed() const {
        return shape_.operation == Operation::scan ? shape_.rank : shape_.ranks - 1;
    }

    [[nodiscard]] std::uint64_t first_index(std::size_t unit) const {
        const bool block = shape_.operation == Operation::reduce_scatter;
        return block ? shape_.rank * (shape_.bytes / unit) : 0;
    }

    CollectiveShape shape_;
    Element element_;
    Form form_;
    Forms forms_;
    std::optional<CommittedType> type_;
    std::uint64_t out_bytes_;
    std::uint64_t in_bytes_;
    Call call_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace machmeter
