// Particles that left their domain go to one of the eight around it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <vector>

#include "proxies/beampic/domain.hpp"
#include "proxies/beampic/particles.hpp"
#include "proxies/beampic/push.hpp"
#include "proxies/common/ranks.hpp"

namespace machmeter::proxies::beampic {

template <class Ranks>
class Migration {
   public:
    Migration(Ranks& ranks, const Domain& domain) : ranks_(ranks), bounds_(domain) {
        for (int z = -1; z <= 1; ++z) {
            for (int y = -1; y <= 1; ++y) {
                const int rank = domain.neighbor_within({y, z});
                if (rank >= 0 && rank != ranks.rank()) {
                    peers_.push_back({rank, y, z, {}, {}, 0, 0});
                }
            }
        }
    }

    // `gone`: numbers of those that left, in ascending order, by thread.
    void migrate(Particles& particles, const std::vector<std::vector<std::int64_t>>& gone) {
        if (peers_.empty()) {
            return;
        }
        take_out(particles, gone);
        count();
        std::vector<Exchange<double>> messages;
        for (Peer& peer : peers_) {
            peer.in.resize(peer.arriving);
            messages.push_back({peer.rank, peer.out, peer.rank, peer.in});
        }
        ranks_.template exchange_all<double>(messages);
        for (const Peer& peer : peers_) {
            put_in(particles, peer.in);
        }
    }

   private:
    struct Peer {
        int rank;
        int away_y;
        int away_z;
        std::vector<double> out;
        std::vector<double> in;
        std::uint64_t leaving;
        std::uint64_t arriving;
    };

    // Holes are closed by the last particles.
    void take_out(Particles& particles, const std::vector<std::vector<std::int64_t>>& gone) {
        for (Peer& peer : peers_) {
            peer.out.clear();
        }
        std::int64_t count = particles.count();
        for (const auto& of_thread : std::ranges::reverse_view(gone)) {
            for (const std::int64_t i : std::ranges::reverse_view(of_thread)) {
                const Particle one = particles.at(i);
                const int away_y = bounds_.away_y(one[1]);
                const int away_z = bounds_.away_z(one[2]);
                const auto peer = std::ranges::find_if(peers_, [&](const Peer& other) {
                    return other.away_y == away_y && other.away_z == away_z;
                });
                if (peer != peers_.end()) {
                    peer->out.insert(peer->out.end(), one.begin(), one.end());
                    particles.put(i, particles.at(--count));
                }
            }
        }
        particles.resize(count);
    }

    void count() {
        std::vector<Exchange<std::uint64_t>> messages;
        for (Peer& peer : peers_) {
            peer.leaving = peer.out.size();
            messages.push_back({peer.rank, {&peer.leaving, 1}, peer.rank, {&peer.arriving, 1}});
        }
        ranks_.template exchange_all<std::uint64_t>(messages);
    }

    static void put_in(Particles& particles, const std::vector<double>& arriving) {
        const std::int64_t before = particles.count();
        const auto more = static_cast<std::int64_t>(arriving.size() / columns);
        particles.resize(before + more);
        for (std::int64_t i = 0; i < more; ++i) {
            Particle one{};
            std::copy_n(arriving.begin() + i * static_cast<std::int64_t>(columns), columns,
                        one.begin());
            particles.put(before + i, one);
        }
    }

    Ranks& ranks_;
    Bounds bounds_;
    std::vector<Peer> peers_;
};

}  // namespace machmeter::proxies::beampic
