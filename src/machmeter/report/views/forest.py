"""Which results a forest plot draws: each ratio once, and of very many a few of each benchmark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct

from machmeter.benchmarks.catalogue import is_primary
from machmeter.layout.assign import even_shares
from machmeter.model.origin import Origin
from machmeter.model.results.machine_comparison import Basis, ComparedResult
from machmeter.text.comparison import MachinePair
from machmeter.text.plain import plain

MOST_LINES = 36
Item = TypeVar("Item")


class ForestLine(Struct, frozen=True):
    """One result of the plot."""

    benchmark: str
    """Its name."""
    result: ComparedResult
    """The compared result."""
    other: str
    """Title of the machine compared with the baseline."""
    flags: tuple[str, ...] = ()
    """What is wrong with either value, each once."""
    flagged: tuple[Origin, ...] = ()
    """Origins of what is flagged, each once."""


def forest_lines(pairs: Sequence[MachinePair]) -> tuple[ForestLine, ...]:
    """Every figure that has a ratio, those of one benchmark together, and in it all of a figure.

    What follows from another figure of its point (bus bytes from STREAM bytes) has no line beside
    that one: it would draw one ratio twice.
    `other` is what distinguishes the pairs: the second machine, or the first where the second is
    always the same.
    """
    second = len({pair.b.id for pair in pairs}) > 1
    lines = [
        _line(pair, result, plain((pair.b if second else pair.a).title, 60))
        for pair in pairs
        for result in _by_themselves(pair.comparison.results)
    ]
    order = {name: n for n, name in enumerate(dict.fromkeys(line.benchmark for line in lines))}
    within = {one: n for n, one in enumerate(dict.fromkeys(map(_result_of, lines)))}
    return tuple(sorted(lines, key=lambda x: (order[x.benchmark], within[_result_of(x)])))


def _line(pair: MachinePair, result: ComparedResult, other: str) -> ForestLine:
    sides = ((result.a, pair.a), (result.b, pair.b))
    flags = {one.flag: machine for one, machine in sides if one.flag}
    return ForestLine(
        result.a.point.benchmark,
        result,
        other,
        tuple(plain(flag, 200) for flag in flags),
        tuple(dict.fromkeys(machine.origin for machine in flags.values())),
    )


def _result_of(line: ForestLine) -> tuple[str, str, str]:
    """What lines of several machines are of."""
    one = line.result.a
    return line.benchmark, one.point.key, one.metric


def _by_themselves(results: Sequence[ComparedResult]) -> list[ComparedResult]:
    every = [result for result in results if _drawable(result)]
    primary = {_point_of(one) for one in every if _is_primary(one)}
    return [one for one in every if _is_primary(one) or _point_of(one) not in primary]


def _point_of(result: ComparedResult) -> tuple[str, str]:
    return result.a.point.benchmark, result.a.point.key


def _is_primary(result: ComparedResult) -> bool:
    return is_primary(result.a)


def few_of_each(lines: Sequence[ForestLine], most: int = MOST_LINES) -> tuple[ForestLine, ...]:
    """At most `most` lines, but one figure at least of each benchmark: even steps through them.

    Figures come with the largest difference first: even steps show both large and small ones. One
    that is drawn is drawn of all machines; those that more machines have are drawn first.
    """
    groups: dict[str, dict[tuple[str, str, str], list[ForestLine]]] = {}
    for line in lines:
        groups.setdefault(line.benchmark, {}).setdefault(_result_of(line), []).append(line)
    results = [list(group.values()) for group in groups.values()]
    sizes = [len(group) for group in results]
    fewest = len(sizes)
    for count in range(max(min(most, sum(sizes)), fewest), fewest - 1, -1):
        shares = even_shares(sizes, count)
        chosen = [
            line
            for group, share in zip(results, shares, strict=True)
            for of in _few_results(group, max(share, 1))
            for line in of
        ]
        if len(chosen) <= most:
            break
    return tuple(chosen) if lines else ()


def _few_results(group: Sequence[list[ForestLine]], count: int) -> list[list[ForestLine]]:
    widest = max(map(len, group))
    common = [n for n, of in enumerate(group) if len(of) == widest]
    others = [n for n, of in enumerate(group) if len(of) < widest]
    first = evenly(common, min(count, len(common)))
    return [group[n] for n in sorted([*first, *evenly(others, count - len(first))])]


def evenly(group: Sequence[Item], count: int) -> list[Item]:
    """`count` of the group, in even steps from its first to its last."""
    if count >= len(group):
        return list(group)
    if count < 2:
        return list(group[:count])
    step = (len(group) - 1) / (count - 1)
    return [group[round(i * step)] for i in range(count)]


def _drawable(result: ComparedResult) -> bool:
    found = result.by.get(Basis.AS_MEASURED)
    if result.points is not None or found is None:
        return False
    if found.ratio <= 0 or not math.isfinite(found.ratio):
        return False
    return result.as_printed or found.is_bounded
