// The three parts of an overlap measurement as rounds: which part a round is, and the resulting
// series.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/record/point.hpp"
#include "network/collectives/round_start.hpp"

namespace machmeter {

enum class OverlapPart : std::uint8_t { communication, work, total };
inline constexpr std::uint64_t overlap_parts = 3;

// The order rotates from one sample to the next, so that no part always follows the same other.
inline OverlapPart overlap_part(std::uint64_t round) {
    const std::uint64_t sample = round / overlap_parts;
    return static_cast<OverlapPart>((sample + round) % overlap_parts);
}

// Seconds of each part's slowest rank, by sample, without samples of which a part began late.
inline std::vector<NamedSeries> overlap_series(const Rounds& rounds) {
    std::array<std::vector<double>, overlap_parts> seconds;
    for (std::size_t first = 0; first + overlap_parts <= rounds.slowest.size();
         first += overlap_parts) {
        for (std::size_t i = first;
             rounds.together(first, overlap_parts) && i < first + overlap_parts; ++i) {
            seconds[static_cast<std::size_t>(overlap_part(i))].push_back(rounds.slowest[i]);
        }
    }
    return {{"total", std::move(seconds[static_cast<std::size_t>(OverlapPart::total)])},
            {"work", std::move(seconds[static_cast<std::size_t>(OverlapPart::work)])},
            {"communication",
             std::move(seconds[static_cast<std::size_t>(OverlapPart::communication)])}};
}

}  // namespace machmeter
