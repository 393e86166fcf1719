// Three ways for threads to add forces of elements to nodes: elements of one color at a time, which
// share no node; forces kept by corner, which each node gathers; or arrays of their own and a sum
// over threads. Called by every thread of a team.
#pragma once

#include <omp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "codes/common/touch.hpp"
#include "codes/elements/block.hpp"
#include "core/memory/memory.hpp"

namespace machmeter::elements {

enum class Scatter { colors, corners, own_arrays };

// Forces of the elements of a block, an element a row.
inline std::array<Lanes, 4> rows_of(const Vector<Lanes>& forces) {
    return proxies::transposed({forces[0], forces[1], forces[2], Lanes{}});
}

inline void add_to_nodes(const Block& block, const Corners& forces, Lanes* nodes) {
    for (std::size_t a = 0; a < corners; ++a) {
        const std::array<Lanes, 4> rows = rows_of(forces[a]);
        for (std::size_t lane = 0; lane < block_size; ++lane) {
            nodes[block.nodes[a][lane]] += rows[lane];
        }
    }
}

class ColorScatter {
   public:
    explicit ColorScatter(const Mesh& mesh) : blocks_(mesh.blocks()) {
        for (std::size_t block = 0; block < mesh.blocks(); ++block) {
            ++begins_[mesh.color(block) + 1];
        }
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        std::array<std::size_t, colors + 1> next = begins_;
        for (std::size_t block = 0; block < mesh.blocks(); ++block) {
            blocks_[next[mesh.color(block)]++] = static_cast<std::uint32_t>(block);
        }
    }

    [[nodiscard]] static double needed_bytes(const Mesh& mesh) {
        return static_cast<double>(mesh.blocks() * sizeof(std::uint32_t));
    }

    template <class ForcesOf>
    void add(const Block* blocks, const ForcesOf& forces_of, Lanes* nodes,
             std::size_t count) const {
#pragma omp for schedule(static)
        for (std::size_t node = 0; node < count; ++node) {
            nodes[node] = Lanes{};
        }
        for (std::size_t color = 0; color < colors; ++color) {
#pragma omp for schedule(static)
            for (std::size_t at = begins_[color]; at < begins_[color + 1]; ++at) {
                add_to_nodes(blocks[blocks_[at]], forces_of(blocks_[at]), nodes);
            }
        }
    }

   private:
    std::vector<std::uint32_t> blocks_;
    std::array<std::size_t, colors + 1> begins_{};
};

class CornerScatter {
   public:
    CornerScatter(const Mesh& mesh, const Block* blocks, codes::Touch touch, std::size_t page_bytes,
                  int threads)
        : forces_(mesh.elements() * corners * sizeof(Lanes), page_bytes),
          begins_(mesh.nodes() + 1),
          places_(mesh.elements() * corners) {
        codes::touch_pages(forces_, touch, page_bytes, threads);
        const auto each_place = [&](auto&& body) {
            for (std::size_t place = 0; place < places_.size(); ++place) {
                const Block& block = blocks[place / block_size / corners];
                body(block.nodes[place / block_size % corners][place % block_size], place);
            }
        };
        each_place([&](std::size_t node, std::size_t) { ++begins_[node + 1]; });
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
        each_place([&](std::size_t node, std::size_t place) {
            places_[next[node]++] = static_cast<std::uint32_t>(place);
        });
    }

    [[nodiscard]] static double needed_bytes(const Mesh& mesh) {
        return static_cast<double>(mesh.elements() * corners *
                                       (sizeof(Lanes) + sizeof(std::uint32_t)) +
                                   mesh.nodes() * sizeof(std::size_t));
    }

    template <class ForcesOf>
    void add(const Block*, const ForcesOf& forces_of, Lanes* nodes, std::size_t count) const {
        auto* const all = forces_.as<std::array<Lanes, block_size>>();
#pragma omp for schedule(static)
        for (std::size_t block = 0; block < places_.size() / corners / block_size; ++block) {
            const Corners forces = forces_of(block);
            for (std::size_t a = 0; a < corners; ++a) {
                all[block * corners + a] = rows_of(forces[a]);
            }
        }
#pragma omp for schedule(static)
        for (std::size_t node = 0; node < count; ++node) {
            Lanes sum{};
            for (std::size_t at = begins_[node]; at < begins_[node + 1]; ++at) {
                sum += forces_.as<Lanes>()[places_[at]];
            }
            nodes[node] = sum;
        }
    }

   private:
    Memory forces_;
    std::vector<std::size_t> begins_;
    std::vector<std::uint32_t> places_;
};

class OwnArrays {
   public:
    OwnArrays(const Mesh& mesh, std::size_t page_bytes, int threads) : blocks_(mesh.blocks()) {
        for (int thread = 0; thread < threads; ++thread) {
            arrays_.emplace_back(mesh.nodes() * sizeof(Lanes), page_bytes);
        }
#pragma omp parallel num_threads(threads)
        own().touch();
    }

    [[nodiscard]] static double needed_bytes(const Mesh& mesh, int threads) {
        return static_cast<double>(mesh.nodes() * sizeof(Lanes)) * threads;
    }

    template <class ForcesOf>
    void add(const Block* blocks, const ForcesOf& forces_of, Lanes* nodes,
             std::size_t count) const {
        Lanes* const sums = own().as<Lanes>();
        for (std::size_t node = 0; node < count; ++node) {
            sums[node] = Lanes{};
        }
#pragma omp for schedule(static)
        for (std::size_t block = 0; block < blocks_; ++block) {
            add_to_nodes(blocks[block], forces_of(block), sums);
        }
#pragma omp for schedule(static)
        for (std::size_t node = 0; node < count; ++node) {
            Lanes sum{};
            for (const Memory& array : arrays_) {
                sum += array.as<Lanes>()[node];
            }
            nodes[node] = sum;
        }
    }

   private:
    [[nodiscard]] const Memory& own() const {
        return arrays_[static_cast<std::size_t>(omp_get_thread_num())];
    }

    std::size_t blocks_;
    std::vector<Memory> arrays_;
};

}  // namespace machmeter::elements
