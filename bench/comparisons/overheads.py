"""OpenMP overheads versus EPCC's syncbench, on its runtime, in the same wall time."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct, field

from bench.comparisons.overheads_rows import ConstructLaunches, bar_note, rows, wall_note
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms
from bench.parsers import SyncOverhead, parse_syncbench
from bench.peers import PeerPrograms
from bench.rounds import Contender, ContenderError
from machmeter.analysis.stats.launch_value import launch_value
from machmeter.benchmarks.threads import SYNC
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.point import make_point

TITLE = "overheads"
OURS = "machmeter threads.sync"
PEER = "syncbench"

# The names of our constructs in `syncbench --measureonly`.
SAME = {
    "parallel": "PARALLEL",
    "for": "FOR",
    "parallel-for": "PARALLEL_FOR",
    "barrier": "BARRIER",
    "reduction": "REDUCTION",
    "single": "SINGLE",
    "critical": "CRITICAL",
    "lock": "LOCK_CONTENDED",
    "ordered": "ORDERED",
    "atomic": "ATOMIC",
}
# The compiler that links each runtime by itself.
_COMPILER_OF = {"libomp.so": "clang++", "libiomp5.so": "icpx", "libgomp.so": "g++"}
_LARGEST_PROGRAM = 64 * 2**20
_DEFAULT_REPETITIONS = 20
_TRIAL_REPETITIONS = 200


class LaunchLog(Struct):
    """Wall seconds of the launches of either program, and the peer's output by construct."""

    seconds: dict[str, float]
    printed: dict[str, list[SyncOverhead]] = field(default_factory=dict)


def compare(bench: Bench) -> Outcome:
    """Overheads of all constructs that both measure, with the largest thread count of the bench.

    machmeter is compiled with the compiler of the runtime that syncbench is linked with. A launch
    of either measures one construct; syncbench gets repetitions for the same wall time.
    """
    threads = max(bench.thread_counts())
    outcome = empty_outcome(f"OpenMP overheads, {threads} threads, waiting threads spin")
    path = bench.options.peer(PEER)
    if not path:
        outcome.skipped.append("syncbench: no path given (--syncbench PATH)")
        return outcome
    runtime = linked_runtime(Path(path))
    ours = bench.ours(compiler=_COMPILER_OF[runtime]) if runtime else bench.ours()
    log = LaunchLog({OURS: 0.0, PEER: 0.0}, {construct: [] for construct in SAME})
    repetitions = _repetitions_as_long(bench, ours, threads)
    contenders = [_ours(ours, c, threads, runtime, log) for c in SAME]
    contenders += [_syncbench(bench, ours, c, threads, repetitions, log) for c in SAME]
    measured = bench.measure(TITLE, contenders)
    pairs = [
        ConstructLaunches(
            c, tuple(measured.values(f"{OURS} {c}", c).values()), tuple(log.printed[c])
        )
        for c in SAME
    ]
    outcome.rows += rows(pairs)
    outcome.failures += measured.failure_lines()
    outcome.notes += [
        f"both on {runtime or 'an unidentified runtime'}; peer: mean of its launches, ± the median "
        "of what it prints; ratio: its mean over ours, and over our interval",
        f"{wall_note(log.seconds)}; syncbench makes {repetitions} repetitions per launch",
        bar_note(pairs),
    ]
    return outcome


def linked_runtime(program: Path) -> str:
    """The OpenMP runtime whose name is in the program; empty where there is none."""
    with program.open("rb") as file:
        content = file.read(_LARGEST_PROGRAM)
    return next((name for name in _COMPILER_OF if name.encode() in content), "")


def repetitions_for(wanted: float, short: tuple[int, float], long: tuple[int, float]) -> int:
    """Repetitions that take about `wanted` seconds, at least syncbench's own 20.

    short, long: two trials, as repetitions and their seconds.
    """
    each = max((long[1] - short[1]) / (long[0] - short[0]), 1e-6)
    return max(_DEFAULT_REPETITIONS, round(short[0] + (wanted - short[1]) / each))


def _repetitions_as_long(bench: Bench, programs: OurPrograms, threads: int) -> int:
    """From one launch each, of a construct with a wall time near the median of both."""
    construct = "for"

    def timed(contender: Contender) -> float:
        began = time.monotonic()
        contender.start(0)
        return time.monotonic() - began

    trial = LaunchLog({OURS: 0.0, PEER: 0.0}, {construct: []})
    try:
        ours = timed(_ours(programs, construct, threads, "", trial))
        short, long = (
            (count, timed(_syncbench(bench, programs, construct, threads, count, trial)))
            for count in (_DEFAULT_REPETITIONS, _TRIAL_REPETITIONS)
        )
    except (ContenderError, ValueError):
        return _DEFAULT_REPETITIONS
    return repetitions_for(ours, short, long)


def _ours(
    programs: OurPrograms, construct: str, threads: int, runtime: str, log: LaunchLog
) -> Contender:
    name, metric = f"{OURS} {construct}", SYNC.metrics[0]
    layout = Layout(threads_per_rank=threads, page_bytes=programs.base_pages)
    spec = LaunchSpec(
        name,
        SYNC.executable,
        SYNC.name,
        layout,
        (make_point(SYNC.name, {"construct": construct}, layout),),
        seconds_per_point=SYNC.seconds_per_point,
    )

    def start(round_number: int) -> dict[str, float]:
        began = time.monotonic()
        (point,) = programs.launch(spec, round_number)
        log.seconds[OURS] += time.monotonic() - began
        ran = point.attributes.get("runtime", "")
        if not ran.startswith(runtime.removesuffix(".so")):
            raise ContenderError(f"ran on {ran}, syncbench is linked with {runtime}")
        return {construct: launch_value(metric, point).value}

    return Contender(name, start)


def _syncbench(
    bench: Bench,
    programs: OurPrograms,
    construct: str,
    threads: int,
    repetitions: int,
    log: LaunchLog,
) -> Contender:
    peers = PeerPrograms(programs, programs.mpi, bench.environment)
    path = bench.options.peer(PEER)
    command = (path, "--measureonly", SAME[construct], "--outer-repetitions", str(repetitions))

    def start(_round: int) -> dict[str, float]:
        began = time.monotonic()
        output = peers.run_threads(command, threads)
        log.seconds[PEER] += time.monotonic() - began
        printed = {name.replace("_", " "): each for name, each in parse_syncbench(output).items()}
        found = printed.get(SAME[construct].replace("_", " ").lower())
        if found is None:
            raise ContenderError(f"printed no overhead of {construct}")
        log.printed[construct].append(found)
        return {construct: found.overhead}

    return Contender(f"{PEER} {construct}", start)
