// Shallow water through time: three levels of velocities and heights that change places, by the
// leapfrog with a time filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "codes/common/touch.hpp"
#include "codes/shallow/grid.hpp"
#include "codes/shallow/rows.hpp"
#include "codes/shallow/waves.hpp"

namespace machmeter::shallow {

// Velocities and heights at one time.
struct Level {
    Field u;
    Field v;
    Field p;

    Level(Grid grid, std::size_t number, std::size_t page_bytes)
        : u(grid, number, page_bytes),
          v(grid, number + 1, page_bytes),
          p(grid, number + 2, page_bytes) {}

    [[nodiscard]] MovedRows rows(std::size_t number) const {
        return {u.row(number), v.row(number), p.row(number)};
    }
};

struct Levels {
    const Level* old;
    const Level* now;
    const Level* next;

    // The new level is the one from which the next step starts.
    void advance() { std::swap(now, next); }
};

class Model {
   public:
    static constexpr std::size_t fields = 13;
    // As STREAM counts, each array that a loop reads or writes, once: 3 + 4 in the first, 7 + 3 in
    // the second, 9 + 3 in the third.
    static constexpr std::size_t moved_in_step = 29;
    // Written at the start.
    static constexpr std::size_t moved_at_start = 6;

    Model(Grid grid, const Physics& physics, codes::Touch touch, std::size_t page_bytes,
          int threads)
        : grid_(grid),
          physics_(physics),
          threads_(threads),
          waves_(grid, physics),
          first_(grid, 0, page_bytes),
          second_(grid, 3, page_bytes),
          third_(grid, 6, page_bytes),
          flux_x_(grid, 9, page_bytes),
          flux_y_(grid, 10, page_bytes),
          vorticity_(grid, 11, page_bytes),
          head_(grid, 12, page_bytes) {
        for (const Level* level : {&first_, &second_, &third_}) {
            for (const Field* field : {&level->u, &level->v, &level->p}) {
                codes::touch_pages(field->memory(), touch, page_bytes, threads);
            }
        }
        for (const Field* field : {&flux_x_, &flux_y_, &vorticity_, &head_}) {
            codes::touch_pages(field->memory(), touch, page_bytes, threads);
        }
    }

    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] const Physics& physics() const { return physics_; }
    [[nodiscard]] int threads() const { return threads_; }
    // After a run: the level before the last step, filtered in `old`, itself in `next`.
    [[nodiscard]] const Levels& levels() const { return levels_; }
    [[nodiscard]] static double needed_bytes(const Grid& grid) {
        return static_cast<double>(fields * grid.rows * grid.stride() * sizeof(double));
    }

    void start() {
        start_from([this](std::size_t row, const MovedRows& to) {
            waves_.fill_row(row, grid_, to.u, to.v, to.p);
        });
    }

    // `fill(row, rows)` writes the cells of a row.
    template <class Fill>
    void start_from(Fill&& fill) {
        levels_ = {&first_, &second_, &third_};
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::size_t row = 0; row < grid_.rows; ++row) {
            for (const Level* level : {levels_.old, levels_.now}) {
                fill(row, level->rows(row));
                wrap_moved(level->rows(row));
            }
        }
    }

    // From the start: the first step is one forward. A thread has the same rows in every loop, so
    // none waits after the filter, which reads and writes its own rows alone.
    void run(std::uint64_t steps) {
#pragma omp parallel num_threads(threads_)
        {
            Levels levels = levels_;
            for (std::uint64_t step = 0; step < steps; ++step) {
                const double seconds = step == 0 ? physics_.step : 2 * physics_.step;
#pragma omp for schedule(static)
                for (std::size_t row = 0; row < grid_.rows; ++row) {
                    derive(row, *levels.now);
                }
#pragma omp for schedule(static)
                for (std::size_t row = 0; row < grid_.rows; ++row) {
                    advance(row, seconds, levels);
                }
#pragma omp for schedule(static) nowait
                for (std::size_t row = 0; row < grid_.rows; ++row) {
                    filter_row(grid_.columns, physics_, levels.old->rows(row),
                               levels.now->rows(row), levels.next->rows(row));
                }
                levels.advance();
            }
#pragma omp barrier
#pragma omp single
            levels_ = levels;
        }
    }

   private:
    [[nodiscard]] DerivedRows derived(std::size_t row) const {
        return {flux_x_.row(row), flux_y_.row(row), vorticity_.row(row), head_.row(row)};
    }

    void wrap_moved(const MovedRows& rows) const {
        for (double* row : {rows.u, rows.v, rows.p}) {
            wrap(row, grid_.columns);
        }
    }

    void derive(std::size_t row, const Level& now) const {
        const DerivedRows to = derived(row);
        derive_row(grid_.columns, physics_, now.rows(row), now.rows(grid_.above(row)),
                   now.rows(grid_.below(row)), to);
        for (double* one : {to.flux_x, to.flux_y, to.vorticity, to.head}) {
            wrap(one, grid_.columns);
        }
    }

    void advance(std::size_t row, double seconds, const Levels& levels) const {
        const MovedRows to = levels.next->rows(row);
        advance_row(grid_.columns, physics_, seconds, derived(row), derived(grid_.above(row)),
                    derived(grid_.below(row)), levels.old->rows(row), to);
        wrap_moved(to);
    }

    Grid grid_;
    Physics physics_;
    int threads_;
    Waves waves_;
    Level first_;
    Level second_;
    Level third_;
    Field flux_x_;
    Field flux_y_;
    Field vorticity_;
    Field head_;
    Levels levels_{&first_, &second_, &third_};
};

}  // namespace machmeter::shallow
