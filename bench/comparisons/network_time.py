"""Wall time until a result has an interval of 2 %: ours, OSU's and IMB's, launched alternately."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from bench.comparisons.network_tables import AvailableQuantity, available, folder_of
from bench.context import Bench, Outcome, empty_outcome
from bench.network.catalogue import quantities
from bench.network.contenders import our_contender, our_key, peer_contender, peer_key
from bench.network.quantity import Quantity
from bench.network.reductions import launch_result
from bench.network.time_to_precision import (
    HALF_WIDTH,
    LEAST_LAUNCHES,
    MOST_LAUNCHES,
    MOST_SECONDS,
    launch_until_precise,
)
from bench.rounds import Contender, RoundResults
from bench.verdicts import Row, Target, center, ratio_row
from machmeter.model.units import format_bytes

TITLE = "network-time"
REPETITIONS = 3
OURS = "machmeter"
POINTS = (
    ("ping-pong", 8),
    ("ping-pong", 65536),
    ("bandwidth, window 64", 1048576),
    ("allreduce, float", 1024),
    ("alltoall", 8192),
    ("put, create", 8),
)


def compare(bench: Bench) -> Outcome:
    """Three repetitions per point, or the number of rounds where that is smaller."""
    outcome = empty_outcome(f"Wall time to an interval of {100 * HALF_WIDTH:g} %")
    wanted = {q.name: (q, t) for q, t in available(bench, quantities(), outcome)}
    points = [(wanted[name], size) for name, size in POINTS if name in wanted]
    contenders = [_timed_launches(bench, one, size) for one, size in points]
    if not contenders:
        return outcome
    measured = bench.measure(TITLE, contenders, min(REPETITIONS, bench.options.rounds))
    for (quantity, theirs), size in points:
        name = _name(quantity, size)
        outcome.rows += _rows(measured, name, {one.tool for one in theirs})
    outcome.failures += measured.failure_lines()
    outcome.notes += _notes(measured, [_name(q, size) for (q, _), size in points])
    return outcome


def _name(quantity: Quantity, size: int) -> str:
    return f"{quantity.name}, {format_bytes(size)}"


def _timed_launches(bench: Bench, wanted: AvailableQuantity, size: int) -> Contender:
    """Every launch measures this one point, by one program of each tool."""
    quantity, theirs = wanted
    programs, peers = bench.ours(bench.options.mpi), bench.peers(bench.options.mpi)
    ours = our_contender(programs, quantity, (size,), launch_result)
    starts: dict[str, Callable[[], float]] = {OURS: lambda: ours.start(0)[our_key(size)]}
    for one in theirs:
        own = peer_contender(
            peers, folder_of(bench, one), programs.folder.path, one, (size * one.scale,)
        )
        key = peer_key(one, size)
        starts[one.tool] = lambda own=own, key=key: own.start(0)[key]  # type: ignore[misc]
    name = _name(quantity, size)

    def start(number: int) -> dict[str, float]:
        order = random.Random(f"{bench.options.seed}:{name}:{number}")
        results: dict[str, float] = {}
        for tool, series in launch_until_precise(starts, order).items():
            results[f"{tool} seconds"] = series.seconds
            results[f"{tool} launches"] = len(series.values)
            results[f"{tool} reached"] = float(series.reached)
        return results

    return Contender(name, start)


def _rows(measured: RoundResults, name: str, tools: Iterable[str]) -> list[Row]:
    return [
        ratio_row(
            f"{name} : {tool}",
            measured.values(name, f"{OURS} seconds"),
            measured.values(name, f"{tool} seconds"),
            higher_is_better=False,
            statistic="",
            target=Target(),
            text=(_text(measured, name, OURS), _text(measured, name, tool)),
        )
        for tool in sorted(tools)
        if measured.has(name, f"{tool} seconds")
    ]


def _text(measured: RoundResults, name: str, tool: str) -> str:
    seconds = center(measured.values(name, f"{tool} seconds"))
    launches = center(measured.values(name, f"{tool} launches"))
    return f"{seconds:.1f} s {launches:.0f} x"


def _notes(measured: RoundResults, names: Iterable[str]) -> list[str]:
    """The definitions, and the tools that stopped early: their time is a lower bound."""
    notes = [
        "launches of one point each, alternating; the interval is tested from launch "
        f"{LEAST_LAUNCHES} on, until {MOST_LAUNCHES} launches or {MOST_SECONDS:g} s; "
        "s: wall time of a tool's launches; "
        "x: launches; machmeter's value of a launch is its interquartile mean, the others' what "
        "they print"
    ]
    for name in names:
        for tool in (OURS, "OSU", "IMB"):
            reached = measured.values(name, f"{tool} reached")
            missed = sum(value < 1 for value in reached.values())
            if missed:
                notes.append(
                    f"{name}: {tool} did not reach {100 * HALF_WIDTH:g} % in {missed} of "
                    f"{len(reached)} repetitions"
                )
    return notes
