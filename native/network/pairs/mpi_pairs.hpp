// What all ranks of a session do in pairs, rank i < k with rank i + k.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "mpi/session.hpp"
#include "network/pairs/pair_sampling.hpp"

namespace machmeter {

inline std::size_t pair_count(const MpiSession& session) {
    return static_cast<std::size_t>(session.team().size() / 2);
}

inline End own_end(const MpiSession& session) {
    return pair_end(session.team().rank(), session.team().size());
}

// `sample_timed_together` by the session's clock and limits; its time counts as timed.
template <class Timed, class Kept>
Samples sample_timed(MpiSession& session, double largest_clock_share, Timed&& timed, Kept&& kept) {
    Samples taken =
        sample_timed_together(session.team(), session.own().clock(), session.own().clock_facts(),
                              session.own().limits(), largest_clock_share, timed, kept);
    session.own().add_timed(taken.timed_seconds);
    return taken;
}

// The samples of the first rank of every pair, at the leader; none elsewhere.
inline std::vector<std::vector<double>> gather_pairs(const MpiSession& session,
                                                     const std::vector<double>& mine) {
    std::vector<std::vector<double>> rows = session.team().gather(mine);
    rows.resize(rows.size() / 2);
    return rows;
}

}  // namespace machmeter
