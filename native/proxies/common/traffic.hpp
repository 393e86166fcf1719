// What a rank sends, counted by the program itself: messages and bytes by size and by how far apart
// the two ranks' numbers are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/record/point.hpp"

namespace machmeter::proxies {

class Traffic {
   public:
    // halo: with a neighbor, not a part of an operation of all ranks.
    void sent(int from, int to, std::size_t bytes, bool halo = false) {
        const auto distance = static_cast<std::uint64_t>(std::abs(to - from));
        const std::size_t class_of_size = std::min(class_of(bytes), sizes - 1);
        counts_[class_of_size * distances + class_of(distance)] += 1;
        bytes_ += static_cast<double>(bytes);
        halo_ += halo ? 1 : 0;
    }
    void reduced() { reductions_ += 1; }
    // `bytes` of this rank were given to all.
    void gathered(std::size_t bytes) {
        gathers_ += 1;
        gathered_bytes_ += static_cast<double>(bytes);
    }
    void clear() { *this = Traffic(); }

    // Of all ranks: `messages`, `message_bytes`, `reductions`, where there were any `gathers` and
    // `gathered_bytes`, and of the messages `halo_messages` as quantities; as series, by class of
    // size and distance (each from this power of two up to the next, 0 by itself) how many. Every
    // rank calls this; `sum` replaces each value by its sum over all ranks.
    template <class Sum>
    void describe(PointResult& result, Sum&& sum) const {
        std::vector<double> all(counts_.begin(), counts_.end());
        all.push_back(bytes_);
        all.push_back(halo_);
        all.push_back(gathered_bytes_);
        sum(std::span<double>(all));
        std::vector<double> size;
        std::vector<double> distance;
        std::vector<double> count;
        double messages = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            if (all[i] > 0) {
                size.push_back(least_of(i / distances));
                distance.push_back(least_of(i % distances));
                count.push_back(all[i]);
                messages += all[i];
            }
        }
        result.quantity("messages", messages)
            .quantity("message_bytes", all[counts_.size()])
            .quantity("reductions", reductions_);
        if (gathers_ > 0) {
            result.quantity("gathers", gathers_).quantity("gathered_bytes", all.back());
        }
        result.quantity("halo_messages", all[counts_.size() + 1]);
        if (messages > 0) {
            result.add_series("message_size", std::move(size))
                .add_series("message_distance", std::move(distance))
                .add_series("message_count", std::move(count));
        }
    }

   private:
    static constexpr std::size_t sizes = 48;
    static constexpr std::size_t distances = 33;

    // 0 for 0, else 1 + the exponent of the power of two that is not above.
    static std::size_t class_of(std::uint64_t value) {
        return static_cast<std::size_t>(std::bit_width(value));
    }
    static double least_of(std::size_t of) {
        return of == 0 ? 0 : static_cast<double>(std::uint64_t{1} << (of - 1));
    }

    std::array<double, sizes * distances> counts_{};
    double bytes_ = 0;
    double halo_ = 0;
    double reductions_ = 0;
    double gathers_ = 0;
    double gathered_bytes_ = 0;
};

}  // namespace machmeter::proxies
