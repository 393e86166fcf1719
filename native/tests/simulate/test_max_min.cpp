#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "simulate/max_min.hpp"
#include "tests/support/check.hpp"

namespace machmeter::simulate {
namespace {

struct Network {
    std::vector<double> capacities;
    std::vector<std::vector<std::uint32_t>> flows;
};

Network random_network(std::mt19937_64& random) {
    const auto below = [&](std::uint64_t most) { return random() % most; };
    Network network;
    for (std::uint64_t i = 0, links = 1 + below(12); i < links; ++i) {
        network.capacities.push_back(1 + static_cast<double>(below(100)) / 7);
    }
    for (std::uint64_t i = 0, flows = 1 + below(30); i < flows; ++i) {
        std::vector<std::uint32_t> links;
        for (std::uint32_t link = 0; link < network.capacities.size(); ++link) {
            if (below(3) == 0) {
                links.push_back(link);
            }
        }
        if (links.empty()) {
            links.push_back(static_cast<std::uint32_t>(below(network.capacities.size())));
        }
        network.flows.push_back(links);
    }
    return network;
}

bool passes(const std::vector<std::uint32_t>& links, std::size_t link) {
    return std::find(links.begin(), links.end(), link) != links.end();
}

// All open flows rise together until a link is full; its flows are then closed.
std::vector<double> water_filling(const Network& network, const std::vector<bool>& active) {
    std::vector<double> rates(network.flows.size(), 0.0);
    std::vector<bool> open = active;
    while (std::find(open.begin(), open.end(), true) != open.end()) {
        double rise = std::numeric_limits<double>::infinity();
        std::size_t full = 0;
        for (std::size_t link = 0; link < network.capacities.size(); ++link) {
            double used = 0;
            double count = 0;
            for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
                if (passes(network.flows[flow], link)) {
                    used += rates[flow];
                    count += open[flow] ? 1 : 0;
                }
            }
            if (count > 0 && (network.capacities[link] - used) / count < rise) {
                rise = (network.capacities[link] - used) / count;
                full = link;
            }
        }
        for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
            rates[flow] += open[flow] ? rise : 0;
        }
        for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
            if (passes(network.flows[flow], full)) {
                open[flow] = false;
            }
        }
    }
    return rates;
}

MaxMin solver_of(const Network& network) {
    MaxMin solver(network.capacities);
    for (const std::vector<std::uint32_t>& links : network.flows) {
        solver.add(links);
    }
    return solver;
}

TEST(rates_are_those_of_exact_water_filling_on_500_random_networks) {
    std::mt19937_64 random(17);
    for (int i = 0; i < 500; ++i) {
        const Network network = random_network(random);
        std::vector<bool> active(network.flows.size());
        for (std::size_t flow = 0; flow < active.size(); ++flow) {
            active[flow] = random() % 5 != 0;
        }
        const std::vector<double> rates = solver_of(network).rates(active);
        const std::vector<double> exact = water_filling(network, active);
        for (std::size_t flow = 0; flow < rates.size(); ++flow) {
            CHECK(std::abs(rates[flow] - exact[flow]) <= 1e-9 * std::max(exact[flow], 1.0));
        }
    }
}

// Flow by flow, with exact rates after each end.
double exact_seconds(const Network& network, double bytes) {
    std::vector<double> left(network.flows.size(), bytes);
    std::vector<bool> active(network.flows.size(), true);
    double now = 0;
    while (std::find(active.begin(), active.end(), true) != active.end()) {
        const std::vector<double> rates = water_filling(network, active);
        double step = std::numeric_limits<double>::infinity();
        for (std::size_t flow = 0; flow < left.size(); ++flow) {
            step = active[flow] ? std::min(step, left[flow] / rates[flow]) : step;
        }
        for (std::size_t flow = 0; flow < left.size(); ++flow) {
            left[flow] -= active[flow] ? rates[flow] * step : 0;
            active[flow] = active[flow] && left[flow] > bytes * 1e-12;
        }
        now += step;
    }
    return now;
}

TEST(the_end_of_all_flows_is_exact_without_batches_and_close_with_them) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 200; ++i) {
        const Network network = random_network(random);
        const double exact = exact_seconds(network, 1000);
        CHECK(std::abs(solver_of(network).seconds(1000, 0) / exact - 1) < 1e-9);
        CHECK(std::abs(solver_of(network).seconds(1000, 0.01) / exact - 1) < 0.05);
    }
}

}  // namespace
}  // namespace machmeter::simulate
