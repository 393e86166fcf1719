"""Wall time until a figure has an interval of 2 %: ours, OSU's and IMB's, launched in turn."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from bench.comparisons.network_tables import Wanted, available, folder_of
from bench.context import Bench, Outcome, empty_outcome
from bench.network.contenders import our_contender, our_key, their_contender, their_key
from bench.network.everything import quantities
from bench.network.figures import launch_figure
from bench.network.quantity import Quantity
from bench.network.race import HALF_WIDTH, LEAST_LAUNCHES, MOST_LAUNCHES, MOST_SECONDS, race
from bench.rounds import Contender, Measured
from bench.verdicts import Row, Target, center, ratio_row
from machmeter.model.units import format_bytes

TITLE = "network-time"
RACES = 3
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
    """Three races a point, or as many as rounds are asked where that is fewer."""
    outcome = empty_outcome(f"Wall time to an interval of {100 * HALF_WIDTH:g} %")
    wanted = {q.name: (q, t) for q, t in available(bench, quantities(), outcome)}
    points = [(wanted[name], size) for name, size in POINTS if name in wanted]
    contenders = [_racers(bench, one, size) for one, size in points]
    if not contenders:
        return outcome
    measured = bench.measure(TITLE, contenders, min(RACES, bench.options.rounds))
    for (quantity, theirs), size in points:
        name = _name(quantity, size)
        outcome.rows += _rows(measured, name, {one.tool for one in theirs})
    outcome.failures += measured.failure_lines()
    outcome.notes += _notes(measured, [_name(q, size) for (q, _), size in points])
    return outcome


def _name(quantity: Quantity, size: int) -> str:
    return f"{quantity.name}, {format_bytes(size)}"


def _racers(bench: Bench, wanted: Wanted, size: int) -> Contender:
    """Every launch measures this one point, by a program of each side."""
    quantity, theirs = wanted
    side, peers = bench.ours(bench.options.mpi), bench.peers(bench.options.mpi)
    ours = our_contender(side, quantity, (size,), launch_figure)
    starts: dict[str, Callable[[], float]] = {OURS: lambda: ours.start(0)[our_key(size)]}
    for one in theirs:
        own = their_contender(
            peers, folder_of(bench, one), side.folder.path, one, (size * one.scale,)
        )
        key = their_key(one, size)
        starts[one.tool] = lambda own=own, key=key: own.start(0)[key]  # type: ignore[misc]
    name = _name(quantity, size)

    def start(number: int) -> dict[str, float]:
        laps = race(starts, random.Random(f"{bench.options.seed}:{name}:{number}"))
        figures: dict[str, float] = {}
        for tool, lap in laps.items():
            figures[f"{tool} seconds"] = lap.seconds
            figures[f"{tool} launches"] = len(lap.values)
            figures[f"{tool} reached"] = float(lap.reached)
        return figures

    return Contender(name, start)


def _rows(measured: Measured, name: str, tools: Iterable[str]) -> list[Row]:
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


def _text(measured: Measured, name: str, tool: str) -> str:
    seconds = center(measured.values(name, f"{tool} seconds"))
    launches = center(measured.values(name, f"{tool} launches"))
    return f"{seconds:.1f} s {launches:.0f} x"


def _notes(measured: Measured, names: Iterable[str]) -> list[str]:
    """Those that gave up: their time is at least so long."""
    notes = [
        "launches of one point each, in turn; an interval is looked at from launch "
        f"{LEAST_LAUNCHES} on, none after {MOST_LAUNCHES} launches or {MOST_SECONDS:g} s; "
        "s: wall time of a side's launches; "
        "x: launches; machmeter's value of a launch is its interquartile mean, the others' what "
        "they print"
    ]
    for name in names:
        for tool in (OURS, "OSU", "IMB"):
            reached = measured.values(name, f"{tool} reached")
            missed = sum(value < 1 for value in reached.values())
            if missed:
                notes.append(
                    f"{name}: {tool} did not come to {100 * HALF_WIDTH:g} % in {missed} of "
                    f"{len(reached)} races"
                )
    return notes
