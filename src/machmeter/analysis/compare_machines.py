"""Machines beside one another: every figure that both have, and in what they cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from msgspec.structs import replace

from machmeter.analysis.alike_layouts import Side
from machmeter.analysis.bases import by_basis, has_interval, ratio_of
from machmeter.analysis.comparison import (
    MARGIN,
    MARGIN_OF_SHARES,
    Difference,
    compare_shares,
    holm,
)
from machmeter.analysis.figure_names import figure_names
from machmeter.analysis.matching import Matched, match
from machmeter.model.compared import Basis, ComparedFigure, Flip, MachineComparison
from machmeter.model.estimate import Comparison, ComparisonVerdict
from machmeter.model.known import KnownMachine
from machmeter.model.units import SHARE

SIGNIFICANCE = 0.05
_DIFFERENT = (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)


class Standing(StrEnum):
    """How the second machine stands to the first in one figure."""

    AHEAD = "ahead"
    BEHIND = "behind"
    SAME = "the same"
    UNRESOLVED = "not resolved"
    AHEAD_AS_PRINTED = "ahead as printed"
    BEHIND_AS_PRINTED = "behind as printed"
    SAME_AS_PRINTED = "the same as printed"


_STANDING = {
    ComparisonVerdict.FASTER: Standing.AHEAD,
    ComparisonVerdict.SLOWER: Standing.BEHIND,
    ComparisonVerdict.SAME: Standing.SAME,
    ComparisonVerdict.UNRESOLVED: Standing.UNRESOLVED,
}


def compare_machines(
    a: KnownMachine, b: KnownMachine, benchmarks: Sequence[str] = ()
) -> MachineComparison:
    """Set `b` beside `a`: ratios above 1 say that `b` is better.

    Figures of one run are paired by launch or round, others take Welch's t; p values are adjusted
    for the number of figures (Holm), and a difference that does not hold then is unresolved.
    benchmarks: names or groups (`memory`) to which the comparison is kept; empty takes all.
    Figures are grouped by benchmark, in each the largest difference first.
    """
    a, b = kept_to(a, benchmarks), kept_to(b, benchmarks)
    paired = len(a.runs) == 1 and a.runs == b.runs
    matches = match(a, b)
    names = figure_names([pair.a.estimate for pair in matches.pairs])
    figures = _adjusted(
        [_compared(n, pair, paired) for n, pair in zip(names, matches.pairs, strict=True)]
    )
    return MachineComparison(
        a=a.id,
        b=b.id,
        figures=tuple(_ordered(figures)),
        refusals=matches.refusals,
        flips=tuple(flip for one in figures for flip in _flips(one, a.id, b.id)),
        paired=paired,
        only_a=matches.only_a,
        only_b=matches.only_b,
    )


def kept_to(machine: KnownMachine, benchmarks: Sequence[str]) -> KnownMachine:
    """The machine with the figures of those benchmarks or groups alone; all where none is named."""
    if not benchmarks:
        return machine
    wanted = set(benchmarks)
    figures = (
        e
        for e in machine.estimates
        if wanted & {e.point.benchmark, e.point.benchmark.partition(".")[0]}
    )
    return replace(machine, estimates=tuple(figures))


def standing_of(figure: ComparedFigure) -> Standing:
    """How the second machine stands to the first in that figure.

    As printed: without an interval, ahead or behind by more than 2 % (2 points of a share). What
    was measured without an interval (in one launch) resolves nothing, and nobody printed it.
    """
    if not figure.as_printed:
        return _STANDING[figure.verdict]
    if has_no_ratio(figure) or is_of_one_launch(figure):
        return Standing.UNRESOLVED
    if figure.points is not None:
        far, center = MARGIN_OF_SHARES, figure.points
    else:
        far, center = math.log1p(MARGIN), math.log(figure.by[Basis.AS_MEASURED].ratio)
    if abs(center) <= far:
        return Standing.SAME_AS_PRINTED
    return Standing.AHEAD_AS_PRINTED if center > 0 else Standing.BEHIND_AS_PRINTED


def has_no_ratio(figure: ComparedFigure) -> bool:
    """Whether a figure as printed is zero or below, so that no ratio can be taken."""
    return figure.as_printed and figure.points is None and min(figure.a.value, figure.b.value) <= 0


def is_of_one_launch(figure: ComparedFigure) -> bool:
    """Whether a side was measured here, and not often enough for an interval."""
    return any(not (has_interval(one) or one.source) for one in (figure.a, figure.b))


def regressions(comparison: MachineComparison) -> tuple[ComparedFigure, ...]:
    """The figures in which the second machine is behind, and by more than 2 % (2 points).

    Behind after adjusting for their number, as everywhere; a difference that is certain and too
    small to matter is none.
    """
    behind = (one for one in comparison.figures if standing_of(one) is Standing.BEHIND)
    return tuple(one for one in behind if size_of(one) > _least_that_matters(one))


def _least_that_matters(figure: ComparedFigure) -> float:
    return MARGIN_OF_SHARES if figure.points is not None else math.log1p(MARGIN)


def _compared(name: str, pair: Matched, paired: bool) -> tuple[ComparedFigure, float]:
    """One figure, and the p value of a difference of shares (1 for ratios, which carry theirs)."""
    a, b = pair.a, pair.b
    printed = not (has_interval(a.estimate) and has_interval(b.estimate))
    figure = ComparedFigure(
        name=name,
        a=a.estimate,
        b=b.estimate,
        by={},
        as_printed=printed,
        notes=(*pair.alike.notes, *_said(a), *_said(b)),
    )
    if a.estimate.unit == SHARE:
        return _of_shares(figure, paired)
    measured = ratio_of(a, b, paired)
    by = by_basis(a, b, measured, pair.alike.reach)
    return replace(figure, by=by, verdict=measured.verdict), 1.0


def _of_shares(figure: ComparedFigure, paired: bool) -> tuple[ComparedFigure, float]:
    found: Difference = compare_shares(figure.b, figure.a, paired)
    return (
        replace(
            figure,
            points=found.value,
            points_low=found.low,
            points_high=found.high,
            verdict=found.verdict,
        ),
        found.p_value,
    )


def _said(side: Side) -> list[str]:
    """What a source says of its own figure that a reader must know."""
    words, who = side.estimate.words, side.machine.id
    said = {
        "flag": f"{who}'s figure is contradicted: {{}}",
        "qualifier": f"{who}'s figure: {{}}",
        "precision": f"{who}'s figure was {{}}",
        "runs": f"{who}: {{}}",
    }
    return [
        text.format(words[name])
        for name, text in said.items()
        if words.get(name) and words[name] != "printed"
    ]


def _adjusted(figures: Sequence[tuple[ComparedFigure, float]]) -> list[ComparedFigure]:
    """Differences that do not hold among so many are unresolved, each basis a family of its own."""
    found = [figure for figure, _ in figures]
    tested = [i for i, one in enumerate(found) if not one.as_printed]
    p_values = [
        figures[i][1] if found[i].points is not None else found[i].by[Basis.AS_MEASURED].p_value
        for i in tested
    ]
    for i, p_value in zip(tested, holm(p_values), strict=True):
        found[i] = _with_p(found[i], Basis.AS_MEASURED, p_value)
    for basis in list(Basis)[1:]:
        family = [i for i in tested if basis in found[i].by]
        adjusted = holm([found[i].by[basis].p_value for i in family])
        for i, p_value in zip(family, adjusted, strict=True):
            found[i] = _with_p(found[i], basis, p_value)
    return found


def _with_p(figure: ComparedFigure, basis: Basis, p_value: float) -> ComparedFigure:
    if figure.points is not None:
        return replace(figure, verdict=_held(figure.verdict, p_value))
    old = figure.by[basis]
    new: Comparison = replace(old, p_value=p_value, verdict=_held(old.verdict, p_value))
    verdict = new.verdict if basis is Basis.AS_MEASURED else figure.verdict
    return replace(figure, by={**figure.by, basis: new}, verdict=verdict)


def _held(verdict: ComparisonVerdict, p_value: float) -> ComparisonVerdict:
    chance = verdict in _DIFFERENT and p_value > SIGNIFICANCE
    return ComparisonVerdict.UNRESOLVED if chance else verdict


def _ordered(figures: Sequence[ComparedFigure]) -> list[ComparedFigure]:
    """By benchmark in the order in which they come, the largest difference first."""
    order = {
        name: number
        for number, name in enumerate(dict.fromkeys(one.a.point.benchmark for one in figures))
    }
    return sorted(figures, key=lambda one: (order[one.a.point.benchmark], -size_of(one)))


def size_of(figure: ComparedFigure) -> float:
    """How large a difference is: the log of a ratio, either way, or points of a share."""
    if figure.points is not None:
        return abs(figure.points)
    return abs(math.log(figure.by[Basis.AS_MEASURED].ratio))


def _flips(figure: ComparedFigure, a: str, b: str) -> list[Flip]:
    """Every other basis by which not the machine is ahead that is ahead as measured."""
    ahead = {
        basis: _leader(comparison, figure.as_printed, a, b)
        for basis, comparison in figure.by.items()
    }
    first = ahead.pop(Basis.AS_MEASURED, "")
    return [
        Flip(figure.name, Basis.AS_MEASURED.value, str(basis), first, leader)
        for basis, leader in ahead.items()
        if first and leader and leader != first
    ]


def _leader(comparison: Comparison, as_printed: bool, a: str, b: str) -> str:
    """The machine that is ahead; empty where that is not resolved."""
    if as_printed:
        if abs(math.log(comparison.ratio)) <= math.log1p(MARGIN):
            return ""
        return b if comparison.ratio > 1 else a
    return {ComparisonVerdict.FASTER: b, ComparisonVerdict.SLOWER: a}.get(comparison.verdict, "")
