"""A matrix over places: one cell a pair, or the median of all pairs between two groups of places.

A large machine has more pairs than are measured. A matrix of single CPUs would then be mostly
empty, so places are put together (core, cache, NUMA domain, package, board) until it is filled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from machmeter.layout.places import common_ancestors
from machmeter.model.machine import CpuRelation, Topology
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import format_value
from machmeter.report.benchmarks.places import pair_of, spread_of
from machmeter.text.results import result_text

MOST_CELLS_A_SIDE = 32
_FILLED = 0.75

Row = dict[str, Any]
GroupOf = dict[int, int]


class SharedLevel(Struct, frozen=True):
    """Groups of places of one kind, numbered as the places are: a group of caches has the number of
    its first CPU."""

    name: str
    """As a heading."""
    groups: GroupOf
    """The group of each place, by number."""


class Cell(Struct, frozen=True):
    """What was measured from one group of places to another, in the unit's base."""

    row: int
    """Group of the first place."""
    column: int
    """Group of the second place."""
    value: float
    """Median of the pairs."""
    pairs: int
    """How many pairs were measured."""
    label: str
    """As a tooltip."""


class Grid(Struct, frozen=True):
    """A matrix of groups of places."""

    level: SharedLevel
    """What the places are grouped by."""
    places: tuple[int, ...]
    """Numbers of rows and columns, in order."""
    cells: tuple[Cell, ...]
    """What was measured."""


def cpu_levels(topology: Topology) -> tuple[SharedLevel, ...]:
    """CPUs and what holds them, the finest first; what holds every CPU alone is left out."""
    cpus = [cpu for cpu in topology.cpus if cpu.online]
    levels = [SharedLevel("CPU", {cpu.number: cpu.number for cpu in cpus})]
    for number in sorted({c.level for c in topology.caches if c.kind != "instruction"}):
        held = {
            cpu: min(cache.cpus)
            for cache in topology.caches
            if cache.level == number and cache.kind != "instruction" and cache.cpus
            for cpu in cache.cpus
        }
        levels.append(SharedLevel(f"L{number} of CPU", held))
    domains = {cpu.number: cpu.numa for cpu in cpus if cpu.numa >= 0}
    levels.append(SharedLevel("NUMA domain", domains))
    levels.append(SharedLevel("package", {cpu.number: cpu.package for cpu in cpus}))
    levels.append(SharedLevel("board of CPU", _boards(topology)))
    first = levels[0].groups
    coarser = [
        level
        for level in levels[1:]
        if level.groups.keys() >= first.keys() and 1 < len(set(level.groups.values())) < len(first)
    ]
    return (levels[0], *coarser)


def domain_levels(topology: Topology) -> tuple[SharedLevel, ...]:
    """NUMA domains, each by itself."""
    numbers = [domain.number for domain in topology.domains]
    return (SharedLevel("NUMA domain", {number: number for number in numbers}),)


def _boards(topology: Topology) -> GroupOf:
    """The first CPU of the board that each CPU is on; empty where the machine has no boards."""
    first_of: dict[int, int] = {}
    for cpu in topology.cpus:
        if cpu.online:
            first_of.setdefault(cpu.package, cpu.number)
    firsts = list(first_of.values())
    shared = common_ancestors(topology, [(a, b) for a in firsts for b in firsts])
    board_of = {
        b: next((a for a in firsts if shared[a, b].kind is CpuRelation.BOARD), None) for b in firsts
    }
    if any(board is None for board in board_of.values()):
        return {}
    return {
        cpu.number: board
        for cpu in topology.cpus
        if cpu.online and (board := board_of[first_of[cpu.package]]) is not None
    }


def grid_of(levels: Sequence[SharedLevel], estimates: Sequence[Estimate], symmetric: bool) -> Grid:
    """The matrix of the finest level that the pairs fill to three quarters, else of the coarsest.

    symmetric: a pair stands for both directions. Estimates below resolution are left out, and where
    places are put together, so is each place with itself.
    """
    known = [(pair, e) for e in estimates if e.resolved and (pair := pair_of(e)) is not None]
    grids = [_grid(level, known, symmetric, level != levels[0]) for level in levels]
    for grid in grids:
        side = len(grid.places)
        if side <= MOST_CELLS_A_SIDE and _filled(grid, symmetric) >= _FILLED:
            return grid
    return grids[-1]


def _filled(grid: Grid, symmetric: bool) -> float:
    """Share of cells that hold a value; those on the diagonal count where they may hold one."""
    side = len(grid.places)
    diagonal = any(cell.row == cell.column for cell in grid.cells)
    wanted = side * side - (side if symmetric and not diagonal else 0)
    return len(grid.cells) / wanted if wanted else 0.0


def _grid(
    level: SharedLevel,
    known: Sequence[tuple[tuple[int, int], Estimate]],
    symmetric: bool,
    together: bool,
) -> Grid:
    """together: places are put together, so that one with itself belongs to no cell."""
    cells: dict[tuple[int, int], list[Estimate]] = {}
    for (a, b), one in known:
        if a not in level.groups or b not in level.groups or (together and a == b):
            continue
        place = (level.groups[a], level.groups[b])
        for key in {place, place[::-1]} if symmetric else {place}:
            cells.setdefault(key, []).append(one)
    places = sorted({number for key in cells for number in key})
    return Grid(level, tuple(places), tuple(_cell(key, cells[key]) for key in sorted(cells)))


def _cell(key: tuple[int, int], estimates: Sequence[Estimate]) -> Cell:
    if len(estimates) == 1:
        return Cell(*key, estimates[0].value, 1, result_text(estimates[0]))
    spread, unit = spread_of([e.value for e in estimates]), estimates[0].unit
    label = (
        f"{format_value(spread.median, unit)}, median of {len(estimates)} pairs, "
        f"{format_value(spread.low, unit)} to {format_value(spread.high, unit)}"
    )
    return Cell(*key, spread.median, len(estimates), label)


def grid_rows(grid: Grid, factor: float, say: Callable[[int, int], str]) -> list[Row]:
    """Rows of a heat map: x the column, y the row, the value over `factor`, and words."""
    return [
        {
            "x": cell.column,
            "y": cell.row,
            "value": float(f"{cell.value / factor:.4g}"),
            "text": three_digits(cell.value / factor),
            "where": say(cell.row, cell.column),
            "label": cell.label,
        }
        for cell in grid.cells
    ]


def three_digits(value: float) -> str:
    """Three digits, whole ones never cut: 0.120, 12.0, 1234."""
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")
