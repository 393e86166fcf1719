#include <cmath>

#include "device/liquid/liquid.cpp"  // NOLINT(bugprone-suspicious-include)
#include "proxies/ljmd/liquid.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/check.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace ljmd = proxies::ljmd;
using device_liquid::Energies;
using device_liquid::FirstStep;
using device_liquid::melt;
using device_liquid::Shape;
using device_liquid::Start;

constexpr std::uint64_t edge_cells = 6;
constexpr std::uint64_t usual_steps = 40;

Shape usual() { return device_liquid::shape_for(test::any_device().description()); }

const Kernels& right_kernels() {
    static const Kernels all(test::any_device(),
                             device_liquid::compile(test::any_device(), usual(), kernels::liquid));
    return all;
}

// The kernel of that name alone, with other text in it.
DeviceHandle changed(const std::string& name, const std::string& from, const std::string& to) {
    const std::string all = kernels::liquid;
    const std::size_t begin = all.find("KERNEL void " + name);
    std::string text = all.substr(begin, all.find("\nKERNEL", begin) - begin);
    const std::size_t at = text.find(from);
    if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
        throw std::runtime_error("not once in " + name + ": " + from);
    }
    text = all.substr(0, all.find("KERNEL")) + text.replace(at, from.size(), to);
    Device& device = test::any_device();
    return device.kernel(device_liquid::compile(device, usual(), text), name);
}

struct Outcome {
    Energies energies;
    std::string fault;
};

Outcome outcome_of(const Kernels& all, const Case& of = melt, const Shape& shape = usual(),
                   std::uint64_t steps = usual_steps) {
    const Start start(of, edge_cells);
    DeviceLiquid liquid(test::any_device(), shape, all, of, of.constant() * edge_cells, start,
                        4096);
    liquid.reset();
    const FirstStep first(liquid);
    liquid.reset();
    liquid.run(steps);
    const Energies energies(liquid);
    return {energies, check_end(liquid, first).fault(steps)};
}

bool says(const Outcome& outcome, const std::string& what) {
    if (outcome.fault.find(what) == std::string::npos) {
        std::printf("'%s' lacks '%s'\n", outcome.fault.c_str(), what.c_str());
        return false;
    }
    return true;
}

}  // namespace

TEST(the_melt_is_that_of_the_proxy_on_the_host) {
    const Outcome found = outcome_of(right_kernels());
    CHECK(found.fault.empty());
    ljmd::Energies expected;
    test::on_proxy_ranks(1, 1, [&](test::ThreadRanks& ranks) {
        Phases phases(monotonic_clock);
        ljmd::Liquid<test::ThreadRanks> liquid(
            ranks, phases, ljmd::Lattice{{edge_cells, edge_cells, edge_cells}}, false);
        liquid.reset();
        liquid.run(usual_steps);
        expected = liquid.energies();
    });
    const double atoms = 4.0 * edge_cells * edge_cells * edge_cells;
    CHECK(std::abs(found.energies.potential - expected.potential / atoms) < 1e-9);
    CHECK(std::abs(found.energies.kinetic - expected.kinetic / atoms) < 1e-9);
    // As LAMMPS prints that of the lattice.
    CHECK(std::abs(melt.lattice_energy(0) + 6.7733681) < 5e-8);
}

TEST(the_liquid_is_listed_anew_where_atoms_moved) {
    const Start start(device_liquid::liquid, edge_cells);
    CHECK(start.positions.size() == 8 * edge_cells * edge_cells * edge_cells);
    DeviceLiquid liquid(test::any_device(), usual(), right_kernels(), device_liquid::liquid,
                        device_liquid::liquid.constant() * edge_cells, start, 4096);
    liquid.reset();
    const FirstStep first(liquid);
    liquid.reset();
    CHECK(liquid.lists() == 1);
    liquid.run(5);
    CHECK(liquid.lists() == 1);
    liquid.run(45);
    CHECK(liquid.lists() > 2 && liquid.lists() < 9);
    CHECK(check_end(liquid, first).fault(50).empty());
}

TEST(other_groups_and_lists_across_atoms_have_the_same_digits) {
    const Shape elsewhere{64, !usual().stretches};
    Device& device = test::any_device();
    const Kernels others(device, device_liquid::compile(device, elsewhere, kernels::liquid));
    const Outcome found = outcome_of(others, melt, elsewhere);
    const Outcome usual = outcome_of(right_kernels());
    CHECK(found.fault.empty());
    CHECK(found.energies.potential == usual.energies.potential);
    CHECK(found.energies.kinetic == usual.energies.kinetic);
}

TEST(wrong_kernels_are_refused) {
    const auto with = [](DeviceHandle Kernels::*kernel, DeviceHandle wrong) {
        Kernels all = right_kernels();
        all.*kernel = wrong;
        return outcome_of(all);
    };
    const std::string wrong_lattice = "the first potential energy is not that of the lattice";
    CHECK(says(with(&Kernels::force, changed("liquid_force", "square < square_of_cutoff",
                                             "square < 0.9 * square_of_cutoff")),
               wrong_lattice));
    CHECK(says(with(&Kernels::force, changed("liquid_force", "sixth - 0.5", "sixth - 0.49")),
               "forces are not the sum"));
    CHECK(says(with(&Kernels::list, changed("liquid_list", "lengths[i] = min(length, most)",
                                            "lengths[i] = min(length, most) - (i == 7)")),
               "the first lists of 1 atoms"));
    CHECK(says(with(&Kernels::list,
                    changed("liquid_list", "if (length > most)", "if (length > most || i == 7)")),
               "the lists of"));
    CHECK(says(with(&Kernels::fill, changed("liquid_fill", "i >= atoms", "i >= atoms || i == 11")),
               wrong_lattice));
    CHECK(says(with(&Kernels::fill, changed("liquid_fill", "place < room", "place < 3")),
               "a cell had no room for"));
    CHECK(says(with(&Kernels::clear, changed("liquid_clear", "position[i] = at;", "")),
               "in the cells where they are"));
    CHECK(says(with(&Kernels::kick, changed("liquid_kick", "velocity[i] = v;", "")),
               "energy is not conserved"));
    CHECK(says(with(&Kernels::drift,
                    changed("liquid_drift", "at.z += step * v.z", "at.z += step * v.z * 1.1")),
               "energy is not conserved"));
    CHECK(says(with(&Kernels::drift, changed("liquid_drift", "v.x += step / 2 * force[i].x",
                                             "v.x += step / 2 * force[i].x + (i == 5) * 1e-4")),
               "momentum is not conserved"));
}

TEST(a_point_has_both_times_and_its_amount) {
    Arguments arguments;
    arguments.limits.seconds = 0.2;
    arguments.points.emplace_back("case=liquid,cells=6,steps=10");
    std::vector<PointResult> recorded;
    DeviceSession session(test::any_runtime(), monotonic_clock, arguments,
                          [&](const PointResult& point) { recorded.push_back(point); });
    run_liquid(session);
    const PointResult& point = recorded.at(0);
    CHECK(point.check_passed);
    CHECK(point.series.size() == 2 && point.series[0].second.size() > 1);
    CHECK(agree(point.series[0].second, point.series[1].second));
    CHECK(!agree(point.series[0].second, {}));
    CHECK(!agree({1.0, 1.0}, {1.0, 0.0}));
    CHECK(!agree({1.0, 1.0}, {1.01, 0.5}));
    for (const auto& [name, value] : point.quantities) {
        CHECK(name != "atom_steps" || value == 1728 * 10);
        CHECK(name != "atoms" || value == 1728);
    }
}

TEST(a_second_run_that_differs_is_refused) {
    // From the eighth list on, which the second run makes, half of it is left out.
    Kernels all = right_kernels();
    all.list = changed("liquid_list", "lengths[i] = min(length, most);",
                       "int lists = ++neighbors[PLACE(most - 1, i)];"
                       "lengths[i] = lists > 7 ? length / 2 : length;");
    Arguments arguments;
    arguments.limits.seconds = 0;
    DeviceSession session(test::any_runtime(), monotonic_clock, arguments, {});
    const Parameters point("case=melt,cells=6,steps=20");
    const PointResult wrong = measure(session, all, point);
    CHECK(!wrong.check_passed);
    CHECK(wrong.check_what.ends_with("digits repeated; a second run from the same start differs"));
    CHECK(measure(session, right_kernels(), point).check_passed);
}

TEST(atoms_that_come_into_a_cell_in_another_order_are_sorted) {
    Kernels all = right_kernels();
    all.fill = changed("liquid_fill", "if (i >= atoms) { return; }",
                       "if (i >= atoms) { return; } i = atoms - 1 - i;");
    const Outcome sorted = outcome_of(all);
    CHECK(sorted.fault.empty());
    CHECK(sorted.energies.potential == outcome_of(right_kernels()).energies.potential);
    all.sort = changed("liquid_sort", "min(counts[i], room)", "0");
    CHECK(says(outcome_of(all), "in order"));
}

}  // namespace machmeter
