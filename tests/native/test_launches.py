"""Every benchmark through the product's own launcher: it runs where it was asked to, and checks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout, WaitPolicy
from tests.support.processes.measured_launches import BASE_PAGE, HUGE_PAGE, assert_measured, holds
from tests.support.processes.native_programs import Programs, launch_of, launcher_of, start

pytestmark = pytest.mark.alone

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
}
NODE = [b.name for b in BENCHMARKS if b.name in POINTS and b.program is NODE_PROGRAM]


@pytest.mark.parametrize("page_bytes", [BASE_PAGE, HUGE_PAGE], ids=["base", "huge"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("benchmark", NODE)
def test_node_benchmarks_run_as_asked(
    benchmark: str, threads: int, page_bytes: int, programs: Programs, tmp_path: Path
) -> None:
    layout = Layout(threads_per_rank=threads, page_bytes=page_bytes)
    holds(layout)
    launch = launch_of(benchmark, POINTS[benchmark], layout)
    outcome, record = start(launcher_of(programs, None, os.environ), launch, tmp_path)
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
    outcome, record = start(launcher_of(programs, None, caller), launch, tmp_path)
    assert_measured(launch, outcome, record)
    assert record.header is not None
    said = record.header.environment.get("OMP_WAIT_POLICY", WaitPolicy.DEFAULT)
    assert said.lower() == policy.value


def test_two_launches_differ_in_order_but_not_in_what_they_measure(
    programs: Programs, tmp_path: Path
) -> None:
    points: Points = [{"size": 4096 * 2**step} for step in range(6)]
    launcher = launcher_of(programs, None, os.environ)
    orders = []
    for number, seed in enumerate((1, 2, 3), start=1):
        launch = launch_of("memory.latency", points, Layout(page_bytes=BASE_PAGE), number, seed)
        outcome, record = start(launcher, launch, tmp_path)
        assert_measured(launch, outcome, record)
        orders.append([point.parameters["size"] for point in record.points])
    assert [sorted(map(int, order)) for order in orders] == [[p["size"] for p in points]] * 3
    assert len({tuple(order) for order in orders}) > 1
