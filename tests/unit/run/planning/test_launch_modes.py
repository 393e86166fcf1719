"""Launch modes, and several numbers of hardware threads and reserved cores, on machines made up."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.benchmarks.explore import PROCESS, RANKS
from machmeter.benchmarks.proxies.lqcd import LQCD
from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.model.benchmark import Benchmark
from machmeter.model.layout import Binding, LaunchMode, Layout
from machmeter.model.machine import SIMULATED, Machine
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.run.planning.layouts import Configurations, configurations_for
from tests.support.fake_launcher import synthetic_machine
from tests.support.sysfs_tree import Shape

EDISON_NODE = synthetic_machine(Shape(packages=2, domains=1, cores=8, smt=2))
OF_THE_STUDY = (
    LaunchMode.MPI,
    LaunchMode.MPI_SMT,
    LaunchMode.MPI_SMT_RESERVED,
    LaunchMode.HYBRID_SMT,
    LaunchMode.HYBRID_SMT_RESERVED,
)


def found(
    options: LayoutOptions, machine: Machine = EDISON_NODE, benchmark: Benchmark = RANKS
) -> Configurations:
    return configurations_for(benchmark, Experiment(benchmark.name), machine, options)


def shapes(layouts: tuple[Layout, ...]) -> list[tuple[int, int, int, int]]:
    """Ranks, threads, hardware threads of each core and reserved cores, without the default."""
    return [
        (one.ranks, one.threads_per_rank, one.smt, one.reserved_cores)
        for one in layouts
        if one.binding is not Binding.DEFAULT
    ]


def test_the_five_modes_of_the_study_are_those_of_its_node() -> None:
    """-N16; -N32 -j2; -N30 -r1 -j2; -N16 -d2 -j2; -N15 -r1 -d2 -j2."""
    layouts = found(LayoutOptions(modes=OF_THE_STUDY)).layouts
    assert shapes(layouts) == [
        (16, 1, 1, 0),
        (32, 1, 2, 0),
        (30, 1, 2, 1),
        (16, 2, 2, 0),
        (15, 2, 2, 1),
    ]
    for layout in layouts:
        of_default = layout.binding is Binding.DEFAULT
        assert len(cores_used(layout)) == (0 if of_default else 16 - layout.reserved_cores)


def cores_used(layout: Layout) -> set[tuple[int, int]]:
    assigned = assign(layout, EDISON_NODE.topology)
    used = {cpu for rank in assigned.cpus for thread in rank for cpu in thread}
    return {(one.package, one.core) for one in EDISON_NODE.topology.cpus if one.number in used}


def test_the_default_of_the_launcher_is_a_mode_with_a_rank_for_each_core() -> None:
    default = (LaunchMode.DEFAULT, LaunchMode.MPI)
    of_own = found(LayoutOptions(modes=default), benchmark=LQCD).layouts
    assert [(one.mode, one.binding, one.ranks) for one in of_own] == [
        (LaunchMode.DEFAULT, Binding.DEFAULT, 16),
        (LaunchMode.MPI, Binding.CLOSE, 16),
    ]
    # Programs of others are measured so anyway, and once.
    assert found(LayoutOptions(modes=default)) == found(LayoutOptions(modes=default[1:]))


def test_a_model_has_no_launcher_that_places_ranks() -> None:
    model = replace(EDISON_NODE, topology=replace(EDISON_NODE.topology, source=SIMULATED))
    planned = found(LayoutOptions(modes=(LaunchMode.DEFAULT, LaunchMode.MPI)), model, LQCD)
    assert [one.mode for one in planned.layouts] == [LaunchMode.MPI]
    assert [one.what for one in planned.skipped] == ["launch mode default"]


def test_at_fixed_ranks_each_mode_has_as_many() -> None:
    layouts = found(LayoutOptions(modes=OF_THE_STUDY, rank_counts=(8,))).layouts
    assert shapes(layouts) == [(8, 1, 1, 0), (8, 1, 2, 0), (8, 1, 2, 1), (8, 2, 2, 0), (8, 2, 2, 1)]


def test_at_fixed_nodes_each_node_is_full() -> None:
    options = LayoutOptions(modes=OF_THE_STUDY, hosts=("a", "b"))
    by_node = [(one.nodes, one.ranks_per_node) for one in found(options).layouts[1:]]
    assert by_node == [(2, 16), (2, 32), (2, 30), (2, 16), (2, 15)]


def test_each_of_several_counts_of_nodes_is_full() -> None:
    options = LayoutOptions(modes=(LaunchMode.MPI,), hosts=("a", "b"), nodes=(1, 2))
    layouts = found(options).layouts[2:]
    assert [(one.nodes, one.ranks_per_node) for one in layouts] == [(1, 16), (2, 16)]


def test_what_has_no_ranks_is_measured_as_without_modes() -> None:
    options = LayoutOptions(modes=(LaunchMode.HYBRID, LaunchMode.MPI_SMT))
    assert found(options, benchmark=PROCESS) == found(LayoutOptions(), benchmark=PROCESS)


def test_without_hardware_threads_modes_of_two_cannot_be_placed() -> None:
    plain = synthetic_machine(Shape(packages=1, domains=1, cores=4, smt=1))
    for layout in found(LayoutOptions(modes=tuple(LaunchMode)), plain).layouts:
        try:
            assign(layout, plain.topology)
        except LayoutError:
            assert layout.smt == 2
        else:
            assert layout.smt == 1


def test_a_program_of_one_thread_has_no_hybrid_mode_and_that_is_said() -> None:
    several = found(LayoutOptions(modes=tuple(LaunchMode), threads=(1,)))
    assert {threads for _, threads, _, _ in shapes(several.layouts)} == {1}
    assert len(several.skipped) == 4


def test_several_hardware_threads_and_reserved_cores_are_every_pair_of_them() -> None:
    options = LayoutOptions(smt=(1, 2), reserved_cores=(0, 1), threads=(1,), rank_counts=(4,))
    layouts = found(options).layouts
    assert shapes(layouts) == [(4, 1, 1, 0), (4, 1, 1, 1), (4, 1, 2, 0), (4, 1, 2, 1)]
    assert [one.binding for one in layouts].count(Binding.DEFAULT) == 1


def test_a_process_takes_what_each_pair_leaves() -> None:
    options = LayoutOptions(smt=(1, 2), reserved_cores=1)
    every = shapes(found(options, benchmark=PROCESS).layouts)
    most = {smt: max(threads for _, threads, s, _ in every if s == smt) for smt in (1, 2)}
    assert most == {1: 15, 2: 30}
