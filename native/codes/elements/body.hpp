// A free body of elements that moves: central differences with lumped mass.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "codes/common/touch.hpp"
#include "codes/elements/scatter.hpp"
#include "core/memory/memory.hpp"

namespace machmeter::elements {

// Of the time that a wave takes through an element, about a fifth.
inline constexpr double time_step = 0.1;

// Waves of compression and of shear, whose strains are a few percent.
inline Lanes start_velocity(const Place& at) {
    constexpr double speed = 0.05;
    const auto wave = [](std::size_t along, double phase) {
        return speed * std::sin(2 * 3.14159265358979 / 9 * static_cast<double>(along) + phase);
    };
    return Lanes{wave(at[0], 0) + wave(at[1], 1), wave(at[1], 2) + wave(at[2], 3),
                 wave(at[2], 4) + wave(at[0], 5), 0};
}

class Body {
   public:
    // costly: percent of the elements that have layers, the last ones.
    Body(const Mesh& mesh, Scatter scatter, std::size_t costly, codes::Touch touch,
         std::size_t page_bytes, int threads)
        : mesh_(mesh),
          threads_(threads),
          first_layered_(mesh.blocks() - mesh.blocks() * costly / 100),
          blocks_(mesh.blocks() * sizeof(Block), page_bytes),
          fields_{field(mesh, page_bytes), field(mesh, page_bytes), field(mesh, page_bytes),
                  field(mesh, page_bytes), field(mesh, page_bytes)},
          inverse_mass_(mesh.nodes() * sizeof(double), page_bytes) {
        codes::touch_pages(blocks_, touch, page_bytes, threads);
        codes::touch_pages(inverse_mass_, touch, page_bytes, threads);
        for (const Memory& one : fields_) {
            codes::touch_pages(one, touch, page_bytes, threads);
        }
        make_blocks();
        make_masses();
        switch (scatter) {
            case Scatter::colors:
                scatter_.emplace<ColorScatter>(mesh);
                break;
            case Scatter::corners:
                scatter_.emplace<CornerScatter>(mesh, blocks(), touch, page_bytes, threads);
                break;
            case Scatter::own_arrays:
                scatter_.emplace<OwnArrays>(mesh, page_bytes, threads);
                break;
        }
    }

    static double needed_bytes(const Mesh& mesh, Scatter scatter, int threads) {
        const double added = scatter == Scatter::colors    ? ColorScatter::needed_bytes(mesh)
                             : scatter == Scatter::corners ? CornerScatter::needed_bytes(mesh)
                                                           : OwnArrays::needed_bytes(mesh, threads);
        return static_cast<double>(mesh.blocks() * sizeof(Block) +
                                   mesh.nodes() * (5 * sizeof(Lanes) + sizeof(double))) +
               added;
    }

    [[nodiscard]] const Mesh& mesh() const { return mesh_; }
    [[nodiscard]] int threads() const { return threads_; }
    [[nodiscard]] const Block* blocks() const { return blocks_.as<Block>(); }
    [[nodiscard]] bool layered(std::size_t block) const { return block >= first_layered_; }
    // Of a node.
    [[nodiscard]] Lanes* places() const { return fields_[0].as<Lanes>(); }
    // Half a step before that of the places.
    [[nodiscard]] Lanes* velocities() const { return fields_[1].as<Lanes>(); }
    [[nodiscard]] Lanes* forces() const { return fields_[2].as<Lanes>(); }
    [[nodiscard]] double* inverse_mass() const { return inverse_mass_.as<double>(); }

    void start() {
        const std::size_t count = mesh_.nodes();
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::size_t node = 0; node < count; ++node) {
            places()[node] = fields_[3].as<Lanes>()[node];
            velocities()[node] = fields_[4].as<Lanes>()[node];
        }
    }

    // Of the places as they are.
    void find_forces() {
#pragma omp parallel num_threads(threads_)
        add_forces();
    }

    void run(std::uint64_t steps) {
        const std::size_t count = mesh_.nodes();
#pragma omp parallel num_threads(threads_)
        for (std::uint64_t step = 0; step < steps; ++step) {
            add_forces();
#pragma omp for schedule(static)
            for (std::size_t node = 0; node < count; ++node) {
                velocities()[node] += time_step * inverse_mass()[node] * forces()[node];
                places()[node] += time_step * velocities()[node];
            }
        }
    }

   private:
    static Memory field(const Mesh& mesh, std::size_t page_bytes) {
        return {mesh.nodes() * sizeof(Lanes), page_bytes};
    }

    void make_blocks() {
        const std::size_t count = mesh_.nodes();
#pragma omp parallel num_threads(threads_)
        {
#pragma omp for schedule(static)
            for (std::size_t node = 0; node < count; ++node) {
                fields_[3].as<Lanes>()[node] = mesh_.rest(mesh_.place(node));
                fields_[4].as<Lanes>()[node] = start_velocity(mesh_.place(node));
            }
#pragma omp for schedule(static)
            for (std::size_t number = 0; number < mesh_.blocks(); ++number) {
                Block& block = blocks_.as<Block>()[number];
                for (std::size_t a = 0; a < corners; ++a) {
                    for (std::size_t lane = 0; lane < block_size; ++lane) {
                        Place at = corner_place(mesh_.block_place(number), a);
                        at[0] += lane;
                        block.nodes[a][lane] = static_cast<std::uint32_t>(mesh_.node(at));
                    }
                }
                shape(block, gathered(block, fields_[3].as<Lanes>()));
            }
        }
    }

    // An eighth of each element, of density 1.
    void make_masses() {
        inverse_mass_.fill<double>(0, mesh_.nodes(), [](std::size_t) { return 0.0; });
        for (std::size_t number = 0; number < mesh_.blocks(); ++number) {
            const Block& block = blocks()[number];
            for (const auto& nodes : block.nodes) {
                for (std::size_t lane = 0; lane < block_size; ++lane) {
                    inverse_mass()[nodes[lane]] += block.volume[lane] / corners;
                }
            }
        }
        inverse_mass_.fill<double>(0, mesh_.nodes(),
                                   [this](std::size_t node) { return 1 / inverse_mass()[node]; });
    }

    void add_forces() {
        std::visit(
            [this](const auto& scatter) {
                const auto forces = [this](std::size_t number) {
                    const Block& block = blocks()[number];
                    return forces_of(block, gathered(block, places()), layered(number));
                };
                if constexpr (!std::is_same_v<std::decay_t<decltype(scatter)>, std::monostate>) {
                    scatter.add(blocks(), forces, this->forces(), mesh_.nodes());
                }
            },
            scatter_);
    }

    Mesh mesh_;
    int threads_;
    std::size_t first_layered_;
    Memory blocks_;
    // Places, velocities and forces; places and velocities at the start.
    std::array<Memory, 5> fields_;
    Memory inverse_mass_;
    std::variant<std::monostate, ColorScatter, CornerScatter, OwnArrays> scatter_;
};

}  // namespace machmeter::elements
