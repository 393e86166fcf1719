// The points of a launch by the library that they are measured on.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "compute/placed_blas.hpp"
#include "core/session/node.hpp"

namespace machmeter::compute {

// In the order of the launch, but points of one library together.
inline std::vector<Parameters> by_library(const std::vector<Parameters>& points) {
    std::map<std::string, std::size_t> first;
    for (const Parameters& point : points) {
        first.try_emplace(point.text("library"), first.size());
    }
    std::vector<Parameters> ordered = points;
    std::stable_sort(ordered.begin(), ordered.end(), [&](const auto& one, const auto& other) {
        return first[one.text("library")] < first[other.text("library")];
    });
    return ordered;
}

// Measures and records the points of a launch, each on its library, which is loaded once for all of
// its points: `measure(point, blas)`. Where it cannot be used the record says why. `elements`: of
// PlacedBlas.
template <class Measure>
void record_each_on_its_library(NodeSession& session, const std::vector<Cpus>& cpus,
                                double* elements, Measure&& measure) {
    std::unique_ptr<PlacedBlas> blas;
    std::string loaded;
    for (const Parameters& point : by_library(session.points())) {
        session.begin(point);
        const std::string& library = point.text("library");
        try {
            if (loaded != library) {
                if (blas) {
                    // Its threads wait for work for a while before they sleep.
                    std::this_thread::sleep_for(std::chrono::milliseconds(100));
                }
                blas.reset();
                loaded = library;
                blas = std::make_unique<PlacedBlas>(file_of(library), cpus, elements);
            }
            session.record(measure(point, *blas));
        } catch (const NoBlas& error) {
            session.record(not_measured(point, "library: " + std::string(error.what())));
            if (!blas) {
                loaded.clear();
            }
        }
    }
}

}  // namespace machmeter::compute
