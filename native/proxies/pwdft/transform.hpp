// Wave functions from plane waves to the grid and back: transforms along columns, an exchange
// between all ranks, transforms within planes (Goedecker et al., Comp. Phys. Comm. 154, 2003).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/common/fourier.hpp"
#include "proxies/common/ranks.hpp"
#include "proxies/pwdft/sphere.hpp"

namespace machmeter::proxies::pwdft {

// A complex value for each point of this rank's planes: x first, then y, then z.
struct Grid {
    std::vector<double> re;
    std::vector<double> im;
};

template <class Ranks>
class Transform {
   public:
    Transform(Ranks& ranks, Phases& phases, const Sphere& sphere)
        : ranks_(ranks),
          phases_(phases),
          sphere_(sphere),
          fourier_(sphere.grid),
          share_(sphere, ranks.rank(), ranks.size()) {
        const std::size_t points = sphere.grid * sphere.grid * share_.planes;
        grid_ = {std::vector<double>(points), std::vector<double>(points)};
        for (int rank = 0; rank < ranks.size(); ++rank) {
            shares_.emplace_back(sphere, rank, ranks.size());
            const Share& other = shares_.back();
            outs_.emplace_back(2 * share_.columns.size() * other.planes);
            ins_.emplace_back(2 * other.columns.size() * share_.planes);
        }
        for (std::size_t begin = 0; begin < sphere.grid; begin += lane_count) {
            const auto radius = static_cast<std::size_t>(sphere.radius);
            if (begin <= radius || begin + lane_count > sphere.grid - radius) {
                used_.push_back(begin);
            }
        }
    }

    [[nodiscard]] const Share& share() const { return share_; }
    [[nodiscard]] const Sphere& sphere() const { return sphere_; }
    [[nodiscard]] Grid& grid() { return grid_; }

    // Operations of one way, of all ranks: columns, used columns of planes, rows of planes.
    [[nodiscard]] double flops() const {
        const auto n = static_cast<double>(sphere_.grid);
        const auto columns = static_cast<double>(sphere_.columns.size());
        const auto used = static_cast<double>(2 * sphere_.radius + 1);
        return fourier_.flops() * (columns + n * used + n * n);
    }

    // From the waves of a band to `grid()`.
    void to_grid(const double* re, const double* im) {
        {
            const auto span = phases_.in(Phase::compute);
            columns_to_messages(re, im);
        }
        exchange(outs_, ins_);
        const auto span = phases_.in(Phase::compute);
        messages_to_planes();
        along_y(Way::backward);
        along_x(Way::backward);
    }

    // From `grid()`, which changes, to the waves of a band.
    void from_grid(double* re, double* im) {
        {
            const auto span = phases_.in(Phase::compute);
            along_x(Way::forward);
            along_y(Way::forward);
            planes_to_messages();
        }
        exchange(ins_, outs_);
        const auto span = phases_.in(Phase::compute);
        messages_to_columns(re, im);
    }

   private:
    using Parts = std::vector<std::vector<double>>;
    using Line = std::vector<Complex4>;

    void exchange(const Parts& out, Parts& in) {
        const auto me = static_cast<std::size_t>(ranks_.rank());
        {
            const auto span = phases_.in(Phase::compute);
            in[me] = out[me];
        }
        const auto span = phases_.in(Phase::collective);
        std::vector<Exchange<double>> messages;
        // Each begins with the next rank, so that not all send to one.
        for (std::size_t step = 1; step < out.size(); ++step) {
            const std::size_t to = (me + step) % out.size();
            messages.push_back({static_cast<int>(to), out[to], static_cast<int>(to), in[to]});
        }
        ranks_.template exchange_all<double>(messages);
    }

    // `body(first column of four, how many there are)`.
    template <class Body>
    void by_four_columns(Body&& body) {
        const std::size_t columns = share_.columns.size();
        const auto groups = static_cast<std::ptrdiff_t>((columns + lane_count - 1) / lane_count);
#pragma omp parallel
        {
            Line line(sphere_.grid);
            Line work(sphere_.grid);
#pragma omp for schedule(static)
            for (std::ptrdiff_t group = 0; group < groups; ++group) {
                const std::size_t first = static_cast<std::size_t>(group) * lane_count;
                body(first, std::min<std::size_t>(lane_count, columns - first), line, work);
            }
        }
    }

    // Where the waves of each column begin.
    [[nodiscard]] std::vector<std::size_t> begins() const {
        std::vector<std::size_t> all;
        std::size_t begin = 0;
        for (const Column& column : share_.columns) {
            all.push_back(begin);
            begin += static_cast<std::size_t>(column.count);
        }
        return all;
    }

    // `use(lane, place along z, wave)` of four columns.
    template <class Use>
    void each_wave(const std::vector<std::size_t>& begin, std::size_t first, std::size_t count,
                   Use&& use) const {
        for (std::size_t lane = 0; lane < count; ++lane) {
            const Column& column = share_.columns[first + lane];
            for (int k = 0; k < column.count; ++k) {
                use(static_cast<int>(lane), sphere_.place(column.first + k),
                    begin[first + lane] + static_cast<std::size_t>(k));
            }
        }
    }

    // `use(value of a message, lane, place along z)` of four columns.
    template <class Use>
    void each_message(std::size_t first, std::size_t count, Use&& use) {
        for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
            const Share& other = shares_[rank];
            for (std::size_t lane = 0; lane < count; ++lane) {
                double* const part = outs_[rank].data() + 2 * (first + lane) * other.planes;
                for (std::size_t z = 0; z < other.planes; ++z) {
                    use(part + 2 * z, static_cast<int>(lane), other.first_plane + z);
                }
            }
        }
    }

    void columns_to_messages(const double* re, const double* im) {
        const std::vector<std::size_t> begin = begins();
        by_four_columns([&](std::size_t first, std::size_t count, Line& line, Line& work) {
            std::fill(line.begin(), line.end(), Complex4{});
            each_wave(begin, first, count, [&](int lane, std::size_t z, std::size_t wave) {
                line[z].re[lane] = re[wave];
                line[z].im[lane] = im[wave];
            });
            fourier_.transform(Way::backward, line, work);
            each_message(first, count, [&](double* value, int lane, std::size_t z) {
                value[0] = line[z].re[lane];
                value[1] = line[z].im[lane];
            });
        });
    }

    void messages_to_columns(double* re, double* im) {
        const std::vector<std::size_t> begin = begins();
        const auto n = static_cast<double>(sphere_.grid);
        const double scale = 1 / (n * n * n);
        by_four_columns([&](std::size_t first, std::size_t count, Line& line, Line& work) {
            std::fill(line.begin(), line.end(), Complex4{});
            each_message(first, count, [&](const double* value, int lane, std::size_t z) {
                line[z].re[lane] = value[0];
                line[z].im[lane] = value[1];
            });
            fourier_.transform(Way::forward, line, work);
            each_wave(begin, first, count, [&](int lane, std::size_t z, std::size_t wave) {
                re[wave] = line[z].re[lane] * scale;
                im[wave] = line[z].im[lane] * scale;
            });
        });
    }

    // `use(value of a message, point of the grid)` of all columns of all ranks.
    template <class Use>
    void each_point(Use&& use) {
        const std::size_t n = sphere_.grid;
#pragma omp parallel for schedule(static)
        for (std::size_t z = 0; z < share_.planes; ++z) {
            for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
                const std::vector<Column>& columns = shares_[rank].columns;
                for (std::size_t c = 0; c < columns.size(); ++c) {
                    const std::size_t point =
                        (z * n + sphere_.place(columns[c].y)) * n + sphere_.place(columns[c].x);
                    use(ins_[rank].data() + 2 * (c * share_.planes + z), point);
                }
            }
        }
    }

    void messages_to_planes() {
#pragma omp parallel for schedule(static)
        for (std::size_t p = 0; p < grid_.re.size(); ++p) {
            grid_.re[p] = 0;
            grid_.im[p] = 0;
        }
        each_point([&](const double* value, std::size_t point) {
            grid_.re[point] = value[0];
            grid_.im[point] = value[1];
        });
    }

    void planes_to_messages() {
        each_point([&](double* value, std::size_t point) {
            value[0] = grid_.re[point];
            value[1] = grid_.im[point];
        });
    }

    // Four lines of a plane: element k of lane l is at begin + k * along + l * across.
    void lines(Way way, std::size_t begin, std::size_t along, std::size_t across, Line& line,
               Line& work) {
        double* const re = grid_.re.data() + begin;
        double* const im = grid_.im.data() + begin;
        for (std::size_t k = 0; k < sphere_.grid; ++k) {
            for (int l = 0; l < lane_count; ++l) {
                line[k].re[l] = re[k * along + static_cast<std::size_t>(l) * across];
                line[k].im[l] = im[k * along + static_cast<std::size_t>(l) * across];
            }
        }
        fourier_.transform(way, line, work);
        for (std::size_t k = 0; k < sphere_.grid; ++k) {
            for (int l = 0; l < lane_count; ++l) {
                re[k * along + static_cast<std::size_t>(l) * across] = line[k].re[l];
                im[k * along + static_cast<std::size_t>(l) * across] = line[k].im[l];
            }
        }
    }

    // Those columns of a plane alone that hold waves.
    void along_y(Way way) {
        const std::size_t n = sphere_.grid;
        in_planes(used_.size(), [&](std::size_t plane, std::size_t k, Line& line, Line& work) {
            lines(way, plane * n * n + used_[k], n, 1, line, work);
        });
    }

    void along_x(Way way) {
        const std::size_t n = sphere_.grid;
        in_planes(n / lane_count, [&](std::size_t plane, std::size_t k, Line& line, Line& work) {
            lines(way, plane * n * n + k * lane_count * n, 1, n, line, work);
        });
    }

    // `body(plane, part)` for so many parts of each plane.
    template <class Body>
    void in_planes(std::size_t parts, Body&& body) {
        const auto count = static_cast<std::ptrdiff_t>(share_.planes * parts);
#pragma omp parallel
        {
            Line line(sphere_.grid);
            Line work(sphere_.grid);
#pragma omp for schedule(static)
            for (std::ptrdiff_t i = 0; i < count; ++i) {
                const auto at = static_cast<std::size_t>(i);
                body(at / parts, at % parts, line, work);
            }
        }
    }

    Ranks& ranks_;
    Phases& phases_;
    Sphere sphere_;
    Fourier fourier_;
    Share share_;
    std::vector<Share> shares_;
    // First element of each group of four columns of a plane that has waves in it.
    std::vector<std::size_t> used_;
    Grid grid_;
    Parts outs_;
    Parts ins_;
};

}  // namespace machmeter::proxies::pwdft
