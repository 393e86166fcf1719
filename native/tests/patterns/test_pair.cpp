// The patterns over a transport that writes down the calls it gets, one line an operation.
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "patterns/pair.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

// `send 1 8 @0`: to or from rank 1, 8 bytes, at offset 0 of the data; `token` where it is one.
class Recorder {
   public:
    using Request = std::size_t;

    Recorder(const std::byte* out, const std::byte* in, std::size_t extent)
        : out_(out), in_(in), extent_(extent) {}

    void send(int peer, const std::byte* data, std::size_t bytes) {
        note("send", peer, data, out_, bytes);
    }
    void receive(int peer, std::byte* data, std::size_t bytes) {
        note("receive", peer, data, in_, bytes);
    }
    Request start_send(int peer, const std::byte* data, std::size_t bytes) {
        note("start_send", peer, data, out_, bytes);
        return ++started_;
    }
    Request start_receive(int peer, std::byte* data, std::size_t bytes) {
        note("start_receive", peer, data, in_, bytes);
        return ++started_;
    }
    void wait_all(std::span<Request> requests) {
        std::string line = "wait";
        for (const Request request : requests) {
            line += ' ';
            line += std::to_string(request);
        }
        lines.push_back(line);
    }
    void work() { lines.emplace_back("work"); }

    std::vector<std::string> lines;

   private:
    void note(const std::string& what, int peer, const std::byte* data, const std::byte* origin,
              std::size_t bytes) {
        const std::string head = what + " " + std::to_string(peer) + " ";
        const bool ours = data >= origin && data <= origin + extent_;
        lines.push_back(ours ? head + std::to_string(bytes) + " @" + std::to_string(data - origin)
                             : head + "token " + std::to_string(bytes));
    }

    const std::byte* out_;
    const std::byte* in_;
    std::size_t extent_;
    std::size_t started_ = 0;
};

using Lines = std::vector<std::string>;

constexpr End first{true, 1};
constexpr End second{false, 0};

struct Data {
    std::vector<std::byte> out = std::vector<std::byte>(64);
    std::vector<std::byte> in = std::vector<std::byte>(64);

    [[nodiscard]] Recorder recorder() const { return {out.data(), in.data(), out.size()}; }
    [[nodiscard]] Messages messages(std::size_t bytes, std::size_t stride, std::size_t window) {
        return {out.data(), in.data(), bytes, stride, window};
    }
};

template <class Pattern>
Lines lines_of(Pattern&& pattern) {
    Data data;
    Recorder recorder = data.recorder();
    pattern(recorder, data);
    return recorder.lines;
}

Lines ping_pong_lines(const End& end, std::size_t bytes, std::uint64_t rounds) {
    return lines_of([&](Recorder& recorder, Data& data) {
        ping_pong(recorder, end, data.out.data(), data.in.data(), bytes, rounds);
    });
}

TEST(the_first_end_of_a_ping_pong_sends_first) {
    CHECK(ping_pong_lines(first, 8, 2) ==
          Lines({"send 1 8 @0", "receive 1 8 @0", "send 1 8 @0", "receive 1 8 @0"}));
    CHECK(ping_pong_lines(second, 8, 1) == Lines({"receive 0 8 @0", "send 0 8 @0"}));
}

TEST(ping_pong_of_nothing_still_sends) {
    CHECK(ping_pong_lines(first, 0, 1) == Lines({"send 1 0 @0", "receive 1 0 @0"}));
    CHECK(ping_pong_lines(first, 8, 0).empty());
}

// A way and its places that record their calls: `send a`, `receive 1`, `exchange a 1`.
class WayRecorder {
   public:
    void send(const std::byte* out) { lines.push_back("send " + letter(out)); }
    void receive(std::byte* in) { lines.push_back("receive " + number(in)); }
    void exchange(const std::byte* out, std::byte* in) {
        lines.push_back("exchange " + letter(out) + " " + number(in));
    }
    std::byte* next_out() { return out_.data() + sent_++; }
    std::byte* next_in() { return in_.data() + received_++; }

    Lines lines;

   private:
    [[nodiscard]] std::string letter(const std::byte* out) const {
        return {static_cast<char>('a' + (out - out_.data()))};
    }
    [[nodiscard]] std::string number(const std::byte* in) const {
        return std::to_string(in - in_.data());
    }

    std::array<std::byte, 8> out_{};
    std::array<std::byte, 8> in_{};
    std::size_t sent_ = 0;
    std::size_t received_ = 0;
};

TEST(ping_pong_by_a_way_takes_the_next_place_for_every_message) {
    WayRecorder first_end;
    ping_pong(first_end, true, first_end, 2);
    CHECK(first_end.lines == Lines({"send a", "receive 0", "send b", "receive 1"}));
    WayRecorder second_end;
    ping_pong(second_end, false, second_end, 2);
    CHECK(second_end.lines == Lines({"receive 0", "send a", "receive 1", "send b"}));
}

TEST(ping_ping_exchanges_at_both_ends) {
    WayRecorder end;
    ping_ping(end, end, 2);
    CHECK(end.lines == Lines({"exchange a 0", "exchange b 1"}));
}

TEST(one_place_is_the_next_place_every_time) {
    Data data;
    const OnePlace place{data.out.data(), data.in.data()};
    CHECK(place.next_out() == data.out.data());
    CHECK(place.next_out() == data.out.data());
    CHECK(place.next_in() == data.in.data());
}

Lines one_way_lines(const End& end, std::size_t stride, std::uint64_t windows) {
    return lines_of([&](Recorder& recorder, Data& data) {
        std::vector<std::size_t> requests;
        const Messages messages = data.messages(8, stride, 2);
        window_one_way(recorder, end, messages, requests, windows);
    });
}

TEST(window_one_way_ends_with_a_token_back) {
    CHECK(one_way_lines(first, 0, 1) ==
          Lines({"start_send 1 8 @0", "start_send 1 8 @0", "wait 1 2", "receive 1 token 4"}));
    CHECK(one_way_lines(second, 0, 1) ==
          Lines({"start_receive 0 8 @0", "start_receive 0 8 @0", "wait 1 2", "send 0 token 4"}));
}

TEST(windows_do_not_share_requests) {
    const Lines lines = one_way_lines(first, 0, 2);
    CHECK(lines.size() == 8);
    CHECK(lines[6] == "wait 3 4");
}

TEST(stride_gives_every_message_its_place) {
    const Lines lines = one_way_lines(second, 16, 1);
    CHECK(lines[0] == "start_receive 0 8 @0");
    CHECK(lines[1] == "start_receive 0 8 @16");
}

Lines both_ways_lines(const End& end) {
    return lines_of([&](Recorder& recorder, Data& data) {
        std::vector<std::size_t> requests;
        const Messages messages = data.messages(8, 0, 2);
        window_both_ways(recorder, end, messages, requests, 1);
    });
}

TEST(window_both_ways_posts_receives_before_sends) {
    CHECK(both_ways_lines(first) ==
          Lines({"start_receive 1 8 @0", "start_receive 1 8 @0", "start_send 1 8 @0",
                 "start_send 1 8 @0", "wait 1 2 3 4", "receive 1 token 4", "send 1 token 4"}));
    CHECK(both_ways_lines(second) ==
          Lines({"start_receive 0 8 @0", "start_receive 0 8 @0", "start_send 0 8 @0",
                 "start_send 0 8 @0", "wait 1 2 3 4", "send 0 token 4", "receive 0 token 4"}));
}

TEST(a_barrier_ends_with_the_token_of_the_first_end) {
    const auto lines = [](const End& end) {
        return lines_of([&](Recorder& recorder, Data&) { barrier(recorder, end); });
    };
    CHECK(lines(first) == Lines({"receive 1 token 4", "send 1 token 4"}));
    CHECK(lines(second) == Lines({"send 0 token 4", "receive 0 token 4"}));
}

Lines over_work_lines(const End& end, Side side) {
    return lines_of([&](Recorder& recorder, Data& data) {
        message_over_work(recorder, end, side, data.messages(8, 0, 1), [&] { recorder.work(); });
    });
}

TEST(only_the_first_end_works_and_the_halves_match) {
    CHECK(over_work_lines(first, Side::send) == Lines({"start_send 1 8 @0", "work", "wait 1"}));
    CHECK(over_work_lines(second, Side::send) == Lines({"start_receive 0 8 @0", "wait 1"}));
    CHECK(over_work_lines(first, Side::receive) ==
          Lines({"start_receive 1 8 @0", "work", "wait 1"}));
    CHECK(over_work_lines(second, Side::receive) == Lines({"start_send 0 8 @0", "wait 1"}));
}

}  // namespace
}  // namespace machmeter
