// A topology in which every rank has neighbors, for collective operations among them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpi/team.hpp"

namespace machmeter {

// A periodic grid of two dimensions by MPI_Dims_create, or a ring where one of them would be 1.
// Ranks keep their numbers.
class NeighborGroup {
   public:
    explicit NeighborGroup(MPI_Comm all) {
        int ranks = 0;
        MPI_Comm_size(all, &ranks);
        std::array<int, 2> lengths{};
        MPI_Dims_create(ranks, 2, lengths.data());
        const int dimensions = lengths[1] > 1 ? 2 : 1;
        const std::array<int, 2> periodic{1, 1};
        MPI_Comm group = MPI_COMM_NULL;
        MPI_Cart_create(all, dimensions, lengths.data(), periodic.data(), 0, &group);
        group_.emplace(group);
        for (int dimension = 0; dimension < dimensions; ++dimension) {
            int before = 0;
            int after = 0;
            MPI_Cart_shift(group, dimension, 1, &before, &after);
            neighbors_.push_back(static_cast<std::uint64_t>(before));
            neighbors_.push_back(static_cast<std::uint64_t>(after));
        }
        text_ = dimensions == 1 ? "periodic ring of " + std::to_string(ranks)
                                : "periodic grid of " + std::to_string(lengths[0]) + " x " +
                                      std::to_string(lengths[1]);
    }

    [[nodiscard]] MPI_Comm get() const { return group_->get(); }

    // In MPI's order: of each dimension the rank before, then the one after (MPI 3.1, 7.6).
    [[nodiscard]] const std::vector<std::uint64_t>& neighbors() const { return neighbors_; }

    [[nodiscard]] const std::string& to_text() const { return text_; }

   private:
    std::optional<OwnCommunicator> group_;
    std::vector<std::uint64_t> neighbors_;
    std::string text_;
};

}  // namespace machmeter
