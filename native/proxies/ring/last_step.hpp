// The last step of a cell as an equation that has to hold, row by row, between the state before and
// the state after: checks that know nothing of how it was solved.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "proxies/common/of_all_ranks.hpp"
#include "proxies/ring/groups.hpp"

namespace machmeter::proxies::ring {

// Relative to the sizes of the terms.
struct StepDeviations {
    // Of the worst row: what flows into a node less what charges it.
    double row = 0;
    // Of all rows together, in which what flows between nodes is no more.
    double charge = 0;
};

class LastStep {
   public:
    LastStep(const Group& group, std::size_t lane)
        : group_(group),
          lane_(static_cast<int>(lane)),
          excess_(group.shape->nodes().size(), 0),
          sizes_(group.shape->nodes().size(), 0) {}

    [[nodiscard]] StepDeviations deviations() {
        if (group_.before.voltage.size() != excess_.size()) {
            return {INFINITY, INFINITY};
        }
        add_membrane();
        StepDeviations found;
        double charge = 0;
        double size = 0;
        for (std::size_t i = 0; i < excess_.size(); ++i) {
            charge += excess_[i];
            size += sizes_[i];
        }
        raise(found.charge, std::abs(charge) / size);
        add_axial();
        for (std::size_t i = 0; i < excess_.size(); ++i) {
            raise(found.row, std::abs(excess_[i]) / sizes_[i]);
        }
        return found;
    }

   private:
    [[nodiscard]] double now(std::size_t node) const { return group_.state.voltage[node][lane_]; }

    void add(std::size_t node, double conductance, double from, double to) {
        excess_[node] += conductance * (from - to);
        sizes_[node] += conductance * (std::abs(from) + std::abs(to));
    }

    // The conductances are those before the step, the voltages those after it.
    void add_membrane() {
        const std::vector<Node>& nodes = group_.shape->nodes();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            add(i, nodes[i].capacitance / time_step, group_.before.voltage[i][lane_], now(i));
            add(i, nodes[i].leak, nodes[i].reversal, now(i));
        }
        const double m = group_.before.gates.m[lane_];
        const double h = group_.before.gates.h[lane_];
        const double n = group_.before.gates.n[lane_];
        add(0, group_.shape->of_soma(sodium_conductance) * m * m * m * h, sodium_reversal, now(0));
        add(0, group_.shape->of_soma(potassium_conductance) * n * n * n * n, potassium_reversal,
            now(0));
        // That before the step lacks what arrived at its beginning.
        const double synapse = group_.state.synapse[lane_] / std::exp(-time_step / synapse_decay);
        add(group_.shape->synapse(), synapse, 0, now(group_.shape->synapse()));
    }

    void add_axial() {
        const std::vector<Node>& nodes = group_.shape->nodes();
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            const std::size_t parent = nodes[i].parent;
            add(i, nodes[i].axial, now(parent), now(i));
            add(parent, nodes[i].axial, now(i), now(parent));
        }
    }

    const Group& group_;
    int lane_;
    std::vector<double> excess_;
    std::vector<double> sizes_;
};

}  // namespace machmeter::proxies::ring
