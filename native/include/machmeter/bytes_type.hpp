// An MPI datatype of so many bytes in a row, for counts beyond those that a C int holds.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

namespace machmeter {

// MPI_BYTE itself for one byte. Freed with the object.
class BytesType {
   public:
    explicit BytesType(std::uint64_t bytes) {
        constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 30U;
        if (bytes <= 1) {
            return;
        }
        if (bytes <= chunk_bytes) {
            MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
        } else {
            const BytesType chunk(chunk_bytes);
            const std::uint64_t chunks = bytes / chunk_bytes;
            const std::array<int, 2> counts{static_cast<int>(chunks),
                                            static_cast<int>(bytes % chunk_bytes)};
            const std::array<MPI_Aint, 2> begins{0, static_cast<MPI_Aint>(chunks * chunk_bytes)};
            const std::array<MPI_Datatype, 2> types{chunk.get(), MPI_BYTE};
            MPI_Type_create_struct(counts[1] > 0 ? 2 : 1, counts.data(), begins.data(),
                                   types.data(), &type_);
        }
        MPI_Type_commit(&type_);
    }
    BytesType(const BytesType&) = delete;
    BytesType& operator=(const BytesType&) = delete;
    ~BytesType() {
        if (type_ != MPI_BYTE) {
            MPI_Type_free(&type_);
        }
    }

    [[nodiscard]] MPI_Datatype get() const { return type_; }

   private:
    MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace machmeter
