// What one rank allocates.
#pragma once

#include <algorithm>
#include <cstdint>

#include "proxies/fvcore/block.hpp"
#include "proxies/fvcore/dynamics.hpp"

namespace machmeter::proxies::fvcore {

inline double bytes_of(const Block& block, int threads) {
    const auto longitudes = static_cast<double>(block.longitudes);
    const auto fields = static_cast<double>(block.fields);
    const auto rows = static_cast<double>(block.rows.count);
    const auto all_levels = static_cast<double>(block.all_levels);
    const auto columns = static_cast<double>(block.columns_of(block.layer).count);
    // Rows on each level of each field: two states, messages with two neighbors, the check's halo.
    double of_level = 2 * (rows + 2 * halo_rows) + 4 * halo_rows + 2 * halo_rows;
    double of_columns = 2 * std::min<double>(columns, Witness::most_columns);
    if (block.layout.over_levels > 1) {
        // Messages with the other ranks, and the columns of this one.
        of_level += rows;
        of_columns += rows * columns;
    }
    // Of a sweep, with the ends of its rows, and of a remap.
    const double of_thread = (10 * fields + 16) * (longitudes + 24) +
                             (all_levels + 6) * std::min<double>(columns, longest_piece);
    // Of the sphere, with the room in which its vectors grew.
    const double of_sphere = 12 * longitudes;
    return sizeof(double) *
           (fields * (static_cast<double>(block.levels.count) * longitudes * of_level +
                      all_levels * of_columns) +
            threads * of_thread + of_sphere);
}

}  // namespace machmeter::proxies::fvcore
