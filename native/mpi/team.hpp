// The ranks of a communicator as a team, and communicators that are freed with their object.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/session/team.hpp"

namespace machmeter {

class MpiTeam {
   public:
    explicit MpiTeam(MPI_Comm group) : group_(group) {
        MPI_Comm_rank(group_, &rank_);
        MPI_Comm_size(group_, &size_);
    }

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool is_root() const { return rank_ == 0; }
    [[nodiscard]] MPI_Comm group() const { return group_; }

    void barrier() const { MPI_Barrier(group_); }

    [[nodiscard]] double broadcast(double value) const {
        MPI_Bcast(&value, 1, MPI_DOUBLE, 0, group_);
        return value;
    }

    [[nodiscard]] bool all(bool mine) const { return reduced(mine ? 1 : 0, MPI_INT, MPI_MIN) == 1; }
    [[nodiscard]] std::uint64_t smallest(std::uint64_t value) const {
        return reduced(value, MPI_UINT64_T, MPI_MIN);
    }
    [[nodiscard]] std::uint64_t largest(std::uint64_t value) const {
        return reduced(value, MPI_UINT64_T, MPI_MAX);
    }
    [[nodiscard]] double largest(double value) const { return reduced(value, MPI_DOUBLE, MPI_MAX); }
    [[nodiscard]] double sum(double value) const { return reduced(value, MPI_DOUBLE, MPI_SUM); }

    // Each value becomes its sum over all ranks, on every rank.
    void sum(std::span<double> values) const {
        MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                      MPI_SUM, group_);
    }

    [[nodiscard]] std::vector<std::vector<double>> gather(const std::vector<double>& mine) const {
        const auto length = static_cast<int>(mine.size());
        const std::size_t ranks = is_root() ? static_cast<std::size_t>(size_) : 0;
        std::vector<double> all(ranks * mine.size());
        MPI_Gather(mine.data(), length, MPI_DOUBLE, all.data(), length, MPI_DOUBLE, 0, group_);
        std::vector<std::vector<double>> by_rank(ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(rank * mine.size());
            by_rank[rank].assign(begin, begin + length);
        }
        return by_rank;
    }

    // Every rank's value in rank order, on every rank.
    [[nodiscard]] std::vector<std::uint64_t> gather_everywhere(std::uint64_t mine) const {
        std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
        MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, group_);
        return all;
    }

    // The words of every rank in rank order, on every rank; each gives as many as it likes. Throws
    // std::length_error on every rank where together they are more than MPI counts.
    void gather_everywhere(std::span<const std::uint64_t> mine,
                           std::vector<std::uint64_t>& all) const {
        const std::vector<std::uint64_t> counts = gather_everywhere(mine.size());
        std::vector<int> lengths(counts.size());
        std::vector<int> begins(counts.size());
        std::uint64_t end = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            begins[i] = static_cast<int>(end);
            end += counts[i];
            if (end > std::numeric_limits<int>::max()) {
                throw std::length_error("more than 2^31 words to gather");
            }
            lengths[i] = static_cast<int>(counts[i]);
        }
        all.resize(end);
        if (end > 0) {
            MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_UINT64_T, all.data(),
                           lengths.data(), begins.data(), MPI_UINT64_T, group_);
        }
    }

    // Every rank's text in rank order, on the root; on others none.
    [[nodiscard]] std::vector<std::string> gather_texts(const std::string& mine) const {
        const auto length = static_cast<int>(mine.size());
        std::vector<int> lengths(is_root() ? static_cast<std::size_t>(size_) : 0);
        MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, group_);
        std::vector<int> begins(lengths.size());
        int end = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            begins[i] = end;
            end += lengths[i];
        }
        std::string all(static_cast<std::size_t>(end), '\0');
        MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(),
                    MPI_CHAR, 0, group_);
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            texts.push_back(all.substr(static_cast<std::size_t>(begins[i]),
                                       static_cast<std::size_t>(lengths[i])));
        }
        return texts;
    }

    [[nodiscard]] std::string join(const std::string& mine) const {
        std::string joined;
        for (const std::string& one : gather_texts(mine)) {
            joined += !one.empty() && !joined.empty() ? "," : "";
            joined += one;
        }
        return joined;
    }

   private:
    template <class T>
    [[nodiscard]] T reduced(T value, MPI_Datatype type, MPI_Op operation) const {
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, operation, group_);
        return value;
    }

    MPI_Comm group_;
    int rank_ = 0;
    int size_ = 1;
};

static_assert(Team<const MpiTeam>);

// A communicator that all its ranks free together at the end; not after an error, when the others
// may wait elsewhere.
class OwnCommunicator {
   public:
    static OwnCommunicator duplicate(MPI_Comm all) {
        OwnCommunicator own;
        MPI_Comm_dup(all, &own.group_);
        return own;
    }

    // Of the ranks that name the same color, in their order.
    static OwnCommunicator split(MPI_Comm all, int color) {
        OwnCommunicator own;
        MPI_Comm_split(all, color, 0, &own.group_);
        return own;
    }

    explicit OwnCommunicator(MPI_Comm group = MPI_COMM_NULL) : group_(group) {}
    OwnCommunicator(const OwnCommunicator&) = delete;
    OwnCommunicator& operator=(const OwnCommunicator&) = delete;
    OwnCommunicator& operator=(OwnCommunicator&&) = delete;
    OwnCommunicator(OwnCommunicator&& other) noexcept
        : group_(std::exchange(other.group_, MPI_COMM_NULL)) {}

    ~OwnCommunicator() {
        if (group_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) {
            MPI_Comm_free(&group_);
        }
    }

    [[nodiscard]] MPI_Comm get() const { return group_; }

   private:
    MPI_Comm group_;
};

}  // namespace machmeter
