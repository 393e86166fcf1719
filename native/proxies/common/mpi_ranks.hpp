// The ranks of a proxy over MPI, and what every launch of a proxy records.
#pragma once

#include <span>
#include <string>

#include "core/host/memory_size.hpp"
#include "core/openmp/teams.hpp"
#include "core/record/point.hpp"
#include "core/session/phases.hpp"
#include "mpi/hosts.hpp"
#include "mpi/runtime.hpp"
#include "mpi/team.hpp"
#include "mpi/transport.hpp"
#include "proxies/common/ranks.hpp"

namespace machmeter::proxies {

using MpiRanks = Ranks<MpiTransport, MpiTeam>;

inline MpiRanks ranks_of(MpiSession& session) {
    return {session.transport(), session.team(), &session.phases()};
}

// Throws UsageError on every rank where what the ranks of a node need together, `bytes` each, does
// not fit there.
inline void require_memory_of_ranks(const MpiSession& session, const std::string& what,
                                    double bytes) {
    double of_node = 0;
    {
        // Freed by all ranks together, which an exception would prevent.
        const RankHosts hosts(session.team());
        of_node = session.team().largest(hosts.machine().sum(bytes));
    }
    const double available = -session.team().largest(-available_memory_bytes());
    require_memory(what + " on the ranks of a node", of_node, available);
}

// Records `measure(point)` for every point, or why it cannot be shared out over these ranks: what
// `measure` throws as UsageError, on every rank.
template <class Measure>
void record_each_that_fits(MpiSession& session, Measure&& measure) {
    require_whole(requested_teams());
    session.record_each([&](const Parameters& point) {
        try {
            return measure(session, point);
        } catch (const UsageError& error) {
            return not_measured(point, error.what());
        }
    });
}

// Adds where the time of the events went, and what was sent in the last one.
inline void describe_work(MpiSession& session, MpiRanks& ranks, const Samples& samples,
                          PointResult& result) {
    describe_phases(session.team(), session.phases(), samples.timed_seconds, result);
    ranks.traffic().describe(result, [&](std::span<double> values) { session.team().sum(values); });
    result.quantity("ranks", session.team().size()).quantity("threads", requested_teams().outer);
}

}  // namespace machmeter::proxies
