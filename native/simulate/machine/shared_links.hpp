// How many messages, or bytes, at once share the links between routers and the NICs of the nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/machine/link_loads.hpp"
#include "simulate/machine/machine.hpp"

namespace machmeter::simulate {

// Amounts (messages or bytes) by node, out and in, and by link. Nothing within a node counts.
class Loads {
   public:
    // share: of the rate of a NIC that traffic can have.
    explicit Loads(const Machine& machine, double share = 1)
        : machine_(machine),
          rate_(machine.costs().injection * share),
          out_(machine.nodes()),
          in_(machine.nodes()),
          count_out_(machine.nodes()),
          count_in_(machine.nodes()),
          links_(std::visit([](const auto& one) { return one.links(); }, machine.topology())) {}

    void clear() {
        for (std::vector<double>* amounts : {&out_, &in_, &count_out_, &count_in_, &links_}) {
            std::fill(amounts->begin(), amounts->end(), 0.0);
        }
    }

    void add(std::uint64_t from, std::uint64_t to, double amount) {
        const std::uint64_t a = machine_.node_of(from);
        const std::uint64_t b = machine_.node_of(to);
        if (a == b) {
            return;
        }
        out_[a] += amount;
        in_[b] += amount;
        count_out_[a] += 1;
        count_in_[b] += 1;
        if (!links_.empty()) {
            std::visit(
                [&](const auto& one) {
                    one.visit_shares(
                        machine_.place_of(a), machine_.place_of(b),
                        [&](std::uint64_t link, double share) { links_[link] += share * amount; });
                },
                machine_.topology());
        }
    }

    // Seconds that the most loaded link on the way between two ranks needs.
    [[nodiscard]] double link_seconds(std::uint64_t from, std::uint64_t to) const {
        double longest = 0;
        if (links_.empty()) {
            return longest;
        }
        std::visit(
            [&](const auto& one) {
                one.visit_shares(
                    machine_.place_of(machine_.node_of(from)),
                    machine_.place_of(machine_.node_of(to)), [&](std::uint64_t link, double share) {
                        if (share > 0) {
                            longest = std::max(longest, links_[link] / one.bandwidth(link));
                        }
                    });
            },
            machine_.topology());
        return longest;
    }

    // Seconds that the NICs of the two ranks need for all that passes them this way: bytes at their
    // rate, messages a gap apart.
    [[nodiscard]] double nic_seconds(std::uint64_t from, std::uint64_t to) const {
        const std::uint64_t a = machine_.node_of(from);
        const std::uint64_t b = machine_.node_of(to);
        return std::max(port_seconds(out_[a], count_out_[a]), port_seconds(in_[b], count_in_[b]));
    }

    // The same where such messages follow one another without end.
    [[nodiscard]] double nic_interval(std::uint64_t from, std::uint64_t to) const {
        const std::uint64_t a = machine_.node_of(from);
        const std::uint64_t b = machine_.node_of(to);
        const double gap = machine_.costs().message_gap;
        return std::max({nic_seconds(from, to), count_out_[a] * gap, count_in_[b] * gap});
    }

    [[nodiscard]] double of_link(std::uint64_t link) const { return links_[link]; }
    [[nodiscard]] std::vector<KindLoad> by_kind() const {
        return std::visit([&](const auto& one) { return loads_by_kind(one, links_); },
                          machine_.topology());
    }
    [[nodiscard]] const std::vector<double>& out() const { return out_; }
    [[nodiscard]] const std::vector<double>& in() const { return in_; }
    [[nodiscard]] double messages_out(std::uint64_t node) const { return count_out_[node]; }
    [[nodiscard]] double messages_in(std::uint64_t node) const { return count_in_[node]; }

   private:
    [[nodiscard]] double port_seconds(double bytes, double messages) const {
        const double each = messages > 0 ? bytes / messages / rate_ : 0;
        const double gap = std::max(machine_.costs().message_gap, each);
        return each + std::max(messages - 1, 0.0) * gap;
    }

    const Machine& machine_;
    double rate_;
    std::vector<double> out_;
    std::vector<double> in_;
    std::vector<double> count_out_;
    std::vector<double> count_in_;
    std::vector<double> links_;
};

}  // namespace machmeter::simulate
