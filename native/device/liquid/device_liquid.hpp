// A Lennard-Jones liquid in the memory of a device: atoms in cells as wide as pairs reach, a list
// of the neighbors of each atom (each pair twice), velocity Verlet (Swope et al., J. Chem. Phys.
// 76, 1982), as HOOMD-blue does it on GPUs (Anderson et al., J. Comp. Phys. 227, 2008).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/liquid/cases.hpp"
#include "device/memory.hpp"

namespace machmeter::device_liquid {

// Items of a group, and whether neighbors of an atom lie together.
struct Shape {
    std::size_t group_items;
    bool stretches;
};

inline Shape shape_for(const DeviceDescription& device) {
    return device.is_host ? Shape{32, true} : Shape{128, false};
}

inline DeviceHandle compile(Device& device, const Shape& shape, const std::string& text) {
    return device.compile(text, {"LANES=1", "GROUP_ITEMS=" + std::to_string(shape.group_items),
                                 std::string("STRETCHES=") + (shape.stretches ? "1" : "0")});
}

struct Kernels {
    DeviceHandle clear;
    DeviceHandle fill;
    DeviceHandle sort;
    DeviceHandle list;
    DeviceHandle force;
    DeviceHandle drift;
    DeviceHandle kick;
    DeviceHandle moved;

    Kernels(Device& device, DeviceHandle program)
        : clear(device.kernel(program, "liquid_clear")),
          fill(device.kernel(program, "liquid_fill")),
          sort(device.kernel(program, "liquid_sort")),
          list(device.kernel(program, "liquid_list")),
          force(device.kernel(program, "liquid_force")),
          drift(device.kernel(program, "liquid_drift")),
          kick(device.kernel(program, "liquid_kick")),
          moved(device.kernel(program, "liquid_moved")) {}
};

// Cells of a box, and room for what is in each and for neighbors.
struct Rooms {
    std::int32_t along;
    std::int32_t of_cell;
    std::int32_t of_list;

    // No liquid is denser than 1.2 over a sphere of that size; in a cell more atoms may be for a
    // while.
    Rooms(double edge, double reach)
        : along(static_cast<std::int32_t>(edge / reach)),
          of_cell(static_cast<std::int32_t>(16 + 1.5 * std::pow(edge / along, 3))),
          of_list(
              static_cast<std::int32_t>(8 + 1.2 * 4 / 3 * std::numbers::pi * std::pow(reach, 3))) {}

    [[nodiscard]] std::uint64_t cells() const {
        return static_cast<std::uint64_t>(along) * along * along;
    }
};

class DeviceLiquid {
   public:
    // start: of that case, in a cube of this edge, at least three reaches wide.
    DeviceLiquid(Device& device, const Shape& shape, const Kernels& kernels, const Case& of,
                 double edge, const Start& start, std::size_t page_bytes)
        : device_(device),
          shape_(shape),
          kernels_(kernels),
          case_(of),
          edge_(edge),
          atoms_(start.positions.size()),
          rooms_(edge, of.reach()),
          start_(start),
          position_(device, atoms_ * sizeof(Quad), page_bytes),
          velocity_(device, atoms_ * sizeof(Quad), page_bytes),
          force_(device, atoms_ * sizeof(Quad), page_bytes),
          listed_(device, atoms_ * sizeof(Quad), page_bytes),
          counts_(device, rooms_.cells() * word, page_bytes),
          members_(device, rooms_.cells() * room(rooms_.of_cell), page_bytes),
          neighbors_(device, atoms_ * room(rooms_.of_list), page_bytes),
          lengths_(device, atoms_ * word, page_bytes),
          overflows_(device, 2 * word, page_bytes),
          moved_(device, word, page_bytes) {
        // Where a wrong kernel wrote no atom, another then reads the first, and nothing elsewhere.
        for (const DeviceMemory* one : {&members_, &neighbors_}) {
            one->fill<std::int32_t>([](std::size_t) { return 0; });
        }
    }

    // All atoms at the start, with their first forces.
    void reset() {
        position_.fill<Quad>([&](std::size_t i) { return start_.positions[i]; });
        velocity_.fill<Quad>([&](std::size_t i) { return start_.velocities[i]; });
        overflows_.fill<std::int32_t>([](std::size_t) { return 0; });
        steps_ = 0;
        lists_ = 0;
        refresh(0);
    }

    // So many time steps, until the last one has ended. The host waits meanwhile only where a list
    // depends on how far atoms moved.
    void run(std::uint64_t steps) {
        for (std::uint64_t i = 0; i < steps; ++i) {
            over(atoms_, kernels_.drift,
                 {argument(position_.handle()), argument(velocity_.handle()),
                  argument(force_.handle()), argument(ljmd::time_step), argument(atoms_)});
            ++steps_;
            if (steps_ % static_cast<std::uint64_t>(case_.steps_per_list) == 0 &&
                (!case_.if_moved || moved_far())) {
                renew_list();
            }
            compute_forces(0);
            over(atoms_, kernels_.kick,
                 {argument(velocity_.handle()), argument(force_.handle()),
                  argument(ljmd::time_step), argument(atoms_)});
        }
        device_.finish();
    }

    // Forces at the present positions from a list of their own; shift: of the energy of a pair.
    void refresh(double shift) {
        renew_list();
        compute_forces(shift);
        device_.finish();
    }

    [[nodiscard]] const Case& of() const { return case_; }
    [[nodiscard]] double edge() const { return edge_; }
    [[nodiscard]] const Rooms& rooms() const { return rooms_; }
    [[nodiscard]] std::uint64_t atoms() const { return atoms_; }
    // Since the reset.
    [[nodiscard]] std::uint64_t steps() const { return steps_; }
    [[nodiscard]] std::uint64_t lists() const { return lists_; }

    [[nodiscard]] std::vector<Quad> positions() const { return position_.read<Quad>(); }
    [[nodiscard]] std::vector<Quad> velocities() const { return velocity_.read<Quad>(); }
    [[nodiscard]] std::vector<Quad> forces() const { return force_.read<Quad>(); }
    // Of every cell the number of its atoms, and all of these; rooms().of_cell places for each.
    [[nodiscard]] std::vector<std::int32_t> counts() const { return counts_.read<std::int32_t>(); }
    [[nodiscard]] std::vector<std::int32_t> members() const {
        return members_.read<std::int32_t>();
    }
    [[nodiscard]] std::vector<std::int32_t> lengths() const {
        return lengths_.read<std::int32_t>();
    }
    // Since the reset, how often an atom did not fit into its cell, and neighbors into their list.
    [[nodiscard]] std::vector<std::int32_t> overflows() const {
        return overflows_.read<std::int32_t>();
    }
    [[nodiscard]] std::size_t page_bytes() const { return position_.describe().page_bytes; }

   private:
    static constexpr std::size_t word = sizeof(std::int32_t);

    static std::size_t room(std::int32_t places) { return static_cast<std::size_t>(places) * word; }

    void over(std::uint64_t items, DeviceHandle kernel,
              const std::vector<KernelArgument>& arguments) {
        const std::size_t groups = (items + shape_.group_items - 1) / shape_.group_items;
        device_.launch(kernel, {groups, shape_.group_items}, arguments);
    }

    void renew_list() {
        const std::uint64_t cells = rooms_.cells();
        const double square_of_reach = case_.reach() * case_.reach();
        over(std::max(atoms_, cells), kernels_.clear,
             {argument(position_.handle()), argument(listed_.handle()), argument(counts_.handle()),
              argument(moved_.handle()), argument(edge_), argument(atoms_), argument(cells)});
        over(atoms_, kernels_.fill,
             {argument(position_.handle()), argument(counts_.handle()), argument(members_.handle()),
              argument(overflows_.handle()), argument(edge_), argument(rooms_.along),
              argument(rooms_.of_cell), argument(atoms_)});
        over(cells, kernels_.sort,
             {argument(counts_.handle()), argument(members_.handle()), argument(rooms_.of_cell),
              argument(cells)});
        over(atoms_, kernels_.list,
             {argument(position_.handle()), argument(counts_.handle()), argument(members_.handle()),
              argument(neighbors_.handle()), argument(lengths_.handle()),
              argument(overflows_.handle()), argument(edge_), argument(square_of_reach),
              argument(rooms_.along), argument(rooms_.of_cell), argument(rooms_.of_list),
              argument(atoms_)});
        ++lists_;
    }

    void compute_forces(double shift) {
        const double square_of_cutoff = case_.cutoff * case_.cutoff;
        over(atoms_, kernels_.force,
             {argument(position_.handle()), argument(neighbors_.handle()),
              argument(lengths_.handle()), argument(force_.handle()), argument(edge_),
              argument(square_of_cutoff), argument(shift), argument(rooms_.of_list),
              argument(atoms_)});
    }

    // Whether an atom may now have a neighbor that is not listed.
    bool moved_far() {
        const double square_of_farthest = case_.skin * case_.skin / 4;
        over(atoms_, kernels_.moved,
             {argument(position_.handle()), argument(listed_.handle()), argument(moved_.handle()),
              argument(square_of_farthest), argument(atoms_)});
        std::int32_t moved = 0;
        device_.download(&moved, moved_.handle(), word);
        return moved > 0;
    }

    Device& device_;
    Shape shape_;
    Kernels kernels_;
    Case case_;
    double edge_;
    std::uint64_t atoms_;
    Rooms rooms_;
    const Start& start_;
    DeviceMemory position_;
    DeviceMemory velocity_;
    DeviceMemory force_;
    DeviceMemory listed_;
    DeviceMemory counts_;
    DeviceMemory members_;
    DeviceMemory neighbors_;
    DeviceMemory lengths_;
    DeviceMemory overflows_;
    DeviceMemory moved_;
    std::uint64_t steps_ = 0;
    std::uint64_t lists_ = 0;
};

}  // namespace machmeter::device_liquid
