// Flows that share links fairly: max-min rates by progressive filling (Bertsekas, Gallager 1992,
// section 6.5), and the time until all have passed their bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace machmeter::simulate {

// Links of flow f are links[begins[f]] to links[begins[f + 1] - 1], each at most once.
class MaxMin {
   public:
    explicit MaxMin(std::vector<double> capacities) : capacities_(std::move(capacities)) {}

    // Every flow passes at least one link.
    void add(std::span<const std::uint32_t> links) {
        links_.insert(links_.end(), links.begin(), links.end());
        begins_.push_back(links_.size());
    }

    [[nodiscard]] std::size_t flows() const { return begins_.size() - 1; }

    // The rate of every flow of `active`; 0 of others. Links are taken in the order of their fair
    // shares, which only grow, so that a link whose share grew waits for its turn again.
    [[nodiscard]] std::vector<double> rates(const std::vector<bool>& active) const {
        Filling filling(*this, active);
        return filling.run();
    }

    // Seconds until all flows, of `bytes` each, have ended. Flows that end within a share `batch`
    // of the time at which the next one ends, end together, so that few rates are computed.
    [[nodiscard]] double seconds(double bytes, double batch) const {
        std::vector<double> left(flows(), bytes);
        std::vector<bool> active(flows(), true);
        double now = 0;
        for (std::size_t remaining = flows(); remaining > 0;) {
            const std::vector<double> rate = rates(active);
            double first = std::numeric_limits<double>::infinity();
            for (std::size_t flow = 0; flow < flows(); ++flow) {
                first = active[flow] ? std::min(first, left[flow] / rate[flow]) : first;
            }
            const double latest = (now + first) * (1 + batch) - now;
            double step = first;
            for (std::size_t flow = 0; flow < flows(); ++flow) {
                const double mine = active[flow] ? left[flow] / rate[flow] : 0;
                step = mine <= latest ? std::max(step, mine) : step;
            }
            for (std::size_t flow = 0; flow < flows(); ++flow) {
                left[flow] -= active[flow] ? rate[flow] * step : 0;
                if (active[flow] && left[flow] <= bytes * 1e-12) {
                    active[flow] = false;
                    --remaining;
                }
            }
            now += step;
        }
        return now;
    }

   private:
    class Filling {
       public:
        Filling(const MaxMin& network, const std::vector<bool>& active)
            : network_(network),
              left_(network.capacities_),
              count_(left_.size()),
              rate_(network.flows(), 0.0),
              open_(active) {
            index(active);
        }

        std::vector<double> run() {
            for (std::uint32_t link = 0; link < left_.size(); ++link) {
                push(link);
            }
            while (!queue_.empty()) {
                const auto [share, link] = queue_.top();
                queue_.pop();
                if (count_[link] == 0) {
                    continue;
                }
                if (fair(link) > share) {
                    push(link);
                    continue;
                }
                fill(link, share);
            }
            return std::move(rate_);
        }

       private:
        using Entry = std::pair<double, std::uint32_t>;

        // Flows of every link, as one array.
        void index(const std::vector<bool>& active) {
            for_each(active, [&](std::size_t, std::uint32_t link) { ++count_[link]; });
            first_.resize(left_.size() + 1);
            for (std::size_t link = 0; link < left_.size(); ++link) {
                first_[link + 1] = first_[link] + count_[link];
            }
            of_link_.resize(first_.back());
            std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
            for_each(active, [&](std::size_t flow, std::uint32_t link) {
                of_link_[next[link]++] = static_cast<std::uint32_t>(flow);
            });
        }

        template <class Use>
        void for_each(const std::vector<bool>& active, Use&& use) const {
            for (std::size_t flow = 0; flow < network_.flows(); ++flow) {
                if (active[flow]) {
                    for (const std::uint32_t link : network_.links_of(flow)) {
                        use(flow, link);
                    }
                }
            }
        }

        [[nodiscard]] double fair(std::uint32_t link) const {
            return std::max(left_[link], 0.0) / static_cast<double>(count_[link]);
        }

        void push(std::uint32_t link) {
            if (count_[link] > 0) {
                queue_.emplace(fair(link), link);
            }
        }

        void fill(std::uint32_t link, double share) {
            for (std::size_t i = first_[link]; i < first_[link + 1]; ++i) {
                const std::uint32_t flow = of_link_[i];
                if (!open_[flow]) {
                    continue;
                }
                open_[flow] = false;
                rate_[flow] = share;
                for (const std::uint32_t passed : network_.links_of(flow)) {
                    left_[passed] -= share;
                    --count_[passed];
                }
            }
        }

        const MaxMin& network_;
        std::vector<double> left_;
        std::vector<std::size_t> count_;
        std::vector<double> rate_;
        std::vector<bool> open_;
        std::vector<std::size_t> first_;
        std::vector<std::uint32_t> of_link_;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
    };

    [[nodiscard]] std::span<const std::uint32_t> links_of(std::size_t flow) const {
        return {links_.data() + begins_[flow], begins_[flow + 1] - begins_[flow]};
    }

    std::vector<double> capacities_;
    std::vector<std::uint32_t> links_;
    std::vector<std::size_t> begins_{0};
};

}  // namespace machmeter::simulate
