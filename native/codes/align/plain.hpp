// Alignment with affine gaps (Gotoh, J. Mol. Biol. 162, 1982), entry by entry of the table: what
// the codes are checked by. E = max(E - extend, H - open - extend) along a row, F likewise along a
// column, H = max(diagonal + score, E, F), and not below 0 where the alignment is local.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "codes/align/gotoh.hpp"

namespace machmeter::gotoh {

// What a part of a table begins or ends with: the row above it or its last, the column to the left
// or its last, and what is diagonally before its first place.
struct Edges {
    std::vector<Entry> row;
    std::vector<Entry> column;
    std::int32_t corner = 0;
};

struct Part {
    Edges last;
    std::int32_t best = 0;
};

// Part of a table over rows `a` and columns `b`, entry by entry. A gap of an edge is that of the
// next entry. No score falls below `floor`: 0 for local alignment, `lowest` for global.
inline Part plain_part(Letters a, Letters b, Edges edges, std::int32_t floor) {
    Part part{std::move(edges), floor};
    std::vector<Entry>& row = part.last.row;
    for (std::size_t i = 0; i < a.size(); ++i) {
        Entry& left = part.last.column[i];
        std::int32_t diagonal = part.last.corner;
        part.last.corner = left.score;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::int32_t matched = diagonal + score(a[i], b[j]);
            diagonal = row[j].score;
            const std::int32_t here = std::max({matched, left.gap, row[j].gap, floor});
            left = {here, std::max(left.gap - extend, here - open - extend)};
            row[j] = {here, std::max(row[j].gap - extend, here - open - extend)};
            part.best = std::max(part.best, here);
        }
    }
    return part;
}

// Of a global table: before it there are gaps alone.
inline std::vector<Entry> gaps_alone(std::size_t count) {
    std::vector<Entry> edge(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t score = -open - extend * static_cast<std::int32_t>(i + 1);
        edge[i] = {score, score - open - extend};
    }
    return edge;
}

inline std::int32_t plain_global(Letters a, Letters b) {
    return plain_part(a, b, {gaps_alone(b.size()), gaps_alone(a.size())}, lowest)
        .last.row.back()
        .score;
}

// Of a local table: before it there is nothing.
inline Edges nothing_before(std::size_t rows, std::size_t columns) {
    return {std::vector<Entry>(columns, {0, lowest}), std::vector<Entry>(rows, {0, lowest})};
}

// A column of an alignment: a letter of each, or of one alone.
enum class Step : std::uint8_t { both, of_a, of_b };

// Scores of letters and costs of gaps along an alignment; `lowest` where it does not consist of all
// letters of both.
inline std::int32_t score_of_steps(Letters a, Letters b, const std::vector<Step>& steps) {
    std::int32_t sum = 0;
    std::size_t i = 0;
    std::size_t j = 0;
    Step before = Step::both;
    for (const Step step : steps) {
        const std::size_t of_a = step == Step::of_b ? 0 : 1;
        const std::size_t of_b = step == Step::of_a ? 0 : 1;
        if (i + of_a > a.size() || j + of_b > b.size()) {
            return lowest;
        }
        if (step == Step::both) {
            sum += score(a[i], b[j]);
        } else {
            sum -= extend + (step == before ? 0 : open);
        }
        i += of_a;
        j += of_b;
        before = step;
    }
    return i == a.size() && j == b.size() ? sum : lowest;
}

// The three tables of a global alignment in full, and the way back through them.
class FullTables {
   public:
    FullTables(Letters a, Letters b)
        : a_(a), b_(b), width_(b.size() + 1), entries_((a.size() + 1) * width_) {
        for (std::size_t i = 0; i <= a.size(); ++i) {
            for (std::size_t j = 0; j <= b.size(); ++j) {
                fill(i, j);
            }
        }
    }

    [[nodiscard]] std::vector<Step> trace() const {
        std::vector<Step> steps;
        std::size_t i = a_.size();
        std::size_t j = b_.size();
        Step state = Step::both;
        while (i + j > 0) {
            const Three here = at(i, j);
            if (state == Step::both && here.h == here.e) {
                state = Step::of_b;
            } else if (state == Step::both && here.h == here.f) {
                state = Step::of_a;
            }
            steps.push_back(state);
            if (state == Step::both) {
                --i;
                --j;
            } else if (state == Step::of_b) {
                --j;
                state = here.e == at(i, j).e - extend ? state : Step::both;
            } else {
                --i;
                state = here.f == at(i, j).f - extend ? state : Step::both;
            }
        }
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

   private:
    struct Three {
        std::int32_t h;
        std::int32_t e;
        std::int32_t f;
    };

    [[nodiscard]] const Three& at(std::size_t i, std::size_t j) const {
        return entries_[i * width_ + j];
    }

    void fill(std::size_t i, std::size_t j) {
        Three& here = entries_[i * width_ + j];
        here = {i + j == 0 ? 0 : lowest, lowest, lowest};
        if (j > 0) {
            here.e = std::max(at(i, j - 1).e - extend, at(i, j - 1).h - open - extend);
        }
        if (i > 0) {
            here.f = std::max(at(i - 1, j).f - extend, at(i - 1, j).h - open - extend);
        }
        const std::int32_t matched =
            i > 0 && j > 0 ? at(i - 1, j - 1).h + score(a_[i - 1], b_[j - 1]) : lowest;
        here.h = std::max({here.h, matched, here.e, here.f});
    }

    Letters a_;
    Letters b_;
    std::size_t width_;
    std::vector<Three> entries_;
};

}  // namespace machmeter::gotoh
