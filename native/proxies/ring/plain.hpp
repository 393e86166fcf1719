// One cell once more, plainly: scalars in place of lanes, the changes of voltages in place of the
// voltages, the standard exponential. For checks of the fast way.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/ring/cells.hpp"
#include "proxies/ring/channels.hpp"

namespace machmeter::proxies::ring {

class PlainCell {
   public:
    explicit PlainCell(const Shape& shape)
        : shape_(shape), voltage_(shape.nodes().size(), rest), rates_(rates_of(rest)) {
        for (std::size_t i = 0; i < gates_.size(); ++i) {
            gates_[i] = rates_[i].open / (rates_[i].open + rates_[i].close);
        }
    }

    // Whether a spike begins at the present voltage; then one step, at whose beginning so many
    // spikes arrive.
    bool step(std::size_t arrivals) {
        const bool above = voltage_[0] > threshold;
        const bool rises = above && !is_above_;
        is_above_ = above;
        synapse_ += static_cast<double>(arrivals) * synapse_weight;
        solve();
        synapse_ *= std::exp(-time_step / synapse_decay);
        rates_ = rates_of(voltage_[0]);
        for (std::size_t i = 0; i < gates_.size(); ++i) {
            const double sum = rates_[i].open + rates_[i].close;
            gates_[i] += -std::expm1(-time_step * sum) * (rates_[i].open / sum - gates_[i]);
        }
        return rises;
    }

    [[nodiscard]] const std::vector<double>& voltage() const { return voltage_; }
    // m, h and n.
    [[nodiscard]] const std::array<double, 3>& gates() const { return gates_; }

   private:
    struct Rate {
        double open;
        double close;
    };

    static double over_expm1_of(double u) { return u == 0 ? 1 : u / std::expm1(u); }

    static std::array<Rate, 3> rates_of(double v) {
        return {{
            {over_expm1_of(-(v + 40) / 10), 4 * std::exp(-(v + 65) / 18)},
            {0.07 * std::exp(-(v + 65) / 20), 1 / (std::exp(-(v + 35) / 10) + 1)},
            {0.1 * over_expm1_of(-(v + 55) / 10), 0.125 * std::exp(-(v + 65) / 80)},
        }};
    }

    void solve() {
        const std::vector<Node>& nodes = shape_.nodes();
        std::vector<double> diagonal(nodes.size(), 0);
        std::vector<double> change(nodes.size(), 0);
        const auto add = [&](std::size_t node, double conductance, double reversal) {
            diagonal[node] += conductance;
            change[node] -= conductance * (voltage_[node] - reversal);
        };
        const auto [m, h, n] = gates_;
        add(0, shape_.of_soma(sodium_conductance) * m * m * m * h, sodium_reversal);
        add(0, shape_.of_soma(potassium_conductance) * n * n * n * n, potassium_reversal);
        add(shape_.synapse(), synapse_, 0);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Node& node = nodes[i];
            add(i, node.leak, node.reversal);
            diagonal[i] += node.capacitance / time_step + node.axial;
            if (i > 0) {
                const double current = node.axial * (voltage_[node.parent] - voltage_[i]);
                diagonal[node.parent] += node.axial;
                change[i] += current;
                change[node.parent] -= current;
            }
        }
        for (std::size_t i = nodes.size() - 1; i > 0; --i) {
            const double factor = nodes[i].axial / diagonal[i];
            diagonal[nodes[i].parent] -= factor * nodes[i].axial;
            change[nodes[i].parent] += factor * change[i];
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const double from_parent = i > 0 ? nodes[i].axial * change[nodes[i].parent] : 0;
            change[i] = (change[i] + from_parent) / diagonal[i];
            voltage_[i] += change[i];
        }
    }

    const Shape& shape_;
    std::vector<double> voltage_;
    std::array<Rate, 3> rates_;
    std::array<double, 3> gates_{};
    double synapse_ = 0;
    bool is_above_ = false;
};

}  // namespace machmeter::proxies::ring
