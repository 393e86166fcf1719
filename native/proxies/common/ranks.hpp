// The ranks of a proxy: messages between two of them, and sums and words of all, counted. Over any
// transport: MPI, or threads in a test.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/session/phases.hpp"
#include "patterns/pair.hpp"
#include "proxies/common/traffic.hpp"

namespace machmeter::proxies {

// sum: each value becomes its sum over all ranks, on every rank.
template <class T>
concept SummingTeam = requires(const T& team, std::span<double> values) {
    { team.rank() } -> std::convertible_to<int>;
    { team.size() } -> std::convertible_to<int>;
    team.sum(values);
};

// One of several messages that are on their way at once: to one rank, and from one.
template <class T>
struct Exchange {
    int to = 0;
    std::span<const T> out;
    int from = 0;
    std::span<T> in;
};

template <Transport Messages, SummingTeam Team>
class Ranks {
   public:
    // phases: tell which messages are with neighbors; without them none is said to be.
    Ranks(Messages messages, const Team& team, const Phases* phases = nullptr)
        : messages_(std::move(messages)), team_(team), phases_(phases) {}

    [[nodiscard]] int rank() const { return team_.rank(); }
    [[nodiscard]] int size() const { return team_.size(); }

    // Sends to one rank while it receives from another; both may be this one.
    template <class T>
    void exchange(int to, std::span<const T> out, int from, std::span<T> in) {
        const auto* const sent = reinterpret_cast<const std::byte*>(out.data());
        auto* const received = reinterpret_cast<std::byte*>(in.data());
        if (to == rank()) {
            std::copy_n(sent, out.size_bytes(), received);
            return;
        }
        std::array<typename Messages::Request, 2> requests{
            messages_.start_receive(from, received, in.size_bytes()),
            messages_.start_send(to, sent, out.size_bytes())};
        messages_.wait_all(requests);
        count(to, out.size_bytes());
    }

    // All at once; of two to one rank, the first arrives first. None is to this rank itself.
    template <class T>
    void exchange_all(std::span<const Exchange<T>> messages) {
        requests_.clear();
        for (const Exchange<T>& one : messages) {
            requests_.push_back(messages_.start_receive(
                one.from, reinterpret_cast<std::byte*>(one.in.data()), one.in.size_bytes()));
        }
        for (const Exchange<T>& one : messages) {
            requests_.push_back(messages_.start_send(
                one.to, reinterpret_cast<const std::byte*>(one.out.data()), one.out.size_bytes()));
            count(one.to, one.out.size_bytes());
        }
        messages_.wait_all(requests_);
    }

    // How many values the other rank will send, where this one sends `mine`.
    std::size_t exchange_count(int to, std::size_t mine, int from) {
        const std::uint64_t out = mine;
        std::uint64_t in = 0;
        exchange<std::uint64_t>(to, {&out, 1}, from, {&in, 1});
        return static_cast<std::size_t>(in);
    }

    void sum(std::span<double> values) {
        team_.sum(values);
        traffic_.reduced();
    }

    [[nodiscard]] double sum(double value) {
        sum(std::span<double>(&value, 1));
        return value;
    }

    // The words of every rank in rank order, on every rank; each gives as many as it likes.
    void gather_everywhere(std::span<const std::uint64_t> mine, std::vector<std::uint64_t>& all) {
        team_.gather_everywhere(mine, all);
        traffic_.gathered(mine.size_bytes());
    }

    [[nodiscard]] Traffic& traffic() { return traffic_; }

   private:
    void count(int to, std::size_t bytes) {
        traffic_.sent(rank(), to, bytes, phases_ != nullptr && phases_->are_in(Phase::halo));
    }

    Messages messages_;
    const Team& team_;
    const Phases* phases_;
    Traffic traffic_;
    std::vector<typename Messages::Request> requests_;
};

}  // namespace machmeter::proxies
