"""A launcher that starts nothing: it writes the records that a program would have written."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import msgspec

from machmeter.benchmarks.catalogue import find
from machmeter.launch.launcher import Attempt, Launcher
from machmeter.launch.process import ProcessResult
from machmeter.layout.assign import assign
from machmeter.model.benchmark import Benchmark, ThreadSweep
from machmeter.model.layout import Layout, ThreadPlace
from machmeter.model.machine import Machine, Memory, Software
from machmeter.model.plan.launch import (
    RECORD_FORMAT,
    Check,
    ClockProperties,
    Closing,
    Header,
    Launch,
    LaunchOutcome,
    LaunchSpec,
    Noise,
    PointRecord,
    Toolchain,
    Verdict,
)
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.point import Point, make_point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import Plan, Precision, Request, RunHeader
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.session import Session
from machmeter.run.measuring.tally import Tally
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import Sizes
from machmeter.store.records import parse_record
from machmeter.store.run_folder import RunFolder
from tests.support.observed_ranks import observed_rank
from tests.support.sysfs_tree import Shape

KIB, MIB, GIB = 2**10, 2**20, 2**30
LAUNCH_SECONDS = 0.5

LATENCY_OF_LEVEL = ((1 * MIB, 1.1e-9), (16 * MIB, 6e-9))
MEMORY_LATENCY = 120e-9


def synthetic_machine(
    shape: Shape | None = None,
    *,
    huge_page_bytes: int = 2 * MIB,
    huge_pages: str = "madvise",
    available: int = 16 * GIB,
) -> Machine:
    """A quiet machine of `shape`, two cores by default."""
    topology = (shape or Shape(packages=1, domains=1, cores=2, smt=1)).topology()
    memory = Memory(32 * GIB, available, 0, 4096, huge_page_bytes, huge_pages, 0)
    return Machine(
        name="made-up",
        host="made-up-host",
        architecture="x86_64",
        cpu_model="Made-up CPU",
        topology=topology,
        memory=memory,
        software=Software(
            *("6.1", "none", "2.36", "", "", "performance", "tsc", "0"),
            blas={"openblas": "/cache/libopenblas.so"},
        ),
        features=("avx2", "avx512f", "fma"),
    )


STUDY = Study(
    name="small",
    title="Small",
    summary="",
    experiments=(
        Experiment("memory.latency", {"size": (8 * KIB, 8 * MIB)}),
        Experiment("threads.sync", {"construct": ("barrier",)}, threads=ThreadSweep.ENDS),
        Experiment("network.latency", {"size": (8,)}),
    ),
)
AUTO = Study("auto", "", "", (Experiment("memory.latency"),))
PRECISION = Precision(half_width=0.05, least_launches=3, most_launches=6, budget_seconds=1000.0)


def new_folder(
    path: Path, study: Study = STUDY, precision: Precision = PRECISION, hosts: tuple[str, ...] = ()
) -> RunFolder:
    """The folder of a run that was asked for and has launched nothing yet."""
    options = LayoutOptions(hosts=hosts)
    asked = Request((study.name,), study, options, precision, "mpich", "")
    header = RunHeader(
        "a-run", "2026-11-21T10:00:00+00:00", "1", ("machmeter",), asked, synthetic_machine(), 7
    )
    return RunFolder.create(path, header)


def latency_seconds(size: int) -> float:
    """The latency of the made-up machine for a working set of `size` bytes, seconds."""
    return next((latency for end, latency in LATENCY_OF_LEVEL if size <= end), MEMORY_LATENCY)


def point_record(
    point: Point, rng: random.Random, *, samples: int = 20, own: Sequence[Benchmark] = ()
) -> PointRecord:
    """What a kernel might record for `point`: steady, with half a percent of noise."""
    level = rng.gauss(1, 0.002)
    base = 1e-6
    if point.benchmark == "memory.latency":
        base = latency_seconds(int(point.get("size")))
    times = {"test": 3.0, "total": 1.5, "work": 1.0, "communication": 1.0}
    metrics = find(point.benchmark, own).metrics
    names = dict.fromkeys(name for metric in metrics for name in metric.series)
    return PointRecord(
        parameters=dict(point.parameters),
        series={
            name: tuple(
                base * times.get(name, 1.0) * level * rng.gauss(1, 0.005) for _ in range(samples)
            )
            for name in names
        },
        batch=1,
        check=Check(True, "made up"),
        quantities={metric.amount: 1e6 for metric in metrics if metric.amount},
        page_bytes=point.layout.page_bytes,
    )


def record_lines(
    launch: Launch, *, cpu_shift: int = 0, own: Sequence[Benchmark] = ()
) -> list[bytes]:
    """The lines of a whole record of `launch`; `cpu_shift` puts it on other CPUs than asked."""
    rng = random.Random(launch.seed)
    layout = launch.spec.layout
    names = [f"n{node + 1}" if layout.nodes > 1 else "made-up-host" for node in range(layout.nodes)]
    places = tuple(
        ThreadPlace(
            node * layout.ranks_per_node + rank, thread, name, shifted, next(iter(shifted), -1)
        )
        for node, name in enumerate(names)
        for rank, threads in enumerate(launch.assignment.cpus)
        for thread, cpus in enumerate(threads)
        for shifted in [tuple(cpu + cpu_shift for cpu in cpus)]
    )
    noise = (Noise("made-up-host", (0,), ((1e-4,) * 20,), 0.0, 1, 0.1),)
    header = Header(
        RECORD_FORMAT,
        launch.spec.benchmark,
        launch.number,
        launch.seed,
        launch.spec.layout.ranks,
        "2026-11-21T10:00:01+00:00",
        places,
        Toolchain("made-up c++", "-O3", "0" * 16),
        ClockProperties("made-up", 1e-8, 1e-9),
        noise,
    )
    points = [point_record(point, rng, own=own) for point in launch.spec.points]
    closing = Closing("2026-11-21T10:00:02+00:00", len(points), noise, 0.1, places)
    ranks = [observed_rank()] * launch.spec.layout.ranks if launch.spec.command else []
    return [msgspec.json.encode(line) + b"\n" for line in (header, *points, *ranks, closing)]


Behavior = Callable[[Launch, Path], int]


def good(launch: Launch, record: Path, own: Sequence[Benchmark] = ()) -> int:
    """Write a whole record and end well."""
    record.write_bytes(b"".join(record_lines(launch, own=own)))
    return 0


def crash(launch: Launch, record: Path) -> int:
    """Write half a record under its temporary name and die of a segmentation fault."""
    half = b"".join(record_lines(launch)[:-1])[:-40]
    record.with_name(record.name + ".partial").write_bytes(half)
    return -11


class FakeLauncher:
    """Implements `Launcher`: keeps what it was asked to start and behaves as told."""

    def __init__(self, behave: Behavior = good, passing: Callable[[float], None] | None = None):
        self.started: list[Launch] = []
        self.limits: list[float] = []
        self._behave = behave
        self._passing = passing

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        self.started.append(launch)
        self.limits.append(limit_seconds)
        code = self._behave(launch, record)
        if self._passing:
            self._passing(LAUNCH_SECONDS)
        return Attempt(("program",), ProcessResult(code, LAUNCH_SECONDS, False, ""))

    def of(self, spec: LaunchSpec) -> list[Launch]:
        """What was started of `spec`."""
        return [launch for launch in self.started if launch.spec.name == spec.name]


def run_to_end(
    folder: RunFolder, launcher: Launcher, precision: Precision = PRECISION
) -> RunFolder:
    """Measure the run in `folder` with `launcher`, from where it is to its end."""
    asked = folder.header().request

    def planner(sizes: Sizes) -> Plan:
        machine, options = synthetic_machine(), asked.layout_options
        return make_plan(asked.study, machine, options, precision, sizes)

    measure(folder, launcher, precision, planner, ignore_progress)
    return folder


def small_spec(name: str = "small", *sizes: int, layout: Layout | None = None) -> LaunchSpec:
    """A spec of `memory.latency` over `sizes` bytes."""
    where = layout or Layout()
    points = tuple(make_point("memory.latency", {"size": size}, where) for size in sizes or (8192,))
    benchmark = find("memory.latency")
    return LaunchSpec(name, benchmark.program.name, benchmark.name, where, points, 0.01)


def filled_estimates(spec: LaunchSpec, launches: int) -> tuple[Estimate, ...]:
    """The estimates of `spec` from that many made-up launches."""
    tally = Tally(PRECISION)
    assignment = assign(spec.layout, synthetic_machine().topology)
    for number in range(1, launches + 1):
        record = parse_record(b"".join(record_lines(Launch(number, spec, number, assignment))))
        outcome = LaunchOutcome(
            number, spec.name, Verdict.ACCEPTED, (), (), 0, "", 1.0, round=number
        )
        tally.add(spec, outcome, record)
    return tally.estimates(spec)


class FakeTime(SimpleNamespace):
    """A clock that only launches move."""

    def __init__(self) -> None:
        super().__init__(now=0.0)

    def monotonic(self) -> float:
        return float(self.now)

    def passes(self, seconds: float) -> None:
        self.now += seconds


def a_session(
    folder: RunFolder, launcher: FakeLauncher, precision: Precision = PRECISION
) -> Session:
    """A sitting on the made-up machine."""
    topology = synthetic_machine().topology
    return Session(folder, launcher, topology, precision, ignore_progress)
