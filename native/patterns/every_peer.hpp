// Every rank with every other: who sends to whom in which step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "patterns/pair.hpp"

namespace machmeter {

// Whom a rank sends to in a step and receives from: in step s of 1 to ranks - 1, rank r sends to
// r + s and receives from r - s, so that every rank has one partner each way.
struct Partners {
    int to = 0;
    int from = 0;
};

inline Partners partners_in_step(int rank, int ranks, int step) {
    return {(rank + step) % ranks, (rank - step + ranks) % ranks};
}

// `place(step)`, from step 1 on, is where the message of a step is received.
template <Transport T, class Place>
void contact_everybody(T& transport, int rank, int ranks, const std::byte* out, std::size_t bytes,
                       Place&& place) {
    for (int step = 1; step < ranks; ++step) {
        const Partners partners = partners_in_step(rank, ranks, step);
        std::array<typename T::Request, 2> requests{
            transport.start_receive(partners.from, place(step), bytes),
            transport.start_send(partners.to, out, bytes)};
        transport.wait_all(std::span<typename T::Request>(requests));
    }
}

}  // namespace machmeter
