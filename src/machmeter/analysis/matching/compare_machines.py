"""Machines beside one another: every figure that both have, and in what they cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.matching.bases import by_basis, has_interval, ratio_of
from machmeter.analysis.matching.matching import Matched, match
from machmeter.analysis.matching.operands import Operand
from machmeter.analysis.matching.result_names import result_names
from machmeter.analysis.matching.same_measurement import first_of_each
from machmeter.analysis.matching.standings import with_standings
from machmeter.analysis.stats.comparison import (
    MARGIN,
    MARGIN_OF_SHARES,
    Difference,
    compare_shares,
    holm,
)
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Origin
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import (
    Basis,
    ComparedResult,
    Flip,
    MachineComparison,
    RelativeStanding,
)
from machmeter.model.results.printed import HowKnown
from machmeter.model.results.printed_text import flagged_text
from machmeter.model.units import SHARE, format_value

SIGNIFICANCE = 0.05
_DIFFERENT = (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)


def compare_machines(
    a: MachineResults, b: MachineResults, benchmarks: Sequence[str] = ()
) -> MachineComparison:
    """Set `b` beside `a`: ratios above 1 say that `b` is better.

    Figures of one run are paired by launch or round, others take Welch's t; p values are adjusted
    for the number of measurements (Holm), and a difference that does not hold then is unresolved.
    benchmarks: names or groups (`memory`) to which the comparison is kept; empty takes all.
    Figures are grouped by benchmark, in each the largest difference first.
    """
    a, b = kept_to(a, benchmarks), kept_to(b, benchmarks)
    paired = len(a.runs) == 1 and a.runs == b.runs
    matches = match(a, b)
    names = result_names([pair.sides for pair in matches.pairs])
    adjusted = _adjusted(
        [_compared(n, pair, paired) for n, pair in zip(names, matches.pairs, strict=True)]
    )
    figures = [with_standings(figure) for figure in adjusted]
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


def kept_to(machine: MachineResults, benchmarks: Sequence[str]) -> MachineResults:
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


def standing_of(figure: ComparedResult) -> RelativeStanding:
    """How the second machine stands to the first in that figure, as `with_standings` found it."""
    return figure.standing


def regressions(comparison: MachineComparison) -> tuple[ComparedResult, ...]:
    """The figures in which the second machine is behind, and by more than 2 % (2 points).

    Behind after adjusting for their number, as everywhere; a difference that is certain and too
    small to matter is none, and of figures of one measurement there is one.
    """
    behind = (
        one
        for one in measurements(comparison.figures)
        if standing_of(one) is RelativeStanding.WORSE
    )
    return tuple(one for one in behind if size_of(one) > _least_that_matters(one))


def measurements(figures: Sequence[ComparedResult]) -> tuple[ComparedResult, ...]:
    """Of figures that say the same of one measurement, the first.

    Such are a time and the rate that follows from it, or bytes of a kernel and those of the bus
    (`same_measurement`). Figures as printed are all kept.
    """
    return tuple(figures[first] for first in dict.fromkeys(first_of_each(figures)))


def _least_that_matters(figure: ComparedResult) -> float:
    return MARGIN_OF_SHARES if figure.points is not None else math.log1p(MARGIN)


def _compared(name: str, pair: Matched, paired: bool) -> tuple[ComparedResult, float]:
    """One figure, and the p value of a difference of shares (1 for ratios, which carry theirs)."""
    a, b = pair.a, pair.b
    printed = not (has_interval(a.estimate) and has_interval(b.estimate))
    figure = ComparedResult(
        name=name,
        a=a.estimate,
        b=b.estimate,
        by={},
        as_printed=printed,
        notes=tuple(dict.fromkeys((*pair.comparability.notes, *_said_of_both(a, b)))),
        open_a=tuple(sorted(a.open)),
        open_b=tuple(sorted(b.open)),
    )
    if a.estimate.unit == SHARE:
        return _of_shares(figure, paired)
    measured = ratio_of(a, b, paired)
    by = by_basis(a, b, measured, pair.comparability.reach)
    return replace(figure, by=by, verdict=measured.verdict), 1.0


def _of_shares(figure: ComparedResult, paired: bool) -> tuple[ComparedResult, float]:
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


def _said_of_both(a: Operand, b: Operand) -> list[str]:
    """What the sources say of the figures; a note that is the same of both, once."""
    here, there = (side.estimate.printed.note if side.estimate.printed else "" for side in (a, b))
    if here and here == there:
        return [*_said(a, noted=False), *_said(b, noted=False), f"both sources: {here}"]
    return [*_said(a), *_said(b)]


def _said(side: Operand, *, noted: bool = True) -> list[str]:
    """What a source says of its own figure that a reader must know."""
    one, who = side.estimate, side.machine.id
    said = []
    if printed := one.printed:
        read_off = printed.how_known is not HowKnown.PRINTED
        said += [
            f"{who}'s figure is {flagged_text(side.machine.origin)}: {printed.flag}"
            * bool(printed.flag),
            f"{who}'s figure: {printed.qualifier}" * bool(printed.qualifier),
            f"{who}'s figure is derived: {printed.derived_from}" * bool(printed.derived_from),
            f"{who}'s figure was {printed.how_known.value}" * read_off,
            f"{who}: {printed.note}" * (noted and bool(printed.note)),
        ]
    if spread := one.run_spread:
        ends = f"{format_value(spread.low, one.unit)} to {format_value(spread.high, one.unit)}"
        said.append(f"{who}: its runs differ by more than their launches tell, {ends}")
    return [text for text in said if text]


def is_flag(note: str) -> bool:
    """Whether a note of a compared figure says what is wrong with it."""
    words = (flagged_text(origin) for origin in (Origin.PUBLISHED, Origin.IMPORTED))
    return any(f"'s figure is {word}: " in note for word in words)


def _adjusted(figures: Sequence[tuple[ComparedResult, float]]) -> list[ComparedResult]:
    """Differences that do not hold among so many are unresolved, each basis a family of its own."""
    found = [figure for figure, _ in figures]
    tested = [i for i, one in enumerate(found) if not one.as_printed]
    same = first_of_each(found)
    for basis in Basis:
        p_values = {
            i: figures[i][1] if found[i].points is not None else found[i].by[basis].p_value
            for i in tested
            if basis in found[i].by or (found[i].points is not None and basis is Basis.AS_MEASURED)
        }
        family = {same[i]: p_value for i, p_value in p_values.items()}
        adjusted = dict(zip(family, holm(list(family.values())), strict=True))
        for i in p_values:
            found[i] = _with_p(found[i], basis, adjusted[same[i]])
    return found


def _with_p(figure: ComparedResult, basis: Basis, p_value: float) -> ComparedResult:
    if figure.points is not None:
        return replace(figure, verdict=_held(figure.verdict, p_value))
    old = figure.by[basis]
    new: Comparison = replace(old, p_value=p_value, verdict=_held(old.verdict, p_value))
    verdict = new.verdict if basis is Basis.AS_MEASURED else figure.verdict
    return replace(figure, by={**figure.by, basis: new}, verdict=verdict)


def _held(verdict: ComparisonVerdict, p_value: float) -> ComparisonVerdict:
    chance = verdict in _DIFFERENT and p_value > SIGNIFICANCE
    return ComparisonVerdict.INCONCLUSIVE if chance else verdict


def _ordered(figures: Sequence[ComparedResult]) -> list[ComparedResult]:
    """By benchmark in the order in which they come, the largest difference first."""
    order = {
        name: number
        for number, name in enumerate(dict.fromkeys(one.a.point.benchmark for one in figures))
    }
    return sorted(figures, key=lambda one: (order[one.a.point.benchmark], -size_of(one)))


def size_of(figure: ComparedResult) -> float:
    """How large a difference is: the log of a ratio, either way, or points of a share."""
    if figure.points is not None:
        return abs(figure.points)
    ratio = figure.by[Basis.AS_MEASURED].ratio
    return 0.0 if math.isnan(ratio) else abs(math.log(ratio))


def _flips(figure: ComparedResult, a: str, b: str) -> list[Flip]:
    """Every other basis by which not the machine is ahead that is ahead as measured."""
    ahead = {basis: _leader(standing, a, b) for basis, standing in figure.standings.items()}
    first = ahead.pop(Basis.AS_MEASURED, "")
    name = f"{figure.a.point.benchmark}: {figure.name}"
    return [
        Flip(name, Basis.AS_MEASURED.value, str(basis), first, leader)
        for basis, leader in ahead.items()
        if first and leader and leader != first
    ]


def _leader(standing: RelativeStanding, a: str, b: str) -> str:
    """The machine that is ahead; empty where that is not resolved."""
    if standing in (RelativeStanding.BETTER, RelativeStanding.BETTER_AS_PRINTED):
        return b
    return a if standing in (RelativeStanding.WORSE, RelativeStanding.WORSE_AS_PRINTED) else ""
