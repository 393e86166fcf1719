"""The layouts of a benchmark, on machines made up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS, find
from machmeter.layout.assign import assign
from machmeter.model.benchmark import Benchmark, ThreadSweep
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.layout_fields import layout_label
from machmeter.model.machine import Machine
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.run.planning.expand import expand
from machmeter.run.planning.layouts import Configurations, configurations_for
from tests.support.fake_launcher import synthetic_machine
from tests.support.sysfs_tree import Shape

TWO_PACKAGES = Shape(packages=2, domains=2, cores=4, smt=1)
PLAIN = LayoutOptions(page_bytes=(4096,))


def found(experiment: Experiment, machine: Machine, wish: LayoutOptions = PLAIN) -> Configurations:
    return configurations_for(find(experiment.benchmark), experiment, machine, wish)


def teams(layouts: tuple[Layout, ...]) -> list[tuple[int, int]]:
    return [(layout.threads_per_rank, layout.inner_threads) for layout in layouts]


@pytest.mark.parametrize(
    ("sweep", "expected"),
    [
        (ThreadSweep.ONE, [1]),
        (ThreadSweep.TWO, [2]),
        (ThreadSweep.ENDS, [1, 16]),
        (ThreadSweep.POWERS, [1, 2, 4, 8, 16]),
        (ThreadSweep.ALL, [16]),
    ],
)
def test_each_sweep_gives_its_thread_counts(sweep: ThreadSweep, expected: list[int]) -> None:
    machine = synthetic_machine(TWO_PACKAGES)
    layouts = found(Experiment("memory.stream", threads=sweep), machine).layouts
    assert [layout.threads for layout in layouts] == expected


def test_splits_are_one_thread_one_domain_and_every_factorization() -> None:
    layouts = found(Experiment("apps.heatflow"), synthetic_machine(TWO_PACKAGES)).layouts
    assert teams(layouts) == [(1, 1), (4, 1), (1, 16), (2, 8), (4, 4), (8, 2), (16, 1)]
    one_domain = next(layout for layout in layouts if teams((layout,)) == [(4, 1)])
    cpus = assign(one_domain, synthetic_machine(TWO_PACKAGES).topology).cpus[0]
    numa = {cpu.number: cpu.numa for cpu in synthetic_machine(TWO_PACKAGES).topology.cpus}
    assert {numa[number] for thread in cpus for number in thread} == {0}


def test_splits_of_two_cores_name_no_layout_twice() -> None:
    layouts = found(Experiment("apps.heatflow"), synthetic_machine()).layouts
    assert teams(layouts) == [(1, 1), (1, 2), (2, 1)]


def test_outer_binding_is_left_out_where_there_is_no_inner_team() -> None:
    machine = synthetic_machine(Shape(1, 1, 4, 1))
    layouts = found(Experiment("threads.nested", runtimes=False), machine).layouts
    by_team = {
        team: [layout.binding for layout in layouts if teams((layout,)) == [team]]
        for team in teams(layouts)
    }
    assert by_team[2, 2] == [Binding.NONE, Binding.OUTER, Binding.SPREAD]
    assert by_team[4, 1] == [Binding.NONE, Binding.SPREAD]


def test_outer_binding_asked_for_where_there_is_no_inner_team_is_said() -> None:
    machine = synthetic_machine(Shape(1, 1, 4, 1))
    wish = LayoutOptions(bindings=(Binding.OUTER,), page_bytes=(4096,))
    alone = found(Experiment("threads.sync", threads=ThreadSweep.ALL), machine, wish)
    assert {layout.binding for layout in alone.layouts} == {Binding.SPREAD}
    (skipped,) = alone.skipped
    assert skipped.what == "threads.sync with only its outer threads bound"
    assert "spread is an equivalent placement" in skipped.reason
    nested = found(Experiment("threads.nested", runtimes=False), machine, wish)
    assert nested.skipped == ()
    assert Binding.OUTER in {layout.binding for layout in nested.layouts}


def test_without_a_usable_cpu_every_benchmark_has_layouts_that_say_why() -> None:
    machine = synthetic_machine(Shape(1, 1, 4, 1))
    cpus = tuple(replace(cpu, allowed=False) for cpu in machine.topology.cpus)
    none = replace(machine, topology=replace(machine.topology, cpus=cpus))
    for benchmark in BENCHMARKS:
        expansion = expand((Experiment(benchmark.name),), none, PLAIN, {})
        assert expansion.specs == ()
        assert expansion.skipped


def test_the_domain_that_teams_fill_has_no_reserved_cores() -> None:
    machine = synthetic_machine(TWO_PACKAGES)
    reserved = found(Experiment("apps.heatflow"), machine, replace(PLAIN, reserved_cores=1))
    assert teams(reserved.layouts)[:2] == [(1, 1), (3, 1)]
    few = found(Experiment("apps.heatflow"), replace(machine, cpu_quota=4.0))
    assert teams(few.layouts) == [(1, 1), (1, 4), (2, 2), (4, 1)]


def test_bindings_that_come_to_the_same_cpus_are_measured_once() -> None:
    experiment = Experiment(
        "memory.stream", threads=ThreadSweep.TWO, bindings=(Binding.CLOSE, Binding.SPREAD)
    )
    small = found(experiment, synthetic_machine()).layouts
    assert [layout.binding for layout in small] == [Binding.CLOSE]
    large = found(experiment, synthetic_machine(TWO_PACKAGES)).layouts
    assert [layout.binding for layout in large] == [Binding.CLOSE, Binding.SPREAD]


def test_runtimes_and_allocators_found_are_swept_and_missing_ones_said() -> None:
    machine = synthetic_machine()
    alone = found(Experiment("threads.nested"), machine)
    assert {layout.openmp for layout in alone.layouts} == {""}
    assert "OpenMP runtimes" in alone.skipped[0].what
    libraries = {"libgomp": "/a", "libomp": "/b"}
    software = replace(machine.software, openmp_runtimes=libraries, allocators={"glibc": "/c"})
    rich = replace(machine, software=software)
    both = found(Experiment("threads.nested"), rich)
    assert {layout.openmp for layout in both.layouts} == {"libgomp", "libomp"}
    assert not both.skipped
    asked = found(Experiment("threads.sync"), rich, LayoutOptions(openmp=("libomp",)))
    assert {layout.openmp for layout in asked.layouts} == {"libomp"}
    with pytest.raises(UsageError, match="no jemalloc among its allocators"):
        found(Experiment("memory.allocation"), rich, LayoutOptions(allocators=("jemalloc",)))


def test_what_needs_two_threads_is_not_measured_with_one() -> None:
    one_core = synthetic_machine(Shape(1, 1, 1, 1))
    layouts = found(Experiment("threads.pairs"), one_core)
    assert layouts.layouts == ()
    assert "needs 2 threads" in layouts.skipped[0].reason


def test_a_wish_for_layouts_goes_before_the_experiment() -> None:
    wish = LayoutOptions(
        threads=(3,),
        bindings=(Binding.SPREAD,),
        wait_policies=(WaitPolicy.PASSIVE,),
        page_bytes=(4096,),
    )
    experiment = Experiment(
        "threads.sync", threads=ThreadSweep.ALL, wait_policies=(WaitPolicy.ACTIVE,)
    )
    (layout,) = found(experiment, synthetic_machine(TWO_PACKAGES), wish).layouts
    assert (layout.threads, layout.binding, layout.wait_policy) == (
        3,
        Binding.SPREAD,
        WaitPolicy.PASSIVE,
    )


@given(
    st.integers(1, 2),
    st.integers(1, 3),
    st.integers(1, 6),
    st.sampled_from(BENCHMARKS),
    st.sampled_from([None, *ThreadSweep]),
)
def test_no_two_layouts_put_all_threads_on_the_same_cpus_for_the_same_reason(
    packages: int, domains: int, cores: int, benchmark: Benchmark, sweep: ThreadSweep | None
) -> None:
    machine = synthetic_machine(Shape(packages, domains, cores, 1))
    layouts = configurations_for(
        benchmark, Experiment(benchmark.name, threads=sweep), machine, LayoutOptions()
    ).layouts
    assert len({layout_label(layout) for layout in layouts}) == len(layouts)
    fitting = [layout for layout in layouts if layout.threads <= packages * domains * cores]
    comes_to = [
        (assign(layout, machine.topology), replace(layout, binding=Binding.CLOSE))
        for layout in fitting
    ]
    assert len(set(comes_to)) == len(comes_to)
