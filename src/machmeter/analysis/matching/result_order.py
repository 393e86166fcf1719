"""The order of results in tables: choices as declared, counts and sizes as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, TypeVar

from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Value
from machmeter.model.layout_fields import LAYOUT_FIELDS, VARIANT_FIELDS
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import ComparedResult

Key = tuple[Any, ...]
Item = TypeVar("Item")


def in_order(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Sorted by benchmark and metric as they come first, then by choices, layout and numbers."""
    every = list(estimates)
    groups = list(dict.fromkeys((e.point.benchmark, e.metric) for e in every))
    return sorted(every, key=lambda e: (groups.index((e.point.benchmark, e.metric)), _key(e.point)))


def compared_in_order(
    items: Iterable[Item], result_of: Callable[[Item], ComparedResult]
) -> list[Item]:
    """What has a compared result each, in the order of the first machine's (`in_order`)."""
    every = [(result_of(item), item) for item in items]
    groups = list(dict.fromkeys((one.a.point.benchmark, one.a.metric) for one, _ in every))

    def key(pair: tuple[ComparedResult, Item]) -> Key:
        one, _ = pair
        group = groups.index((one.a.point.benchmark, one.a.metric))
        return group, _key(one.a.point), _key(one.b.point)

    return [item for _, item in sorted(every, key=key)]


def names_in_order(points: Iterable[Point]) -> list[str]:
    """The parameters of points, choices before numbers: what varies fastest comes last."""
    every = [point for one in points for point in one.parameters]
    text = dict.fromkeys(name for name, value in every if isinstance(value, str))
    return [*text, *dict.fromkeys(name for name, _ in every if name not in text)]


def _key(point: Point) -> Key:
    texts = [one for one in point.parameters if isinstance(one[1], str)]
    numbers = [one for one in point.parameters if not isinstance(one[1], str)]
    declared = known(point.benchmark)
    choices = {p.name: p.choices for p in declared.parameters} if declared else {}
    return (
        tuple((name, _rank(value, choices.get(name, ()))) for name, value in texts),
        tuple(_field(getattr(point.layout, field.name)) for field in LAYOUT_FIELDS),
        tuple(_field(getattr(point.variant, field.name)) for field in VARIANT_FIELDS),
        tuple(numbers),
    )


def _rank(value: Value, choices: tuple[str, ...]) -> Key:
    text = str(value)
    place = choices.index(text) if text in choices else len(choices)
    return place, [(int(part), "") if part.isdecimal() else (-1, part) for part in text.split("-")]


def _field(value: Any) -> Key:
    """Numbers by size, members of an enumeration as declared, names by letters."""
    if isinstance(value, Enum):
        return (list(type(value)).index(value), "")
    return (value, "") if isinstance(value, int) else (0, str(value))
