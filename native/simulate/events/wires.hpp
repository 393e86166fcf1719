// NICs and links that messages pass one after another, in the order in which they come.
//
// Each has a time from which on it is free. A message passes all of them at once (cut-through): it
// is through when the last of them has served its bytes. While it queues at the NIC of its sender,
// its place at the other NIC and at links is filled by what comes later and can go first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "simulate/machine/machine.hpp"

namespace machmeter::simulate {

// When the bytes have left the sender, and when they are at the receiver.
struct Passage {
    double left = 0;
    double arrives = 0;
};

class Wires {
   public:
    explicit Wires(const Machine& machine)
        : machine_(machine),
          out_(machine.nodes()),
          in_(machine.nodes()),
          copies_(machine.ranks()),
          links_(std::visit([](const auto& one) { return one.links(); }, machine.topology())) {}

    // A message that will pass: until then traffic the other way shares the NICs with it.
    void announce(std::uint64_t from, std::uint64_t to) { add_announced(from, to, 1); }

    // An announced message whose bytes may start at `ready`. Calls are in the order of time.
    Passage pass(std::uint64_t from, std::uint64_t to, double bytes, double ready) {
        const MessageParts parts = machine_.message(from, to, bytes);
        const std::uint64_t a = machine_.node_of(from);
        const std::uint64_t b = machine_.node_of(to);
        add_announced(from, to, -1);
        if (a == b) {
            // A copy through memory takes the CPUs of both ranks.
            const double through =
                std::max({copies_[from], copies_[to], ready}) + parts.serialization;
            copies_[from] = through;
            copies_[to] = through;
            return {through, through + parts.software - 2 * cpu_seconds(from, to)};
        }
        // Both ways at once, each has its share of what it has alone, whatever limits that.
        const bool both = out_[b].busy(ready) || in_[a].busy(ready);
        const double share = both ? machine_.costs().duplex_share : 1;
        const double port = bytes / machine_.costs().injection / share;
        const double start = std::max(ready, out_[a].free);
        take(out_[a], ready, start, port);
        const double received = take(in_[b], ready, start, port);
        const double linked = take_links(a, b, bytes / share, ready, start);
        const double through = std::max({start + parts.serialization / share, received, linked});
        return {through, through + parts.base() - parts.software};
    }

    // Of each end of a message.
    [[nodiscard]] double cpu_seconds(std::uint64_t from, std::uint64_t to) const {
        const Costs& costs = machine_.costs();
        return machine_.node_of(from) == machine_.node_of(to)
                   ? std::min(costs.software_overhead, costs.node_latency / 2)
                   : costs.software_overhead;
    }

   private:
    // One direction of a NIC.
    struct Port {
        double free = 0;
        double served = 0;
        std::int64_t announced = 0;

        [[nodiscard]] bool busy(double now) const { return announced > 0 || served > now; }
    };

    // When the bytes are through; the next message follows a gap later at the earliest. One that
    // starts later than it is ready holds up nobody until then.
    double take(Port& port, double ready, double start, double seconds) const {
        const double begin = std::max(port.free, ready);
        const double through = std::max(begin, start) + seconds;
        port.served = std::max(port.served, through);
        port.free = begin + std::max(seconds, machine_.costs().message_gap);
        return through;
    }

    double take_links(std::uint64_t a, std::uint64_t b, double bytes, double ready, double start) {
        double through = 0;
        if (links_.empty()) {
            return through;
        }
        std::visit(
            [&](const auto& one) {
                one.visit_shares(machine_.place_of(a), machine_.place_of(b),
                                 [&](std::uint64_t link, double share) {
                                     const double each = share * bytes / one.bandwidth(link);
                                     double& free = links_[link];
                                     free = std::max(free, ready) + each;
                                     through = std::max({through, free, start + each});
                                 });
            },
            machine_.topology());
        return through;
    }

    void add_announced(std::uint64_t from, std::uint64_t to, std::int64_t count) {
        out_[machine_.node_of(from)].announced += count;
        in_[machine_.node_of(to)].announced += count;
    }

    const Machine& machine_;
    std::vector<Port> out_;
    std::vector<Port> in_;
    std::vector<double> copies_;
    std::vector<double> links_;
};

}  // namespace machmeter::simulate
