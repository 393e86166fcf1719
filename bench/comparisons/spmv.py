"""Sparse matrix-vector product versus SciPy and MKL: same file, same CPUs."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms
from bench.parsers import SparseRun, parse_sparse
from bench.rounds import Contender, ContenderError, RoundResults
from bench.verdicts import Row, Target, at_least, best_of, center, ratio_row
from machmeter.analysis.stats.launch_value import interquartile_mean
from machmeter.benchmarks.sparse import SCHEDULES, SPMV
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.point import make_point
from machmeter.model.units import FLOPS, format_value

TITLE = "spmv"
KINDS = ("banded", "power-law")
NONZEROS = 5_000_000
SAMPLES = 60
SECONDS = 0.6
# Rounding of another summation order; a larger error means another matrix.
LARGEST_ERROR = 1e-12
SCRIPT = Path(__file__).resolve().parents[1] / "spmv_peer.py"
SCIPY = "scipy"
MKL_PEERS = {"sparse_dot_mkl": "MKL, sparse_dot_mkl", "mkl": "MKL, after mkl_sparse_optimize"}


class Lineup(Struct, frozen=True):
    """Names of the contenders for one matrix and thread count."""

    kind: str
    threads: int
    ours: str
    peers: tuple[str, ...]


def compare(bench: Bench) -> Outcome:
    """The fastest schedule of machmeter against SciPy (one thread) and MKL, on two matrices."""
    outcome = empty_outcome("Sparse matrix-vector product")
    python = bench.options.peer("mkl-python")
    if not python:
        outcome.skipped.append(
            "MKL: no Python with MKL given (--mkl-python PATH; pip install numpy scipy mkl "
            "sparse_dot_mkl)"
        )
    with tempfile.TemporaryDirectory(prefix="machmeter-spmv-") as folder:
        paths = _write_matrices(bench, python or sys.executable, Path(folder), outcome)
        lineups, contenders = _line_up(bench, python, paths, outcome)
        measured = bench.measure(TITLE, contenders)
    for lineup in lineups:
        outcome.rows += lineup_rows(lineup, measured)
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        f"about {NONZEROS} nonzeros; every program reads the same Matrix Market file and times up "
        f"to {SAMPLES} products per launch, reduced to their interquartile mean; huge pages for "
        "machmeter, as NumPy requests them for large arrays"
    )
    return outcome


def lineup_rows(lineup: Lineup, measured: RoundResults) -> list[Row]:
    """Versus the fastest peer, then versus each of the others."""
    rates = {name: measured.values(name, "rate") for name in lineup.peers}
    rates = {name: values for name, values in rates.items() if len(values) >= 2}
    if not rates or not measured.has(lineup.ours, "rate"):
        return []
    best = best_of(rates)
    others = [name for name in rates if name != best]
    targets = [(best, at_least(0.95)), *((name, Target()) for name in others)]
    ours = measured.values(lineup.ours, "rate")
    return [_row(lineup, ours, name, rates[name], target) for name, target in targets]


def _row(
    lineup: Lineup,
    ours: Mapping[int, float],
    peer: str,
    theirs: Mapping[int, float],
    target: Target,
) -> Row:
    return ratio_row(
        f"{lineup.ours}\n: {peer.rsplit(', ', 2)[0]}",
        ours,
        theirs,
        higher_is_better=True,
        statistic="interquartile mean",
        target=target,
        text=(format_value(center(ours), FLOPS), format_value(center(theirs), FLOPS)),
    )


def _write_matrices(bench: Bench, python: str, folder: Path, outcome: Outcome) -> dict[str, Path]:
    """The matrices that could be written, by kind."""
    paths = {}
    for kind in KINDS:
        path = folder / f"{kind}.mtx"
        bench.notify(f"{TITLE}: writing a {kind} matrix")
        try:
            bench.peers().run_unbound((python, str(SCRIPT), "make", kind, str(NONZEROS), str(path)))
        except ContenderError as error:
            outcome.failures.append(f"writing a {kind} matrix with {python}: {error}")
            continue
        paths[kind] = path
    return paths


def _line_up(
    bench: Bench, python: str, paths: Mapping[str, Path], outcome: Outcome
) -> tuple[list[Lineup], list[Contender]]:
    lineups: list[Lineup] = []
    contenders: list[Contender] = []
    for kind, path in paths.items():
        for threads in bench.thread_counts():
            schedule = _fastest_schedule(bench, kind, path, threads, outcome)
            if not schedule:
                continue
            ours = _ours(bench.ours(), kind, path, threads, schedule)
            peers = _peers(bench, python, kind, path, threads)
            contenders += [ours, *peers]
            lineups.append(Lineup(kind, threads, ours.name, tuple(p.name for p in peers)))
    return lineups, contenders


def _fastest_schedule(bench: Bench, kind: str, path: Path, threads: int, outcome: Outcome) -> str:
    """The fastest schedule in one launch; empty where that launch failed."""
    bench.notify(f"{TITLE}: finding the fastest schedule, {kind}, {_thread_text(threads)}")
    name = f"survey {kind}, {threads}"
    spec = _spec(bench.ours(), name, path, threads, SCHEDULES)
    try:
        points = bench.ours().launch(spec, 0)
    except ContenderError as error:
        outcome.failures.append(f"machmeter, {kind}, {_thread_text(threads)}: {error}")
        return ""
    times = {
        str(point.parameters["schedule"]): interquartile_mean(point.series["seconds"])
        for point in points
    }
    return min(times, key=lambda schedule: times[schedule])


def _thread_text(threads: int) -> str:
    return f"{threads} thread{'s' * (threads > 1)}"


def _spec(
    ours: OurPrograms, name: str, path: Path, threads: int, schedules: tuple[str, ...]
) -> LaunchSpec:
    layout = Layout(threads_per_rank=threads, page_bytes=ours.huge_pages)
    points = tuple(
        make_point(
            SPMV.name,
            {"matrix": str(path), "schedule": schedule, "nonzeros": NONZEROS},
            layout,
        )
        for schedule in schedules
    )
    return LaunchSpec(
        name=name,
        executable=SPMV.executable,
        benchmark=SPMV.name,
        layout=layout,
        points=points,
        seconds_per_point=SECONDS,
        samples=SAMPLES,
    )


def _ours(ours: OurPrograms, kind: str, path: Path, threads: int, schedule: str) -> Contender:
    name = f"{kind}, {_thread_text(threads)}, {schedule}"
    spec = _spec(ours, name, path, threads, (schedule,))

    def start(round_number: int) -> dict[str, float]:
        (point,) = ours.launch(spec, round_number)
        return {"rate": point.quantities["flops"] / interquartile_mean(point.series["seconds"])}

    return Contender(name, start)


def _peers(bench: Bench, python: str, kind: str, path: Path, threads: int) -> list[Contender]:
    """SciPy with one thread (it supports no more), and MKL where a Python with it is given."""
    made = []
    if threads == 1:
        made.append(_peer(bench, python or sys.executable, SCIPY, "SciPy", kind, path, threads))
    if python:
        made += [
            _peer(bench, python, peer, title, kind, path, threads)
            for peer, title in MKL_PEERS.items()
        ]
    return made


def _peer(
    bench: Bench, python: str, peer: str, title: str, kind: str, path: Path, threads: int
) -> Contender:
    arguments = (peer, str(path), str(threads), str(SAMPLES), str(SECONDS))
    command = (python, str(SCRIPT), "run", *arguments)

    def start(_round: int) -> dict[str, float]:
        return {"rate": rate_of(parse_sparse(bench.peers().run_threads(command, threads)), threads)}

    return Contender(f"{title}, {kind}, {threads}", start)


def rate_of(run: SparseRun, threads: int) -> float:
    """Floating-point operations per second. Raises ContenderError for an invalid run."""
    if run.threads != threads:
        raise ContenderError(f"used {run.threads} threads, not {threads}")
    if not run.error <= LARGEST_ERROR:
        raise ContenderError(f"wrong product: relative error {run.error}")
    return 2 * run.nonzeros / interquartile_mean(run.seconds)
