// The points of a launch in order, those included that cannot be measured here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "mpi/memory.hpp"
#include "mpi/runtime.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {

// Records `measure(point)` of every point for which `lacking`, in the order of points, is empty.
template <class Measure>
void record_each(MpiSession& session, const std::vector<std::string>& lacking, Measure&& measure) {
    std::size_t next = 0;
    session.record_each([&](const Parameters& point) {
        const std::string& why = lacking[next++];
        return why.empty() ? measure(point) : not_measured(point, why);
    });
}

// Records `measure(buffers, point)` of every point whose message, of `bytes_of(point)` bytes, finds
// memory for one buffer to send and one to receive. All points share the two.
template <class BytesOf, class Measure>
void record_each_message(MpiSession& session, BytesOf&& bytes_of, Measure&& measure) {
    const NodeMemory memory(session.team());
    std::vector<std::string> lacking;
    std::size_t largest = 0;
    for (const Parameters& point : session.points()) {
        const std::size_t bytes = bytes_of(point);
        lacking.push_back(memory.why_not(2 * static_cast<double>(bytes)));
        largest = lacking.back().empty() ? std::max(largest, bytes) : largest;
    }
    const MessageBuffers buffers(largest, session.page_bytes());
    record_each(session, lacking, [&](const Parameters& point) { return measure(buffers, point); });
}

}  // namespace machmeter
