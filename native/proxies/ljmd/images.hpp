// What ranks tell each other: atoms that change their brick, and images of those near its faces.
// One dimension after the other, so that edges and corners arrive by way of faces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proxies/common/bricks.hpp"
#include "proxies/common/lanes.hpp"
#include "proxies/ljmd/atoms.hpp"
#include "proxies/ljmd/lattice.hpp"

namespace machmeter::proxies::ljmd {

template <class Ranks>
class Images {
   public:
    Images(Ranks& ranks, const Brick& brick) : ranks_(ranks), brick_(brick) {}

    // Atoms go to the brick that they are in; none moves farther than a neighbor between two lists.
    void migrate(Atoms& atoms) {
        atoms.position.resize(atoms.own);
        for (std::size_t d = 0; d < 3; ++d) {
            for (const int step : {-1, 1}) {
                send_leaving(atoms, d, step);
            }
        }
        atoms.own = atoms.position.size();
        atoms.force.resize(atoms.own);
    }

    // Chooses who is an image where, until atoms migrate again, and sends all of them.
    void choose(Atoms& atoms) {
        std::size_t leg = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const std::size_t known = atoms.position.size();
            for (const int step : {-1, 1}) {
                Leg& one = legs_[leg++];
                one.dimension = d;
                one.step = step;
                choose_leg(one, atoms, known);
                move<lane_count>(one, atoms);
            }
        }
    }

    // Sends the positions of the chosen again.
    void update(Atoms& atoms) {
        for (Leg& leg : legs_) {
            move<3>(leg, atoms);
        }
    }

   private:
    // The messages to the neighbor on one side, and from that on the other.
    struct Leg {
        std::size_t dimension = 0;
        int step = 1;
        std::vector<std::uint32_t> chosen;
        std::size_t first = 0;
        std::size_t count = 0;
    };

    void send_leaving(Atoms& atoms, std::size_t d, int step) {
        if (brick_.ranks[d] == 1) {
            wrap(atoms, d);
            return;
        }
        const double border = step < 0 ? brick_.low(d) : brick_.high(d);
        leaving_.clear();
        for (std::size_t i = 0; i < atoms.position.size();) {
            const double at = atoms.position[i][static_cast<int>(d)];
            if (step < 0 ? at >= border : at < border) {
                ++i;
                continue;
            }
            Lanes moved = atoms.position[i];
            moved[static_cast<int>(d)] = at + brick_.shift(d, step);
            leaving_.push_back(moved);
            leaving_.push_back(atoms.velocity[i]);
            atoms.position[i] = atoms.position.back();
            atoms.velocity[i] = atoms.velocity.back();
            atoms.position.pop_back();
            atoms.velocity.pop_back();
        }
        const int to = brick_.neighbor(d, step);
        const int from = brick_.neighbor(d, -step);
        arriving_.resize(ranks_.exchange_count(to, leaving_.size(), from));
        ranks_.template exchange<Lanes>(to, leaving_, from, arriving_);
        for (std::size_t i = 0; i < arriving_.size(); i += 2) {
            atoms.position.push_back(arriving_[i]);
            atoms.velocity.push_back(arriving_[i + 1]);
        }
    }

    void wrap(Atoms& atoms, std::size_t d) const {
        const int component = static_cast<int>(d);
        for (Lanes& position : atoms.position) {
            if (position[component] < 0) {
                position[component] += brick_.box[d];
            } else if (position[component] >= brick_.box[d]) {
                position[component] -= brick_.box[d];
            }
        }
    }

    void choose_leg(Leg& leg, Atoms& atoms, std::size_t known) {
        const std::size_t d = leg.dimension;
        const double low = brick_.low(d) + reach;
        const double high = brick_.high(d) - reach;
        leg.chosen.clear();
        for (std::size_t i = 0; i < known; ++i) {
            const double at = atoms.position[i][static_cast<int>(d)];
            if (leg.step < 0 ? at < low : at >= high) {
                leg.chosen.push_back(static_cast<std::uint32_t>(i));
            }
        }
        leg.first = atoms.position.size();
        leg.count = ranks_.exchange_count(brick_.neighbor(d, leg.step), leg.chosen.size(),
                                          brick_.neighbor(d, -leg.step));
        atoms.position.resize(leg.first + leg.count);
    }

    // So many components of each position: three, or its atom's number too.
    template <std::size_t components>
    void move(Leg& leg, Atoms& atoms) {
        const auto d = static_cast<int>(leg.dimension);
        const double shift = brick_.shift(leg.dimension, leg.step);
        out_.resize(leg.chosen.size() * components);
        in_.resize(leg.count * components);
#pragma omp parallel for schedule(static)
        for (std::size_t k = 0; k < leg.chosen.size(); ++k) {
            Lanes position = atoms.position[leg.chosen[k]];
            position[d] += shift;
            for (std::size_t c = 0; c < components; ++c) {
                out_[k * components + c] = position[static_cast<int>(c)];
            }
        }
        ranks_.template exchange<double>(brick_.neighbor(leg.dimension, leg.step), out_,
                                         brick_.neighbor(leg.dimension, -leg.step), in_);
#pragma omp parallel for schedule(static)
        for (std::size_t k = 0; k < leg.count; ++k) {
            Lanes& image = atoms.position[leg.first + k];
            for (std::size_t c = 0; c < components; ++c) {
                image[static_cast<int>(c)] = in_[k * components + c];
            }
        }
    }

    Ranks& ranks_;
    Brick brick_;
    std::array<Leg, 6> legs_;
    std::vector<Lanes> leaving_;
    std::vector<Lanes> arriving_;
    std::vector<double> out_;
    std::vector<double> in_;
};

}  // namespace machmeter::proxies::ljmd
