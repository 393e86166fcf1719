// The latitudes and levels of one rank, and its fields there.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "proxies/common/rank_grid.hpp"
#include "proxies/common/shares.hpp"
#include "proxies/fvcore/sphere.hpp"

namespace machmeter::proxies::fvcore {

// Ranks over latitudes and over levels; 0 where so many cannot be.
struct Layout {
    int over_latitudes = 0;
    int over_levels = 0;
};

// Nearly square, more over latitudes where they suffice.
inline Layout layout_of(const Problem& problem, int ranks) {
    const auto fits = [&](int over_latitudes, int over_levels) {
        return over_latitudes <= problem.latitudes / halo_rows && over_levels <= problem.levels &&
               over_levels <= problem.longitudes();
    };
    const auto squarest = squarest_grid(ranks, [&](int few, int many) { return fits(many, few); });
    Layout best{squarest[1], squarest[0]};
    for (int few = ranks; best.over_levels == 0 && few > 0; --few) {
        if (ranks % few == 0 && fits(few, ranks / few)) {
            best = {few, ranks / few};
        }
    }
    return best;
}

// Ranks of the same levels follow each other from south to north.
struct Block {
    std::int64_t longitudes = 0;
    std::int64_t all_levels = 0;
    std::int64_t fields = 0;
    Layout layout;
    int place = 0;
    int layer = 0;
    Share rows;
    Share levels;

    Block(const Problem& problem, int rank, int size)
        : longitudes(problem.longitudes()),
          all_levels(problem.levels),
          fields(problem.fields()),
          layout(layout_of(problem, size)),
          place(rank % layout.over_latitudes),
          layer(rank / layout.over_latitudes),
          rows(share_of(problem.latitudes, place, layout.over_latitudes)),
          levels(share_of(problem.levels, layer, layout.over_levels)) {}

    [[nodiscard]] int rank_of_layer(int other) const {
        return place + layout.over_latitudes * other;
    }
    [[nodiscard]] Share levels_of(int other) const {
        return share_of(all_levels, other, layout.over_levels);
    }
    [[nodiscard]] Share columns_of(int other) const {
        return share_of(longitudes, other, layout.over_levels);
    }

    // From a field, and from a level, to the next.
    [[nodiscard]] std::int64_t field_size() const {
        return longitudes * (rows.count + 2 * halo_rows);
    }
    [[nodiscard]] std::int64_t level_size() const { return field_size() * fields; }
    // Rows count from the first of this rank; those around it lie before 0 and from `rows.count`.
    [[nodiscard]] std::int64_t at(std::int64_t level, std::int64_t field, std::int64_t row) const {
        return level * level_size() + field * field_size() + (row + halo_rows) * longitudes;
    }
};

// Calls `body(level, first row, end)` for parts of the levels, shared out over the team: the same
// to the same thread each time.
template <class Body>
void for_parts(const Block& block, Body&& body) {
    // About four for each thread, of no fewer rows than pay for those computed twice.
    constexpr std::int64_t least_rows = 8;
    const std::int64_t threads = omp_get_max_threads();
    const std::int64_t wanted = 4 * threads / block.levels.count;
    const std::int64_t most = std::max<std::int64_t>(1, block.rows.count / least_rows);
    const std::int64_t parts = std::clamp<std::int64_t>(wanted, 1, most);
#pragma omp parallel for schedule(static)
    for (std::int64_t part = 0; part < block.levels.count * parts; ++part) {
        const Share rows = share_of(block.rows.count, part % parts, parts);
        body(part / parts, rows.first, rows.end());
    }
}

// All fields of a rank, air first: its mass for each area of a layer, then mixing ratios.
class State {
   public:
    explicit State(const Block& block)
        : values_(new double[static_cast<std::size_t>(block.levels.count * block.level_size())]) {
        for_parts(block, [&](std::int64_t level, std::int64_t first, std::int64_t end) {
            const std::int64_t from = first == 0 ? -halo_rows : first;
            const std::int64_t to = end == block.rows.count ? end + halo_rows : end;
            for (std::int64_t f = 0; f < block.fields; ++f) {
                std::fill_n(values_.get() + block.at(level, f, from),
                            (to - from) * block.longitudes, 0.0);
            }
        });
    }

    [[nodiscard]] double* data() const { return values_.get(); }

   private:
    std::unique_ptr<double[]> values_;
};

}  // namespace machmeter::proxies::fvcore
