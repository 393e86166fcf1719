// A dragonfly as in Aries: groups of chassis of routers. Rank 1 joins all routers of a chassis,
// rank 2 those of a group in the same position of every chassis, rank 3 (optical) every two groups.
//
// The links between two groups are spread over all routers of both: a message takes those at the
// position that its two ends give, the same both ways. Nonminimal traffic of two groups goes by one
// other group, which its two ends give as well.
//
// Within a group routers choose for every packet which way it goes (Alverson et al. 2012, section
// "Adaptive routing"). So no link of ranks 1 and 2 limits a message by itself: all local links of
// the router that it leaves do, those of the router that it comes to, and, by as many links as a
// minimal route has, those of the whole group. Hops are those of the minimal route.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

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
    // What traffic shares: local links of a router outwards and inwards, those of a group, and the
    // links between two groups.
    [[nodiscard]] std::uint64_t links() const { return first_between() + groups_ * groups_; }
    [[nodiscard]] double bandwidth(std::uint64_t link) const {
        if (link >= first_between()) {
            return bandwidths_[2];
        }
        const auto chassis_links = static_cast<double>(slots_ - 1);
        const auto group_links = static_cast<double>(chassis_ - 1);
        const double local = chassis_links * bandwidths_[0] + group_links * bandwidths_[1];
        return link < first_group() ? local : local * static_cast<double>(of_group());
    }
    // All local links of a router one way, those of a group, those from one group to another.
    [[nodiscard]] static std::vector<const char*> kinds() { return {"router", "group", "global"}; }
    [[nodiscard]] std::uint64_t kind_of(std::uint64_t link) const {
        if (link < first_between()) {
            return link < first_group() ? 0 : 1;
        }
        const std::uint64_t pair = link - first_between();
        return pair / groups_ == pair % groups_ ? 3 : 2;
    }
    // Of a link of `visit`.
    [[nodiscard]] bool optical(std::uint64_t link) const { return link >= first_global(); }
    [[nodiscard]] std::uint64_t router_of(std::uint64_t node) const {
        return node / nodes_per_router_;
    }

    // The links of the minimal route: rank 1, rank 2 and rank 3 have numbers of their own.
    template <class Use>
    void visit(std::uint64_t from, std::uint64_t to, Use&& use) const {
        const Place begin = place(router_of(from));
        const Place end = place(router_of(to));
        if (begin.group == end.group) {
            within(begin.group, begin.position, end.position, use);
            return;
        }
        const std::uint64_t gateway = gateway_of(begin, end);
        within(begin.group, begin.position, gateway, use);
        use(first_global() + begin.group * groups_ + end.group);
        within(end.group, gateway, end.position, use);
    }

    template <class Use>
    void visit_shares(std::uint64_t from, std::uint64_t to, Use&& use) const {
        const Place begin = place(router_of(from));
        const Place end = place(router_of(to));
        const bool divided = begin.group != end.group && nonminimal_ > 0;
        const double minimal = divided ? 1 - nonminimal_ : 1;
        share(begin, end, minimal, use);
        if (divided) {
            const std::uint64_t position = (begin.position * 7 + end.position * 3) % of_group();
            const Place middle{other_group(begin, end), position};
            share(begin, middle, nonminimal_, use);
            share(middle, end, nonminimal_, use);
        }
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
    [[nodiscard]] std::uint64_t first_group() const { return 2 * routers(); }
    [[nodiscard]] std::uint64_t first_between() const { return first_group() + groups_; }
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

    [[nodiscard]] std::uint64_t gateway_of(const Place& begin, const Place& end) const {
        return (begin.position + end.position + begin.group + end.group) % of_group();
    }

    template <class Use>
    void share(const Place& begin, const Place& end, double part, Use&& use) const {
        if (begin.group == end.group) {
            share_within(begin.group, begin.position, end.position, part, use);
            return;
        }
        // Links to another group are spread over all routers: of the ways to them only the ends are
        // known, which are never crowded by the choice of one gateway.
        const std::uint64_t gateway = gateway_of(begin, end);
        if (of_group() == 1) {
            use(first_between() + begin.group * groups_ + end.group, part);
            return;
        }
        use(begin.group * of_group() + begin.position, part);
        use(first_group() + begin.group, part * local_hops(begin.group, begin.position, gateway));
        use(first_between() + begin.group * groups_ + end.group, part);
        use(first_group() + end.group, part * local_hops(end.group, gateway, end.position));
        use(routers() + end.group * of_group() + end.position, part);
    }

    [[nodiscard]] double local_hops(std::uint64_t group, std::uint64_t from,
                                    std::uint64_t to) const {
        double hops = 0;
        within(group, from, to, [&](std::uint64_t /*link*/) { ++hops; });
        return hops;
    }

    template <class Use>
    void share_within(std::uint64_t group, std::uint64_t from, std::uint64_t to, double part,
                      Use&& use) const {
        if (from == to) {
            return;
        }
        use(group * of_group() + from, part);
        use(routers() + group * of_group() + to, part);
        use(first_group() + group, part * local_hops(group, from, to));
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
