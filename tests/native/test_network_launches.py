"""Every network benchmark under every MPI: two ranks, and more ranks than there are cores."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest

from machmeter.benchmarks.catalogue import BENCHMARKS, find
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.build.mpi import MpiInstall, resolve_mpi
from machmeter.layout.assign import assign
from machmeter.machine.detect import detect_machine
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout, ProgressMode
from machmeter.model.plan.launch import Verdict
from tests.support.processes.measured_launches import BASE_PAGE, HUGE_PAGE, assert_measured, holds
from tests.support.processes.native_programs import (
    OFTEN,
    Programs,
    built_with,
    launch_of,
    launcher_of,
    start,
)

pytestmark = pytest.mark.alone

MIB = 2**20
Points = list[dict[str, Value]]
FULL = pytest.mark.full
MPIS = ("mpich", "openmpi", "/usr")
OWN_WORDS = {"mpich": "MPICH", "openmpi": "Open MPI v5", "/usr": ""}
NETWORK = [b.name for b in BENCHMARKS if b.group == "network" and b.program is MPI_PROGRAM]
# A form that needs a newer MPI than some have; ranks that a busy machine never starts together; an
# operation in shared memory of a few times what reading the clock costs.
EXCUSES = ("this MPI", "ompi issue", "some rank was late", "too short for the clock")
# Of what happens once in a launch; of rounds begun by time, the late ones of a busy machine go.
FEW_SAMPLES = ("network.startup", "network.collective", "network.barrier")


def every(**axes: tuple[Value, ...]) -> Points:
    """All combinations of the values of the axes."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def whole(benchmark: str, points: Points) -> Points:
    """Each point once, with every parameter that it does not name at its first value."""
    firsts = {parameter.name: parameter.values[0] for parameter in find(benchmark).parameters}
    wholes: Points = [firsts | point for point in points]
    return [point for place, point in enumerate(wholes) if point not in wholes[:place]]


OPERATIONS = tuple(map(str, find("network.collective").parameters[0].values))
SYNCHRONIZATIONS = ("fence", "post-start", "lock", "lock-all")
WINDOWS = ("allocate", "create", "dynamic", "shared")
POINTS: dict[str, Points] = {
    "network.latency": [
        *every(size=(0, 3, 8, MIB), pattern=("ping-pong", "ping-ping")),
        *every(
            size=(8, 65536),
            way=("nonblocking", "persistent", "partitioned", "matched-probe"),
            pattern=("ping-pong", "ping-ping"),
        ),
        *every(size=(4096,), data=("vector", "indexed"), buffers=("hot", "cold")),
    ],
    "network.pairs": every(size=(8, 65536), definition=("classic", "barrier")),
    "network.bandwidth": [
        *every(size=(8, MIB), direction=("one-way", "both-ways"), window=(8,)),
        {"size": 65536, "direction": "one-way", "window": 8, "buffers": "cold"},
    ],
    "network.threads": every(size=(8, 65536), window=(1, 8)),
    "network.overlap": every(size=(65536,), side=("send", "receive"), work_percent=(100,)),
    "network.availability": every(size=(65536,), side=("send", "receive")),
    "network.collective": [
        *every(operation=OPERATIONS, size=(8, 1024), start=("barrier",)),
        *every(operation=OPERATIONS, size=(1024,), form=("nonblocking", "persistent")),
        *every(operation=("allreduce", "scan"), size=(64,), datatype=("double", "int32", "char")),
    ],
    "network.barrier": every(
        form=("blocking", "nonblocking", "persistent"), start=("time", "barrier")
    ),
    "network.collective-overlap": every(
        operation=("allreduce", "alltoall"), size=(65536,), work_percent=(100,)
    ),
    "network.onesided": [
        *every(
            operation=("put", "get", "accumulate", "get-accumulate"),
            size=(8, 4096),
            synchronization=SYNCHRONIZATIONS,
            outstanding=(1, 8),
        ),
        *every(operation=("put",), size=(8,), window=WINDOWS, outstanding=(1,)),
        *every(operation=("put", "get"), size=(8,), target=("working",), outstanding=(1,)),
    ],
    "network.atomics": [
        *every(
            operation=("fetch-and-op", "compare-and-swap"),
            synchronization=SYNCHRONIZATIONS,
            outstanding=(1, 8),
        ),
        *every(operation=("fetch-and-op",), window=WINDOWS, outstanding=(1,)),
    ],
    "network.startup": [{"size": 8}],
    "network.consistency": every(pair=("0-1",), size=(8, 65536)),
}
# Where eight ranks share two cores an event can take tens of milliseconds: few points are enough.
CROWDED: dict[str, Points] = {
    "network.pairs": every(size=(8,), definition=("classic", "barrier")),
    "network.bandwidth": every(size=(8,), direction=("one-way", "both-ways"), window=(4,)),
    "network.collective": [
        *every(
            operation=("allreduce", "alltoallv", "neighbor-alltoall"), size=(8,), start=("barrier",)
        ),
        {"operation": "allgather", "size": 8, "start": "time"},
    ],
    "network.barrier": every(form=("blocking", "nonblocking"), start=("barrier",)),
    "network.collective-overlap": every(operation=("allreduce",), size=(65536,)),
    "network.startup": [{"size": 8}],
    "network.consistency": every(pair=("0-1", "2-5", "6-7"), size=(8,)),
}


# The rest of the matrix takes minutes: one library with every benchmark, each with a few.
WITH_EACH = ("network.latency", "network.collective", "network.onesided")


def matrix(benchmarks: Iterable[str]) -> pytest.MarkDecorator:
    """Every benchmark with every MPI; only with `make test-full` all of them."""
    cases = [
        pytest.param(
            benchmark,
            name,
            marks=[] if name == "mpich" or (name == "openmpi" and benchmark in WITH_EACH) else FULL,
        )
        for benchmark, name in product(benchmarks, MPIS)
    ]
    return pytest.mark.parametrize(("benchmark", "name"), cases)


def mpi_of(name: str, cache: Path) -> MpiInstall:
    """That MPI; skips the test where a site's own is absent."""
    try:
        return resolve_mpi(name, cache, os.environ)
    except MachineLacksError as error:
        if name in ("mpich", "openmpi"):
            raise
        pytest.skip(str(error))


def programs_for(benchmark: str, mpi: MpiInstall, cache: Path) -> Programs:
    """Those that measure this benchmark with this library."""
    return built_with(mpi, cache, OFTEN if benchmark in OFTEN else None)


def test_every_network_benchmark_is_tested() -> None:
    assert set(POINTS) == set(NETWORK)
    most = {name: find(name).most_ranks for name in NETWORK}
    assert set(CROWDED) == {name for name in NETWORK if most[name] == 0 or most[name] >= 8}


@matrix(NETWORK)
def test_two_ranks_run_as_asked(benchmark: str, name: str, cache: Path, tmp_path: Path) -> None:
    mpi = mpi_of(name, cache)
    layout = Layout(ranks_per_node=2, page_bytes=BASE_PAGE)
    holds(layout)
    launch = launch_of(benchmark, whole(benchmark, POINTS[benchmark]), layout)
    launcher = launcher_of(programs_for(benchmark, mpi, cache), mpi, os.environ)
    outcome, record = start(launcher, launch, tmp_path)
    least = 1 if benchmark in FEW_SAMPLES else 5
    assert_measured(launch, outcome, record, excuses=EXCUSES, least_samples=least)
    assert record.header is not None
    assert OWN_WORDS[name] in record.header.toolchain.mpi_library


@matrix(sorted(CROWDED))
def test_eight_ranks_share_the_cores_when_asked_to(
    benchmark: str, name: str, cache: Path, tmp_path: Path
) -> None:
    mpi = mpi_of(name, cache)
    layout = Layout(ranks_per_node=8, oversubscribe=True, page_bytes=BASE_PAGE)
    launch = launch_of(benchmark, whole(benchmark, CROWDED[benchmark]), layout)
    launcher = launcher_of(programs_for(benchmark, mpi, cache), mpi, os.environ)
    outcome, record = start(launcher, launch, tmp_path)
    least = 1 if benchmark in FEW_SAMPLES else 5
    assert_measured(launch, outcome, record, excuses=EXCUSES, least_samples=least)
    assert record.header is not None
    shared = len(detect_machine().topology.usable_cores) < layout.ranks
    if mpi.family == "openmpi":
        told = record.header.environment["OMPI_MCA_mpi_yield_when_idle"]
        assert told == str(int(shared))


@pytest.mark.parametrize("benchmark", ["network.latency", "network.bandwidth"])
def test_messages_lie_in_huge_pages_when_asked_to(
    benchmark: str, cache: Path, mpich: MpiInstall, tmp_path: Path
) -> None:
    layout = Layout(ranks_per_node=2, page_bytes=HUGE_PAGE)
    holds(layout)
    points = every(size=(8, MIB))
    launch = launch_of(
        benchmark,
        whole(benchmark, [p | {"window": 8} for p in points])
        if benchmark == "network.bandwidth"
        else whole(benchmark, points),
        layout,
    )
    outcome, record = start(
        launcher_of(built_with(mpich, cache), mpich, os.environ), launch, tmp_path
    )
    assert_measured(launch, outcome, record)


@pytest.mark.parametrize("name", ["mpich", *(pytest.param(one, marks=FULL) for one in MPIS[1:])])
def test_progress_threads_run_where_they_were_asked_to(
    name: str, cache: Path, tmp_path: Path
) -> None:
    mpi = mpi_of(name, cache)
    layout = Layout(ranks_per_node=2, page_bytes=BASE_PAGE, progress=ProgressMode.THREAD)
    holds(layout)
    launch = launch_of("network.overlap", whole("network.overlap", [{"size": 65536}]), layout)
    launcher = launcher_of(programs_for("network.overlap", mpi, cache), mpi, os.environ)
    outcome, record = start(launcher, launch, tmp_path)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert record.header is not None
    asked = assign(layout, detect_machine().topology).progress
    assert tuple(p.cpus for p in sorted(record.header.progress, key=lambda p: p.rank)) == asked


def test_ranks_share_a_reserved_core_for_progress(
    cache: Path, mpich: MpiInstall, tmp_path: Path
) -> None:
    cores = len(detect_machine().topology.usable_cores)
    layout = Layout(
        ranks_per_node=2,
        page_bytes=BASE_PAGE,
        reserved_cores=1,
        progress=ProgressMode.RESERVED,
        oversubscribe=cores < 3,
    )
    holds(layout)
    launch = launch_of("network.overlap", whole("network.overlap", [{"size": 65536}]), layout)
    outcome, record = start(
        launcher_of(built_with(mpich, cache), mpich, os.environ), launch, tmp_path
    )
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert record.header is not None
    assert len({place.cpus for place in record.header.progress}) == 1
    computing = {cpu for place in record.header.places for cpu in place.cpus}
    assert computing.isdisjoint(record.header.progress[0].cpus)


@pytest.mark.parametrize("side", ["send", "receive"])
def test_an_overlap_too_short_for_the_clock_is_not_used(
    side: str, cache: Path, mpich: MpiInstall, tmp_path: Path
) -> None:
    layout = Layout(ranks_per_node=2, page_bytes=BASE_PAGE)
    holds(layout)
    points = every(size=(0, 8, 1024, 65536), side=(side,), work_percent=(100,))
    launch = launch_of("network.overlap", points, layout)
    outcome, record = start(
        launcher_of(built_with(mpich, cache), mpich, os.environ), launch, tmp_path
    )
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert len(record.points) == len(points)
    for point in record.points:
        assert 0 < point.quantities["clock_share"] <= 1
        assert point.check.passed == (point.quantities["clock_share"] <= 0.05), point.check
        assert point.check.passed != ("too short for the clock" in point.check.what)
