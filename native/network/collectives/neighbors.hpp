// A topology in which every rank has neighbors, for the collective operations among them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace machmeter {

// A periodic grid of two dimensions as MPI_Dims_create cuts it, or a ring where one of the two
// would be 1. Ranks keep their numbers. Freed with the object.
class NeighborGroup {
   public:
    explicit NeighborGroup(MPI_Comm all) {
        int ranks = 0;
        MPI_Comm_size(all, &ranks);
        std::array<int, 2> lengths{};
        MPI_Dims_create(ranks, 2, lengths.data());
        const int dimensions = lengths[1] > 1 ? 2 : 1;
        const std::array<int, 2> periodic{1, 1};
        MPI_Cart_create(all, dimensions, lengths.data(), periodic.data(), 0, &group_);
        for (int dimension = 0; dimension < dimensions; ++dimension) {
            int before = 0;
            int after = 0;
            MPI_Cart_shift(group_, dimension, 1, &before, &after);
            neighbors_.push_back(static_cast<std::uint64_t>(before));
            neighbors_.push_back(static_cast<std::uint64_t>(after));
        }
        words_ = dimensions == 1 ? "periodic ring of " + std::to_string(ranks)
                                 : "periodic grid of " + std::to_string(lengths[0]) + " x " +
                                       std::to_string(lengths[1]);
    }
    NeighborGroup(const NeighborGroup&) = delete;
    NeighborGroup& operator=(const NeighborGroup&) = delete;
    // By all its ranks together, which they do not do where one has failed.
    ~NeighborGroup() {
        if (std::uncaught_exceptions() == 0) {
            MPI_Comm_free(&group_);
        }
    }

    [[nodiscard]] MPI_Comm get() const { return group_; }

    // In MPI's order: of each dimension the one before, then the one after (MPI 3.1, 7.6).
    [[nodiscard]] const std::vector<std::uint64_t>& neighbors() const { return neighbors_; }

    [[nodiscard]] const std::string& words() const { return words_; }

   private:
    MPI_Comm group_ = MPI_COMM_NULL;
    std::vector<std::uint64_t> neighbors_;
    std::string words_;
};

}  // namespace machmeter
