// Ranks that run the kernels' own patterns on a simulated network: a fiber each, and a heap of
// events, so that whatever happens does so in the order of time (LogGOPS, Hoefler et al. 2010).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "patterns/pair.hpp"
#include "simulate/events/fiber.hpp"
#include "simulate/events/wires.hpp"

namespace machmeter::simulate {

// A message: of its sender, its receiver or both so far.
struct Transfer {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    double bytes = 0;
    double sent = 0;
    double posted = 0;
    bool has_sender = false;
    bool has_receiver = false;
    bool passed = false;
    // Whether an end waits until it has passed.
    bool sender_waits = false;
    bool receiver_waits = false;
    Passage passage;
};

class RankTransport;

class Ranks {
   public:
    // Memory and time for the fibers of so many are small.
    static constexpr std::uint64_t most = 4096;

    using Pattern = std::function<void(std::uint64_t rank, RankTransport& transport)>;

    explicit Ranks(const Machine& machine)
        : machine_(machine), wires_(machine), ranks_(machine.ranks()) {}

    // Every rank runs the pattern, once: what it leaves at NICs is of the time of the last rank.
    // Throws what a rank throws, and std::logic_error where ranks wait for messages that nobody
    // sends.
    void run(const Pattern& pattern);

    // Seconds from the beginning to what the rank did last.
    [[nodiscard]] double clock(std::uint64_t rank) const { return ranks_[rank].clock; }

   private:
    friend class RankTransport;

    struct Abandoned {};
    struct Request {
        std::shared_ptr<Transfer> transfer;
        bool sends = false;
    };
    using Queue = std::deque<std::shared_ptr<Transfer>>;
    // Of one sender to one receiver: sends without a receive, or receives without a send.
    struct Unmatched {
        Queue sends;
        Queue receives;
    };
    struct Rank {
        double clock = 0;
        std::unique_ptr<Fiber> fiber;
        std::vector<Request> waits_for;
        // Messages of it that have not passed.
        std::size_t open = 0;
        std::unordered_map<std::uint64_t, Unmatched> from;
    };
    struct Event {
        double time;
        std::uint64_t number;
        std::uint64_t rank;
        // Null where the rank goes on; else the bytes of a message start.
        std::shared_ptr<Transfer> transfer;

        bool operator>(const Event& other) const {
            return time != other.time ? time > other.time : number > other.number;
        }
    };

    [[nodiscard]] bool is_rendezvous(const Transfer& one) const {
        return one.bytes > machine_.costs().eager_limit &&
               machine_.node_of(one.from) != machine_.node_of(one.to);
    }

    void schedule(double time, std::uint64_t rank, std::shared_ptr<Transfer> transfer = nullptr) {
        events_.push({time, ++number_, rank, std::move(transfer)});
    }

    // What a rank does next happens when all that happens earlier has.
    void come_to_turn(std::uint64_t rank) {
        if (!events_.empty() && events_.top().time <= ranks_[rank].clock) {
            schedule(ranks_[rank].clock, rank);
            stop(rank);
        }
    }

    void stop(std::uint64_t rank) {
        ranks_[rank].fiber->stop();
        if (abandoned_) {
            throw Abandoned{};
        }
    }

    // What is on the stacks of ranks that would wait forever ends with them.
    void abandon() {
        abandoned_ = true;
        for (Rank& rank : ranks_) {
            while (rank.fiber && !rank.fiber->ended()) {
                try {
                    rank.fiber->resume();
                } catch (...) {
                    // Abandoned, or an error of its own behind the first one, which counts.
                }
            }
        }
        abandoned_ = false;
    }

    Request start_send(std::uint64_t rank, std::uint64_t to, double bytes) {
        come_to_turn(rank);
        Unmatched& unmatched = ranks_[to].from[rank];
        auto transfer = taken(unmatched.receives, unmatched.sends);
        transfer->from = rank;
        transfer->to = to;
        transfer->bytes = bytes;
        transfer->has_sender = true;
        transfer->sent = ranks_[rank].clock;
        ranks_[rank].clock += wires_.cpu_seconds(rank, to);
        if (!is_rendezvous(*transfer) || transfer->has_receiver) {
            start_bytes(transfer);
        }
        return {transfer, true};
    }

    Request start_receive(std::uint64_t rank, std::uint64_t from) {
        come_to_turn(rank);
        Unmatched& unmatched = ranks_[rank].from[from];
        auto transfer = taken(unmatched.sends, unmatched.receives);
        transfer->has_receiver = true;
        transfer->posted = ranks_[rank].clock;
        if (transfer->has_sender && is_rendezvous(*transfer)) {
            start_bytes(transfer);
        }
        return {transfer, false};
    }

    // The first of those that wait for a partner, or a new one that does.
    static std::shared_ptr<Transfer> taken(Queue& partners, Queue& own) {
        if (!partners.empty()) {
            auto transfer = std::move(partners.front());
            partners.pop_front();
            return transfer;
        }
        own.push_back(std::make_shared<Transfer>());
        return own.back();
    }

    void start_bytes(const std::shared_ptr<Transfer>& one) {
        wires_.announce(one->from, one->to);
        const double cpu = wires_.cpu_seconds(one->from, one->to);
        const double begin = is_rendezvous(*one) ? std::max(one->sent, one->posted) : one->sent;
        schedule(begin + machine_.message(one->from, one->to, one->bytes).handshake + cpu,
                 one->from, one);
    }

    void pass(Transfer& one, double now) {
        one.passage = wires_.pass(one.from, one.to, one.bytes, now);
        one.passed = true;
        if (one.sender_waits) {
            one_less(one.from);
        }
        if (one.receiver_waits) {
            one_less(one.to);
        }
    }

    void one_less(std::uint64_t rank) {
        if (--ranks_[rank].open == 0) {
            go_on(rank);
        }
    }

    [[nodiscard]] bool completes(const Request& one) const {
        return one.transfer->passed || (one.sends && !is_rendezvous(*one.transfer));
    }

    void wait_all(std::uint64_t rank, std::span<Request> requests) {
        Rank& own = ranks_[rank];
        own.waits_for.assign(requests.begin(), requests.end());
        own.open = 0;
        for (const Request& one : own.waits_for) {
            if (!completes(one)) {
                (one.sends ? one.transfer->sender_waits : one.transfer->receiver_waits) = true;
                ++own.open;
            }
        }
        if (own.open == 0) {
            go_on(rank);
        }
        stop(rank);
    }

    // All that it waited for has passed: the CPU takes one message after the other as they arrive.
    void go_on(std::uint64_t rank) {
        Rank& own = ranks_[rank];
        double left = 0;
        std::vector<std::pair<double, double>> arrivals;
        for (const Request& one : own.waits_for) {
            if (!one.sends) {
                arrivals.emplace_back(one.transfer->passage.arrives,
                                      wires_.cpu_seconds(one.transfer->from, rank));
            } else if (is_rendezvous(*one.transfer)) {
                left = std::max(left, one.transfer->passage.left);
            }
        }
        std::sort(arrivals.begin(), arrivals.end());
        for (const auto& [arrives, cpu] : arrivals) {
            own.clock = std::max(own.clock, arrives) + cpu;
        }
        own.clock = std::max(own.clock, left);
        schedule(own.clock, rank);
    }

    const Machine& machine_;
    Wires wires_;
    std::vector<Rank> ranks_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::uint64_t number_ = 0;
    bool abandoned_ = false;
};

// What the patterns of one rank send and receive by; the bytes themselves are not moved.
class RankTransport {
   public:
    using Request = Ranks::Request;

    RankTransport(Ranks& ranks, std::uint64_t rank) : ranks_(ranks), rank_(rank) {}

    [[nodiscard]] Request start_send(int peer, const std::byte* /*data*/, std::size_t bytes) {
        return ranks_.start_send(rank_, static_cast<std::uint64_t>(peer),
                                 static_cast<double>(bytes));
    }
    [[nodiscard]] Request start_receive(int peer, std::byte* /*data*/, std::size_t /*bytes*/) {
        return ranks_.start_receive(rank_, static_cast<std::uint64_t>(peer));
    }
    void wait_all(std::span<Request> requests) { ranks_.wait_all(rank_, requests); }

    void send(int peer, const std::byte* data, std::size_t bytes) {
        Request request = start_send(peer, data, bytes);
        wait_all({&request, 1});
    }
    void receive(int peer, std::byte* data, std::size_t bytes) {
        Request request = start_receive(peer, data, bytes);
        wait_all({&request, 1});
    }

   private:
    Ranks& ranks_;
    std::uint64_t rank_;
};

static_assert(Transport<RankTransport>);

inline void Ranks::run(const Pattern& pattern) {
    for (std::uint64_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].fiber = std::make_unique<Fiber>([this, &pattern, rank] {
            RankTransport transport(*this, rank);
            pattern(rank, transport);
        });
        schedule(ranks_[rank].clock, rank);
    }
    try {
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            if (event.transfer) {
                pass(*event.transfer, event.time);
            } else {
                ranks_[event.rank].fiber->resume();
            }
        }
    } catch (...) {
        abandon();
        throw;
    }
    const bool all_ended = std::all_of(ranks_.begin(), ranks_.end(),
                                       [](const Rank& rank) { return rank.fiber->ended(); });
    abandon();
    if (!all_ended) {
        throw std::logic_error("ranks wait for messages that nobody sends");
    }
}

}  // namespace machmeter::simulate
