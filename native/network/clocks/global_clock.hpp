// The clock that all ranks share: their own where it is one and the same, else learned by messages.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "mpi/hosts.hpp"
#include "mpi/session.hpp"
#include "network/clocks/synchronize.hpp"

namespace machmeter {

// The first ranks of the clocks learn from one another; those that share a clock take over its
// model (ClockPropagation of Hunold and Carpen-Amarie).
class GlobalClock {
   public:
    GlobalClock(const MpiTeam& team, const RankHosts& hosts, const Clock& clock)
        : team_(team),
          clock_(clock),
          members_(first_ranks(hosts.clocks())),
          sharing_(team.group(), first_like(hosts.clocks(), team.rank())),
          learned_(shared_base()) {
        learn_drift();
    }

    [[nodiscard]] const ClockModel& model() const { return model_; }

    // By how much any rank's global time was wrong before it was measured once more, seconds.
    double renew() {
        if (members_.size() == 1) {
            return 0;
        }
        MpiTransport transport(team_.group());
        const double error =
            synchronize(transport, members_, team_.rank(), clock_, ClockEffort{}, learned_);
        model_ = learned_.model();
        MPI_Bcast(&model_, sizeof model_, MPI_BYTE, 0, sharing_.get());
        return largest(error);
    }

    // By how much any rank's global time may be wrong where the last offset was measured, seconds.
    [[nodiscard]] double bound() const { return largest(model_.bound); }

    [[nodiscard]] std::string words() const {
        return members_.size() == 1
                   ? "one clock: all ranks run under one kernel"
                   : std::to_string(members_.size()) +
                         " clocks, synchronized in a tree by exchanges of time stamps, after HCA3";
    }

   private:
    // Ranks that share a clock must count from the same reading.
    [[nodiscard]] std::uint64_t shared_base() const {
        std::uint64_t base = clock_.now();
        MPI_Bcast(&base, 1, MPI_UINT64_T, 0, sharing_.get());
        return base;
    }

    [[nodiscard]] double largest(double mine) const {
        MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, team_.group());
        return mine;
    }

    // Offsets over 0.6 s, of the whole tree each time, so that more clocks take no longer: where an
    // offset is good to 0.1 us, they show a drift of 1 us a second.
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
    SplitGroup sharing_;
    LearnedClock learned_;
    ClockModel model_;
};

}  // namespace machmeter
