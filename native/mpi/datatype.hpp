// Datatypes of messages that one count of MPI_BYTE cannot describe: too many bytes for a C int, or
// not contiguous (MPI 3.1, section 4.1).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "patterns/message_layout.hpp"

namespace machmeter {

inline constexpr auto most_int = static_cast<std::size_t>(std::numeric_limits<int>::max());

// A committed datatype, freed at the end; messages in flight keep what they need of it.
class CommittedType {
   public:
    explicit CommittedType(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
    CommittedType(const CommittedType&) = delete;
    CommittedType& operator=(const CommittedType&) = delete;
    CommittedType& operator=(CommittedType&&) = delete;
    CommittedType(CommittedType&& other) noexcept
        : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}

    ~CommittedType() {
        if (type_ != MPI_DATATYPE_NULL) {
            MPI_Type_free(&type_);
        }
    }

    [[nodiscard]] MPI_Datatype get() const { return type_; }

   private:
    MPI_Datatype type_;
};

// `body`, which this frees, and `rest` single bytes at `offset` from its begin.
inline MPI_Datatype with_rest(MPI_Datatype body, std::size_t offset, std::size_t rest) {
    if (rest == 0) {
        return body;
    }
    const int lengths[]{1, static_cast<int>(rest)};
    const MPI_Aint offsets[]{0, static_cast<MPI_Aint>(offset)};
    const MPI_Datatype types[]{body, MPI_BYTE};
    MPI_Datatype whole = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, offsets, types, &whole);
    MPI_Type_free(&body);
    return whole;
}

// Contiguous bytes as one element; more than an int counts are blocks of 1 GiB and the rest.
inline CommittedType large_type(std::size_t bytes) {
    constexpr std::size_t block_bytes = std::size_t{1} << 30U;
    const std::size_t blocks = bytes / block_bytes;
    MPI_Datatype body = MPI_DATATYPE_NULL;
    if (blocks == 0) {
        MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &body);
        return CommittedType(body);
    }
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(block_bytes), MPI_BYTE, &block);
    MPI_Type_contiguous(static_cast<int>(blocks), block, &body);
    MPI_Type_free(&block);
    return CommittedType(with_rest(body, blocks * block_bytes, bytes % block_bytes));
}

inline CommittedType vector_type(std::size_t bytes) {
    const std::size_t whole = bytes / sizeof(double);
    MPI_Datatype body = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(whole), 1, 2, MPI_DOUBLE, &body);
    return CommittedType(with_rest(body, whole * 2 * sizeof(double), bytes % sizeof(double)));
}

inline CommittedType indexed_type(std::size_t bytes) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    const std::size_t blocks = block_count(DataLayout::indexed, bytes);
    lengths.reserve(blocks);
    offsets.reserve(blocks);
    std::size_t end = 0;
    for_each_block(DataLayout::indexed, bytes,
                   [&](std::size_t offset, std::size_t, std::size_t length) {
                       const std::size_t doubles = length / sizeof(double);
                       if (doubles > 0) {
                           lengths.push_back(static_cast<int>(doubles));
                           offsets.push_back(static_cast<MPI_Aint>(offset));
                       }
                       end = offset + doubles * sizeof(double);
                   });
    MPI_Datatype body = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(),
                             MPI_DOUBLE, &body);
    return CommittedType(with_rest(body, end, bytes % sizeof(double)));
}

// Why one datatype cannot list the blocks of such a message; empty where it can.
inline const char* why_not_one_type(DataLayout layout, std::size_t bytes) {
    return block_count(layout, bytes) > most_int ? "a datatype counts its blocks with a C int: "
                                                   "request smaller sizes or data=contiguous"
                                                 : "";
}

// One message of `bytes` in that layout, as one element; small contiguous ones are a count of
// MPI_BYTE instead.
inline CommittedType message_type(DataLayout layout, std::size_t bytes) {
    switch (layout) {
        case DataLayout::vector:
            return vector_type(bytes);
        case DataLayout::indexed:
            return indexed_type(bytes);
        case DataLayout::contiguous:
            break;
    }
    return large_type(bytes);
}

}  // namespace machmeter
