// Measurements of every node by itself, all at the same time; nodes that are one machine take
// turns. One rank is on each node, with the threads of the layout.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/host/identity.hpp"
#include "core/record/phase_report.hpp"
#include "mpi/runtime.hpp"
#include "nodes/node_points.hpp"

namespace machmeter::nodes {

inline constexpr Ranks one_on_each{1, 0, false};

// Which turn each rank takes: one after the other on a machine that several nodes are.
struct Turns {
    explicit Turns(const MpiTeam& team) {
        const std::vector<std::uint64_t> machines = team.gather_everywhere(machine_key());
        const auto end = machines.begin() + team.rank();
        mine = static_cast<std::size_t>(std::count(machines.begin(), end, machine_key()));
        for (const std::uint64_t one : machines) {
            const auto ranks = std::count(machines.begin(), machines.end(), one);
            count = std::max(count, static_cast<std::size_t>(ranks));
        }
    }

    std::size_t mine = 0;
    std::size_t count = 1;
};

// A barrier whose waiting ranks leave their CPUs to others: those of another turn may be on them.
inline void wait_asleep(const MpiTeam& team) {
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Ibarrier(team.group(), &all);
    for (int done = 0;;) {
        MPI_Test(&all, &done, MPI_STATUS_IGNORE);
        if (done != 0) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Has every node do `measure(parameters)`, and the root record what `describe(point, own)` makes of
// it for each node whose point was requested, or why a node could not measure it.
template <class Measure, class Describe>
void record_each_node(MpiSession& session, Measure&& measure, Describe&& describe) {
    const MpiTeam& team = session.team();
    const Turns turns(team);
    for (const Group& group : groups_of(session.points())) {
        const Parameters& first = session.points()[group.points.front()];
        session.begin(first);
        Own own;
        for (std::size_t turn = 0; turn < turns.count; ++turn) {
            wait_asleep(team);
            if (turn == turns.mine) {
                phase_report::set(
                    std::string(MpiRuntime::program) + ": rank " + std::to_string(team.rank()),
                    "measuring " + first.without("node").to_text() + " on its node");
                own = measure(first);
            }
        }
        wait_asleep(team);
        const auto most = static_cast<std::size_t>(
            team.largest(static_cast<std::uint64_t>(own.samples.seconds.size())));
        const std::size_t series = own.extra.size();
        const std::vector<std::vector<double>> all = team.gather(packed(own, most));
        const std::vector<std::string> why_not = team.gather_texts(own.why_not);
        if (!team.is_root()) {
            continue;
        }
        double longest = 0;
        for (const std::size_t number : group.points) {
            const Parameters& point = session.points()[number];
            const auto node = point.count_within("node", 0, all.size() - 1);
            if (!why_not[node].empty()) {
                session.record(not_measured(point, why_not[node]));
                continue;
            }
            const Own of_node = unpacked(all[node], most, series);
            longest = std::max(longest, of_node.samples.timed_seconds);
            PointResult result = describe(point, of_node);
            result.attribute("at_once", turns.count > 1 ? "nodes of one machine in turn"
                                                        : "all nodes at the same time");
            result.page_bytes = of_node.page_bytes;
            session.record(result);
        }
        session.add_timed(longest);
    }
}

}  // namespace machmeter::nodes
