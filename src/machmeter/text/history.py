"""Histories as text: names of results, changes sorted for a reader, and what else changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from machmeter.model.benchmark import Value
from machmeter.model.results.history import (
    Change,
    ChangeKind,
    EnvironmentDifference,
    History,
    HistoryMachine,
    HistoryValue,
    LevelChange,
    ResultHistory,
)
from machmeter.model.units import SHARE, Unit, common_scale, format_value
from machmeter.text.labels import parameter_phrase
from machmeter.text.numbers import (
    NOTHING,
    count_text,
    points_text,
    quantity_text,
    ratio_text,
    time_text,
)
from machmeter.text.plain import plain

_KEY = re.compile(r"^(\S+) \[(.*)\] \((.*)\)$", re.DOTALL)
_BLOCKS = "▁▂▃▄▅▆▇█"
SPARK_RUNS = 24


def names_of(results: Sequence[ResultHistory]) -> tuple[str, ...]:
    """What distinguishes each result from the others of its benchmark: parameters, layout, metric.

    A benchmark with a single result is named by its parameters and metric.
    """
    parts = [_parts(result) for result in results]
    together: dict[str, list[frozenset[str]]] = {}
    for result, own in zip(results, parts, strict=True):
        together.setdefault(result.benchmark, []).append(frozenset(own))
    common = {name: frozenset.intersection(*sets) for name, sets in together.items()}
    return tuple(
        ", ".join(part for part in own if part not in common[result.benchmark])
        or ", ".join((*_parameters(result), result.title))
        for result, own in zip(results, parts, strict=True)
    )


def step_text(step: LevelChange, unit: Unit) -> str:
    """By how much better, with its interval: `0.88x [0.86, 0.90]`, `-4.1 points [-5.0, -3.2]`."""
    as_words = points_text if unit == SHARE else ratio_text
    return as_words(step.by, step.low, step.high)


def levels_text(step: LevelChange, unit: Unit) -> str:
    """`812 ns → 921 ns`."""
    values = (step.before, step.after)
    scale = common_scale(values, unit)
    texts = (scale.text(value) if scale else format_value(value, unit) for value in values)
    return " → ".join(texts)


def runs_text(change: Change) -> str:
    """`9 runs before, 5 since`."""
    return f"{count_text(change.runs_before, 'run', 'runs')} before, {change.runs_after:,} since"


def differences_text(found: Sequence[EnvironmentDifference], unreadable: str) -> str:
    """What else changed at the same time, as far as it is recorded."""
    if unreadable:
        return f"other changes unknown: {plain(unreadable, 200)}"
    if not found:
        return "no other recorded change"
    return "also changed: " + "; ".join(
        f"{one.what} {plain(one.before, 120)} → {plain(one.after, 120)}" for one in found
    )


def history_value_text(one: HistoryValue, unit: Unit) -> str:
    """A value with its interval over launches."""
    return quantity_text(one.value, one.low, one.high, unit)


def detectable_text(result: ResultHistory) -> str:
    """The smallest change that three more runs would show: `±4 %`, `over ±100 %`; a dash where the
    spread over runs is not known yet, and how many runs are needed where they are too few.
    """
    if result.runs_needed:
        return f"needs {result.runs_needed} more runs"
    if not result.finds:
        return NOTHING
    if result.finds > 1:
        return "over ±100 %"
    return f"±{100 * result.finds:.2g} {'points' if result.unit == SHARE else '%'}"


def spark(result: ResultHistory, blocks: str = _BLOCKS) -> str:
    """The last runs as bars between their least and their greatest value."""
    values = [one.value for one in result.values[-SPARK_RUNS:]]
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


def _parts(result: ResultHistory) -> tuple[str, ...]:
    """Every parameter, every part of the layout, the library and the metric, each as text."""
    found = _KEY.match(result.point)
    layout = plain(found.group(3), 300).split(", ") if found else []
    library = [plain(result.mpi_library, 60)] if result.mpi_library else []
    return (*_parameters(result), *layout, *library, result.title)


def _parameters(result: ResultHistory) -> tuple[str, ...]:
    found = _KEY.match(result.point)
    if not found:
        return (plain(result.point, 200),)
    pairs = [pair.partition("=") for pair in found.group(2).split(",") if pair]
    if not all(equals for _, equals, _ in pairs):
        return (plain(found.group(2), 200),)
    return tuple(_parameter(name, text) for name, _, text in pairs)


def _parameter(name: str, text: str) -> str:
    value: Value = int(text) if text.isdecimal() and len(text) < 19 else text
    return parameter_phrase(plain(name, 60), value)


class NamedChange(Struct, frozen=True):
    """One change of one result."""

    name: str
    """Of the result, within its benchmark."""
    result: ResultHistory
    """What changed."""
    change: Change
    """How."""

    @property
    def label(self) -> str:
        """Benchmark and name."""
        return plain(f"{self.result.benchmark} {self.name}", 200)


def results_of(history: History, position: int) -> list[ResultHistory]:
    """The results of the machine at that position."""
    return [result for result in history.results if result.machine == position]


def sections_of(
    named: Sequence[tuple[str, ResultHistory]],
) -> Iterator[tuple[str, str, list[NamedChange]]]:
    """Heading, style and changes of every section that has any; results come with their names."""
    changes = [
        NamedChange(name, result, change) for name, result in named for change in result.changes
    ]
    for heading, style, belongs in _SECTIONS:
        found = [one for one in changes if belongs(one)]
        if found:
            yield heading, style, found


def by_run(changes: Sequence[NamedChange]) -> Iterator[list[NamedChange]]:
    """Changes with the same runs on either side, the latest first; in each the largest first."""
    groups: dict[tuple[str, str, str], list[NamedChange]] = {}
    for one in changes:
        change = one.change
        groups.setdefault((change.started, change.first_run, change.last_run), []).append(one)
    for key in sorted(groups, reverse=True):
        yield sorted(groups[key], key=lambda one: one.change.step.p_value)


def title_of(machine: HistoryMachine, results: Sequence[ResultHistory]) -> str:
    """Who the machine is, over which days, with how many runs and results."""
    hosts = f", {count_text(len(machine.hosts), 'host', 'hosts')}" * (len(machine.hosts) > 1)
    first, last = (time_text(moment)[:10] for moment in (machine.first, machine.last))
    span = first if first == last else f"{first} to {last}"
    return plain(
        f"{machine.name} ({machine.cpu_model}{hosts}): "
        f"{count_text(machine.runs, 'run', 'runs')}, {span}; "
        f"{count_text(len(results), 'result', 'results')}",
        300,
    )


_SECTIONS: tuple[tuple[str, str, Callable[[NamedChange], bool]], ...] = (
    ("Worse, not recovered", "bold red", lambda t: t.change.stands),
    (
        "Unconfirmed: too few runs since the change",
        "bold yellow",
        lambda t: t.change.kind is ChangeKind.UNCONFIRMED,
    ),
    (
        "Better",
        "bold green",
        lambda t: t.change.kind is ChangeKind.BETTER,
    ),
    (
        "Recovered",
        "bold",
        lambda t: t.change.kind is ChangeKind.WORSE and not t.change.stands,
    ),
)


def history_verdict_text(history: History) -> str:
    """The last line: what the exit code says, as text."""
    bound = f"{100 * history.rules.threshold:g} %"
    ready = sum(not result.runs_needed for result in history.results)
    if history.regressions:
        count = count_text(history.regressions, "result is", "results are")
        return f"{count} worse by more than {bound} and not recovered."
    if not ready:
        return "No verdict yet: no result has enough runs."
    checked = count_text(ready, "result", "results")
    return f"No regression in {checked}: none became worse by more than {bound}."


def history_notes(history: History) -> Iterator[str]:
    """What was left out or has too few runs, each in a sentence."""
    rules = history.rules
    waiting = [result.runs_needed for result in history.results if result.runs_needed]
    if waiting:
        yield (
            f"{count_text(len(waiting), 'result has', 'results have')} fewer than "
            f"{rules.least_runs} runs, which change detection needs "
            f"({count_text(min(waiting), 'more run', 'more runs')} for the first)."
        )
    without = sum(result.without_value for result in history.results)
    if without:
        yield (
            f"{count_text(without, 'value is', 'values are')} left out: overheads not "
            "significantly above zero."
        )
    if history.unknown:
        yield (
            f"{count_text(history.unknown, 'series is', 'series are')} left out: of a benchmark, "
            "metric or unit that this version does not know."
        )
    if history.unindexed:
        yield (
            f"{count_text(history.unindexed, 'finished run is', 'finished runs are')} not in the "
            "index: `machmeter store rebuild` adds them."
        )
