// The points of a launch one after another, those that cannot be measured here among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/record/not_measured.hpp"
#include "mpi/message_memory.hpp"
#include "mpi/session.hpp"

namespace machmeter {

// Records `measure(point)` of every point that `lacking`, in the order of points, says nothing of.
template <class Measure>
void record_each(MpiSession& session, const std::vector<std::string>& lacking, Measure&& measure) {
    const std::vector<Parameters>& points = session.own().points();
    for (std::size_t i = 0; i < points.size(); ++i) {
        session.begin(points[i]);
        session.own().record(lacking[i].empty() ? measure(points[i])
                                                : not_measured(points[i], lacking[i]));
    }
}

// Records `measure(buffers, point)` of every point whose message, of `bytes_of(point)` bytes, finds
// memory for one buffer to send and one to receive. All points use the same two.
template <class BytesOf, class Measure>
void record_each_message(MpiSession& session, BytesOf&& bytes_of, Measure&& measure) {
    const MessageMemory memory(session.team());
    std::vector<std::string> lacking;
    std::size_t largest = 0;
    for (const Parameters& point : session.own().points()) {
        const std::size_t bytes = bytes_of(point);
        lacking.push_back(memory.why_not(2 * static_cast<double>(bytes)));
        largest = lacking.back().empty() ? std::max(largest, bytes) : largest;
    }
    const MessageBuffers buffers(largest, session.own().page_bytes());
    record_each(session, lacking, [&](const Parameters& point) { return measure(buffers, point); });
}

}  // namespace machmeter
