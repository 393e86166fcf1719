// A clock for every rank, and rounds of messages that move the clocks: LogGOPS (Hoefler et al.
// 2010) without a queue of events, since each rank sends at most one message a round. Memory grows
// with the ranks, not with the messages.
//
// Messages of one round are taken to be under way together: each waits for all bytes of the round
// at the NICs of its two nodes, and for those of the most loaded link of its route.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "simulate/machine/machine.hpp"
#include "simulate/machine/shared_links.hpp"

namespace machmeter::simulate {

// What a rank sends in a round; nothing where `to` is the rank itself. The receiver sums `reduced`
// bytes of it into its own.
struct Send {
    std::uint64_t to;
    double bytes = 0;
    double reduced = 0;

    bool operator==(const Send&) const = default;
};

// An algorithm: a pure function of round and rank.
struct Schedule {
    std::string name;
    std::uint64_t rounds = 0;
    std::function<Send(std::uint64_t round, std::uint64_t rank)> send;
};

// One after the other.
inline Schedule then(Schedule first, Schedule second) {
    Schedule both;
    both.name = first.name + ", then " + second.name;
    both.rounds = first.rounds + second.rounds;
    both.send = [begin = first.rounds, one = std::move(first.send), other = std::move(second.send)](
                    std::uint64_t round, std::uint64_t rank) {
        return round < begin ? one(round, rank) : other(round - begin, rank);
    };
    return both;
}

class RankClocks {
   public:
    // So many take seconds.
    static constexpr double most_messages = 1.5e8;

    explicit RankClocks(const Machine& machine)
        : machine_(machine),
          clocks_(machine.ranks()),
          next_(machine.ranks()),
          nic_free_(machine.nodes()),
          nic_next_(machine.nodes()),
          loads_(machine) {}

    // Of a schedule of very many messages, rounds that repeat are followed until they have settled;
    // the others take as long as the last of those.
    void run(const Schedule& schedule) {
        const double messages =
            static_cast<double>(schedule.rounds) * static_cast<double>(clocks_.size());
        const bool skips = messages > most_messages;
        std::uint64_t repeated = 0;
        double half_way = 0;
        for (std::uint64_t round = 0; round < schedule.rounds; ++round) {
            run_round(schedule, round);
            repeated = skips && round > 0 && repeats(schedule, round) ? repeated + 1 : 0;
            half_way = repeated == settling / 2 ? last() : half_way;
            if (repeated == settling) {
                round = skip(schedule, round, 2 * (last() - half_way) / settling);
                repeated = 0;
            }
        }
    }

    // Rounds that were not followed one by one.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

    [[nodiscard]] double last() const { return *std::max_element(clocks_.begin(), clocks_.end()); }
    [[nodiscard]] const std::vector<double>& clocks() const { return clocks_; }

   private:
    static constexpr std::uint64_t settling = 64;

    void run_round(const Schedule& schedule, std::uint64_t round) {
        load(schedule, round);
        next_ = clocks_;
        nic_next_ = nic_free_;
        for (std::uint64_t rank = 0; rank < clocks_.size(); ++rank) {
            leave(rank, schedule.send(round, rank));
        }
        for (std::uint64_t rank = 0; rank < clocks_.size(); ++rank) {
            arrive(rank, schedule.send(round, rank));
        }
        std::swap(clocks_, next_);
        std::swap(nic_free_, nic_next_);
    }

    // Whether every rank sends what it sent in the round before.
    [[nodiscard]] bool repeats(const Schedule& schedule, std::uint64_t round) const {
        for (std::uint64_t rank = 0; rank < clocks_.size(); ++rank) {
            if (!(schedule.send(round, rank) == schedule.send(round - 1, rank))) {
                return false;
            }
        }
        return true;
    }

    // The last of the rounds that repeat this one at the ends and in the middle of the ranks, with
    // the clocks moved there.
    std::uint64_t skip(const Schedule& schedule, std::uint64_t round, double each) {
        const std::uint64_t ranks = clocks_.size();
        const std::array<std::uint64_t, 4> some{0, 1, ranks / 2, ranks - 1};
        std::uint64_t end = round;
        const auto same = [&](std::uint64_t rank) {
            return schedule.send(end + 1, rank) == schedule.send(round, rank);
        };
        while (end + 1 < schedule.rounds && std::all_of(some.begin(), some.end(), same)) {
            ++end;
        }
        const double seconds = each * static_cast<double>(end - round);
        for (std::vector<double>* times : {&clocks_, &nic_free_}) {
            for (double& time : *times) {
                time += seconds;
            }
        }
        skipped_ += end - round;
        return end;
    }

    // When the bytes have left, and all that it took.
    struct Flight {
        double left;
        double wire;
    };

    void load(const Schedule& schedule, std::uint64_t round) {
        loads_.clear();
        for (std::uint64_t rank = 0; rank < clocks_.size(); ++rank) {
            const Send send = schedule.send(round, rank);
            if (send.to != rank) {
                loads_.add(rank, send.to, send.bytes);
            }
        }
    }

    [[nodiscard]] bool waits_for_receiver(const Send& send) const {
        return send.bytes > machine_.costs().eager_limit;
    }

    [[nodiscard]] Flight flight(std::uint64_t rank, const Send& send,
                                const MessageParts& parts) const {
        const double begin =
            waits_for_receiver(send) ? std::max(clocks_[rank], clocks_[send.to]) : clocks_[rank];
        const double passing = std::max({loads_.nic_seconds(rank, send.to),
                                         loads_.link_seconds(rank, send.to), parts.serialization});
        const double start = std::max(begin + parts.handshake + machine_.costs().software_overhead,
                                      nic_free_[machine_.node_of(rank)]);
        return {start + passing, parts.base() - parts.software};
    }

    // The sender's clock: it is free when its overhead is over, or the bytes of a rendezvous are
    // out.
    void leave(std::uint64_t rank, const Send& send) {
        if (send.to == rank) {
            return;
        }
        const MessageParts parts = machine_.message(rank, send.to, send.bytes);
        const std::uint64_t node = machine_.node_of(rank);
        if (node == machine_.node_of(send.to)) {
            next_[rank] = clocks_[rank] + parts.software / 2 + parts.serialization;
            return;
        }
        const double left = flight(rank, send, parts).left;
        const double overhead = clocks_[rank] + machine_.costs().software_overhead;
        next_[rank] = waits_for_receiver(send) ? left : overhead;
        const double gap = loads_.nic_interval(rank, send.to) - loads_.nic_seconds(rank, send.to);
        nic_next_[node] = std::max(nic_next_[node], left + gap);
    }

    void arrive(std::uint64_t rank, const Send& send) {
        if (send.to == rank) {
            return;
        }
        const Costs& costs = machine_.costs();
        const MessageParts parts = machine_.message(rank, send.to, send.bytes);
        double& receiver = next_[send.to];
        if (machine_.node_of(rank) == machine_.node_of(send.to)) {
            receiver = std::max(receiver, clocks_[rank] + parts.seconds());
        } else {
            const Flight sent = flight(rank, send, parts);
            receiver = std::max(receiver, sent.left + sent.wire) + costs.software_overhead;
        }
        receiver += send.reduced / costs.reduction;
    }

    const Machine& machine_;
    std::vector<double> clocks_;
    std::vector<double> next_;
    std::vector<double> nic_free_;
    std::vector<double> nic_next_;
    Loads loads_;
    std::uint64_t skipped_ = 0;
};

}  // namespace machmeter::simulate
