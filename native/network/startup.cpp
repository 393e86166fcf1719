// network.startup: time of MPI_Init_thread, time of the first message with every peer, and the
// memory of a rank before and after it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/host/memory_size.hpp"
#include "core/memory/memory.hpp"
#include "mpi/runtime.hpp"
#include "network/points.hpp"
#include "patterns/every_peer.hpp"
#include "patterns/message_data.hpp"

namespace machmeter {
namespace {

// Places for the first messages of all peers, or of the last of them where they are many.
constexpr std::size_t most_place_bytes = std::size_t{64} * 1024 * 1024;

std::size_t places_for(std::size_t bytes, int ranks) {
    return std::clamp<std::size_t>(most_place_bytes / (bytes + guard_bytes), 1,
                                   static_cast<std::size_t>(ranks - 1));
}

// Bytes of the buffers: the message to send and those to receive.
double buffer_bytes(std::size_t bytes, int ranks) {
    return static_cast<double>(1 + places_for(bytes, ranks)) *
           static_cast<double>(bytes + guard_bytes);
}

// The message that this rank sends to all peers, and those that it receives, one a peer; touched.
class Places {
   public:
    Places(std::size_t bytes, int ranks, std::size_t page_bytes, const MessageName& name)
        : bytes_(bytes),
          count_(places_for(bytes, ranks)),
          out_(bytes + guard_bytes, page_bytes),
          in_(count_ * (bytes + guard_bytes), page_bytes) {
        fill_message(out(), name);
        for (std::size_t place = 0; place < count_; ++place) {
            prepare_receive(at(place), bytes_);
        }
    }

    [[nodiscard]] std::byte* of_step(int step) const {
        return at(static_cast<std::size_t>(step - 1) % count_);
    }
    [[nodiscard]] std::byte* out() const { return out_.as<std::byte>(); }
    [[nodiscard]] std::size_t page_bytes() const { return describe({&out_, &in_}).page_bytes; }
    [[nodiscard]] std::size_t count() const { return count_; }

    // Whether those of the last steps hold what their senders sent.
    [[nodiscard]] bool right(std::uint64_t seed, int rank, int ranks) const {
        bool right = true;
        for (int step = ranks - static_cast<int>(count_); step < ranks; ++step) {
            const auto sender =
                static_cast<std::uint64_t>(partners_in_step(rank, ranks, step).from);
            right = right && message_is_right(of_step(step), {seed, bytes_, sender, 0}) &&
                    guard_is_whole(of_step(step), bytes_);
        }
        return right;
    }

   private:
    [[nodiscard]] std::byte* at(std::size_t place) const {
        return in_.as<std::byte>() + place * (bytes_ + guard_bytes);
    }

    std::size_t bytes_;
    std::size_t count_;
    Memory out_;
    Memory in_;
};

// What the process holds without the buffers of this benchmark: as much as before they were made,
// and what the contact added after they were touched.
std::uint64_t without_buffers(std::uint64_t before, std::uint64_t touched, std::uint64_t after) {
    return before + (after > touched ? after - touched : 0);
}

// What one rank saw; all ranks fill the same members.
struct Contact {
    double seconds = 0;
    ProcessMemory memory;
    bool right = false;
    std::size_t page_bytes = 0;
    std::size_t checked = 0;
};

Contact contact(MpiSession& session, std::size_t bytes) {
    const MpiTeam& team = session.team();
    const ProcessMemory before = process_memory();
    const Places places(bytes, team.size(), session.page_bytes(),
                        {session.seed(), bytes, static_cast<std::uint64_t>(team.rank()), 0});
    const ProcessMemory touched = process_memory();
    auto event = session.event([&](std::uint64_t /*once*/) {
        contact_everybody(session.transport(), team.rank(), team.size(), places.out(), bytes,
                          [&](int step) { return places.of_step(step); });
    });
    team.barrier();
    Contact seen;
    seen.seconds = event(1);
    const ProcessMemory after = process_memory();
    seen.memory = {without_buffers(before.resident, touched.resident, after.resident),
                   without_buffers(before.shared, touched.shared, after.shared)};
    session.add_timed(seen.seconds);
    seen.right = team.all(places.right(session.seed(), team.rank(), team.size()));
    seen.page_bytes = places.page_bytes();
    seen.checked = places.count();
    return seen;
}

// The largest of all ranks, number by number, at the root; zeros elsewhere.
template <std::size_t count>
std::array<double, count> largest_of_ranks(const MpiTeam& team,
                                           const std::array<double, count>& mine) {
    std::array<double, count> largest{};
    for (const std::vector<double>& row : team.gather({mine.begin(), mine.end()})) {
        std::transform(row.begin(), row.end(), largest.begin(), largest.begin(),
                       [](double one, double other) { return std::max(one, other); });
    }
    return largest;
}

PointResult measure(MpiSession& session, const Parameters& point, bool first_of_launch) {
    const std::size_t bytes = point.count("size");
    const MpiTeam& team = session.team();
    const MpiRuntime::StartUp& startup = session.runtime().startup();
    const Contact seen = contact(session, bytes);
    const auto [init, contact_seconds, resident, shared, after_init, before_init] =
        largest_of_ranks<6>(
            team,
            {startup.init_seconds, seen.seconds, static_cast<double>(seen.memory.resident),
             static_cast<double>(seen.memory.shared), static_cast<double>(startup.after.resident),
             static_cast<double>(startup.before.resident)});
    PointResult result(point);
    result.add_series("init", {init});
    // The first contact happens only once in a launch.
    if (first_of_launch) {
        result.add_series("contact", {contact_seconds});
    }
    result.check(seen.right, "every rank received the bytes of " + std::to_string(seen.checked) +
                                 " of its peers and nothing behind them");
    result.quantity("ranks", team.size())
        .quantity("bytes", bytes)
        .quantity("memory_bytes", resident)
        .quantity("memory_shared_bytes", shared)
        .quantity("memory_before_contact_bytes", after_init)
        .quantity("memory_before_init_bytes", before_init);
    result.attribute("init", "MPI_Init_thread, on the rank where it took longest")
        .attribute("contact",
                   "one message to and one from every peer in turn, on the slowest rank; some "
                   "ranks already communicated when the launch began")
        .attribute("memory",
                   "VmRSS of /proc/self/status, of the rank that has most: right after "
                   "MPI_Init_thread, and after the contact without machmeter's message buffers");
    result.page_bytes = team.smallest(seen.page_bytes);
    return result;
}

void run_startup(MpiSession& session) {
    const MpiTeam& team = session.team();
    const NodeMemory available(team);
    std::vector<std::string> lacking;
    for (const Parameters& point : session.points()) {
        lacking.push_back(available.why_not(buffer_bytes(point.count("size"), team.size())));
    }
    bool contacted = false;
    record_each(session, lacking, [&](const Parameters& point) {
        return measure(session, point, !std::exchange(contacted, true));
    });
}

const RegisterMpiBenchmark registered({"network.startup", {"size"}, &run_startup, any_ranks});

}  // namespace
}  // namespace machmeter
