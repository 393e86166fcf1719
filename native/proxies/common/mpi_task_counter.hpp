// A counter of tasks in a window of rank 0 (MPI 3.1, chapter 11).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>

#include "mpi/team.hpp"

namespace machmeter::proxies {

// Every rank makes it and ends it together.
class MpiTaskCounter {
   public:
    explicit MpiTaskCounter(const MpiTeam& team) : is_owner_(team.rank() == 0) {
        const MPI_Aint bytes = is_owner_ ? slots * sizeof(std::int64_t) : 0;
        void* memory = nullptr;
        // MPI takes the address of a pointer as void*.
        // NOLINTNEXTLINE(bugprone-multi-level-implicit-pointer-conversion)
        MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, team.group(), &memory,
                         &window_);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
        for (int slot = 0; slot < slots; ++slot) {
            clear(slot);
        }
        team.barrier();
        // So that no connection is made when it counts.
        fetch(0, 0, MPI_SUM);
        team.barrier();
    }
    MpiTaskCounter(const MpiTaskCounter&) = delete;
    MpiTaskCounter& operator=(const MpiTaskCounter&) = delete;

    // Not after an error, when the others may wait elsewhere.
    ~MpiTaskCounter() {
        if (std::uncaught_exceptions() == 0) {
            MPI_Win_unlock_all(window_);
            MPI_Win_free(&window_);
        }
    }

    std::int64_t take(int slot, std::int64_t count) { return fetch(slot, count, MPI_SUM); }

    void clear(int slot) {
        if (is_owner_) {
            fetch(slot, 0, MPI_REPLACE);
        }
    }

   private:
    static constexpr int slots = 2;

    std::int64_t fetch(int slot, std::int64_t operand, MPI_Op operation) {
        std::int64_t before = 0;
        MPI_Fetch_and_op(&operand, &before, MPI_INT64_T, 0, slot, operation, window_);
        MPI_Win_flush(0, window_);
        return before;
    }

    bool is_owner_;
    MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace machmeter::proxies
