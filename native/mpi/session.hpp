// A session of several ranks: what one rank has, and what they do together.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/host/process_memory.hpp"
#include "core/session/session.hpp"
#include "core/session/team_sampling.hpp"
#include "mpi/transport.hpp"

namespace machmeter {

class MpiTeam {
   public:
    explicit MpiTeam(MPI_Comm group) : group_(group) {
        MPI_Comm_rank(group_, &rank_);
        MPI_Comm_size(group_, &size_);
    }

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool leads() const { return rank_ == 0; }
    [[nodiscard]] MPI_Comm group() const { return group_; }

    void meet() const { MPI_Barrier(group_); }

    [[nodiscard]] double share(double value) const {
        MPI_Bcast(&value, 1, MPI_DOUBLE, 0, group_);
        return value;
    }

    // Whether it is true on every rank.
    [[nodiscard]] bool all(bool mine) const {
        int value = mine ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, group_);
        return value == 1;
    }

    // The smallest of all ranks' values.
    [[nodiscard]] std::uint64_t smallest(std::uint64_t value) const {
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_MIN, group_);
        return value;
    }

    // The largest of all ranks' values.
    [[nodiscard]] double largest(double value) const {
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, group_);
        return value;
    }

    // Every rank's values in rank order, at the leader; none elsewhere. All ranks give as many.
    [[nodiscard]] std::vector<std::vector<double>> gather(const std::vector<double>& mine) const {
        const auto length = static_cast<int>(mine.size());
        const std::size_t ranks = leads() ? static_cast<std::size_t>(size_) : 0;
        std::vector<double> all(ranks * mine.size());
        MPI_Gather(mine.data(), length, MPI_DOUBLE, all.data(), length, MPI_DOUBLE, 0, group_);
        std::vector<std::vector<double>> by_rank(ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(rank * mine.size());
            by_rank[rank].assign(begin, begin + length);
        }
        return by_rank;
    }

    // The texts of all ranks in rank order with commas between, at the leader; empty elsewhere.
    [[nodiscard]] std::string join(const std::string& mine) const {
        const auto length = static_cast<int>(mine.size());
        std::vector<int> lengths(static_cast<std::size_t>(size_));
        MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, group_);
        std::vector<int> begins(lengths.size());
        int end = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            begins[i] = end;
            end += lengths[i];
        }
        std::string all(static_cast<std::size_t>(leads() ? end : 0), '\0');
        MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(),
                    MPI_CHAR, 0, group_);
        std::string joined;
        for (std::size_t i = 0; leads() && i < lengths.size(); ++i) {
            joined += i > 0 ? "," : "";
            joined += all.substr(static_cast<std::size_t>(begins[i]),
                                 static_cast<std::size_t>(lengths[i]));
        }
        return joined;
    }

   private:
    MPI_Comm group_;
    int rank_ = 0;
    int size_ = 1;
};

static_assert(Team<MpiTeam>);

// How this rank came into the world: what MPI_Init_thread took, and what it gave.
struct StartUp {
    double init_seconds = 0;
    ProcessMemory before;
    ProcessMemory after;
    int thread_level = MPI_THREAD_SINGLE;
};

inline constexpr const char* progress_by_library =
    "left to the library: no thread for it, and no call of MPI during work";

class MpiSession {
   public:
    // progress: who lets communication proceed, in words.
    MpiSession(Session& own, MpiTeam team, StartUp startup = {},
               std::string progress = progress_by_library)
        : own_(own),
          team_(team),
          transport_(team.group()),
          startup_(startup),
          progress_(std::move(progress)) {}

    [[nodiscard]] Session& own() { return own_; }
    [[nodiscard]] const MpiTeam& team() const { return team_; }
    [[nodiscard]] const MpiTransport& transport() const { return transport_; }

    [[nodiscard]] const StartUp& startup() const { return startup_; }
    [[nodiscard]] const std::string& progress() const { return progress_; }

    // This rank's end of the pair of ranks 0 and 1.
    [[nodiscard]] End end() const { return {team_.rank() == 0, team_.rank() == 0 ? 1 : 0}; }

    // Tells the record, and whoever ends this launch, what is about to be measured.
    void begin(const Parameters& point) { own_.begin(point); }

    // Warm up, calibrate and sample one event that all ranks take part in.
    template <class Event>
    Samples sample(double largest_clock_share, Event&& event) {
        Samples taken = sample_together(team_, own_.clock(), own_.clock_facts(), own_.limits(),
                                        largest_clock_share, event);
        own_.add_timed(taken.timed_seconds);
        return taken;
    }

   private:
    Session& own_;
    MpiTeam team_;
    MpiTransport transport_;
    StartUp startup_;
    std::string progress_;
};

}  // namespace machmeter
