// The layer around each box, from the boxes beside it: those of other ranks by one message for each
// rank, as AMReX packs them (Zhang et al., J. Open Source Softw. 4, 2019). Periodic along x and y;
// at the walls in z the layer mirrors the cells inside.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/common/ranks.hpp"
#include "proxies/lowmach/boxes.hpp"
#include "proxies/lowmach/curve.hpp"

namespace machmeter::proxies::lowmach {

// sides: six neighbors, for 7-point stencils; all: 26.
enum class Reach : std::uint8_t { sides, all };

// A part of the layer around a box, on the side `direction`.
struct Part {
    std::array<int, 3> direction{};
    // Along z from the box's own layer of boxes.
    bool mirrored = false;

    // Found once for all: the same cells in the same order on both ranks.
    [[nodiscard]] int code() const {
        return (direction[0] + 1) + 3 * (direction[1] + 1) + 9 * (direction[2] + 1);
    }
    [[nodiscard]] std::size_t thin() const {
        return direction[0] != 0 ? 0 : direction[1] != 0 ? 1 : 2;
    }
    [[nodiscard]] std::int64_t extent(std::size_t d, std::int64_t edge) const {
        return direction[d] == 0 ? edge : 1;
    }
    [[nodiscard]] std::int64_t cells(std::int64_t edge) const {
        return extent(0, edge) * extent(1, edge) * extent(2, edge);
    }
    // In the box whose layer it is.
    [[nodiscard]] std::int64_t begin(const Boxes& boxes, std::int64_t box) const {
        Place low{};
        for (std::size_t d = 0; d < 3; ++d) {
            low[d] = direction[d] < 0 ? -1 : direction[d] > 0 ? boxes.edge : 0;
        }
        return boxes.at(box, low[0], low[1], low[2]);
    }
    // In the box that owns the cells.
    [[nodiscard]] std::int64_t source(const Boxes& boxes, std::int64_t box) const {
        Place low{};
        for (std::size_t d = 0; d < 3; ++d) {
            const bool is_last = (direction[d] < 0) != (d == 2 && mirrored);
            low[d] = direction[d] != 0 && is_last ? boxes.edge - 1 : 0;
        }
        return boxes.at(box, low[0], low[1], low[2]);
    }
};

// `body(offset, number)` for each cell of a part.
template <class Body>
void for_cells(const Part& part, const Boxes& boxes, Body&& body) {
    const std::size_t inner = part.thin() == 0 ? 1 : 0;
    const std::size_t outer = part.thin() == 2 ? 1 : 2;
    const std::int64_t length = part.extent(inner, boxes.edge);
    const std::int64_t rows = part.extent(outer, boxes.edge);
    const std::int64_t step = boxes.step(inner);
    for (std::int64_t o = 0; o < rows; ++o) {
        const std::int64_t begin = o * boxes.step(outer);
        if (step == 1) {
#pragma omp simd
            for (std::int64_t i = 0; i < length; ++i) {
                body(begin + i, o * length + i);
            }
        } else {
            for (std::int64_t i = 0; i < length; ++i) {
                body(begin + i * step, o * length + i);
            }
        }
    }
}

template <class Ranks>
class Ghosts {
   public:
    // `most_edge`, `most_fields`: of the largest fill.
    Ghosts(Ranks& ranks, Phases& phases, const Curve& curve, Reach reach, std::int64_t most_edge,
           std::size_t most_fields)
        : ranks_(ranks), phases_(phases), curve_(curve), first_(curve.first(ranks.rank())) {
        for (std::int64_t number = first_; number < curve.first(ranks.rank() + 1); ++number) {
            plan_box(number, reach);
        }
        for (auto& [rank, peer] : peers_) {
            peer.out.arrange(most_edge, most_fields);
            peer.in.arrange(most_edge, most_fields);
        }
    }

    // The layers around all boxes of these fields become what their owners have there.
    void fill(const Boxes& boxes, std::span<double* const> fields) {
        if (!peers_.empty()) {
            const auto span = phases_.in(Phase::halo);
            exchange(boxes, fields);
        }
        const auto span = phases_.in(Phase::compute);
        const auto count = static_cast<std::int64_t>(copies_.size());
#pragma omp parallel for schedule(static) if (boxes.is_worth_a_team())
        for (std::int64_t c = 0; c < count; ++c) {
            const Copy& copy = copies_[static_cast<std::size_t>(c)];
            for (double* const values : fields) {
                double* const to = values + copy.part.begin(boxes, copy.to);
                const double* const from = values + copy.part.source(boxes, copy.from);
                for_cells(copy.part, boxes, [=](std::int64_t offset, std::int64_t /*n*/) {
                    to[offset] = from[offset];
                });
            }
        }
    }
    void fill(const Boxes& boxes, const Field& field) {
        double* const values = field.data();
        fill(boxes, {&values, 1});
    }

   private:
    struct Copy {
        std::int64_t from = 0;
        std::int64_t to = 0;
        Part part;
    };
    // A part in a message. Cells before it there: a face has edge^2, an edge `edge`, a corner 1.
    struct Item {
        std::int64_t box = 0;
        std::int64_t key = 0;
        Part part;
        std::array<std::int64_t, 3> before{};

        [[nodiscard]] std::int64_t offset(std::int64_t edge) const {
            return (before[0] * edge + before[1]) * edge + before[2];
        }
    };
    struct Message {
        std::vector<Item> items;
        std::vector<double> values;
        std::array<std::int64_t, 3> total{};

        [[nodiscard]] std::int64_t cells(std::int64_t edge) const {
            return (total[0] * edge + total[1]) * edge + total[2];
        }
        void arrange(std::int64_t most_edge, std::size_t most_fields) {
            std::sort(items.begin(), items.end(),
                      [](const Item& a, const Item& b) { return a.key < b.key; });
            for (Item& item : items) {
                item.before = total;
                const auto& d = item.part.direction;
                total[static_cast<std::size_t>(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - 1)] += 1;
            }
            values.resize(static_cast<std::size_t>(cells(most_edge)) * most_fields);
        }
    };
    struct Peer {
        Message out;
        Message in;
    };

    static bool within(Reach reach, int x, int y, int z) {
        const int distance = x * x + y * y + z * z;
        return distance == 1 || (reach == Reach::all && distance > 1);
    }

    void plan_box(std::int64_t number, Reach reach) {
        const Place place = curve_.place(number);
        for (int z = -1; z <= 1; ++z) {
            for (int y = -1; y <= 1; ++y) {
                for (int x = -1; x <= 1; ++x) {
                    if (within(reach, x, y, z)) {
                        plan_receive(number, place, {x, y, z});
                        plan_sends(number, place, {x, y, z});
                    }
                }
            }
        }
    }

    [[nodiscard]] bool is_beyond_wall(std::int64_t z) const { return z < 0 || z >= curve_.edge; }
    [[nodiscard]] std::int64_t number_at(const Place& from, std::int64_t x, std::int64_t y,
                                         std::int64_t z) const {
        return curve_.number({(from[0] + x + curve_.edge) % curve_.edge,
                              (from[1] + y + curve_.edge) % curve_.edge, from[2] + z});
    }

    void plan_receive(std::int64_t number, const Place& place, std::array<int, 3> side) {
        const bool mirrored = is_beyond_wall(place[2] + side[2]);
        const std::int64_t source = number_at(place, side[0], side[1], mirrored ? 0 : side[2]);
        const int owner = curve_.owner(source);
        const Part part{side, mirrored};
        if (owner == ranks_.rank()) {
            copies_.push_back({source - first_, number - first_, part});
        } else {
            peers_[owner].in.items.push_back({number - first_, key_of(number, part), part, {}});
        }
    }

    // To the box whose layer on that side has cells of this one: directly, or mirrored at a wall.
    void plan_sends(std::int64_t number, const Place& place, std::array<int, 3> side) {
        const auto plan = [&](std::int64_t target, const Part& part) {
            const int owner = curve_.owner(target);
            if (owner != ranks_.rank()) {
                peers_[owner].out.items.push_back(
                    {number - first_, key_of(target, part), part, {}});
            }
        };
        if (!is_beyond_wall(place[2] - side[2])) {
            plan(number_at(place, -side[0], -side[1], -side[2]), {side, false});
        }
        if (is_beyond_wall(place[2] + side[2])) {
            plan(number_at(place, -side[0], -side[1], 0), {side, true});
        }
    }

    // The same on both ranks: by the box whose layer it is, and where in it.
    [[nodiscard]] static std::int64_t key_of(std::int64_t number, const Part& part) {
        constexpr std::int64_t codes = 27;
        return number * codes + part.code();
    }

    void exchange(const Boxes& boxes, std::span<double* const> fields) {
        messages_.clear();
        for (auto& [rank, peer] : peers_) {
            each_item(peer.out, boxes, fields,
                      [&](const Item& item, double* packed, const double* values) {
                          const double* const from = values + item.part.source(boxes, item.box);
                          for_cells(item.part, boxes, [=](std::int64_t offset, std::int64_t n) {
                              packed[n] = from[offset];
                          });
                      });
            const auto out = static_cast<std::size_t>(peer.out.cells(boxes.edge));
            const auto in = static_cast<std::size_t>(peer.in.cells(boxes.edge));
            messages_.push_back({rank,
                                 {peer.out.values.data(), out * fields.size()},
                                 rank,
                                 {peer.in.values.data(), in * fields.size()}});
        }
        ranks_.template exchange_all<double>(messages_);
        for (auto& [rank, peer] : peers_) {
            each_item(peer.in, boxes, fields,
                      [&](const Item& item, const double* packed, double* values) {
                          double* const to = values + item.part.begin(boxes, item.box);
                          for_cells(item.part, boxes, [=](std::int64_t offset, std::int64_t n) {
                              to[offset] = packed[n];
                          });
                      });
        }
    }

    // `copy(item, its place in the message, field)` for each item and field.
    template <class CopyOne>
    static void each_item(Message& message, const Boxes& boxes, std::span<double* const> fields,
                          CopyOne&& copy) {
        const auto count = static_cast<std::int64_t>(message.items.size());
        const std::int64_t cells = message.cells(boxes.edge);
#pragma omp parallel for schedule(static) if (boxes.is_worth_a_team())
        for (std::int64_t i = 0; i < count; ++i) {
            const Item& item = message.items[static_cast<std::size_t>(i)];
            double* packed = message.values.data() + item.offset(boxes.edge);
            for (double* const values : fields) {
                copy(item, packed, values);
                packed += cells;
            }
        }
    }

    Ranks& ranks_;
    Phases& phases_;
    Curve curve_;
    std::int64_t first_;
    std::vector<Copy> copies_;
    std::map<int, Peer> peers_;
    std::vector<Exchange<double>> messages_;
};

}  // namespace machmeter::proxies::lowmach
