// device.liquid: steps of molecular dynamics of a Lennard-Jones liquid in the memory of a device,
// each a few launches, from the first launch until the host knows that the last one has finished.
//
// What the device does on the way shows in the end: in its energy and momentum, in the forces
// there, and in every digit, which a second run has to repeat.
#include "device/kernels/liquid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"
#include "device/liquid/checks.hpp"
#include "device/liquid/device_liquid.hpp"
#include "device/runtime.hpp"

namespace machmeter {
namespace {

using device_liquid::Case;
using device_liquid::DeviceLiquid;
using device_liquid::Kernels;
using device_liquid::Quad;

// Positions and velocities after so many steps from the start.
std::vector<Quad> state_after(DeviceLiquid& liquid, std::uint64_t steps) {
    liquid.reset();
    liquid.run(steps);
    std::vector<Quad> state = liquid.positions();
    const std::vector<Quad> velocities = liquid.velocities();
    state.insert(state.end(), velocities.begin(), velocities.end());
    return state;
}

double mean_of(const std::vector<std::int32_t>& numbers) {
    double sum = 0;
    for (const std::int32_t one : numbers) {
        sum += one;
    }
    return sum / static_cast<double>(numbers.size());
}

// A kernel takes some time, and is over before the host knows it (device.stream has the factor).
bool agree(const std::vector<double>& by_host, const std::vector<double>& by_device) {
    bool all = by_host.size() == by_device.size();
    for (std::size_t i = 0; all && i < by_host.size(); ++i) {
        all = by_device[i] > 0 && by_device[i] <= (1 + 1e-3) * by_host[i];
    }
    return all;
}

PointResult measure(DeviceSession& session, const Kernels& all, const Parameters& point) {
    Device& device = session.runtime().device();
    const auto of = point.choice<const Case*>(
        "case", {{"melt", &device_liquid::melt}, {"liquid", &device_liquid::liquid}});
    // Six unit cells are more than three times as wide as pairs reach.
    const std::uint64_t cells = point.count_within("cells", 6, 200);
    const std::uint64_t steps = point.count_within("steps", 1, 20'000);
    const device_liquid::Start start(*of, cells);
    DeviceLiquid liquid(device, device_liquid::shape_for(device.description()), all, *of,
                        of->constant() * static_cast<double>(cells), start, session.page_bytes());
    // All kernels are compiled for their grids, and lists are made.
    const std::uint64_t some = std::min<std::uint64_t>(steps, 20);
    const std::vector<Quad> once = state_after(liquid, some);
    liquid.reset();
    const device_liquid::FirstStep first(liquid);
    std::vector<double> by_device;
    const Samples taken = session.sample_long(
        [&] {
            if (liquid.steps() == steps) {
                by_device.push_back(device.elapsed());
            }
            liquid.reset();
            device.elapsed();
        },
        [&] { liquid.run(steps); });
    by_device.push_back(device.elapsed());
    const device_liquid::Energies last(liquid);
    // Without that of the start.
    const std::uint64_t lists = liquid.lists() - 1;
    const std::string fault = check_end(liquid, first).fault(steps);
    const double neighbors = mean_of(liquid.lengths());
    const bool repeated = state_after(liquid, some) == once;
    const bool timed = agree(taken.seconds, by_device);
    const std::string misplaced = session.runtime().misplaced();
    PointResult result(point);
    result.add_samples({{"run", taken.seconds}, {"run_event", std::move(by_device)}}, 1)
        .check(fault.empty() && repeated && timed && misplaced.empty(),
               std::string("lattice energy, forces of some atoms by a plain sum, sum of forces, "
                           "atoms in cells, room for all, momentum and energy conserved, digits "
                           "repeated") +
                   (fault.empty() ? "" : ": no: " + fault) +
                   (repeated ? "" : "; a second run from the same start differs") +
                   (timed ? "" : "; the device's times are 0 or longer than the host's") +
                   misplaced)
        .quantity("atom_steps", static_cast<double>(liquid.atoms()) * static_cast<double>(steps))
        .quantity("atoms", liquid.atoms())
        .quantity("potential_energy", last.potential)
        .quantity("total_energy", last.total())
        .quantity("lattice_energy", of->lattice_energy(0))
        .quantity("lists", lists)
        .quantity("neighbors", neighbors)
        .attribute("list", "all neighbors of each atom, " + std::to_string(liquid.rooms().of_list) +
                               " at most; cells of " + std::to_string(liquid.rooms().of_cell) +
                               " atoms at most");
    result.page_bytes = liquid.page_bytes();
    return result;
}

void run_liquid(DeviceSession& session) {
    Device& device = session.runtime().device();
    DeviceHandle program = 0;
    const double compiling = time_alone(session.clock(), [&] {
        program = device_liquid::compile(device, device_liquid::shape_for(device.description()),
                                         kernels::liquid);
    });
    const Kernels all(device, program);
    session.record_each([&](const Parameters& point) {
        return measure(session, all, point).quantity("compile_seconds", compiling);
    });
}

const RegisterDeviceBenchmark registered({"device.liquid",
                                          {"case", "cells", "steps"},
                                          &run_liquid});

}  // namespace
}  // namespace machmeter
