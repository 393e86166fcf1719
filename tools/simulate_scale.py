"""How long machmeter takes for runs on many nodes, and what it holds, by synthetic records.

    python tools/simulate_scale.py                  every table, about a minute
    python tools/simulate_scale.py --nodes 64       of one number of nodes

Nodes have 128 cores. Times are drawn from NumPy's PCG64, seeded with --seed and the number of the
launch. Every row is measured in a process of its own: seconds of its CPU time, which others do not
lengthen, and the most memory that all of it held.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import msgspec
import numpy as np

from machmeter.benchmarks.catalogue import find
from machmeter.layout.assign import assign
from machmeter.model.errors import UsageError
from machmeter.model.machine import Cache, Cpu, Machine, Memory, NumaDomain, Software, Topology
from machmeter.model.plan.launch import (
    RECORD_FORMAT,
    Check,
    ClockProperties,
    Closing,
    Header,
    Launch,
    LaunchOutcome,
    Noise,
    PointRecord,
    Record,
    Toolchain,
)
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.plan.packed import Common, Packed, Quanta
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Precision, Request, RunHeader, RunState
from machmeter.report.pages.run import render_page
from machmeter.run.measuring.judge import judge
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.run.measuring.tally import Tally
from machmeter.run.planning.plan import expected
from machmeter.run.planning.within_budget import refuse_short_budget
from machmeter.run.results.result import collect
from machmeter.store.records import read_record
from machmeter.store.run_folder import RunFolder, StateFile
from machmeter.studies.select import select

CORES, DOMAINS, PACKAGES = 128, 8, 2
NODES = (250, 500, 1000)
STUDIES = ("nodes", "louhi", "edison-network", "comet-network")
LAUNCHES = 5
BUDGET = 3600.0
SAMPLES = 20
QUANTA = 12
SLOW_QUANTA = 0.05
WORDS = {
    "event": "half a round trip; the batch counts round trips",
    "transfer": "MPI_Send, MPI_Recv of contiguous bytes, each pair with its own samples",
    "buffer": "reused",
}
START = "2026-11-21T10:00:00+00:00"


def machine() -> Machine:
    """One of its nodes."""
    each = CORES // DOMAINS
    cpus = tuple(Cpu(one, one, one * PACKAGES // CORES, one // each) for one in range(CORES))
    inside = [tuple(range(first, first + each)) for first in range(0, CORES, each)]
    caches = tuple(Cache(3, "unified", 2**25, 64, numbers) for numbers in inside)
    domains = tuple(NumaDomain(n, numbers, 2**35) for n, numbers in enumerate(inside))
    software = Software("6.1", "none", "2.36", "", "", "performance", "tsc", "0")
    return Machine(
        name="synthetic",
        host=host(0),
        architecture="x86_64",
        cpu_model="Synthetic CPU",
        topology=Topology(cpus, caches, domains),
        memory=Memory(2**38, 2**38, 0, 4096, 2**21, "madvise", 0),
        software=software,
        features=("avx2", "fma"),
    )


def host(number: int) -> str:
    """The name of a node."""
    return f"node{number:04d}"


def request(names: tuple[str, ...], nodes: int) -> Request:
    """A request on so many nodes."""
    hosts = tuple(map(host, range(nodes)))
    options = LayoutOptions(hosts=hosts, nodes=(nodes,), launcher="slurm")
    return Request(names, select(names, {}), options, Precision(budget_seconds=BUDGET), "mpich", "")


def packed(launch: Launch, draw: np.random.Generator) -> tuple[tuple[Noise, ...], Packed]:
    """Noise and places of a launch that runs as requested."""
    cpus = [["+".join(map(str, thread)) for thread in r] for r in launch.assignment.cpus]
    first = [[str(thread[0]) for thread in rank] for rank in launch.assignment.cpus]
    blocks = tuple((node, len(cpus)) for node in range(launch.spec.layout.nodes))
    every = tuple(range(len(blocks)))
    numbers = [thread for rank in first for thread in rank]
    quanta = []
    for _ in blocks:
        slow = draw.binomial(QUANTA, SLOW_QUANTA, len(numbers))
        quanta.append(
            Quanta(
                QUANTA,
                f"0-{CORES - 1}" if len(numbers) == CORES else "+".join(numbers),
                " ".join(map(str, draw.integers(6500, 6600, len(numbers)))),
                " ".join(map(str, slow)),
                " ".join(map(str, draw.integers(7000, 30000, int(slow.sum())))),
            )
        )
    texts = [",".join(" ".join(rank) for rank in ranks) for ranks in (cpus, first)]
    allowed, on = ((Common(every, text),) for text in texts)
    names = tuple(map(host, every))
    noise = tuple(Noise(one, (), (), 1.0, 2, 0.5, one, 1.8e9, 0.1, 5.0) for one in names)
    return noise, Packed(names, blocks, allowed, on, tuple(quanta))


def write_record(launch: Launch, path: Path, seed: int, samples: int = SAMPLES) -> None:
    """What a launch that runs as requested may record, so many samples of a point."""
    draw = np.random.Generator(np.random.PCG64([seed, launch.number]))
    spec = launch.spec
    noise, threads = packed(launch, draw)
    metrics = find(spec.benchmark).metrics
    names = sorted({name for metric in metrics for name in metric.series})
    amounts = {metric.amount: 1e9 for metric in metrics if metric.amount}
    points = [
        PointRecord(
            dict(point.parameters),
            {name: tuple(draw.normal(1e-3, 1e-5, samples).tolist()) for name in names},
            1,
            Check(True, "made up"),
            amounts,
            WORDS,
            page_bytes=point.layout.page_bytes,
        )
        for point in spec.points
    ]
    hosts = tuple(
        ObservedHost(
            one, f"boot of {one}", 1.8e9, "6.1.0-30-amd64", "Synthetic CPU", "0xa1", "0-127",
            "0-127", 2**38, "performance", "madvise", 0,
        )
        for one in threads.hosts
    )  # fmt: skip
    header = Header(
        RECORD_FORMAT, spec.benchmark, launch.number, launch.seed, spec.layout.ranks, START, (),
        Toolchain("c++", "-O3", "0" * 16), ClockProperties("clock", 1e-8, 1e-9), noise,
        hosts=hosts, packed=threads,
    )  # fmt: skip
    closing = Closing(START, len(points), noise, 0.1, packed=threads)
    path.write_bytes(b"\n".join(map(msgspec.json.encode, (header, *points, closing))))


def measure_plan(study: str, nodes: int, _: int) -> list[str]:
    """Seconds for a plan, with the time that it may take."""
    wanted, node = request((study,), nodes), machine()
    begin = time.process_time()
    plan = plan_before_sizing(wanted, node)
    with contextlib.suppress(UsageError):
        refuse_short_budget(plan, wanted, node)
    expected(plan, wanted.study, node)
    return [f"{time.process_time() - begin:.2f}"]


def measure_record(benchmark: str, nodes: int, seed: int) -> list[str]:
    """Megabytes, and seconds to read and to judge, of a launch with a rank on every core."""
    node = machine()
    plan = plan_before_sizing(request((benchmark,), nodes), node)
    spec = max((one for one in plan.specs if one.of_points), key=lambda one: one.layout.ranks)
    launch = Launch(1, spec, 7, assign(spec.layout, node.topology))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "00001.jsonl"
        write_record(launch, path, seed)
        megabytes = path.stat().st_size / 1e6
        begin = time.process_time()
        record = read_record(path)
        read = time.process_time()
    outcome = judged(launch, record)
    words = [f"{spec.layout.ranks:,}", f"{megabytes:.1f}", f"{read - begin:.2f}"]
    return [*words, f"{time.process_time() - read:.2f}", outcome.verdict.value]


def measure_launch(benchmark: str, nodes: int, seed: int) -> list[str]:
    """What is done between two launches of a spec, of which some were made: to read the record of
    one with as many samples as it may have, to judge it, and to estimate all results."""
    node = machine()
    wanted = request((benchmark,), nodes)
    plan = plan_before_sizing(wanted, node)
    spec = max((one for one in plan.specs if one.of_points), key=lambda one: len(one.points))
    tally = Tally(wanted.precision)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "00001.jsonl"
        for number in range(1, LAUNCHES + 1):
            launch = Launch(number, spec, 7, assign(spec.layout, node.topology))
            write_record(launch, path, seed, spec.samples)
            begin = time.process_time()
            record = read_record(path)
            read = time.process_time()
            outcome = judged(launch, record)
            now = time.process_time()
            tally.add(spec, outcome, record)
            tally.estimates(spec, primary_only=True)
        end = time.process_time()
        megabytes = path.stat().st_size / 1e6
    words = [f"{len(spec.points):,}", f"{spec.samples}", f"{megabytes:.1f}", f"{read - begin:.2f}"]
    return [*words, f"{now - read:.2f}", f"{end - now:.2f}", outcome.verdict.value]


def judged(launch: Launch, record: Record) -> LaunchOutcome:
    """The outcome of a launch that ended well."""
    usable = tuple(range(CORES))
    return judge(
        launch, record, command=(), exit_code=0, timed_out=False, started=START,
        wall_seconds=1.0, output="", usable=usable,
    )  # fmt: skip


def measure_page(names: str, nodes: int, seed: int) -> list[str]:
    """Seconds for results and findings of a run, and for its page."""
    wanted, node = request(tuple(names.split()), nodes), machine()
    plan = plan_before_sizing(wanted, node)
    with tempfile.TemporaryDirectory() as path:
        header = RunHeader("a-run", START, "1", ("machmeter",), wanted, node, seed)
        folder = RunFolder.create(Path(path) / "run", header)
        folder.write_plan(plan)
        folder.write_state(StateFile(RunState.FINISHED, 60.0))
        specs = [spec for spec in plan.specs for _ in range(LAUNCHES)]
        # As a run makes them, in a process of its own: what writing holds is not measured.
        if os.fork() == 0:
            for number, spec in enumerate(specs, 1):
                launch = Launch(number, spec, number, assign(spec.layout, node.topology))
                folder.write_launch(launch)
                write_record(launch, folder.record_path(number), seed)
                folder.write_outcome(judged(launch, folder.record(number)))
            os._exit(0)
        if os.wait()[1] != 0:
            raise SystemExit("no records were written")
        begin = time.process_time()
        result = collect(folder)
        collected = time.process_time()
        page = render_page(result)
    return [
        f"{len(specs)}",
        f"{len(result.findings)}",
        f"{collected - begin:.1f}",
        f"{time.process_time() - collected:.1f}",
        f"{len(page) / 1e6:.2f}",
    ]


ROWS: dict[str, Callable[[str, int, int], list[str]]] = {
    "plan": measure_plan,
    "record": measure_record,
    "launch": measure_launch,
    "page": measure_page,
}
TABLES = (
    ("plan", STUDIES, "plan s"),
    ("record", ("network.collective", "nodes.stream"), "ranks | MB | read s | judge s | verdict"),
    (
        "launch",
        ("network.consistency",),
        "points | samples | MB | read s | judge s | estimate s | verdict",
    ),
    (
        "page",
        ("nodes", "nodes network.collective"),
        "launches | findings | results s | page s | MB",
    ),
)


def main() -> None:
    """Print the tables, or one row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, action="append")
    parser.add_argument("--seed", type=int, default=52)
    parser.add_argument("--row", nargs=3, metavar=("TABLE", "NAMES", "NODES"))
    options = parser.parse_args()
    if options.row:
        table, names, nodes = options.row
        words = ROWS[table](names, int(nodes), options.seed)
        peak = getrusage(RUSAGE_SELF).ru_maxrss / 1e3
        sys.stdout.write(" | ".join(["", names, nodes, *words, f"{peak:.0f}", ""]).strip() + "\n")
        return
    for table, every, columns in TABLES:
        head = f"| {table} | nodes | {columns} | peak MB |"
        sys.stdout.write(f"\n{head}\n|{'---|' * (head.count('|') - 1)}\n")
        sys.stdout.flush()
        for names in every:
            for nodes in options.nodes or NODES:
                row = ["--row", table, names, str(nodes), "--seed", str(options.seed)]
                subprocess.run([sys.executable, __file__, *row], check=True)


if __name__ == "__main__":
    main()
