// Transforms of the doubled grid (Hockney and Eastwood, Computer Simulation Using Particles, 1981)
// without its empty parts: along x, y and z one after the other, each of lines that are whole on
// one rank, and each doubled where its line is transformed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/beampic/domain.hpp"
#include "proxies/beampic/transpose.hpp"
#include "proxies/common/fourier.hpp"
#include "proxies/common/lanes.hpp"

namespace machmeter::proxies::beampic {

// What the other half of a doubled line is: empty, as beyond the charge; or the mirror image, as of
// an even function, whose line has one point more.
enum class Half : std::uint8_t { empty, mirror };

using Line = std::vector<Complex4>;

template <class Ranks, Half half>
class Pencils {
   public:
    Pencils(Ranks& ranks, Phases& phases, const Domain& domain)
        : phases_(phases),
          edge_(domain.edge),
          points_(edge_ + (half == Half::mirror ? 1 : 0)),
          rows_(share_of(points_, domain.place[0], domain.ranks[0])),
          planes_(share_of(points_, domain.place[1], domain.ranks[1])),
          groups_(share_of(wave_groups(edge_), domain.place[0], domain.ranks[0])),
          waves_(share_of(2 * edge_, domain.place[1], domain.ranks[1])),
          fourier_(static_cast<std::size_t>(2 * edge_)),
          row_(ranks, domain.line(0), wave_groups(edge_), points_, planes_.count),
          column_(ranks, domain.line(1), 2 * edge_, points_, groups_.count) {}

    // Along y and z; those along x have whole groups of four of `edge() + 1`.
    [[nodiscard]] const Share& rows() const { return rows_; }
    [[nodiscard]] const Share& planes() const { return planes_; }
    // Lines along z of this rank, each of four waves along x.
    [[nodiscard]] std::int64_t columns() const { return waves_.count * groups_.count; }
    [[nodiscard]] const Fourier& fourier() const { return fourier_; }

    // From rows along x, `row(number)`, of a value for each point, to lines along z.
    template <class Row>
    void there(Row&& row) {
        {
            const auto span = phases_.in(Phase::compute);
            eight_rows([&](std::int64_t first, std::int64_t count, Line& line, Line& work) {
                load_rows(first, count, row, line);
                fourier_.transform(Way::forward, line, work);
                store_waves(first, count, line);
            });
        }
        row_.there(phases_);
        {
            const auto span = phases_.in(Phase::compute);
            each_line(planes_.count * groups_.count, [&](std::int64_t at, Line& line, Line& work) {
                for_shared(row_, at / groups_.count, at % groups_.count,
                           [&](std::int64_t y, const Complex4& value) { line[index(y)] = value; });
                complete(line);
                fourier_.transform(Way::forward, line, work);
                for_whole(column_, at,
                          [&](std::int64_t y, Complex4& value) { value = line[index(y)]; });
            });
        }
        column_.there(phases_);
    }

    // `use(number of the line, line, work)` of each, doubled; what it leaves in the first half of
    // the line is kept.
    template <class Use>
    void each_column(Use&& use) {
        const auto span = phases_.in(Phase::compute);
        each_line(columns(), [&](std::int64_t at, Line& line, Line& work) {
            const std::int64_t wave = at / groups_.count;
            const std::int64_t group = at % groups_.count;
            for_shared(column_, wave, group,
                       [&](std::int64_t z, const Complex4& value) { line[index(z)] = value; });
            complete(line);
            use(at, line, work);
            for_shared(column_, wave, group,
                       [&](std::int64_t z, Complex4& value) { value = line[index(z)]; });
        });
    }

    // Back to rows along x.
    template <class Row>
    void back(Row&& row) {
        column_.back(phases_);
        {
            const auto span = phases_.in(Phase::compute);
            each_line(planes_.count * groups_.count, [&](std::int64_t at, Line& line, Line& work) {
                for_whole(column_, at,
                          [&](std::int64_t y, const Complex4& value) { line[index(y)] = value; });
                fourier_.transform(Way::backward, line, work);
                for_shared(row_, at / groups_.count, at % groups_.count,
                           [&](std::int64_t y, Complex4& value) { value = line[index(y)]; });
            });
        }
        row_.back(phases_);
        const auto span = phases_.in(Phase::compute);
        eight_rows([&](std::int64_t first, std::int64_t count, Line& line, Line& work) {
            load_waves(first, count, line);
            fourier_.transform(Way::backward, line, work);
            store_rows(first, count, row, line);
        });
    }

   private:
    static std::size_t index(std::int64_t at) { return static_cast<std::size_t>(at); }

    // The other half of a line whose points are there.
    void complete(Line& line) const {
        if constexpr (half == Half::empty) {
            std::fill(line.begin() + edge_, line.end(), Complex4{});
        } else {
            for (std::int64_t k = edge_ + 1; k < 2 * edge_; ++k) {
                line[index(k)] = line[index(2 * edge_ - k)];
            }
        }
    }

    // `body(number, line, work)`.
    template <class Body>
    void each_line(std::int64_t count, Body&& body) {
#pragma omp parallel
        {
            Line line(fourier_.length());
            Line work(fourier_.length());
#pragma omp for schedule(static)
            for (std::int64_t at = 0; at < count; ++at) {
                body(at, line, work);
            }
        }
    }

    // `body(first row, how many there are, line, work)`.
    template <class Body>
    void eight_rows(Body&& body) {
        const std::int64_t count = rows_.count * planes_.count;
        constexpr std::int64_t step = std::int64_t{2} * lane_count;
        each_line((count + step - 1) / step, [&](std::int64_t at, Line& line, Line& work) {
            body(at * step, std::min(step, count - at * step), line, work);
        });
    }

    // After a transpose, of what became whole: `use(place, value)`, at one place of what is shared
    // since and at one of the others that come first.
    template <class Use>
    void for_shared(Transpose<Ranks>& transpose, std::int64_t outer, std::int64_t group,
                    Use&& use) const {
        for (const Part& part : transpose.far()) {
            Complex4* const values =
                part.values.get() + outer * part.share.count * groups_.count + group;
            for (std::int64_t i = 0; i < part.share.count; ++i) {
                use(part.share.first + i, values[i * groups_.count]);
            }
        }
    }

    // Before the transpose to columns: all waves along y of one plane and group.
    template <class Use>
    void for_whole(Transpose<Ranks>& transpose, std::int64_t at, Use&& use) const {
        const std::int64_t step = planes_.count * groups_.count;
        for (const Part& part : transpose.near()) {
            Complex4* const values = part.values.get() + at;
            for (std::int64_t i = 0; i < part.share.count; ++i) {
                use(part.share.first + i, values[i * step]);
            }
        }
    }

    // Four rows in the real part, four in the imaginary one.
    template <class Row>
    void load_rows(std::int64_t first, std::int64_t count, Row&& row, Line& line) const {
        const auto four = [&](std::int64_t begin, std::int64_t k) {
            std::array<Lanes, 4> lanes{};
            for (std::int64_t l = 0; l < lane_count; ++l) {
                if (begin + l < count) {
                    lanes[index(l)] = load(row(first + begin + l) + k);
                }
            }
            return transposed(lanes);
        };
        for (std::int64_t k = 0; k < points_; k += lane_count) {
            const auto re = four(0, k);
            const auto im = four(lane_count, k);
            for (std::size_t i = 0; i < re.size(); ++i) {
                line[index(k) + i] = {re[i], im[i]};
            }
        }
        complete(line);
    }

    template <class Row>
    void store_rows(std::int64_t first, std::int64_t count, Row&& row, const Line& line) const {
        for (std::int64_t k = 0; k < points_; k += lane_count) {
            std::array<Lanes, 4> re{};
            std::array<Lanes, 4> im{};
            for (std::size_t i = 0; i < re.size(); ++i) {
                re[i] = line[index(k) + i].re;
                im[i] = line[index(k) + i].im;
            }
            re = transposed(re);
            im = transposed(im);
            for (std::int64_t l = 0; l < count; ++l) {
                store(row(first + l) + k,
                      l < lane_count ? re[index(l)] : im[index(l - lane_count)]);
            }
        }
    }

    // Of two real rows a and b in one complex one F: the waves are (F(k) + F*(-k)) / 2 and
    // (F(k) - F*(-k)) / 2i.
    void store_waves(std::int64_t first, std::int64_t count, const Line& line) const {
        for (const Part& part : row_.near()) {
            for (std::int64_t g = 0; g < part.share.count; ++g) {
                std::array<Lanes, 4> a_re{}, a_im{}, b_re{}, b_im{};
                const std::int64_t begin = (part.share.first + g) * lane_count;
                for (std::int64_t k = begin; k < std::min(begin + lane_count, edge_ + 1); ++k) {
                    const Complex4& plus = line[index(k)];
                    const Complex4& minus = line[index(k == 0 ? 0 : 2 * edge_ - k)];
                    const std::size_t i = index(k - begin);
                    a_re[i] = (plus.re + minus.re) * 0.5;
                    a_im[i] = (plus.im - minus.im) * 0.5;
                    b_re[i] = (plus.im + minus.im) * 0.5;
                    b_im[i] = (minus.re - plus.re) * 0.5;
                }
                Complex4* const to = part.values.get() + first * part.share.count + g;
                put_waves(to, part.share.count, std::min<std::int64_t>(count, lane_count), a_re,
                          a_im);
                put_waves(to + lane_count * part.share.count, part.share.count, count - lane_count,
                          b_re, b_im);
            }
        }
    }

    static void put_waves(Complex4* to, std::int64_t step, std::int64_t count,
                          const std::array<Lanes, 4>& re, const std::array<Lanes, 4>& im) {
        const auto re_of = transposed(re);
        const auto im_of = transposed(im);
        for (std::int64_t l = 0; l < count; ++l) {
            to[l * step] = {re_of[index(l)], im_of[index(l)]};
        }
    }

    // The reverse of store_waves: F(k) = a + ib, F(-k) = a* + ib*.
    void load_waves(std::int64_t first, std::int64_t count, Line& line) const {
        for (const Part& part : row_.near()) {
            for (std::int64_t g = 0; g < part.share.count; ++g) {
                const Complex4* const from = part.values.get() + first * part.share.count + g;
                std::array<Lanes, 4> a_re{}, a_im{}, b_re{}, b_im{};
                for (std::int64_t l = 0; l < count; ++l) {
                    const Complex4& value = from[l * part.share.count];
                    const std::size_t i = index(l % lane_count);
                    (l < lane_count ? a_re : b_re)[i] = value.re;
                    (l < lane_count ? a_im : b_im)[i] = value.im;
                }
                a_re = transposed(a_re);
                a_im = transposed(a_im);
                b_re = transposed(b_re);
                b_im = transposed(b_im);
                const std::int64_t begin = (part.share.first + g) * lane_count;
                for (std::int64_t k = begin; k < std::min(begin + lane_count, edge_ + 1); ++k) {
                    const std::size_t i = index(k - begin);
                    line[index(k)] = {a_re[i] - b_im[i], a_im[i] + b_re[i]};
                    if (k > 0 && k < edge_) {
                        line[index(2 * edge_ - k)] = {a_re[i] + b_im[i], b_re[i] - a_im[i]};
                    }
                }
            }
        }
    }

    Phases& phases_;
    std::int64_t edge_;
    std::int64_t points_;
    Share rows_;
    Share planes_;
    Share groups_;
    Share waves_;
    Fourier fourier_;
    Transpose<Ranks> row_;
    Transpose<Ranks> column_;
};

}  // namespace machmeter::proxies::beampic
