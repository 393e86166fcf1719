"""Layouts on one package, and the CPUs of progress threads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.model.layout import Binding, Layout, ProgressMode
from tests.support.sysfs_tree import Shape

TWO_PACKAGES = Shape(packages=2, domains=2, cores=4, smt=2)
TOPOLOGY = TWO_PACKAGES.topology()
PACKAGE_OF = {cpu.number: cpu.package for cpu in TOPOLOGY.cpus}
CORE_OF = {cpu.number: cpu.core for cpu in TOPOLOGY.cpus}


def cpus_of(layout: Layout) -> set[int]:
    return {cpu for rank in assign(layout, TOPOLOGY).cpus for thread in rank for cpu in thread}


@given(
    st.builds(
        Layout,
        ranks_per_node=st.integers(1, 4),
        threads_per_rank=st.integers(1, 2),
        package=st.integers(0, 1),
        oversubscribe=st.just(True),
        reserved_cores=st.integers(0, 2),
        smt=st.integers(1, 2),
        binding=st.sampled_from((Binding.CLOSE, Binding.SPREAD, Binding.OUTER)),
    )
)
def test_a_layout_on_a_package_stays_there(layout: Layout) -> None:
    found = cpus_of(layout)
    assert {PACKAGE_OF[cpu] for cpu in found} == {layout.package}


def test_packages_are_counted_among_those_that_may_be_used() -> None:
    cpus = tuple(replace(cpu, allowed=cpu.package == 1) for cpu in TOPOLOGY.cpus)
    found = assign(Layout(package=0), replace(TOPOLOGY, cpus=cpus))
    assert {PACKAGE_OF[cpu] for rank in found.cpus for thread in rank for cpu in thread} == {1}


@pytest.mark.parametrize("package", [2, 7, -2])
def test_a_package_that_is_not_there_is_refused(package: int) -> None:
    with pytest.raises(LayoutError, match=f"package {package} was requested; .* 2 packages"):
        assign(Layout(package=package), TOPOLOGY)


def test_a_package_is_too_small_where_the_machine_is_not() -> None:
    assert len(cpus_of(Layout(ranks_per_node=9))) == 9
    with pytest.raises(LayoutError, match=r"9 ranks .* lets machmeter use 8"):
        assign(Layout(ranks_per_node=9, package=0), TOPOLOGY)


def test_threads_that_are_not_bound_cannot_be_kept_on_a_package() -> None:
    with pytest.raises(LayoutError, match="not bound do not stay on package 1"):
        assign(Layout(package=1, binding=Binding.NONE), TOPOLOGY)


def test_without_progress_threads_none_has_a_cpu() -> None:
    assert assign(Layout(ranks_per_node=2), TOPOLOGY).progress == ()


@given(
    ranks=st.integers(1, 8),
    threads=st.integers(1, 2),
    binding=st.sampled_from((Binding.CLOSE, Binding.SPREAD, Binding.OUTER)),
)
def test_a_progress_thread_is_on_the_cpus_of_its_rank(
    ranks: int, threads: int, binding: Binding
) -> None:
    layout = Layout(
        ranks_per_node=ranks,
        threads_per_rank=threads,
        binding=binding,
        progress=ProgressMode.THREAD,
    )
    found = assign(layout, TOPOLOGY)
    assert [set(cpus) for cpus in found.progress] == [
        {cpu for thread in rank for cpu in thread} for rank in found.cpus
    ]


def test_a_progress_thread_of_an_unbound_rank_may_be_anywhere() -> None:
    found = assign(Layout(binding=Binding.NONE, progress=ProgressMode.THREAD), TOPOLOGY)
    assert found.progress == (tuple(sorted(cpu.number for cpu in TOPOLOGY.usable)),)


@given(ranks=st.integers(1, 10), reserved=st.integers(1, 6), smt=st.integers(1, 2))
def test_reserved_cores_are_shared_out_over_progress_threads(
    ranks: int, reserved: int, smt: int
) -> None:
    layout = Layout(
        ranks_per_node=ranks, reserved_cores=reserved, smt=smt, progress=ProgressMode.RESERVED
    )
    found = assign(layout, TOPOLOGY)
    computing = {cpu for rank in found.cpus for thread in rank for cpu in thread}
    cores = [{CORE_OF[cpu] for cpu in cpus} for cpus in found.progress]
    assert len(found.progress) == ranks
    assert all(cores), "every rank has one"
    assert set().union(*cores).isdisjoint(CORE_OF[cpu] for cpu in computing)
    assert len(set().union(*cores)) == reserved, "none stays idle"
    sharers = [sum(core in own for own in cores) for core in set().union(*cores)]
    assert max(sharers) - min(sharers) <= 1
    assert all(len(cpus) == smt * len(own) for cpus, own in zip(found.progress, cores, strict=True))


def test_progress_on_reserved_cores_needs_one() -> None:
    with pytest.raises(LayoutError, match=r"no core is reserved.*--reserve 1"):
        assign(Layout(progress=ProgressMode.RESERVED), TOPOLOGY)
