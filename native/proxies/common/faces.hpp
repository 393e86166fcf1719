// Values that ranks exchange with their neighbors again and again, by messages of the same size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "proxies/common/ranks.hpp"

namespace machmeter::proxies {

// Side: what tells one face from another.
template <class Ranks, class Side>
class Faces {
   public:
    explicit Faces(Ranks& ranks) : ranks_(ranks) {}

    // So many values go `to` one rank, so many come `from` one.
    void add(const Side& side, int to, std::int64_t out, int from, std::int64_t in) {
        faces_.push_back({side, to, std::vector<double>(static_cast<std::size_t>(out)), from,
                          std::vector<double>(static_cast<std::size_t>(in))});
    }
    void add(const Side& side, int peer, std::int64_t count) {
        add(side, peer, count, peer, count);
    }

    [[nodiscard]] bool empty() const { return faces_.empty(); }

    // All at once: `pack(side, values)` writes what goes, `unpack(side, values)` reads what came.
    template <class Pack, class Unpack>
    void exchange(Pack&& pack, Unpack&& unpack) {
        messages_.clear();
        for (Face& face : faces_) {
            pack(std::as_const(face.side), face.out.data());
            messages_.push_back({face.to, face.out, face.from, face.in});
        }
        ranks_.template exchange_all<double>(messages_);
        for (const Face& face : faces_) {
            unpack(face.side, face.in.data());
        }
    }

   private:
    struct Face {
        Side side;
        int to;
        std::vector<double> out;
        int from;
        std::vector<double> in;
    };

    Ranks& ranks_;
    std::vector<Face> faces_;
    std::vector<Exchange<double>> messages_;
};

}  // namespace machmeter::proxies
