"""A whole run made up for tests: shaped like a real one of two cores, with nothing measured."""

from __future__ import annotations

import math
import random
from statistics import fmean

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Value
from machmeter.model.estimate import (
    Comparison,
    ComparisonVerdict,
    Estimate,
    Finding,
    Knee,
    Scale,
)
from machmeter.model.launch import (
    Check,
    ClockFacts,
    Closing,
    Header,
    Noise,
    Outcome,
    PointRecord,
    Record,
    Toolchain,
    Verdict,
)
from machmeter.model.layout import BASE_PAGE, HUGE_PAGE, Layout, ThreadPlace, WaitPolicy
from machmeter.model.machine import Cache, Cpu, Machine, Memory, NumaDomain, Software, Topology
from machmeter.model.point import make_point
from machmeter.model.run import (
    Asked,
    NoiseSummary,
    Plan,
    Precision,
    ReferenceDrift,
    RunHeader,
    RunResult,
    RunState,
    Skipped,
    TimeUse,
)
from machmeter.model.study import LayoutWish, Study
from machmeter.model.units import SHARE

LAUNCHES = 12
KERNELS = {
    "copy": (1.0, 1.5),
    "scale": (0.99, 1.5),
    "add": (1.06, 1.33),
    "triad": (1.05, 1.33),
    "read": (0.8, 1.0),
    "write": (1.1, 2.0),
    "update": (1.2, 1.0),
}
CONSTRUCTS = {
    "parallel": 0.9e-6,
    "for": 0.45e-6,
    "barrier": 0.4e-6,
    "reduction": 1.1e-6,
    "single": 0.5e-6,
    "critical": 0.06e-6,
}
MESSAGE_SIZES = (0, *(2**power for power in range(23)))


class _Maker:
    """Makes estimates with a spread between launches, from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def estimate(
        self,
        benchmark: str,
        parameters: dict[str, Value],
        layout: Layout,
        metric: str,
        value: float,
        spread: float = 0.01,
    ) -> Estimate:
        known = find(benchmark).metric(metric)
        name, title, unit, direction = known.name, known.title, known.unit, known.direction
        linear = unit == SHARE
        draws = [
            value + self.random.gauss(0, spread)
            if linear
            else value * math.exp(self.random.gauss(0, spread))
            for _ in range(LAUNCHES)
        ]
        middle = fmean(draws)
        half = self.random.uniform(1.2, 2.8) * spread / math.sqrt(LAUNCHES)
        low, high = (
            (middle - half, middle + half)
            if linear
            else (middle * math.exp(-half), middle * math.exp(half))
        )
        return Estimate(
            point=make_point(benchmark, parameters, layout),
            metric=name,
            title=title,
            unit=unit,
            direction=direction,
            scale=Scale.LINEAR if linear else Scale.LOG,
            value=middle,
            low=low,
            high=high,
            launches=LAUNCHES,
            samples=200 * LAUNCHES,
            precision=half,
            asked=0.02,
            reached=half <= 0.02,
            resolved=True,
            launch_values=tuple(draws),
            launch_numbers=tuple(range(1, LAUNCHES + 1)),
            warmup_cut=5,
            rounds=tuple(range(1, LAUNCHES + 1)),
            outliers=self.random.randrange(9),
            batch=1,
            words={},
        )


def _stream(make: _Maker, threads: tuple[int, ...]) -> list[Estimate]:
    found = []
    for kernel, (factor, traffic) in KERNELS.items():
        for count in threads:
            for pages in (BASE_PAGE, HUGE_PAGE):
                for stores in ("temporal", "nontemporal"):
                    if kernel == "read" and stores == "nontemporal":
                        continue
                    layout = Layout(threads_per_rank=count, page_bytes=pages)
                    parameters: dict[str, Value] = {
                        "kernel": kernel,
                        "stores": stores,
                        "size": 128 * 2**20,
                    }
                    rate = 13.4e9 * factor * min(count, 24) ** 0.93
                    rate *= 1.31 if stores == "nontemporal" else 1.0
                    rate *= 1.14 if pages == HUGE_PAGE else 1.0
                    bus = rate * (traffic if stores == "temporal" else 1.0)
                    for metric, value in (
                        ("stream_bandwidth", rate),
                        ("bus_bandwidth", bus),
                    ):
                        spread = 0.07 if kernel == "update" and count == 1 else 0.012
                        found.append(
                            make.estimate(
                                "memory.stream", parameters, layout, metric, value, spread
                            )
                        )
    return found


def _latency_at(size: int, pages: int) -> float:
    value = 1.3e-9
    for knee, level in ((32 * 2**10, 4.6e-9), (2 * 2**20, 35e-9), (12 * 2**20, 118e-9)):
        value += (level - value) / (1 + (knee / size) ** 3)
    return value * (1.0 if pages == HUGE_PAGE else 1 + 0.35 / (1 + 2**22 / size))


def _latency(make: _Maker) -> list[Estimate]:
    return [
        make.estimate(
            "memory.latency",
            {"size": size},
            Layout(page_bytes=pages),
            "latency",
            _latency_at(size, pages),
        )
        for pages in (BASE_PAGE, HUGE_PAGE)
        for power in range(12, 27)
        for size in (2**power, 3 * 2 ** (power - 1))
    ]


def _sync(make: _Maker, threads: tuple[int, ...]) -> list[Estimate]:
    found = []
    for construct, base in CONSTRUCTS.items():
        for count in threads:
            for policy in WaitPolicy:
                factor = (
                    14 if policy is WaitPolicy.PASSIVE and construct != "critical" else 1.0
                ) * (0.2 + math.log2(count) if count > 1 else 0.08)
                layout = Layout(threads_per_rank=count, wait_policy=policy)
                one = make.estimate(
                    "threads.sync",
                    {"construct": construct},
                    layout,
                    "overhead",
                    base * factor,
                    0.05,
                )
                if construct == "critical" and count == 1:
                    one = _unresolved(one)
                found.append(one)
    return found


def _unresolved(one: Estimate) -> Estimate:
    return replace(
        one, value=2e-9, low=-8e-9, high=12e-9, precision=5.0, reached=False, resolved=False
    )


def _network(make: _Maker) -> list[Estimate]:
    layout = Layout(ranks_per_node=2)
    found = []
    for size in MESSAGE_SIZES:
        time = 0.42e-6 + size / 9.5e9 + (0.9e-6 if size > 16384 else 0)
        spread = 0.05 if size == 65536 else 0.013
        found.append(
            make.estimate("network.latency", {"size": size}, layout, "latency", time, spread)
        )
    for size in MESSAGE_SIZES[1:]:
        for direction, name, factor in (
            ("one-way", "bandwidth_one_way", 1.0),
            ("both-ways", "bandwidth_both_ways", 1.55),
        ):
            rate = factor * size / (0.11e-6 + size / 12.4e9)
            parameters: dict[str, Value] = {"size": size, "direction": direction, "window": 64}
            for metric, value in (
                (name, rate),
                ("message_rate", rate / size),
            ):
                found.append(make.estimate("network.bandwidth", parameters, layout, metric, value))
    return found


def _overlap(make: _Maker) -> list[Estimate]:
    found = []
    for size in (1024, 8192, 65536, 262144, 1048576, 4194304):
        for side, level in (("send", 0.9), ("receive", 0.35)):
            share = level / (1 + 20000 / size)
            for metric, value in (
                ("work_hidden", share),
                ("communication_hidden", share * 0.93),
            ):
                found.append(
                    make.estimate(
                        "network.overlap",
                        {"size": size, "side": side, "work_percent": 100},
                        Layout(ranks_per_node=2),
                        metric,
                        value,
                        0.02,
                    )
                )
    return found


def make_machine(
    host: str = "node17", cores: int = 2, model: str = "Xeon Platinum 8488C"
) -> Machine:
    every = tuple(range(cores))
    return Machine(
        name=host,
        host=host,
        architecture="x86_64",
        cpu_model=model,
        topology=Topology(
            cpus=tuple(Cpu(number, number, 0, 0) for number in every),
            caches=(
                Cache(1, "data", 48 * 2**10, 64, (0,)),
                Cache(2, "unified", 2 * 2**20, 64, (0,)),
                Cache(3, "unified", 480 * 2**20, 64, every),
            ),
            domains=(NumaDomain(0, every, 16 * 2**30, (10,)),),
        ),
        memory=Memory(16 * 2**30, 14 * 2**30, 0, BASE_PAGE, HUGE_PAGE, "madvise", 0),
        software=Software(
            kernel="6.1.0-28-amd64",
            distribution="Debian GNU/Linux 12 (bookworm)",
            libc="glibc 2.36",
            hypervisor="KVM",
            container="",
            governor="",
            clock_source="tsc",
            numa_balancing="0",
        ),
        features=("avx2", "avx512f"),
    )


def _outcomes(host: str) -> tuple[Outcome, ...]:
    good = [
        Outcome(
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
            Outcome(61 + i, "network", verdict, (why,), ("mpiexec", "-n", "2"), code, "", 2.0)
            for i, (verdict, why, code) in enumerate(bad)
        ),
    )


def _findings() -> tuple[Finding, ...]:
    return (
        Finding(
            "Should large arrays use 2 MiB pages?",
            "yes, 1.14x [1.12, 1.16]",
            "memory.stream triad, 2 threads, non-temporal stores",
            Comparison(1.14, 1.12, 1.16, True, 11.0, 1e-6, ComparisonVerdict.FASTER),
        ),
        Finding(
            "Should idle threads spin?",
            "yes, where regions are short: a barrier takes 14.0x [13.4, 14.7] as long asleep",
            "threads.sync barrier, 2 threads",
        ),
        Finding(
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
        asked=Asked(
            names=("quick",),
            study=Study("quick", "Quick", "", ()),
            wish=LayoutWish(),
            precision=Precision(),
            mpi="mpich 5.0.2 from PyPI",
            compiler="",
        ),
        machine=machine,
        seed=7,
    )


def make_run(
    host: str = "node17",
    threads: tuple[int, ...] = (1, 2),
    warnings: tuple[str, ...] | None = None,
) -> RunResult:
    """A run of all six benchmarks on a machine of `max(threads)` cores."""
    make = _Maker(7)
    estimates = (
        *_stream(make, threads),
        *_latency(make),
        *_sync(make, threads),
        *_network(make),
        *_overlap(make),
    )
    knees = {
        str(BASE_PAGE): _knees(1.25),
        str(HUGE_PAGE): _knees(1.0),
    }
    default_warnings = (
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
        findings=_findings(),
        drift=(
            ReferenceDrift("in cache", 1.01e-3, 1.02e-3, 1.01, 0.99, 1.03),
            ReferenceDrift("in memory", 9.1e-3, 9.9e-3, 1.088, 1.05, 1.13),
        ),
        noise=tuple(
            NoiseSummary(host, cpu, 4000, 1.004, 1.12, 6.8, 31) for cpu in range(max(threads))
        ),
        time_use=TimeUse(wall=131.0, launches=112.0, timed=83.0),
        warnings=default_warnings if warnings is None else warnings,
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


def make_record(launch: int = 1, host: str = "node17") -> tuple[Outcome, Record]:
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
        Toolchain("g++", "-O3", "abc"), ClockFacts("tsc", 2e-8, 1e-9), (noise,),
    )  # fmt: skip
    record = Record(header, points, Closing("2026-11-20T10:00:01Z", 2, (noise,), 0.5))
    outcome = Outcome(
        launch, "memory.stream", Verdict.ACCEPTED, (), ("machmeter-node",), 0, "", 1.0
    )
    return outcome, record
