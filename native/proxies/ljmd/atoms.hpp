// The atoms of one rank and the images of others' atoms around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/common/lanes.hpp"

namespace machmeter::proxies::ljmd {

// Own atoms first, then images. The fourth component of a position is the atom's number, that of a
// force the atom's potential energy.
struct Atoms {
    std::vector<Lanes> position;
    std::vector<Lanes> velocity;
    std::vector<Lanes> force;
    std::size_t own = 0;

    [[nodiscard]] std::size_t all() const { return position.size(); }
    [[nodiscard]] std::uint64_t number(std::size_t i) const {
        return static_cast<std::uint64_t>(position[i][3]);
    }
};

}  // namespace machmeter::proxies::ljmd
