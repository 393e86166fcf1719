"""What a launch allocates, and the refusal of what this machine has no memory for."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.lu import LU
from machmeter.model.device import Device, NamedDevice
from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import AppSize, Description
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.point import make_point
from machmeter.model.results.run import Plan
from machmeter.run.planning.needed_memory import filling_memory, needed_memory, refuse_beyond_memory
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import NO_SIZES, choose_sizes
from machmeter.studies.select import STUDIES
from tests.support.fake_launcher import GIB, MIB, PRECISION, synthetic_machine
from tests.support.sysfs_tree import Shape

FOUR = Layout(threads_per_rank=4)
MACHINE = synthetic_machine(available=16 * GIB)


def spec_of(benchmark: str, layout: Layout | None = None, **parameters: int | str) -> LaunchSpec:
    where = layout or Layout()
    point = make_point(benchmark, dict(parameters), where)
    return LaunchSpec(f"{benchmark} (somehow)", "node", benchmark, where, (point,), 0.01)


def plan_of(*specs: LaunchSpec) -> Plan:
    return Plan(specs, PRECISION)


@pytest.mark.parametrize(
    ("spec", "needed"),
    [
        (spec_of("memory.stream", size=GIB), 3 * GIB),
        (spec_of("memory.stream", Layout(threads_per_rank=2), size=GIB), 3 * GIB),
        (spec_of("memory.timeline", size=GIB), 3 * GIB),
        # What ranks share is there once, however many they are.
        (spec_of("proxies.ljmd", Layout(ranks_per_node=4), cells=100, steps=9), 4000 * 100**3),
        (spec_of("proxies.plf", sites=1000, taxa=200), 91 * 1000 * 200),
        # So that each thread has as much work as one alone.
        (spec_of("codes.kdtree", FOUR, points=10**6, scaling="weak"), 4 * 72 * 10**6),
        (spec_of("codes.kdtree", FOUR, points=10**6, scaling="strong"), 72 * 10**6),
        (spec_of("codes.shallow", FOUR, cells=1000, scaling="weak"), 4 * 104 * 10**6),
        (spec_of("codes.alignlong", FOUR, length=10**6, scaling="weak"), 2 * 170 * 10**6),
        (spec_of("proxies.ofp", FOUR, cells=100, scaling="weak"), 80 * 10**6),
        (spec_of("memory.latency", size=GIB), GIB),
        (spec_of("compute.gemm", order=1024), 24 * MIB),
        # One matrix, whose factors take its place.
        (spec_of("compute.lu", Layout(threads_per_rank=4), order=1024), 8 * MIB),
        (spec_of("memory.loaded", Layout(threads_per_rank=4), size=GIB), 4 * GIB),
        (spec_of("memory.allocation", size=GIB, pages="base"), GIB),
        (spec_of("sparse.spmv", nonzeros=MIB), 12 * MIB),
        (spec_of("apps.retrieval", images=1000, queries=18), 1000 * 8192),
        (spec_of("network.latency", Layout(ranks_per_node=2), size=GIB), 4 * GIB),
        (spec_of("network.bandwidth", Layout(ranks_per_node=1, nodes=2), size=GIB), 2 * GIB),
        (
            spec_of("network.threads", Layout(ranks_per_node=2, threads_per_rank=3), size=GIB),
            12 * GIB,
        ),
        (spec_of("network.collective", Layout(ranks_per_node=4), size=GIB), 4 * GIB),
    ],
    ids=lambda value: value.benchmark if isinstance(value, LaunchSpec) else "",
)
def test_what_a_launch_allocates_on_a_node(spec: LaunchSpec, needed: int) -> None:
    found = needed_memory(spec)
    assert found is not None
    assert found.bytes == needed


def test_memory_of_several_domains_is_held_at_once() -> None:
    layout = Layout(threads_per_rank=4)
    pairs = ("0-0", "0-1", "1-0", "1-1")
    points = tuple(make_point("memory.matrix", {"pair": p, "size": GIB}, layout) for p in pairs)
    found = needed_memory(replace(spec_of("memory.matrix", layout, size=GIB), points=points))
    assert found is not None
    assert found.bytes == 2 * GIB


def test_pools_of_huge_pages_and_what_has_no_size_need_nothing_of_it() -> None:
    assert needed_memory(spec_of("memory.allocation", size=GIB, pages="hugetlb-2m")) is None
    assert needed_memory(spec_of("threads.sync", construct="barrier")) is None


def test_the_order_of_matrices_counts_squared() -> None:
    with pytest.raises(UsageError) as caught:
        refuse_beyond_memory(plan_of(spec_of("compute.gemm", order=2**17)), MACHINE.memory)
    assert "needs 384 GiB" in caught.value.message
    assert "--set order=26754" in caught.value.remedy
    refuse_beyond_memory(plan_of(spec_of("compute.gemm", order=26754)), MACHINE.memory)


@pytest.mark.parametrize(
    ("kind", "memory_bytes", "available"),
    [
        ("gpu", 6 * GIB, "6 GiB"),
        ("gpu", 64 * GIB, ""),
        ("cpu", 64 * GIB, "16 GiB"),
        ("cpu", 6 * GIB, "6 GiB"),
    ],
)
def test_what_is_larger_than_the_memory_of_its_device_is_refused(
    kind: str, memory_bytes: int, available: str
) -> None:
    named = Device("cuda", "G", kind, memory_bytes=memory_bytes)
    device = NamedDevice("cuda:0", "cuda:GPU-1", named)
    spec = spec_of("device.stream", Layout(device="cuda:0"), size=6 * GIB)
    if not available:
        refuse_beyond_memory(plan_of(spec), MACHINE.memory, (device,))
        return
    with pytest.raises(UsageError) as refused:
        refuse_beyond_memory(plan_of(spec), MACHINE.memory, (device,))
    assert f"needs 18 GiB of memory, and {available} are available" in refused.value.message
    # Of the host, where nothing is known of the device.
    with pytest.raises(UsageError, match="16 GiB are available"):
        refuse_beyond_memory(plan_of(spec), MACHINE.memory)


def test_what_is_larger_than_memory_is_refused_with_the_largest_that_fits() -> None:
    plan = plan_of(spec_of("memory.latency", size=2 * 2**40), spec_of("memory.stream", size=2**40))
    with pytest.raises(UsageError) as refused:
        refuse_beyond_memory(plan, MACHINE.memory)
    assert str(refused.value) == (
        "memory.stream (somehow) with size=1 TiB needs 3 TiB of memory, and 16 GiB are available"
    )
    assert refused.value.remedy == (
        "request at most --set size=5461MiB, or leave memory.stream out"
    )
    refuse_beyond_memory(plan_of(spec_of("memory.stream", size=5461 * MIB)), MACHINE.memory)


@pytest.mark.parametrize(
    ("benchmark", "name", "others"),
    [
        ("compute.lu", "order", {}),
        ("codes.kdtree", "points", {}),
        ("codes.blocklu", "blocks", {"block": (64, 128)}),
        ("memory.assembly", "reads", {}),
    ],
)
def test_a_number_by_memory_takes_four_fifths_of_what_is_available(
    benchmark: str, name: str, others: dict[str, tuple[int, ...]]
) -> None:
    experiment = Experiment(benchmark, {name: ("memory",), **others})
    study = replace(STUDIES[0], experiments=(experiment,), questions=())
    plan = make_plan(study, MACHINE, LayoutOptions(threads=(1,)), PRECISION, NO_SIZES)
    numbers = {point.get(name) for point in plan.points if point.benchmark == benchmark}
    assert len(numbers) == 1
    needed = next(found for spec in plan.specs if (found := needed_memory(spec)))
    declared = needed.parameter
    # As much as fits whatever the other parameters are.
    most = needed.bytes * max(declared.most_bytes_each, declared.bytes_each) / declared.bytes_each
    assert 0.78 * 16 * GIB < most <= 0.8 * 16 * GIB
    fewest = {s.fewest_launches for s in plan.specs if s.benchmark == benchmark}
    assert fewest == {1}


def test_what_grows_beyond_memory_is_refused_with_what_fits() -> None:
    spec = spec_of("codes.shallow", FOUR, cells=8000, scaling="weak")
    with pytest.raises(UsageError) as refused:
        refuse_beyond_memory(plan_of(spec), MACHINE.memory)
    assert "cells=8000, scaling=weak needs 24.8 GiB" in refused.value.message
    assert "--set cells=6426" in refused.value.remedy
    fits = spec_of("codes.shallow", FOUR, cells=6426, scaling="weak")
    refuse_beyond_memory(plan_of(fits), MACHINE.memory)


def test_what_grows_beyond_its_bounds_is_left_out_on_so_many_threads() -> None:
    experiment = Experiment("codes.coulomb", {"cells": (90,), "scaling": ("strong", "weak")})
    study = replace(STUDIES[0], experiments=(experiment,), questions=())
    plan = make_plan(study, MACHINE, LayoutOptions(threads=(1, 2)), PRECISION, NO_SIZES)
    measured = {(p.layout.threads, p.get("scaling")) for p in plan.points}
    assert measured == {(1, "strong"), (1, "weak"), (2, "strong")}
    (skipped,) = [one for one in plan.skipped if "grows" in one.reason]
    assert skipped.reason == "on 2 threads cells=90 with scaling=weak grows beyond 100"


def test_a_number_by_memory_is_within_its_bounds() -> None:
    order = next(one for one in LU.parameters if one.name == "order")
    huge = replace(MACHINE.memory, available_bytes=2**50, limit_bytes=0, limit_left_bytes=None)
    assert filling_memory(order, huge, ()) == order.maximum
    tiny = replace(huge, available_bytes=1)
    assert filling_memory(order, tiny, ()) == order.minimum


def test_the_limit_of_a_control_group_is_the_memory() -> None:
    plan = plan_of(spec_of("memory.stream", size=GIB))
    memory = replace(MACHINE.memory, limit_bytes=8 * GIB, limit_left_bytes=2 * GIB)
    refuse_beyond_memory(plan, MACHINE.memory)
    with pytest.raises(UsageError, match="and 2 GiB are available") as refused:
        refuse_beyond_memory(plan, memory)
    assert refused.value.remedy == "request at most --set size=682MiB"


def test_a_size_of_an_application_beyond_memory_is_refused() -> None:
    size = AppSize(name="huge", values={"n": "9"}, seconds=1, memory=17 * GIB)
    described = Description(name="lj", title="LJ", command=("lj",), sizes=(size,))
    spec = replace(spec_of("app.lj"), command=Command(("lj",), "/", 1.0, described))
    with pytest.raises(UsageError) as refused:
        refuse_beyond_memory(plan_of(spec), MACHINE.memory)
    assert str(refused.value) == (
        "lj of size huge needs about 17 GiB of memory, and 16 GiB are available"
    )
    smaller = replace(described, sizes=(replace(size, memory=15 * GIB),))
    fits = replace(spec, command=Command(("lj",), "/", 1.0, smaller))
    refuse_beyond_memory(plan_of(fits), MACHINE.memory)


def test_where_nothing_fits_the_remedy_names_no_size() -> None:
    memory = replace(MACHINE.memory, available_bytes=MIB)
    with pytest.raises(UsageError) as refused:
        refuse_beyond_memory(
            plan_of(spec_of("memory.loaded", Layout(threads_per_rank=4), size=MIB)), memory
        )
    assert refused.value.remedy == "free memory"


def test_a_system_that_does_not_say_what_is_available_is_taken_at_its_total() -> None:
    memory = replace(MACHINE.memory, available_bytes=0)
    refuse_beyond_memory(plan_of(spec_of("memory.stream", size=GIB)), memory)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
@pytest.mark.parametrize("shape", [Shape(1, 1, 2, 1), Shape(2, 2, 8, 2)], ids=str)
def test_what_studies_measure_unless_asked_otherwise_fits(study: Study, shape: Shape) -> None:
    machine = synthetic_machine(shape, available=4 * GIB)
    sizes = choose_sizes(machine, ())
    plan = make_plan(study, machine, LayoutOptions(), PRECISION, sizes)
    refuse_beyond_memory(plan, machine.memory)


def test_a_product_beyond_the_memory_names_its_factors() -> None:
    plan = plan_of(spec_of("proxies.gkpic", particles=10, planes=8, radial=100_000, poloidal=9000))
    with pytest.raises(UsageError, match="particles=10, planes=8, radial=100000") as refused:
        refuse_beyond_memory(plan, MACHINE.memory)
    assert refused.value.remedy == "request smaller planes, radial, poloidal"
    few = plan_of(spec_of("proxies.gkpic", particles=10_000_000, planes=2, radial=8, poloidal=8))
    with pytest.raises(UsageError) as refused:
        refuse_beyond_memory(few, MACHINE.memory)
    assert refused.value.remedy == f"request at most --set particles={16 * GIB // (84 * 128)}"


# The kernel's: (taxa - 1) vectors of 128 bytes with 4 of scales, codes of the tips, and 8.
@pytest.mark.parametrize("taxa", [3, 10, 128, 1000])
def test_no_likelihood_that_fits_is_refused(taxa: int) -> None:
    needed = needed_memory(spec_of("proxies.plf", sites=1000, taxa=taxa))
    assert needed is not None
    assert 0.6 * ((taxa - 1) * 132 + taxa + 8) * 1000 < needed.bytes
    assert needed.bytes <= ((taxa - 1) * 132 + taxa + 8) * 1000
