// Two ranks as a team, over messages between them alone: they sample in step while other pairs do
// the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "core/session/team.hpp"
#include "patterns/pair.hpp"

namespace machmeter {

template <Transport T>
class TwoRankTeam {
   public:
    TwoRankTeam(T& transport, const End& end) : transport_(transport), end_(end) {}

    void barrier() { machmeter::barrier(transport_, end_); }

    // The first end's value.
    double broadcast(double value) {
        std::array<std::byte, sizeof value> bytes{};
        if (end_.first) {
            std::memcpy(bytes.data(), &value, sizeof value);
            transport_.send(end_.peer, bytes.data(), bytes.size());
        } else {
            transport_.receive(end_.peer, bytes.data(), bytes.size());
            std::memcpy(&value, bytes.data(), sizeof value);
        }
        return value;
    }

    // Whether it is true on both ends, for the first end.
    bool both(bool mine) {
        std::array<std::byte, 1> answer{};
        if (end_.first) {
            transport_.receive(end_.peer, answer.data(), answer.size());
            return mine && answer[0] != std::byte{0};
        }
        answer[0] = mine ? std::byte{1} : std::byte{0};
        transport_.send(end_.peer, answer.data(), answer.size());
        return mine;
    }

   private:
    T& transport_;
    End end_;
};

}  // namespace machmeter
