// A fat tree: the nodes below one switch of each level, and the links from a switch up to the next
// level taken as one. Those of the top level are optical.
#pragma once

#include <cstdint>
#include <vector>

namespace machmeter::simulate {

class FatTree {
   public:
    // below: nodes below a switch of each level, the lowest first, each a multiple of the last;
    // up_bandwidths: one less.
    FatTree(std::vector<std::uint64_t> below, std::vector<double> up_bandwidths)
        : below_(std::move(below)), up_bandwidths_(std::move(up_bandwidths)) {
        for (std::size_t level = 0; level + 1 < below_.size(); ++level) {
            first_link_.push_back(links_);
            links_ += 2 * (nodes() / below_[level]);
        }
    }

    [[nodiscard]] std::uint64_t nodes() const { return below_.back(); }
    // A way up and a way down of each switch but the top one.
    [[nodiscard]] std::uint64_t links() const { return links_; }
    [[nodiscard]] double bandwidth(std::uint64_t link) const {
        return up_bandwidths_[level_of(link)];
    }
    // Those up from and down to the switches of a level.
    [[nodiscard]] static std::vector<const char*> kinds() { return {"up1", "up2", "up3"}; }
    [[nodiscard]] std::uint64_t kind_of(std::uint64_t link) const { return level_of(link); }
    [[nodiscard]] bool optical(std::uint64_t link) const {
        return level_of(link) + 2 == below_.size();
    }
    [[nodiscard]] std::uint64_t router_of(std::uint64_t node) const { return node / below_[0]; }
    [[nodiscard]] std::uint64_t routers() const { return nodes() / below_[0]; }

    template <class Use>
    void visit(std::uint64_t from, std::uint64_t to, Use&& use) const {
        std::size_t top = 0;
        while (from / below_[top] != to / below_[top]) {
            use(first_link_[top] + 2 * (from / below_[top]));
            ++top;
        }
        while (top > 0) {
            --top;
            use(first_link_[top] + 2 * (to / below_[top]) + 1);
        }
    }

    template <class Use>
    void visit_shares(std::uint64_t from, std::uint64_t to, Use&& use) const {
        visit(from, to, [&](std::uint64_t link) { use(link, 1.0); });
    }

   private:
    [[nodiscard]] std::size_t level_of(std::uint64_t link) const {
        std::size_t level = first_link_.size() - 1;
        while (first_link_[level] > link) {
            --level;
        }
        return level;
    }

    std::vector<std::uint64_t> below_;
    std::vector<double> up_bandwidths_;
    std::vector<std::uint64_t> first_link_;
    std::uint64_t links_ = 0;
};

}  // namespace machmeter::simulate
