// Messages between threads that stand in for ranks: sends never wait, receives wait for theirs.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "patterns/pair.hpp"
#include "tests/support/check.hpp"

namespace machmeter::test {

// What is on its way between all ranks.
class Wires {
   public:
    void put(int from, int to, std::vector<std::byte> message) {
        const std::lock_guard<std::mutex> lock(mutex_);
        queues_[{from, to}].push_back(std::move(message));
        arrived_.notify_all();
    }

    std::vector<std::byte> take(int from, int to) {
        std::unique_lock<std::mutex> lock(mutex_);
        std::deque<std::vector<std::byte>>& queue = queues_[{from, to}];
        arrived_.wait(lock, [&] { return !queue.empty(); });
        std::vector<std::byte> message = std::move(queue.front());
        queue.pop_front();
        return message;
    }

   private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> queues_;
};

// One rank's transport.
class ThreadTransport {
   public:
    struct Request {
        int peer = -1;
        std::byte* in = nullptr;
        std::size_t bytes = 0;
    };

    ThreadTransport(Wires& wires, int rank) : wires_(&wires), rank_(rank) {}

    void send(int peer, const std::byte* data, std::size_t bytes) {
        wires_->put(rank_, peer, {data, data + bytes});
    }
    void receive(int peer, std::byte* data, std::size_t bytes) {
        const std::vector<std::byte> message = wires_->take(peer, rank_);
        CHECK(message.size() == bytes);
        std::memcpy(data, message.data(), std::min(message.size(), bytes));
    }
    Request start_send(int peer, const std::byte* data, std::size_t bytes) {
        send(peer, data, bytes);
        return {};
    }
    static Request start_receive(int peer, std::byte* data, std::size_t bytes) {
        return {peer, data, bytes};
    }
    void wait_all(std::span<Request> requests) {
        for (const Request& request : requests) {
            if (request.peer >= 0) {
                receive(request.peer, request.in, request.bytes);
            }
        }
    }

   private:
    Wires* wires_;
    int rank_;
};

static_assert(Transport<ThreadTransport>);

// `body(rank, transport)` on so many ranks at once.
template <class Body>
void on_ranks(int ranks, Body&& body) {
    Wires wires;
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank] {
            ThreadTransport transport(wires, rank);
            body(rank, transport);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace machmeter::test
