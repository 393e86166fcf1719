// The points of a launch one after another, those that cannot be measured here among them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "machmeter/mpi_session.hpp"
#include "machmeter/not_measured.hpp"

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

}  // namespace machmeter
