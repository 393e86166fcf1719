"""Machines beside one another in words: ratios, verdicts and counts for pages and charts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import measurements, regressions, standing_of
from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import (
    Basis,
    ComparedResult,
    MachineComparison,
    RelativeStanding,
)
from machmeter.model.results.printed_text import flagged_text, known_text
from machmeter.model.units import UNBOUNDED, is_unbounded
from machmeter.text.compare_words import figure_value, times_text
from machmeter.text.compare_words import ratio_text as interval_of_ratio
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.results import interval_text, value_text

AS_PRINTED = "as printed"
_AHEAD = (RelativeStanding.AHEAD, RelativeStanding.AHEAD_AS_PRINTED)
_BEHIND = (RelativeStanding.BEHIND, RelativeStanding.BEHIND_AS_PRINTED)
_SAME = (RelativeStanding.SAME, RelativeStanding.SAME_AS_PRINTED)
_PRINTED = (
    RelativeStanding.AHEAD_AS_PRINTED,
    RelativeStanding.BEHIND_AS_PRINTED,
    RelativeStanding.SAME_AS_PRINTED,
)


class Compared(Struct, frozen=True):
    """Two machines and what setting `b` beside `a` came to."""

    a: MachineResults
    b: MachineResults
    comparison: MachineComparison


class Counted(Struct, frozen=True):
    """In how many figures the second machine is ahead, behind, the same, and not resolved.

    printed: how many of them rest on a value without an interval.
    """

    ahead: int
    behind: int
    same: int
    unresolved: int
    printed: int

    @property
    def figures(self) -> int:
        """All of them."""
        return self.ahead + self.behind + self.same + self.unresolved


def told_apart(machines: Sequence[MachineResults]) -> tuple[MachineResults, ...]:
    """The machines, where two have one title each with its id behind it."""
    titles = Counter(machine.title for machine in machines)
    return tuple(
        replace(m, title=f"{m.title} ({m.id})") if titles[m.title] > 1 else m for m in machines
    )


def counted(figures: Sequence[ComparedResult]) -> Counted:
    """How the second machine stands to the first over those figures."""
    found = Counter(standing_of(figure) for figure in figures)
    return Counted(
        ahead=sum(found[one] for one in _AHEAD),
        behind=sum(found[one] for one in _BEHIND),
        same=sum(found[one] for one in _SAME),
        unresolved=found[RelativeStanding.UNRESOLVED],
        printed=sum(found[one] for one in _PRINTED),
    )


def verdict_text(compared: Compared) -> str:
    """One sentence: `B against A: better in 12 of 40 figures, worse in 8, the same in 20.`"""
    found = counted(compared.comparison.figures)
    who = f"{plain(compared.b.title, 80)} against {plain(compared.a.title, 80)}"
    if not found.figures:
        return f"{who}: no figure can be compared."
    parts = [f"better in {found.ahead} of {count_text(found.figures, 'figure', 'figures')}"]
    parts += [f"worse in {found.behind}"] * (found.behind > 0)
    parts += [f"the same in {found.same}"] * (found.same > 0)
    parts += [f"not resolved in {found.unresolved}"] * (found.unresolved > 0)
    verb = "is" if found.printed == 1 else "are"
    printed = f" {found.printed} of these {verb} as printed, without an interval."
    return f"{who}: {', '.join(parts)}.{printed * (found.printed > 0)}"


def standing_text(figure: ComparedResult) -> str:
    """How the second machine stands to the first, in words."""
    return standing_of(figure).value


def side_text(one: Estimate, machine: MachineResults) -> str:
    """A value of a machine with its interval; one that is only printed says so, and so does its
    flag.
    """
    value = figure_value(one)
    if one.printed or is_unbounded(one.high):
        flag = f", {flagged_text(machine.origin)}" if one.flag else ""
        known = plain(known_text(one.printed)) if one.printed else "of one launch"
        return f"{value} {known}{flag}"
    return f"{value_text(one)} {interval_text(one)}" if one.resolved else value


def ratio_text(comparison: Comparison | None) -> str:
    """`1.92x [1.85, 2.00]`; without interval as printed; a dash where there is no ratio."""
    if comparison is None:
        return "–"
    if is_unbounded(comparison.high):
        return times_text(comparison.ratio) if _has_ratio(comparison) else "–"
    return interval_of_ratio(comparison, as_printed=False)


def _has_ratio(comparison: Comparison) -> bool:
    return math.isfinite(comparison.ratio) and comparison.ratio != 1


def difference_text(figure: ComparedResult) -> str:
    """What a figure came to as measured: a ratio, or points of a share, with its interval."""
    if figure.points is None:
        text = ratio_text(figure.by.get(Basis.AS_MEASURED))
    elif abs(figure.points_high) >= UNBOUNDED:
        text = f"{100 * figure.points:+.1f} points"
    else:
        ends = f"[{100 * figure.points_low:+.1f}, {100 * figure.points_high:+.1f}]"
        text = f"{100 * figure.points:+.1f} points {ends}"
    return f"{text}, {AS_PRINTED}" if figure.as_printed and text != "–" else text


def group_title(benchmark: str) -> str:
    """The title of a benchmark; its name where the catalogue lacks it."""
    return next((b.title for b in BENCHMARKS if b.name == benchmark), plain(benchmark, 80))


def slower_text(comparison: MachineComparison) -> str:
    """In how many figures the candidate is worse by what matters, and what is not known."""
    if not comparison.figures:
        return "No figure was measured on both sides."
    count = len(regressions(comparison))
    verb = "is" if count == 1 else "are"
    worse = f"{count_text(count, 'figure', 'figures')} {verb} worse by more than 2 % (2 points)."
    text = worse if count else "Nothing is known to be worse by more than 2 % (2 points)."
    standings = Counter(map(standing_of, measurements(comparison.figures)))
    open_ones = standings[RelativeStanding.UNRESOLVED]
    if not open_ones:
        return text
    verb = "is" if open_ones == 1 else "are"
    return (
        f"{text} {count_text(open_ones, 'figure', 'figures')} {verb} not resolved: more launches "
        "tell (--min-launches, --budget)."
    )
