// The ranks of a launch as one team: what a session needs of a communication library.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace machmeter {

// Enough to sample in step: `broadcast` gives every rank the root's value.
template <class T>
concept SteppingTeam = requires(T& team, double value) {
    team.barrier();
    { team.broadcast(value) } -> std::convertible_to<double>;
};

// Rank 0 is the root. `gather` gives it every rank's values, as many each, in rank order; the
// others get nothing.
template <class T>
concept GatheringTeam = SteppingTeam<T> && requires(T& team, const std::vector<double>& values) {
    { team.is_root() } -> std::convertible_to<bool>;
    { team.gather(values) } -> std::convertible_to<std::vector<std::vector<double>>>;
};

// Collective calls, which all ranks make together. all: whether true on every rank; smallest,
// largest: of all ranks, on every rank; gather_everywhere: every rank's value in rank order, on
// every rank; join: all texts that are not empty in rank order with commas between, at the root,
// else empty.
template <class T>
concept Team = GatheringTeam<T> && requires(T& team, double value, std::uint64_t count, bool mine,
                                            const std::string& text) {
    { team.rank() } -> std::convertible_to<int>;
    { team.size() } -> std::convertible_to<int>;
    { team.all(mine) } -> std::convertible_to<bool>;
    { team.smallest(count) } -> std::convertible_to<std::uint64_t>;
    { team.largest(value) } -> std::convertible_to<double>;
    { team.gather_everywhere(count) } -> std::convertible_to<std::vector<std::uint64_t>>;
    { team.join(text) } -> std::convertible_to<std::string>;
};

// One process by itself.
class SingleTeam {
   public:
    static int rank() { return 0; }
    static int size() { return 1; }
    static bool is_root() { return true; }
    static void barrier() {}
    static double broadcast(double value) { return value; }
    static bool all(bool mine) { return mine; }
    static std::uint64_t smallest(std::uint64_t value) { return value; }
    static double largest(double value) { return value; }
    static std::vector<std::vector<double>> gather(const std::vector<double>& mine) {
        return {mine};
    }
    static std::vector<std::uint64_t> gather_everywhere(std::uint64_t mine) { return {mine}; }
    static std::string join(const std::string& mine) { return mine; }
};

static_assert(Team<SingleTeam>);

// A count that every rank takes from the root.
template <SteppingTeam T>
std::uint64_t broadcast_count(T& team, std::uint64_t count) {
    return static_cast<std::uint64_t>(team.broadcast(static_cast<double>(count)));
}

// A decision that every rank takes from the root.
template <SteppingTeam T>
bool broadcast_decision(T& team, bool decision) {
    return team.broadcast(decision ? 1 : 0) != 0;
}

}  // namespace machmeter
