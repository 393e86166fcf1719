// From all longitudes of some levels to all levels of some longitudes, among the ranks of the same
// latitudes, and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/common/ranks.hpp"
#include "proxies/fvcore/block.hpp"
#include "proxies/fvcore/remap.hpp"

namespace machmeter::proxies::fvcore {

template <class Ranks>
class Transpose {
   public:
    Transpose(Ranks& ranks, Phases& phases, const Block& block)
        : ranks_(ranks), phases_(phases), block_(block) {
        if (is_local()) {
            return;
        }
        const Share mine = block.columns_of(block.layer);
        columns_.longitudes = columns_.row_step = mine.count;
        columns_.field_step = mine.count * block.rows.count;
        columns_.level_step = columns_.field_step * block.fields;
        columns_.rows = block.rows.count;
        columns_.levels = block.all_levels;
        columns_.fields = block.fields;
        const auto size = static_cast<std::size_t>(columns_.level_step * columns_.levels);
        values_.reset(new double[size]);
        columns_.values = values_.get();
        for_rows_of_columns([&](std::int64_t k, std::int64_t f, std::int64_t j) {
            std::fill_n(columns_.at(k, f, j), mine.count, 0.0);
        });
        for (int other = 0; other < block.layout.over_levels; ++other) {
            const std::int64_t longitudes = block.columns_of(other).count;
            buffers_.emplace_back(
                other == block.layer ? 0
                                     : static_cast<std::size_t>(longitudes * block.rows.count *
                                                                block.fields * block.levels.count));
        }
    }

    // The columns of a state: in place where this rank has all levels.
    Columns to_columns(double* state) {
        if (is_local()) {
            return {state + block_.at(0, 0, 0), block_.level_size(), block_.field_size(),
                    block_.longitudes,          block_.rows.count,   block_.longitudes,
                    block_.all_levels,          block_.fields};
        }
        {
            const auto span = phases_.in(Phase::compute);
            move_all(state, [](double* of_state, double* of_column, std::int64_t count) {
                std::copy_n(of_state, count, of_column);
            });
        }
        messages_.clear();
        for_others([&](int other, std::vector<double>& buffer) {
            messages_.push_back({block_.rank_of_layer(other), buffer, block_.rank_of_layer(other),
                                 levels_of(other)});
        });
        exchange();
        return columns_;
    }

    void to_state(double* state) {
        if (is_local()) {
            return;
        }
        messages_.clear();
        for_others([&](int other, std::vector<double>& buffer) {
            messages_.push_back({block_.rank_of_layer(other), levels_of(other),
                                 block_.rank_of_layer(other), buffer});
        });
        exchange();
        const auto span = phases_.in(Phase::compute);
        move_all(state, [](double* of_state, double* of_column, std::int64_t count) {
            std::copy_n(of_column, count, of_state);
        });
    }

   private:
    [[nodiscard]] bool is_local() const { return block_.layout.over_levels == 1; }

    void exchange() {
        const auto span = phases_.in(Phase::collective);
        ranks_.template exchange_all<double>(messages_);
    }

    // The levels of another rank, which lie together in the columns.
    std::span<double> levels_of(int other) {
        const Share levels = block_.levels_of(other);
        return {columns_.at(levels.first, 0, 0),
                static_cast<std::size_t>(levels.count * columns_.level_step)};
    }

    template <class Body>
    void for_others(Body&& body) {
        for (int other = 0; other < block_.layout.over_levels; ++other) {
            if (other != block_.layer) {
                body(other, buffers_[static_cast<std::size_t>(other)]);
            }
        }
    }

    template <class Body>
    void for_rows_of_columns(Body&& body) {
#pragma omp parallel for schedule(static)
        for (std::int64_t j = 0; j < columns_.rows; ++j) {
            for (std::int64_t k = 0; k < columns_.levels; ++k) {
                for (std::int64_t f = 0; f < columns_.fields; ++f) {
                    body(k, f, j);
                }
            }
        }
    }

    // `move(piece of a row, its place in a message or in the columns, its length)`.
    template <class Move>
    void move_all(double* state, Move&& move) {
        const std::int64_t count = block_.levels.count * block_.fields;
#pragma omp parallel for schedule(static)
        for (std::int64_t n = 0; n < count; ++n) {
            const std::int64_t k = n / block_.fields;
            const std::int64_t f = n % block_.fields;
            for (int other = 0; other < block_.layout.over_levels; ++other) {
                const Share longitudes = block_.columns_of(other);
                double* const place = other == block_.layer
                                          ? columns_.at(block_.levels.first + k, f, 0)
                                          : buffers_[static_cast<std::size_t>(other)].data() +
                                                n * block_.rows.count * longitudes.count;
                for (std::int64_t j = 0; j < block_.rows.count; ++j) {
                    move(state + block_.at(k, f, j) + longitudes.first,
                         place + j * longitudes.count, longitudes.count);
                }
            }
        }
    }

    Ranks& ranks_;
    Phases& phases_;
    Block block_;
    Columns columns_;
    std::unique_ptr<double[]> values_;
    // To and from each of the others.
    std::vector<std::vector<double>> buffers_;
    std::vector<Exchange<double>> messages_;
};

}  // namespace machmeter::proxies::fvcore
