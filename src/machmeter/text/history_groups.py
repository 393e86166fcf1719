"""Changes sorted for a reader: what stands first, those of the same runs together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from machmeter.model.results.history import (
    Change,
    ChangeKind,
    History,
    HistoryMachine,
    ResultHistory,
)
from machmeter.text.numbers import count_text, time_text
from machmeter.text.plain import plain


class ChangeGroup(Struct, frozen=True):
    """One change of one figure, with the figure's name."""

    name: str
    figure: ResultHistory
    change: Change


def figures_of(history: History, position: int) -> list[ResultHistory]:
    """The figures of the machine at that position."""
    return [figure for figure in history.figures if figure.machine == position]


def sections_of(
    named: Sequence[tuple[str, ResultHistory]],
) -> Iterator[tuple[str, str, list[ChangeGroup]]]:
    """Heading, style and changes of every section that has any; figures come with their names."""
    changes = [
        ChangeGroup(name, figure, change) for name, figure in named for change in figure.changes
    ]
    for heading, style, belongs in _SECTIONS:
        found = [told for told in changes if belongs(told)]
        if found:
            yield heading, style, found


def by_run(changes: Sequence[ChangeGroup]) -> Iterator[list[ChangeGroup]]:
    """Changes with the same runs on either side, the latest first; in each the largest first."""
    groups: dict[tuple[str, str, str], list[ChangeGroup]] = {}
    for told in changes:
        change = told.change
        groups.setdefault((change.started, change.first_run, change.last_run), []).append(told)
    for key in sorted(groups, reverse=True):
        yield sorted(groups[key], key=lambda told: told.change.step.p_value)


def title_of(machine: HistoryMachine, figures: Sequence[ResultHistory]) -> str:
    """Who the machine is, over which days, with how many runs and figures."""
    hosts = f", {count_text(len(machine.hosts), 'host', 'hosts')}" * (len(machine.hosts) > 1)
    first, last = (time_text(moment)[:10] for moment in (machine.first, machine.last))
    span = first if first == last else f"{first} to {last}"
    return plain(
        f"{machine.name} ({machine.cpu_model}{hosts}): "
        f"{count_text(machine.runs, 'run', 'runs')}, {span}; "
        f"{count_text(len(figures), 'figure', 'figures')}",
        300,
    )


_SECTIONS: tuple[tuple[str, str, Callable[[ChangeGroup], bool]], ...] = (
    ("Worse, and not recovered", "bold red", lambda t: t.change.stands),
    (
        "Perhaps changed: too few runs since to tell",
        "bold yellow",
        lambda t: t.change.kind is ChangeKind.UNCONFIRMED,
    ),
    (
        "Better",
        "bold green",
        lambda t: t.change.kind is ChangeKind.BETTER,
    ),
    (
        "Was worse, and has recovered",
        "bold",
        lambda t: t.change.kind is ChangeKind.WORSE and not t.change.stands,
    ),
)
