// One cell: a soma and a binary tree of dendrites, cut into compartments that are nodes of a tree.
// The numbers are those of the application `neuron-ring`, in NEURON's defaults where it has none.
// Units: mV, ms, nA, nF, uS, um.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

namespace machmeter::proxies::ring {

inline constexpr double time_step = 0.025;
inline constexpr double rest = -65;

// A compartment, or a junction of branches, which has no membrane. axial: to its parent.
struct Node {
    std::size_t parent = 0;
    double capacitance = 0;
    double leak = 0;
    double reversal = rest;
    double axial = 0;
};

// Parents come before their children; node 0 is the soma, and nodes at one depth are independent of
// each other. levels: of the binary tree; extra_percent: so many more compartments of branches that
// are as long as usual.
class Shape {
   public:
    Shape(int levels, std::uint64_t extra_percent) : extra_percent_(extra_percent) {
        constexpr double soma_size = 18.8;
        constexpr double soma_leak = 0.0003;
        constexpr double soma_reversal = -54.3;
        add_compartment({0, 0}, soma_size, soma_size, soma_leak, soma_reversal);
        // Branches begin at the end of the soma.
        nodes_.push_back({0, 0, 0, rest, conductance(soma_size / 2, soma_size)});
        grow(1, levels);
        sort_by_depth();
    }

    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
    // Where spikes excite the cell: the middle of the first branch.
    [[nodiscard]] std::size_t synapse() const { return synapse_; }
    [[nodiscard]] std::size_t compartments() const { return compartments_; }

    // From S/cm2 to uS, of the whole soma.
    [[nodiscard]] double of_soma(double density) const {
        return density * soma_area_ * microsiemens;
    }

   private:
    // From S/cm2 times um2 to uS; from uF/cm2 times um2 to nF; from ohm cm over um to megaohm.
    static constexpr double microsiemens = 1e-2;
    static constexpr double nanofarads = 1e-5;
    static constexpr double megaohms = 1e-2;

    struct Link {
        std::size_t parent;
        double axial;
    };

    static double conductance(double length, double diameter) {
        constexpr double resistivity = 35.4;
        const double section = std::numbers::pi * diameter * diameter / 4;
        return section / (resistivity * length * megaohms);
    }

    void add_compartment(Link link, double length, double diameter, double leak, double reversal) {
        constexpr double capacitance = 1;
        const double area = std::numbers::pi * diameter * length;
        if (nodes_.empty()) {
            soma_area_ = area;
        }
        nodes_.push_back({link.parent, capacitance * area * nanofarads, leak * area * microsiemens,
                          reversal, link.axial});
        compartments_ += 1;
    }

    // Two branches from a junction, and so on from the end of each.
    void grow(std::size_t junction, int levels) {
        for (int i = 0; i < 2; ++i) {
            const Link end = add_branch(junction);
            if (levels > 1) {
                nodes_.push_back({end.parent, 0, 0, rest, end.axial});
                grow(nodes_.size() - 1, levels - 1);
            }
        }
    }

    // Its end: the last compartment, and what conducts from there.
    Link add_branch(std::size_t junction) {
        constexpr double length = 100;
        constexpr double diameter = 1;
        constexpr double leak = 0.001;
        const std::uint64_t segments = segments_of(branches_++);
        const double segment = length / static_cast<double>(segments);
        const double half = conductance(segment / 2, diameter);
        Link link{junction, half};
        for (std::uint64_t i = 0; i < segments; ++i) {
            if (branches_ == 1 && i == segments / 2) {
                synapse_ = nodes_.size();
            }
            add_compartment(link, segment, diameter, leak, rest);
            link = {nodes_.size() - 1, half / 2};
        }
        return {link.parent, half};
    }

    // Of a branch: whole numbers that come to the percentage over all of them.
    [[nodiscard]] std::uint64_t segments_of(std::uint64_t branch) const {
        constexpr std::uint64_t usual = 5;
        return usual + usual * extra_percent_ * (branch + 1) / 100 -
               usual * extra_percent_ * branch / 100;
    }

    void sort_by_depth() {
        std::vector<std::size_t> depth(nodes_.size(), 0);
        for (std::size_t i = 1; i < nodes_.size(); ++i) {
            depth[i] = depth[nodes_[i].parent] + 1;
        }
        std::vector<std::size_t> order(nodes_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return depth[a] < depth[b]; });
        std::vector<std::size_t> place(nodes_.size());
        std::vector<Node> sorted;
        for (const std::size_t old : order) {
            place[old] = sorted.size();
            sorted.push_back(nodes_[old]);
            sorted.back().parent = place[nodes_[old].parent];
        }
        nodes_.swap(sorted);
        synapse_ = place[synapse_];
    }

    std::vector<Node> nodes_;
    std::uint64_t extra_percent_;
    std::uint64_t branches_ = 0;
    std::size_t synapse_ = 0;
    std::size_t compartments_ = 0;
    double soma_area_ = 0;
};

}  // namespace machmeter::proxies::ring
