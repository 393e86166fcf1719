"""A whole run made up for tests: shaped like a real one of two cores, with nothing measured."""

from __future__ import annotations

from functools import cache

from machmeter.analysis.stats.precision import precision_reached
from machmeter.model.layout import BASE_PAGE, HUGE_PAGE, ThreadPlace
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import (
    Check,
    ClockProperties,
    Closing,
    Header,
    LaunchOutcome,
    Noise,
    PointRecord,
    Record,
    Toolchain,
    Verdict,
)
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.curves import Knee, LastCache
from machmeter.model.results.finding import Finding
from machmeter.model.results.run import (
    NoiseSummary,
    Plan,
    Precision,
    ReferenceDrift,
    Request,
    RunHeader,
    RunResult,
    RunState,
    Skipped,
    TimeUse,
)
from tests.support.made_up.findings import made_up_finding
from tests.support.synthetic.figures import latency, network, overlap, stream, sync
from tests.support.synthetic.machine import make_machine
from tests.support.synthetic.maker import Maker


def _outcomes(host: str) -> tuple[LaunchOutcome, ...]:
    good = [
        LaunchOutcome(
            launch=number,
            spec=("memory.stream", "memory.latency", "threads.sync", "network")[number % 4],
            verdict=Verdict.ACCEPTED,
            reasons=(),
            command=("machmeter-node", "--seed", str(number)),
            exit_code=0,
            started="2026-11-20T10:00:00Z",
            wall_seconds=1.4,
        )
        for number in range(1, 61)
    ]
    bad = [
        (Verdict.REJECTED, f"rank 1 was asked on CPU 1 and seen on CPU 0 of {host}", 0),
        (Verdict.FAILED, "the program ended by signal 11 (segmentation fault)", -11),
        (Verdict.TIMED_OUT, "no end after 60 s", -9),
    ]
    return (
        *good,
        *(
            LaunchOutcome(61 + i, "network", verdict, (why,), ("mpiexec", "-n", "2"), code, "", 2.0)
            for i, (verdict, why, code) in enumerate(bad)
        ),
    )


def _findings() -> tuple[Finding, ...]:
    return (
        made_up_finding(
            "Should large arrays use 2 MiB pages?",
            "yes, 1.14x [1.12, 1.16]",
            "memory.stream triad, 2 threads, non-temporal stores",
            comparison=Comparison(1.14, 1.12, 1.16, True, 11.0, 1e-6, ComparisonVerdict.FASTER),
        ),
        made_up_finding(
            "Should idle threads spin?",
            "yes, where regions are short: a barrier takes 14.0x [13.4, 14.7] as long asleep",
            "threads.sync barrier, 2 threads",
        ),
        made_up_finding(
            "Does the MPI library move large messages while the program computes?",
            "when sending: 84 % of the communication is hidden; when receiving: 32 %",
            "network.overlap, 4 MiB",
        ),
    )


def _header(machine: Machine) -> RunHeader:
    return RunHeader(
        id="20261120-100000-quick",
        started="2026-11-20T10:00:00Z",
        version="0.1.0",
        command=("machmeter", "run", "quick", "--seed", "7"),
        request=Request(
            names=("quick",),
            study=Study("quick", "Quick", "", ()),
            layout_options=LayoutOptions(),
            precision=Precision(),
            mpi="mpich 5.0.2 from PyPI",
            compiler="",
        ),
        machine=machine,
        seed=7,
    )


@cache
def make_run(
    host: str = "node17",
    threads: tuple[int, ...] = (1, 2),
    caveats: tuple[str, ...] | None = None,
) -> RunResult:
    """A run of all six benchmarks on a machine of `max(threads)` cores."""
    make = Maker(7)
    estimates = (
        *stream(make, threads),
        *latency(make),
        *sync(make, threads),
        *network(make),
        *overlap(make),
    )
    knees = {
        str(BASE_PAGE): _knees(1.25),
        str(HUGE_PAGE): _knees(1.0),
    }
    default_caveats = (
        "The clock source is tsc under KVM: other guests take time. "
        "Run `machmeter doctor` and repeat when steal is below 1 %.",
        "Two launches ran while the load was 1.8: end other programs and repeat.",
    )
    return RunResult(
        header=_header(make_machine(host, max(threads))),
        state=RunState.FINISHED,
        plan=Plan(
            specs=(),
            precision=Precision(),
            skipped=(Skipped("threads.sync with 4 threads", "the machine has 2 cores"),),
            sizes={"memory.stream": 128 * 2**20},
            notes=("memory.stream size 128 MiB: 10 times the last knee, 12 MiB",),
        ),
        estimates=estimates,
        outcomes=_outcomes(host),
        knees=knees,
        last_cache=LastCache(12 * 2**20, 12 * 2**20, 12 * 2**20, 12 * 2**20, 12 * 2**20),
        findings=_findings(),
        drift=(
            ReferenceDrift("in cache", 1.01e-3, 1.02e-3, 1.01, 0.99, 1.03),
            ReferenceDrift("in memory", 9.1e-3, 9.9e-3, 1.088, 1.05, 1.13),
        ),
        noise=tuple(
            NoiseSummary(host, cpu, 4000, 1.004, 1.12, 6.8, 31) for cpu in range(max(threads))
        ),
        time_use=TimeUse(wall=131.0, launches=112.0, timed=83.0),
        caveats=tuple(
            Caveat(CaveatKind.NOISE, text)
            for text in (default_caveats if caveats is None else caveats)
        ),
        precision=precision_reached(estimates, Precision(), 131.0),
        toolchain=Toolchain(
            compiler="g++ (Debian 12.2.0-14) 12.2.0",
            flags="-O3 -march=native -fopenmp -fno-tree-loop-distribute-patterns",
            source_hash="3f6d1b0c9a5e4d7788aa",
            openmp="libgomp 201511",
            mpi_library="MPICH Version: 5.0.2, ch4:ofi",
        ),
    )


def _knees(slow: float) -> tuple[Knee, ...]:
    levels = ((48 * 2**10, 1.3e-9), (2 * 2**20, 4.6e-9), (12 * 2**20, 35e-9), (0, 118e-9 * slow))
    return tuple(Knee(size, value, value * 0.985, value * 1.015) for size, value in levels)


def make_record(launch: int = 1, host: str = "node17") -> tuple[LaunchOutcome, Record]:
    """One accepted launch of two points with three samples each."""
    place = ThreadPlace(0, 0, host, (0,), 0, 0)
    noise = Noise(host, (0,), ((1e-3, 1.1e-3),), 0.0, 0, 0.1)
    points = tuple(
        PointRecord(
            parameters={"kernel": kernel, "size": 64},
            series={"seconds": (1e-3, 1.5e-3, 1.25e-3)},
            batch=4,
            check=Check(True, "sums agree"),
        )
        for kernel in ("copy", "triad")
    )
    header = Header(
        1, "memory.stream", launch, 5, 1, "2026-11-20T10:00:00Z", (place,),
        Toolchain("g++", "-O3", "abc"), ClockProperties("tsc", 2e-8, 1e-9), (noise,),
    )  # fmt: skip
    record = Record(header, points, Closing("2026-11-20T10:00:01Z", 2, (noise,), 0.5))
    outcome = LaunchOutcome(
        launch, "memory.stream", Verdict.ACCEPTED, (), ("machmeter-node",), 0, "", 1.0
    )
    return outcome, record
