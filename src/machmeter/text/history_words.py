"""Histories in words: names of figures, steps, and what else changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from machmeter.model.benchmark import Value
from machmeter.model.results.history import (
    Change,
    ChangeKind,
    EnvironmentDifference,
    HistoryValue,
    LevelChange,
    ResultHistory,
)
from machmeter.model.units import SHARE, Unit, format_interval, format_value, is_unbounded
from machmeter.text.labels import parameter_phrase
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

_KEY = re.compile(r"^(\S+) \[(.*)\] \((.*)\)$", re.DOTALL)
_BLOCKS = "▁▂▃▄▅▆▇█"
SPARK_RUNS = 24


def names_of(figures: Sequence[ResultHistory]) -> tuple[str, ...]:
    """What tells each figure from the others of its benchmark: parameters, layout and metric.

    A benchmark with a single figure is told by its parameters and metric.
    """
    parts = [_parts(figure) for figure in figures]
    together: dict[str, list[frozenset[str]]] = {}
    for figure, own in zip(figures, parts, strict=True):
        together.setdefault(figure.benchmark, []).append(frozenset(own))
    common = {name: frozenset.intersection(*sets) for name, sets in together.items()}
    return tuple(
        ", ".join(part for part in own if part not in common[figure.benchmark])
        or ", ".join((*_parameters(figure), figure.title))
        for figure, own in zip(figures, parts, strict=True)
    )


def step_text(step: LevelChange, unit: Unit) -> str:
    """By how much better, with its interval: `0.88x [0.86, 0.90]`, `-4.1 points [-5.0, -3.2]`."""
    if unit == SHARE:
        low, by, high = (100 * bound for bound in (step.low, step.by, step.high))
        return f"{by:+.1f} points [{low:+.1f}, {high:+.1f}]"
    if is_unbounded(step.high):
        return f"{step.by:.3f}x, interval unknown"
    return f"{step.by:.3f}x [{step.low:.3f}, {step.high:.3f}]"


def levels_text(step: LevelChange, unit: Unit) -> str:
    """`812 ns → 921 ns`."""
    return f"{format_value(step.before, unit)} → {format_value(step.after, unit)}"


def runs_text(change: Change) -> str:
    """`9 runs before, 5 since`."""
    return f"{count_text(change.runs_before, 'run', 'runs')} before, {change.runs_after:,} since"


def differences_text(found: Sequence[EnvironmentDifference], unreadable: str) -> str:
    """What else changed, or that nothing which is recorded did."""
    if unreadable:
        return f"what else changed is not known: {plain(unreadable, 200)}"
    if not found:
        return "nothing else that is recorded changed"
    return "changed too: " + "; ".join(
        f"{one.what} {plain(one.before, 120)} → {plain(one.after, 120)}" for one in found
    )


def value_text(one: HistoryValue, unit: Unit) -> str:
    """A value with its interval over launches."""
    return f"{format_value(one.value, unit)} {interval_text(one, unit)}"


def interval_text(one: HistoryValue, unit: Unit) -> str:
    """The interval over launches on the scale of the value; a dash where one launch gave none."""
    if is_unbounded(one.high):
        return "–"
    return format_interval(one.low, one.high, one.value, unit)


def finds_text(figure: ResultHistory) -> str:
    """`±4 %`, no more than `over ±100 %`; a dash where the spread over runs is not known yet."""
    if not figure.finds:
        return "–"
    if figure.finds > 1:
        return "over ±100 %"
    return f"±{100 * figure.finds:.2g} {'points' if figure.unit == SHARE else '%'}"


def spark(figure: ResultHistory, blocks: str = _BLOCKS) -> str:
    """The last runs as bars between their least and their greatest value."""
    values = [one.value for one in figure.values[-SPARK_RUNS:]]
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    if high == low:
        return blocks[0] * len(values)
    steps = len(blocks) - 1
    return "".join(blocks[round(steps * (value - low) / (high - low))] for value in values)


def kind_text(change: Change, unit: Unit) -> str:
    """What became of a change, in a word or three."""
    if change.kind is ChangeKind.UNCONFIRMED:
        return "unconfirmed"
    if change.stands:
        return "worse"
    worse = change.step.by < (0 if unit == SHARE else 1)
    if change.kind is ChangeKind.SMALL:
        return "slightly worse" if worse else "slightly better"
    return "worse, recovered" if worse else "better"


def _parts(figure: ResultHistory) -> tuple[str, ...]:
    """Every parameter, every part of the layout, and the metric, each in words."""
    found = _KEY.match(figure.point)
    layout = plain(found.group(3), 300).split(", ") if found else []
    return (*_parameters(figure), *layout, figure.title)


def _parameters(figure: ResultHistory) -> tuple[str, ...]:
    found = _KEY.match(figure.point)
    if not found:
        return (plain(figure.point, 200),)
    pairs = [pair.partition("=") for pair in found.group(2).split(",") if pair]
    if not all(equals for _, equals, _ in pairs):
        return (plain(found.group(2), 200),)
    return tuple(_parameter(name, text) for name, _, text in pairs)


def _parameter(name: str, text: str) -> str:
    value: Value = int(text) if text.isdecimal() and len(text) < 19 else text
    return parameter_phrase(plain(name, 60), value)
