// A dragonfly as in Aries: groups of chassis of routers. Rank 1 joins all routers of a chassis,
// rank 2 those of a group in the same position of every chassis, rank 3 (optical) every two groups.
//
// The links between two groups are spread over all routers of both: a message takes those at the
// position that its two ends give, the same both ways. Nonminimal traffic of two groups goes by one
// other group, which its two ends give as well.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace machmeter::simulate {

class Dragonfly {
   public:
    // shape: routers of a chassis, chassis of a group, groups; bandwidths: of ranks 1, 2, 3.
    Dragonfly(const std::array<std::uint64_t, 3>& shape, std::uint64_t nodes_per_router,
              const std::array<double, 3>& bandwidths, double nonminimal_share)
        : slots_(shape[0]),
          chassis_(shape[1]),
          groups_(shape[2]),
          nodes_per_router_(nodes_per_router),
          bandwidths_(bandwidths),
          nonminimal_(groups_ > 2 ? nonminimal_share : 0) {}

    [[nodiscard]] std::uint64_t nodes() const { return routers() * nodes_per_router_; }
    [[nodiscard]] std::uint64_t routers() const { return of_group() * groups_; }
    [[nodiscard]] std::uint64_t links() const { return first_global() + groups_ * groups_; }
    [[nodiscard]] double bandwidth(std::uint64_t link) const {
        return bandwidths_[link < first_rank2() ? 0 : link < first_global() ? 1 : 2];
    }
    [[nodiscard]] bool optical(std::uint64_t link) const { return link >= first_global(); }
    [[nodiscard]] std::uint64_t router_of(std::uint64_t node) const {
        return node / nodes_per_router_;
    }

    template <class Use>
    void visit(std::uint64_t from, std::uint64_t to, Use&& use) const {
        const Place begin = place(router_of(from));
        const Place end = place(router_of(to));
        cross(begin.group, begin.position, end.group, end.position, use);
    }

    template <class Use>
    void visit_shares(std::uint64_t from, std::uint64_t to, Use&& use) const {
        const Place begin = place(router_of(from));
        const Place end = place(router_of(to));
        const bool divided = begin.group != end.group && nonminimal_ > 0;
        const double minimal = divided ? 1 - nonminimal_ : 1;
        cross(begin.group, begin.position, end.group, end.position,
              [&](std::uint64_t link) { use(link, minimal); });
        if (!divided) {
            return;
        }
        const std::uint64_t middle = other_group(begin, end);
        const std::uint64_t position = (begin.position * 7 + end.position * 3) % of_group();
        const auto use_share = [&](std::uint64_t link) { use(link, nonminimal_); };
        cross(begin.group, begin.position, middle, position, use_share);
        cross(middle, position, end.group, end.position, use_share);
    }

    [[nodiscard]] std::uint64_t of_group() const { return slots_ * chassis_; }
    [[nodiscard]] std::uint64_t groups() const { return groups_; }

   private:
    struct Place {
        std::uint64_t group;
        std::uint64_t position;
    };

    [[nodiscard]] Place place(std::uint64_t router) const {
        return {router / of_group(), router % of_group()};
    }
    [[nodiscard]] std::uint64_t first_rank2() const { return routers() * slots_; }
    [[nodiscard]] std::uint64_t first_global() const {
        return first_rank2() + routers() * chassis_;
    }

    // One of the groups that are neither's.
    [[nodiscard]] std::uint64_t other_group(const Place& begin, const Place& end) const {
        std::uint64_t other = (begin.position + end.position) % (groups_ - 2);
        const std::uint64_t low = std::min(begin.group, end.group);
        const std::uint64_t high = std::max(begin.group, end.group);
        other += other >= low ? 1 : 0;
        other += other >= high ? 1 : 0;
        return other;
    }

    template <class Use>
    void cross(std::uint64_t group, std::uint64_t from, std::uint64_t other, std::uint64_t to,
               Use&& use) const {
        if (group == other) {
            within(group, from, to, use);
            return;
        }
        const std::uint64_t gateway = (from + to + group + other) % of_group();
        within(group, from, gateway, use);
        use(first_global() + group * groups_ + other);
        within(other, gateway, to, use);
    }

    // Along the chassis first, then to the other chassis.
    template <class Use>
    void within(std::uint64_t group, std::uint64_t from, std::uint64_t to, Use&& use) const {
        const std::uint64_t to_slot = to % slots_;
        if (from % slots_ != to_slot) {
            use((group * of_group() + from) * slots_ + to_slot);
        }
        const std::uint64_t turn = from / slots_ * slots_ + to_slot;
        if (turn != to) {
            use(first_rank2() + (group * of_group() + turn) * chassis_ + to / slots_);
        }
    }

    std::uint64_t slots_;
    std::uint64_t chassis_;
    std::uint64_t groups_;
    std::uint64_t nodes_per_router_;
    std::array<double, 3> bandwidths_;
    double nonminimal_;
};

}  // namespace machmeter::simulate
