"""Every benchmark through the product's own launcher: it runs where it was asked to, and checks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.benchmarks.catalogue import BENCHMARKS, find
from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import Programs
from machmeter.launch.local import LocalLauncher
from machmeter.layout.assign import LayoutError, assign
from machmeter.machine.detect import detect_machine
from machmeter.model.benchmark import Executable, Value
from machmeter.model.launch import Launch, Outcome, Record, Verdict
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.units import format_bytes
from machmeter.run.tally import metrics_of
from native_programs import built_with, launch_of, start

pytestmark = pytest.mark.native

MIB = 2**20
Points = list[dict[str, Value]]
POINTS: dict[str, Points] = {
    "memory.stream": [
        {"kernel": kernel, "stores": stores, "size": 4 * MIB}
        for kernel in ("copy", "scale", "add", "triad", "read", "write", "update")
        for stores in ("temporal", "nontemporal")
        if (kernel, stores) != ("read", "nontemporal")
    ],
    "memory.latency": [{"size": 4096}, {"size": 2 * MIB}],
    "memory.allocation": [
        {"way": way, "pages": "base", "size": 4 * MIB}
        for way in ("map", "malloc-outside", "malloc-inside", "malloc-loop")
    ],
    "threads.sync": [
        {"construct": name}
        for name in ("parallel", "for", "barrier", "reduction", "single", "critical")
    ],
    "network.latency": [{"size": size} for size in (0, 8, MIB)],
    "network.bandwidth": [
        {"size": size, "direction": direction, "window": 8}
        for size in (8, MIB)
        for direction in ("one-way", "both-ways")
    ],
    "network.overlap": [
        {"size": 65536, "side": side, "work_percent": 100} for side in ("send", "receive")
    ],
}
NODE = [b.name for b in BENCHMARKS if b.name in POINTS and b.executable is Executable.NODE]
NETWORK = [b.name for b in BENCHMARKS if b.executable is Executable.MPI]


MEMORY = detect_machine().memory
BASE_PAGE, HUGE_PAGE = MEMORY.base_page_bytes, MEMORY.huge_page_bytes


def holds(layout: Layout) -> None:
    """Skip the test where this machine has no room for the layout."""
    try:
        assign(layout, detect_machine().topology)
    except LayoutError as error:
        pytest.skip(str(error))


def assert_measured(launch: Launch, outcome: Outcome, record: Record) -> None:
    """It ran where it was asked to, every point is there, checked, and its samples are times."""
    layout = launch.spec.layout
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert outcome.exit_code == 0
    assert record.header is not None
    assert record.header.world_size == layout.ranks
    assert len(record.header.places) == layout.threads
    assert len(record.points) == len(launch.spec.points)
    benchmark = find(launch.spec.benchmark)
    for point in record.points:
        assert point.check.passed, point.check
        assert metrics_of(benchmark, point), "a point without any metric"
        for name, samples in point.series.items():
            assert len(samples) >= 5, name
            assert all(sample > 0 for sample in samples), name
    for reason in outcome.dropped_points.values():
        # A machine may have no huge page left: that must be told, and is no mistake of the kernel.
        assert layout.page_bytes == HUGE_PAGE, reason
        assert f"asked {format_bytes(HUGE_PAGE)}, obtained {format_bytes(BASE_PAGE)}" in reason
    if layout.page_bytes == BASE_PAGE:
        assert {point.page_bytes for point in record.points} <= {0, BASE_PAGE}


@pytest.mark.parametrize("page_bytes", [BASE_PAGE, HUGE_PAGE], ids=["base", "huge"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("benchmark", NODE)
def test_node_benchmarks_run_as_asked(
    benchmark: str, threads: int, page_bytes: int, programs: Programs, tmp_path: Path
) -> None:
    layout = Layout(threads_per_rank=threads, page_bytes=page_bytes)
    holds(layout)
    launch = launch_of(benchmark, POINTS[benchmark], layout)
    outcome, record = start(LocalLauncher(programs, None, os.environ), launch, tmp_path)
    assert_measured(launch, outcome, record)


@pytest.mark.parametrize("policy", list(WaitPolicy))
def test_the_wait_policy_reaches_the_runtime(
    policy: WaitPolicy, programs: Programs, tmp_path: Path
) -> None:
    layout = Layout(threads_per_rank=2, wait_policy=policy, page_bytes=BASE_PAGE)
    holds(layout)
    # What the caller's environment says must not count.
    caller = {**os.environ, "OMP_WAIT_POLICY": "neither", "OMP_NUM_THREADS": "1"}
    launch = launch_of("threads.sync", [{"construct": "barrier"}], layout)
    outcome, record = start(LocalLauncher(programs, None, caller), launch, tmp_path)
    assert_measured(launch, outcome, record)
    assert record.header is not None
    assert record.header.environment["OMP_WAIT_POLICY"].lower() == policy.value


@pytest.mark.parametrize("page_bytes", [BASE_PAGE, HUGE_PAGE], ids=["base", "huge"])
@pytest.mark.parametrize("benchmark", NETWORK)
def test_network_benchmarks_run_with_mpich(
    benchmark: str, page_bytes: int, programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    layout = Layout(ranks_per_node=2, page_bytes=page_bytes)
    holds(layout)
    launch = launch_of(benchmark, POINTS[benchmark], layout)
    outcome, record = start(LocalLauncher(programs, mpich, os.environ), launch, tmp_path)
    assert_measured(launch, outcome, record)
    assert record.header is not None
    assert "MPICH" in record.header.toolchain.mpi_library


@pytest.mark.parametrize("side", ["send", "receive"])
def test_an_overlap_too_short_for_the_clock_is_not_used(
    side: str, programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    layout = Layout(ranks_per_node=2, page_bytes=BASE_PAGE)
    holds(layout)
    points: Points = [
        {"size": size, "side": side, "work_percent": 100} for size in (0, 8, 1024, 65536)
    ]
    launch = launch_of("network.overlap", points, layout)
    outcome, record = start(LocalLauncher(programs, mpich, os.environ), launch, tmp_path)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert len(record.points) == len(points)
    for point in record.points:
        assert 0 < point.facts["clock_share"] <= 1
        assert point.check.passed == (point.facts["clock_share"] <= 0.05), point.check
        assert point.check.passed != ("too short for the clock" in point.check.what)


@pytest.mark.parametrize("benchmark", NETWORK)
def test_network_benchmarks_run_with_open_mpi(
    benchmark: str, openmpi: MpiInstall, cache: Path, tmp_path: Path
) -> None:
    layout = Layout(ranks_per_node=2, page_bytes=BASE_PAGE)
    holds(layout)
    launch = launch_of(benchmark, POINTS[benchmark], layout)
    launcher = LocalLauncher(built_with(openmpi, cache), openmpi, os.environ)
    outcome, record = start(launcher, launch, tmp_path)
    assert_measured(launch, outcome, record)
    assert record.header is not None
    assert "Open MPI" in record.header.toolchain.mpi_library


def test_two_launches_differ_in_order_but_not_in_what_they_measure(
    programs: Programs, tmp_path: Path
) -> None:
    points: Points = [{"size": 4096 * 2**step} for step in range(6)]
    launcher = LocalLauncher(programs, None, os.environ)
    orders = []
    for number, seed in enumerate((1, 2, 3), start=1):
        launch = launch_of("memory.latency", points, Layout(page_bytes=BASE_PAGE), number, seed)
        outcome, record = start(launcher, launch, tmp_path)
        assert_measured(launch, outcome, record)
        orders.append([point.parameters["size"] for point in record.points])
    assert [sorted(map(int, order)) for order in orders] == [[p["size"] for p in points]] * 3
    assert len({tuple(order) for order in orders}) > 1
