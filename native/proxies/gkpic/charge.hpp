// The charge of a domain: sums of threads, of the plane shared with the next domain, and of all
// copies of the domain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/common/shares.hpp"
#include "proxies/gkpic/deposit.hpp"
#include "proxies/gkpic/geometry.hpp"

namespace machmeter::proxies::gkpic {

// Each value becomes its sum over the copies of a domain, the same bits on every one: in a ring, a
// share of the values is summed up as it goes around, and then handed on (Patarasuk and Yuan,
// J. Parallel Distrib. Comput. 69, 2009).
template <class Ranks>
void sum_over_copies(Ranks& ranks, const Domain& domain, std::span<double> values,
                     std::vector<double>& arriving) {
    const auto copies = static_cast<std::size_t>(domain.copies);
    if (copies == 1) {
        return;
    }
    const auto share = [&](std::size_t number) {
        const auto of = share_of(values.size(), number % copies, copies);
        return values.subspan(of.first, of.count);
    };
    const int to = domain.other_copy(1);
    const int from = domain.other_copy(-1);
    // Not below 0.
    const std::size_t mine = static_cast<std::size_t>(domain.copy) + 2 * copies;
    arriving.resize(values.size() / copies + 1);
    for (std::size_t step = 0; step + 1 < copies; ++step) {
        const std::span<double> sum = share(mine - step - 1);
        const std::span<double> part = std::span(arriving).first(sum.size());
        ranks.template exchange<double>(to, share(mine - step), from, part);
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += part[i];
        }
    }
    for (std::size_t step = 0; step + 1 < copies; ++step) {
        ranks.template exchange<double>(to, share(mine + 1 - step), from, share(mine - step));
    }
}

// A value for each node of the planes of a domain and of the next one, without copies of nodes.
class Charge {
   public:
    Charge(const Grid& grid, const Domain& domain)
        : grid_(grid),
          domain_(domain),
          plane_(grid.surfaces * grid.points),
          // Touched first by the threads that sum up.
          storage_(new double[static_cast<std::size_t>((domain.count + 1) * plane_)]),
          values_(storage_.get(), static_cast<std::size_t>((domain.count + 1) * plane_)),
          shared_(static_cast<std::size_t>(plane_)) {}

    [[nodiscard]] const double* row(std::int64_t plane, std::int64_t surface) const {
        return values_.data() + plane * plane_ + surface * grid_.points;
    }

    [[nodiscard]] double* row(std::int64_t plane, std::int64_t surface) {
        return values_.data() + plane * plane_ + surface * grid_.points;
    }

    // From the sums of threads to those of all ranks.
    template <class Ranks>
    void complete(Ranks& ranks, Phases& phases, const Deposits& deposits) {
        {
            const auto span = phases.in(Phase::compute);
            gather(deposits);
        }
        {
            const auto span = phases.in(Phase::halo);
            share_plane(ranks);
        }
        const auto span = phases.in(Phase::collective);
        sum_over_copies(ranks, domain_,
                        values_.first(static_cast<std::size_t>(domain_.count * plane_)), arriving_);
    }

    // Of all nodes of this domain, by rows: as many numbers one after the other would lose digits.
    [[nodiscard]] double total() const {
        double total = 0;
        for (std::int64_t r = 0; r < domain_.count * grid_.surfaces; ++r) {
            const double* const row = values_.data() + r * grid_.points;
            double sum = 0;
            for (std::int64_t j = 0; j < grid_.points; ++j) {
                sum += row[j];
            }
            total += sum;
        }
        return total;
    }

   private:
    void gather(const Deposits& deposits) {
        const std::int64_t rows = (domain_.count + 1) * grid_.surfaces;
#pragma omp parallel for schedule(static)
        for (std::int64_t r = 0; r < rows; ++r) {
            double* const to = values_.data() + r * grid_.points;
            std::fill(to, to + grid_.points, 0.0);
            for (int thread = 0; thread < deposits.threads(); ++thread) {
                const Lanes* const from = deposits.of_thread(thread);
                if (r < domain_.count * grid_.surfaces) {
                    add(to, from + r * grid_.row(), 0);
                }
                if (r >= grid_.surfaces) {
                    add(to, from + (r - grid_.surfaces) * grid_.row(), 2);
                }
            }
        }
    }

    // Lanes `first` and `first` + 1 are of a node and of the one after it.
    void add(double* to, const Lanes* from, int first) const {
        const std::int64_t points = grid_.points;
        to[0] += from[0][first] + from[points - 1][first + 1];
        for (std::int64_t j = 1; j < points; ++j) {
            to[j] += from[j][first] + from[j - 1][first + 1];
        }
    }

    // The last plane is the first one of the next domain, there at other points where it is plane
    // 0.
    template <class Ranks>
    void share_plane(Ranks& ranks) {
        const auto size = static_cast<std::size_t>(plane_);
        ranks.template exchange<double>(domain_.next(), std::span<const double>(values_.last(size)),
                                        domain_.previous(), std::span(shared_));
        for (std::int64_t i = 0; i < grid_.surfaces; ++i) {
            const std::int64_t turned =
                domain_.first == 0 ? grid_.turned[static_cast<std::size_t>(i)] % grid_.points : 0;
            double* const to = values_.data() + i * grid_.points;
            const double* const from = shared_.data() + i * grid_.points;
            const std::int64_t rest = grid_.points - turned;
            for (std::int64_t j = 0; j < rest; ++j) {
                to[j + turned] += from[j];
            }
            for (std::int64_t j = rest; j < grid_.points; ++j) {
                to[j - rest] += from[j];
            }
        }
    }

    const Grid& grid_;
    const Domain& domain_;
    std::int64_t plane_;
    std::unique_ptr<double[]> storage_;
    std::span<double> values_;
    std::vector<double> shared_;
    std::vector<double> arriving_;
};

}  // namespace machmeter::proxies::gkpic
