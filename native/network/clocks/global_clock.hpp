// The clock that all ranks share: their own where it is the same one, else learned by messages.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "mpi/hosts.hpp"
#include "mpi/team.hpp"
#include "mpi/transport.hpp"
#include "network/clocks/synchronize.hpp"

namespace machmeter {

// The first rank of each clock learns it; those that share the clock take over its model
// (ClockPropagation of Hunold and Carpen-Amarie).
class GlobalClock {
   public:
    GlobalClock(const MpiTeam& team, const RankHosts& hosts, const Clock& clock)
        : team_(team),
          clock_(clock),
          members_(first_ranks(hosts.clocks())),
          sharing_(OwnCommunicator::split(team.group(), first_like(hosts.clocks(), team.rank()))),
          learned_(shared_base()) {
        learn_drift();
    }

    [[nodiscard]] const ClockModel& model() const { return model_; }

    // Measures the clocks again: the largest error of any rank's global time before, seconds.
    double renew() {
        if (members_.size() == 1) {
            return 0;
        }
        MpiTransport transport(team_.group());
        const double error = synchronize(transport, members_, team_.rank(), clock_, learned_);
        model_ = learned_.model();
        MPI_Bcast(&model_, sizeof model_, MPI_BYTE, 0, sharing_.get());
        return team_.largest(error);
    }

    // The largest possible error of any rank's global time at the last offset, seconds.
    [[nodiscard]] double bound() const { return team_.largest(model_.bound); }

    [[nodiscard]] std::string to_text() const {
        return members_.size() == 1
                   ? "one clock: all ranks run on one kernel"
                   : std::to_string(members_.size()) +
                         " clocks, synchronized in a tree by exchanges of time stamps (HCA3)";
    }

   private:
    // Ranks that share a clock must count from the same reading.
    [[nodiscard]] std::uint64_t shared_base() const {
        std::uint64_t base = clock_.now();
        MPI_Bcast(&base, 1, MPI_UINT64_T, 0, sharing_.get());
        return base;
    }

    // Offsets over 0.6 s, of the whole tree each time, so that more clocks take no longer: offsets
    // good to 0.1 us show a drift of 1 us per second.
    void learn_drift() {
        constexpr int offsets = 11;
        constexpr std::chrono::milliseconds between(60);
        model_ = learned_.model();
        for (int i = 0; members_.size() > 1 && i < offsets; ++i) {
            if (i > 0) {
                std::this_thread::sleep_for(between);
            }
            renew();
        }
    }

    MpiTeam team_;
    Clock clock_;
    std::vector<int> members_;
    OwnCommunicator sharing_;
    LearnedClock learned_;
    ClockModel model_;
};

}  // namespace machmeter
