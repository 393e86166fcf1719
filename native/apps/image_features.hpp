// Images as sets of feature vectors, their distances, and the nearest of many; after the retrieval
// engine FIRE (Deselaers, Keysers, Ney, Information Retrieval 11, 2008). No clock here.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/values/random_bits.hpp"

namespace machmeter::retrieval {

inline constexpr std::size_t wanted = 10;

// One image: four features behind each other, as many floats as FIRE's.
struct Features {
    static constexpr std::size_t pixels = 1024;  // thumbnail of 32 x 32
    static constexpr std::size_t colors = 512;   // histogram
    static constexpr std::size_t textures = 256;
    static constexpr std::size_t shapes = 256;

    const float* floats;

    [[nodiscard]] const float* pixel() const { return floats; }
    [[nodiscard]] const float* color() const { return floats + pixels; }
    [[nodiscard]] const float* texture() const { return color() + colors; }
    [[nodiscard]] const float* shape() const { return texture() + textures; }
};

inline constexpr std::size_t image_floats =
    Features::pixels + Features::colors + Features::textures + Features::shapes;

// Adds terms into many sums, and then those: a fixed order, so that two images have the same
// distance on every thread, and one that vector units can use.
template <std::size_t Count, class Term>
float summed(Term&& term) {
    constexpr std::size_t lanes = 32;
    static_assert(Count % lanes == 0);
    std::array<float, lanes> sums{};
    for (std::size_t i = 0; i < Count; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += term(i + lane);
        }
    }
    float all = 0;
    for (const float sum : sums) {
        all += sum;
    }
    return all;
}

template <std::size_t Count>
float squared_distance(const float* x, const float* y) {
    return summed<Count>([=](std::size_t i) { return (x[i] - y[i]) * (x[i] - y[i]); });
}

template <std::size_t Count>
float absolute_distance(const float* x, const float* y) {
    return summed<Count>([=](std::size_t i) { return std::abs(x[i] - y[i]); });
}

// Of histograms without empty bins.
template <std::size_t Count>
float chi_square_distance(const float* x, const float* y) {
    return summed<Count>(
        [=](std::size_t i) { return (x[i] - y[i]) * (x[i] - y[i]) / (x[i] + y[i]); });
}

// Of single precision: difference, square or absolute value, and sum; a histogram's bins have a sum
// and a division more.
inline constexpr double flops_per_distance =
    3.0 * (Features::pixels + Features::textures + Features::shapes) + 5.0 * Features::colors;

// D(Q, X), the weighted sum of the distances of the features. Out of line: the same instructions
// for every caller.
[[gnu::noinline]] inline float image_distance(const Features& query, const Features& image) {
    return 1.0F * squared_distance<Features::pixels>(query.pixel(), image.pixel()) +
           4.0F * chi_square_distance<Features::colors>(query.color(), image.color()) +
           0.5F * absolute_distance<Features::textures>(query.texture(), image.texture()) +
           2.0F * squared_distance<Features::shapes>(query.shape(), image.shape());
}

struct Neighbor {
    float distance = std::numeric_limits<float>::infinity();
    std::uint32_t image = std::numeric_limits<std::uint32_t>::max();

    // Images of the same distance in the order of their numbers.
    [[nodiscard]] bool operator<(const Neighbor& other) const {
        return distance < other.distance || (distance == other.distance && image < other.image);
    }
    [[nodiscard]] bool operator==(const Neighbor&) const = default;
};

// The nearest images seen, nearest first.
class Nearest {
   public:
    void see(const Neighbor& neighbor) {
        if (!(neighbor < best_.back())) {
            return;
        }
        const auto place = std::upper_bound(best_.begin(), best_.end(), neighbor);
        std::move_backward(place, best_.end() - 1, best_.end());
        *place = neighbor;
    }

    void see(const Nearest& other) {
        for (const Neighbor& neighbor : other.best_) {
            see(neighbor);
        }
    }

    [[nodiscard]] const std::array<Neighbor, wanted>& neighbors() const { return best_; }
    [[nodiscard]] bool operator==(const Nearest&) const = default;

   private:
    std::array<Neighbor, wanted> best_{};
};

// Between 0.05 and 1.05: no bin of a histogram is empty.
inline void make_image(std::uint64_t number, float* floats) {
    for (std::size_t i = 0; i < image_floats; ++i) {
        floats[i] = static_cast<float>(0.05 + uniform(number, i));
    }
}

// The image that a query is made from, evenly over the database.
inline std::uint64_t origin_of(std::uint64_t query, std::uint64_t queries, std::uint64_t images) {
    return query * images / queries;
}

// Its origin with some noise: much nearer to it than images are to each other.
inline void make_query(std::uint64_t query, std::uint64_t queries, std::uint64_t images,
                       float* floats) {
    constexpr std::uint64_t first_seed = std::uint64_t{1} << 40U;
    make_image(origin_of(query, queries, images), floats);
    for (std::size_t i = 0; i < image_floats; ++i) {
        floats[i] += static_cast<float>(0.02 * uniform(first_seed + query, i));
    }
}

}  // namespace machmeter::retrieval
