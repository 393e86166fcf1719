"""Sizes from a measured curve, bounded by memory."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.model.device import Device, NamedDevice
from machmeter.model.plan.study import Experiment, Study
from machmeter.model.results.curves import Knee
from machmeter.run.planning.sizing import (
    caches_of_domain,
    choose_sizes,
    is_same_for_sizing,
    last_level_caches,
    needs_sizes,
    sizing_spec,
    working_sets,
)
from tests.support.fake_launcher import GIB, KIB, MIB, synthetic_machine
from tests.support.sysfs_tree import Shape


@given(st.integers(4096, 2**40), st.integers(1, 8))
def test_working_sets_rise_in_equal_steps_of_whole_lines(largest: int, per_octave: int) -> None:
    sizes = working_sets(largest, per_octave)
    assert sizes[0] == 4096
    assert sizes[-1] <= largest < sizes[-1] * 2 ** (1 / per_octave) * 1.07
    assert all(size % 256 == 0 for size in sizes)
    assert all(a < b for a, b in pairwise(sizes))


def knee(size: int, seconds: float) -> Knee:
    return Knee(size, seconds, seconds, seconds, size, size)


@pytest.mark.parametrize(
    ("measured", "followed"), [(5 * MIB, 32 * MIB), (24 * MIB, 32 * MIB), (128 * MIB, 128 * MIB)]
)
def test_sizes_follow_the_described_cache_unless_the_curve_refutes_it(
    measured: int, followed: int
) -> None:
    machine = synthetic_machine(Shape(1, 1, 2, 1))
    sizes = choose_sizes(machine, (knee(32 * KIB, 1e-9), knee(measured, 9e-9), knee(0, 1e-7)))
    assert sizes.last_cache is not None
    assert (sizes.last_cache.measured, sizes.last_cache.size) == (measured, followed)
    assert sizes.values["memory.stream"]["size"] == (4 * followed,)
    assert 2 * followed < max(sizes.values["memory.latency"]["size"]) <= 4 * followed


def test_without_a_level_the_description_is_taken() -> None:
    sizes = choose_sizes(synthetic_machine(Shape(1, 1, 2, 1)), ())
    assert sizes.last_cache is not None
    assert (sizes.last_cache.measured, sizes.last_cache.size) == (0, 32 * MIB)
    assert sizes.values["memory.stream"]["size"] == (128 * MIB,)


@pytest.mark.parametrize("available", [16 * MIB, 64 * MIB, 300 * MIB, GIB, 64 * GIB])
def test_arrays_fit_into_memory_and_shortness_is_said(available: int) -> None:
    machine = synthetic_machine(Shape(1, 1, 2, 1), available=available)
    sizes = choose_sizes(machine, ())
    (array,) = sizes.values["memory.stream"]["size"]
    assert array % (2 * MIB) == 0
    assert array >= 2 * MIB
    assert 3 * array <= max(available // 2, 6 * MIB)
    assert ("memory is short" in sizes.note) == (array < 4 * 32 * MIB)
    assert max(sizes.values["memory.latency"]["size"]) <= available // 4


def test_the_sizing_launch_goes_beyond_what_is_described_within_bounds() -> None:
    for available, largest in ((16 * GIB, 128 * MIB), (256 * MIB, 64 * MIB)):
        spec = sizing_spec(synthetic_machine(available=available))
        sizes = [int(point.get("size")) for point in spec.points]
        assert max(sizes) == largest
        assert spec.layout.page_bytes == 2 * MIB
        assert spec.role == "sizing"
    assert sizing_spec(synthetic_machine(huge_pages="never")).layout.page_bytes == 4096
    assert sizing_spec(synthetic_machine(huge_page_bytes=0)).layout.page_bytes == 4096
    assert sizing_spec(synthetic_machine(huge_pages="absent")).layout.page_bytes == 4096


def test_arrays_are_four_times_the_sum_of_the_last_caches_in_use() -> None:
    machine = synthetic_machine(Shape(2, 2, 4, 2))
    assert last_level_caches(machine.topology) == 4
    sizes = choose_sizes(machine, (knee(32 * KIB, 1e-9), knee(24 * MIB, 9e-9), knee(0, 1e-7)))
    assert sizes.values["memory.stream"]["size"] == (4 * 4 * 32 * MIB,)
    assert max(sizes.values["memory.latency"]["size"]) <= 4 * 32 * MIB
    one_domain = tuple(replace(c, allowed=c.numa == 0) for c in machine.topology.cpus)
    assert last_level_caches(replace(machine.topology, cpus=one_domain)) == 1
    assert last_level_caches(replace(machine.topology, caches=())) == 1
    short = choose_sizes(synthetic_machine(Shape(2, 2, 4, 2), available=GIB), ())
    assert "less than four times the caches because memory is short" in short.note


def test_memory_between_domains_is_four_times_the_caches_of_one_whatever_the_threads() -> None:
    machine = synthetic_machine(Shape(2, 2, 16, 1), available=64 * GIB)
    values = choose_sizes(machine, (knee(32 * MIB, 9e-9), knee(0, 1e-7))).values
    assert values["memory.matrix"]["size"] == (4 * 32 * MIB,)
    topology = machine.topology
    several = tuple(
        replace(cache, level=3, cpus=tuple(range(start, start + 4)))
        for cache in topology.caches[-1:]
        for start in range(0, 64, 4)
    )
    split = replace(machine, topology=replace(topology, caches=several))
    assert caches_of_domain(split.topology) == 4
    values = choose_sizes(split, (knee(32 * MIB, 9e-9), knee(0, 1e-7))).values
    assert values["memory.matrix"]["size"] == (4 * 4 * 32 * MIB,)


def test_buffers_of_all_domains_and_of_all_threads_fit_into_a_quarter_of_memory() -> None:
    machine = synthetic_machine(Shape(2, 2, 16, 1), available=GIB)
    values = choose_sizes(machine, ()).values
    assert values["memory.matrix"]["size"] == (64 * MIB,)
    assert values["memory.loaded"]["size"] == (4 * MIB,)
    assert 64 * values["memory.loaded"]["size"][0] <= GIB // 4


def test_without_a_word_on_memory_sizes_are_cautious() -> None:
    machine = synthetic_machine(Shape(1, 1, 2, 1), available=0)
    for total in (32 * GIB, 0):
        unknown = replace(machine, memory=replace(machine.memory, total_bytes=total))
        assert sizing_spec(unknown).points
        sizes = choose_sizes(unknown, ())
        assert sizes.values["memory.stream"]["size"] >= (2 * MIB,)
        assert sizes.values["memory.latency"]["size"]


def test_sizing_is_needed_only_where_a_size_is_automatic() -> None:
    def study(*experiments: Experiment) -> Study:
        return Study("", "", "", experiments)

    assert needs_sizes(study(Experiment("threads.sync"), Experiment("memory.stream")))
    assert not needs_sizes(study(Experiment("threads.sync"), Experiment("network.latency")))
    assert not needs_sizes(study(Experiment("memory.stream", {"size": (2**26,)})))


def test_sizes_are_kept_on_machines_with_the_same_caches_cpus_memory_limit_and_pages() -> None:
    here = synthetic_machine(Shape(1, 1, 4, 1))
    topology, memory = here.topology, here.memory
    larger = (replace(topology.caches[0], size_bytes=GIB), *topology.caches[1:])
    fewer = tuple(replace(cpu, allowed=cpu.number > 0) for cpu in topology.cpus)
    another_container = replace(here, host="b7c1", name="b7c1")
    later = replace(here, memory=replace(memory, available_bytes=GIB))
    for same in (another_container, later):
        assert is_same_for_sizing(here, same)
    for other in (
        replace(here, cpu_model="another"),
        replace(here, topology=replace(topology, caches=larger)),
        replace(here, topology=replace(topology, cpus=fewer)),
        replace(here, memory=replace(memory, limit_bytes=2 * GIB)),
        replace(here, memory=replace(memory, base_page_bytes=65536)),
        replace(here, memory=replace(memory, transparent_huge_pages="never")),
    ):
        assert not is_same_for_sizing(here, other)


@pytest.mark.parametrize(
    ("devices", "size"),
    [
        ((), 128 * MIB),
        # The CPUs: what the host has for its own.
        ((Device("opencl", "pocl", "cpu", memory_bytes=64 * GIB),), 128 * MIB),
        ((Device("opencl", "pocl", "cpu", memory_bytes=320 * MIB),), 64 * MIB),
        ((Device("cuda", "A", "gpu"),), GIB),
        ((Device("cuda", "B", "gpu", memory_bytes=96 * GIB, cache_bytes=512 * MIB),), 2 * GIB),
        # All devices of a run sweep the same arrays.
        (
            (
                Device("cuda", "B", "gpu", memory_bytes=96 * GIB, cache_bytes=512 * MIB),
                Device("opencl", "pocl", "cpu", memory_bytes=5 * GIB),
            ),
            1024 * MIB,
        ),
    ],
)
def test_arrays_of_devices_are_beyond_their_caches_and_within_their_memory(
    devices: tuple[Device, ...], size: int
) -> None:
    named = tuple(NamedDevice("a:0", "a:0", one) for one in devices)
    machine = synthetic_machine()
    chosen = choose_sizes(replace(machine, devices=named) if named else machine, ())
    assert chosen.values["memory.stream"]["size"] == (128 * MIB,)
    assert chosen.values["device.stream"]["size"] == (size,)
