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
        const Index index(*this);
        return Filling(*this, index, active, counts(active)).run();
    }

    // Seconds until all flows, of `bytes` each, have ended. Flows that end within a share `batch`
    // of the time at which the next one ends, or of what the most loaded link takes, end together,
    // so that few rates are computed.
    [[nodiscard]] double seconds(double bytes, double batch) const {
        std::vector<double> left(flows(), bytes);
        std::vector<bool> active(flows(), true);
        const double together = batch * longest_link(bytes);
        const Index index(*this);
        std::vector<std::uint32_t> count = counts(active);
        double now = 0;
        for (std::size_t remaining = flows(); remaining > 0;) {
            const std::vector<double> rate = Filling(*this, index, active, count).run();
            double first = std::numeric_limits<double>::infinity();
            for (std::size_t flow = 0; flow < flows(); ++flow) {
                first = active[flow] ? std::min(first, left[flow] / rate[flow]) : first;
            }
            const double latest = first + std::max((now + first) * batch, together);
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
                    for (const std::uint32_t link : links_of(flow)) {
                        --count[link];
                    }
                }
            }
            now += step;
        }
        return now;
    }

   private:
    // Seconds that the most loaded link takes for all of its flows.
    [[nodiscard]] double longest_link(double bytes) const {
        std::vector<double> load(capacities_.size(), 0.0);
        for (const std::uint32_t link : links_) {
            load[link] += bytes;
        }
        double longest = 0;
        for (std::size_t link = 0; link < load.size(); ++link) {
            longest = std::max(longest, load[link] / capacities_[link]);
        }
        return longest;
    }

    // How many of the active flows pass each link.
    [[nodiscard]] std::vector<std::uint32_t> counts(const std::vector<bool>& active) const {
        std::vector<std::uint32_t> count(capacities_.size());
        for (std::size_t flow = 0; flow < flows(); ++flow) {
            for (const std::uint32_t link : links_of(flow)) {
                count[link] += active[flow] ? 1 : 0;
            }
        }
        return count;
    }

    // Flows of every link, as one array.
    struct Index {
        explicit Index(const MaxMin& network)
            : first(network.capacities_.size() + 1), of_link(network.links_.size()) {
            for (const std::uint32_t link : network.links_) {
                ++first[link + 1];
            }
            for (std::size_t link = 1; link < first.size(); ++link) {
                first[link] += first[link - 1];
            }
            std::vector<std::size_t> next(first.begin(), first.end() - 1);
            for (std::size_t flow = 0; flow < network.flows(); ++flow) {
                for (const std::uint32_t link : network.links_of(flow)) {
                    of_link[next[link]++] = static_cast<std::uint32_t>(flow);
                }
            }
        }

        std::vector<std::size_t> first;
        std::vector<std::uint32_t> of_link;
    };

    class Filling {
       public:
        Filling(const MaxMin& network, const Index& index, const std::vector<bool>& active,
                std::vector<std::uint32_t> count)
            : network_(network),
              index_(index),
              left_(network.capacities_),
              count_(std::move(count)),
              rate_(network.flows(), 0.0),
              open_(active) {}

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

        [[nodiscard]] double fair(std::uint32_t link) const {
            return std::max(left_[link], 0.0) / static_cast<double>(count_[link]);
        }

        void push(std::uint32_t link) {
            if (count_[link] > 0) {
                queue_.emplace(fair(link), link);
            }
        }

        void fill(std::uint32_t link, double share) {
            for (std::size_t i = index_.first[link]; i < index_.first[link + 1]; ++i) {
                const std::uint32_t flow = index_.of_link[i];
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
        const Index& index_;
        std::vector<double> left_;
        std::vector<std::uint32_t> count_;
        std::vector<double> rate_;
        std::vector<bool> open_;
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
