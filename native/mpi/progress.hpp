// The progress thread of a rank of MPI, on a communicator of its own: it can take nobody's message.
#pragma once

#include <mpi.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/openmp/teams.hpp"
#include "mpi/progress_thread.hpp"
#include "mpi/session.hpp"

namespace machmeter {

inline Pause pause_on(const std::vector<int>& cpus) {
    return have_common_cpu(cpus, allowed_cpus()) ? Pause::sleep : Pause::yield;
}

class MpiProgress {
   public:
    MpiProgress(const MpiTeam& team, const std::vector<int>& cpus)
        : group_(duplicate(team.group())),
          thread_(cpus, pause_on(cpus), team.rank(), asked_teams().threads(), [this] {
              int flag = 0;
              MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, group_, &flag, MPI_STATUS_IGNORE);
          }) {}

    [[nodiscard]] const ThreadPlace& place() const { return thread_.place(); }
    [[nodiscard]] std::string words() const { return thread_.words(); }

   private:
    // MPI_Finalize ends it: to free it is collective, and a rank that fails would wait for others.
    static MPI_Comm duplicate(MPI_Comm group) {
        MPI_Comm own = MPI_COMM_NULL;
        MPI_Comm_dup(group, &own);
        return own;
    }

    MPI_Comm group_;
    ProgressThread thread_;
};

// The thread, where one was asked for by its variable, on every rank; the level of threads that MPI
// gave must allow it.
inline std::optional<std::vector<int>> progress_cpus(const MpiTeam& team) {
    std::vector<int> cpus = asked_progress_cpus();
    const bool here = !cpus.empty();
    if (team.all(here)) {
        return cpus;
    }
    if (!team.all(!here)) {
        throw std::runtime_error(std::string(progress_variable) +
                                 " is set for some ranks only: set it for every rank or for none");
    }
    return std::nullopt;
}

}  // namespace machmeter
