// Communication patterns of a pair of ranks: who sends what to whom, in which order. No clock and
// no MPI here, so that they run over any transport: MPI, a recorder in a test, a simulated machine.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace machmeter {

// Moves bytes between ranks. `start_*` returns at once; `wait_all` completes what was started.
template <class T>
concept Transport = requires(T& transport, int peer, const std::byte* out, std::byte* in,
                             std::size_t bytes, std::span<typename T::Request> requests) {
    typename T::Request;
    transport.send(peer, out, bytes);
    transport.receive(peer, in, bytes);
    { transport.start_send(peer, out, bytes) } -> std::same_as<typename T::Request>;
    { transport.start_receive(peer, in, bytes) } -> std::same_as<typename T::Request>;
    transport.wait_all(requests);
};

// One end of a pair. The first end begins the pattern, and its time counts.
struct End {
    bool first = true;
    int peer = 0;
};

// Message i of a window is at `data + i * stride`; with stride 0 all use one place.
struct Messages {
    const std::byte* out = nullptr;
    std::byte* in = nullptr;
    std::size_t bytes = 0;
    std::size_t stride = 0;
    std::size_t window = 1;

    [[nodiscard]] const std::byte* out_place(std::size_t i) const { return out + i * stride; }
    [[nodiscard]] std::byte* in_place(std::size_t i) const { return in + i * stride; }
};

// The messages of a window: how many, how long, where message i is sent from and received.
template <class M>
concept WindowMessages = requires(M& messages, std::size_t i) {
    { messages.bytes } -> std::convertible_to<std::size_t>;
    { messages.window } -> std::convertible_to<std::size_t>;
    { messages.out_place(i) } -> std::convertible_to<const std::byte*>;
    { messages.in_place(i) } -> std::same_as<std::byte*>;
};

// One way to move a message between the two ends; in `exchange` both send at once.
template <class W>
concept MessageWay = requires(W& way, const std::byte* out, std::byte* in) {
    way.send(out);
    way.receive(in);
    way.exchange(out, in);
};

// Where the next message is sent from and received: the same places each time, or others.
template <class P>
concept MessagePlaces = requires(P& places) {
    { places.next_out() } -> std::convertible_to<const std::byte*>;
    { places.next_in() } -> std::same_as<std::byte*>;
};

struct OnePlace {
    std::byte* out = nullptr;
    std::byte* in = nullptr;

    [[nodiscard]] std::byte* next_out() const { return out; }
    [[nodiscard]] std::byte* next_in() const { return in; }
};

inline constexpr std::size_t token_bytes = 4;

template <Transport T>
void ping_pong(T& transport, const End& end, const std::byte* out, std::byte* in, std::size_t bytes,
               std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
        if (end.first) {
            transport.send(end.peer, out, bytes);
            transport.receive(end.peer, in, bytes);
        } else {
            transport.receive(end.peer, in, bytes);
            transport.send(end.peer, out, bytes);
        }
    }
}

template <MessageWay W, MessagePlaces P>
void ping_pong(W& way, bool first, P& places, std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
        if (first) {
            way.send(places.next_out());
            way.receive(places.next_in());
        } else {
            way.receive(places.next_in());
            way.send(places.next_out());
        }
    }
}

// Both ends send at once and continue when both messages have arrived.
template <MessageWay W, MessagePlaces P>
void ping_ping(W& way, P& places, std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
        way.exchange(places.next_out(), places.next_in());
    }
}

template <Transport T>
void send_token(T& transport, const End& end) {
    const std::array<std::byte, token_bytes> token{};
    transport.send(end.peer, token.data(), token.size());
}

template <Transport T>
void receive_token(T& transport, const End& end) {
    std::array<std::byte, token_bytes> token{};
    transport.receive(end.peer, token.data(), token.size());
}

template <Transport T, WindowMessages M>
void start_receives(T& transport, const End& end, M& messages,
                    std::vector<typename T::Request>& requests) {
    for (std::size_t i = 0; i < messages.window; ++i) {
        requests.push_back(transport.start_receive(end.peer, messages.in_place(i), messages.bytes));
    }
}

template <Transport T, WindowMessages M>
void start_sends(T& transport, const End& end, M& messages,
                 std::vector<typename T::Request>& requests) {
    for (std::size_t i = 0; i < messages.window; ++i) {
        requests.push_back(transport.start_send(end.peer, messages.out_place(i), messages.bytes));
    }
}

// The first end sends a window; the second replies with a token once all of it has arrived.
template <Transport T, WindowMessages M>
void window_one_way(T& transport, const End& end, M& messages,
                    std::vector<typename T::Request>& requests, std::uint64_t windows) {
    for (std::uint64_t window = 0; window < windows; ++window) {
        requests.clear();
        if (end.first) {
            start_sends(transport, end, messages, requests);
            transport.wait_all(std::span(requests));
            receive_token(transport, end);
        } else {
            start_receives(transport, end, messages, requests);
            transport.wait_all(std::span(requests));
            send_token(transport, end);
        }
    }
}

// Both ends send a window at once. A token each way ends it: by then both windows have arrived.
template <Transport T, WindowMessages M>
void window_both_ways(T& transport, const End& end, M& messages,
                      std::vector<typename T::Request>& requests, std::uint64_t windows) {
    for (std::uint64_t window = 0; window < windows; ++window) {
        requests.clear();
        start_receives(transport, end, messages, requests);
        start_sends(transport, end, messages, requests);
        transport.wait_all(std::span(requests));
        if (end.first) {
            receive_token(transport, end);
            send_token(transport, end);
        } else {
            send_token(transport, end);
            receive_token(transport, end);
        }
    }
}

// Both ends leave together: the first with its reply in flight, the second once it has arrived.
template <Transport T>
void barrier(T& transport, const End& end) {
    if (end.first) {
        receive_token(transport, end);
        send_token(transport, end);
    } else {
        send_token(transport, end);
        receive_token(transport, end);
    }
}

enum class Side : std::uint8_t { send, receive };

// One message: start, `work()`, complete; `side` is what the first end does with it. The second end
// does no work: it starts the matching half and completes it at once.
template <Transport T, class Work>
void message_over_work(T& transport, const End& end, Side side, const Messages& messages,
                       Work&& work) {
    const bool sends = (side == Side::send) == end.first;
    std::array<typename T::Request, 1> request{
        sends ? transport.start_send(end.peer, messages.out, messages.bytes)
              : transport.start_receive(end.peer, messages.in, messages.bytes)};
    if (end.first) {
        work();
    }
    transport.wait_all(std::span<typename T::Request>(request));
}

}  // namespace machmeter
