// The points of a launch of collective operations one after another, over the same buffers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/record/not_measured.hpp"
#include "network/collectives/session.hpp"

namespace machmeter {

// Records `measure(buffers, planned)` of each of `all`, whose `why_not` says what its `point` lacks
// to be measured here, if anything. The buffers have room for the largest `shape` among the others.
template <class Planned, class Measure>
void record_planned(CollectiveSession& together, const std::vector<Planned>& all,
                    Measure&& measure) {
    MpiSession& session = together.session();
    std::uint64_t out = 0;
    std::uint64_t in = 0;
    for (const Planned& planned : all) {
        if (planned.why_not.empty()) {
            out = std::max(out, out_bytes(planned.shape));
            in = std::max(in, in_bytes(planned.shape));
        }
    }
    const CollectiveBuffers buffers(out, in, session.own().page_bytes());
    for (const Planned& planned : all) {
        session.begin(planned.point);
        session.own().record(planned.why_not.empty()
                                 ? measure(buffers, planned)
                                 : not_measured(planned.point, planned.why_not));
    }
}

}  // namespace machmeter
