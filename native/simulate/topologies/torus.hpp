// A torus of routers, with a bandwidth for each dimension: dimension order, the shorter way round,
// the positive way where both are as long.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace machmeter::simulate {

class Torus {
   public:
    using Sizes = std::array<std::uint64_t, 3>;

    Torus(const Sizes& sizes, std::uint64_t nodes_per_router,
          const std::array<double, 3>& bandwidths)
        : sizes_(sizes), nodes_per_router_(nodes_per_router), bandwidths_(bandwidths) {}

    [[nodiscard]] std::uint64_t nodes() const { return routers() * nodes_per_router_; }
    [[nodiscard]] std::uint64_t routers() const { return sizes_[0] * sizes_[1] * sizes_[2]; }
    [[nodiscard]] const Sizes& sizes() const { return sizes_; }
    // Six of each router: a way up and a way down in each dimension.
    [[nodiscard]] std::uint64_t links() const { return 6 * routers(); }
    [[nodiscard]] double bandwidth(std::uint64_t link) const { return bandwidths_[link % 6 / 2]; }
    // Those of a dimension; one of a single router has none.
    [[nodiscard]] static std::vector<const char*> kinds() { return {"x", "y", "z"}; }
    [[nodiscard]] std::uint64_t kind_of(std::uint64_t link) const {
        const std::uint64_t dimension = link % 6 / 2;
        return sizes_[dimension] > 1 ? dimension : 3;
    }
    [[nodiscard]] bool optical(std::uint64_t /*link*/) const { return false; }
    [[nodiscard]] std::uint64_t router_of(std::uint64_t node) const {
        return node / nodes_per_router_;
    }

    // Calls `use(link)` for each link between the routers of two nodes, in order.
    template <class Use>
    void visit(std::uint64_t from, std::uint64_t to, Use&& use) const {
        Sizes at = place(router_of(from));
        const Sizes end = place(router_of(to));
        for (std::size_t dimension = 0; dimension < 3; ++dimension) {
            const std::uint64_t size = sizes_[dimension];
            const std::uint64_t ahead = (end[dimension] + size - at[dimension]) % size;
            const bool up = 2 * ahead <= size;
            for (std::uint64_t left = up ? ahead : size - ahead; left > 0; --left) {
                use(6 * router_at(at) + 2 * dimension + (up ? 0 : 1));
                at[dimension] = (at[dimension] + (up ? 1 : size - 1)) % size;
            }
        }
    }

    // As `visit`, with the share of the traffic that takes each link.
    template <class Use>
    void visit_shares(std::uint64_t from, std::uint64_t to, Use&& use) const {
        visit(from, to, [&](std::uint64_t link) { use(link, 1.0); });
    }

    // The router behind a link, and the one before it, for tests of routes.
    [[nodiscard]] std::uint64_t begin_of(std::uint64_t link) const { return link / 6; }
    [[nodiscard]] std::uint64_t end_of(std::uint64_t link) const {
        Sizes at = place(link / 6);
        const std::size_t dimension = link % 6 / 2;
        const std::uint64_t size = sizes_[dimension];
        at[dimension] = (at[dimension] + (link % 2 == 0 ? 1 : size - 1)) % size;
        return router_at(at);
    }

   private:
    [[nodiscard]] Sizes place(std::uint64_t router) const {
        return {router % sizes_[0], router / sizes_[0] % sizes_[1],
                router / (sizes_[0] * sizes_[1])};
    }
    [[nodiscard]] std::uint64_t router_at(const Sizes& at) const {
        return at[0] + sizes_[0] * (at[1] + sizes_[1] * at[2]);
    }

    Sizes sizes_;
    std::uint64_t nodes_per_router_;
    std::array<double, 3> bandwidths_;
};

}  // namespace machmeter::simulate
