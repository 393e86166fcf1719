"""Comparisons of two machines: every result that both have, and why others are not compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.analysis.matching.bases import by_basis, has_interval, ratio_of
from machmeter.analysis.matching.between_runs import (
    LEAST_RUNS,
    points_between_runs,
    ratio_between_runs,
    values_of,
)
from machmeter.analysis.matching.group_means import group_means
from machmeter.analysis.matching.matching import Matched, match
from machmeter.analysis.matching.open_settings import with_open_settings
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
from machmeter.benchmarks.catalogue import is_primary
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
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
    a: MachineResults,
    b: MachineResults,
    benchmarks: Sequence[str] = (),
    others: Sequence[MachineResults] = (),
) -> MachineComparison:
    """Compare `b` with the baseline `a`: ratios above 1 say that `b` is better.

    Results of the same run are paired by launch or round, others take Welch's t; p values are
    adjusted for the number of measurements (Holm), and a difference that does not hold then is
    inconclusive. benchmarks: names or groups (`memory`) to which the comparison is kept; empty
    takes all. Results are grouped by benchmark, in each the largest difference first. others: runs
    of the machine that `a` and `b` are runs of: where the spread between three or more of them is
    wider than that of launches, it is the interval's. A run that drifted makes no verdict, unless
    both are paired.
    """
    a, b = kept_to(a, benchmarks), kept_to(b, benchmarks)
    paired = len(a.runs) == 1 and a.runs == b.runs
    matches = match(a, b)
    names = result_names([pair.sides for pair in matches.pairs])
    adjusted = _adjusted(
        [_compared(n, pair, paired, others) for n, pair in zip(names, matches.pairs, strict=True)]
    )
    # What drifts is in both of a pair alike.
    drifted = any(one.kind is CaveatKind.DRIFT for side in (a, b) for one in side.caveats)
    if drifted and not paired:
        adjusted = [_without_verdict(result) for result in adjusted]
    results = with_open_settings([with_standings(result) for result in adjusted])
    return MachineComparison(
        a=a.id,
        b=b.id,
        results=tuple(_ordered(results)),
        refusals=matches.refusals,
        groups=group_means(results, paired, others),
        flips=tuple(flip for one in results for flip in _flips(one, a.id, b.id)),
        paired=paired,
        only_a=matches.only_a,
        only_b=matches.only_b,
        benchmarks_a=_benchmarks_of(a),
        benchmarks_b=_benchmarks_of(b),
        spread_runs=tuple(run for one in others for run in one.runs)
        if len(others) >= LEAST_RUNS
        else (),
    )


def _benchmarks_of(machine: MachineResults) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.point.benchmark for one in machine.estimates))


def kept_to(machine: MachineResults, benchmarks: Sequence[str]) -> MachineResults:
    """The machine with the results of those benchmarks or groups alone; all where none is named."""
    if not benchmarks:
        return machine
    wanted = set(benchmarks)
    results = (
        e
        for e in machine.estimates
        if wanted & {e.point.benchmark, e.point.benchmark.partition(".")[0]}
    )
    return replace(machine, estimates=tuple(results))


def standing_of(result: ComparedResult) -> RelativeStanding:
    """How the second machine compares with the first, as `with_standings` found it."""
    return result.standing


def regressions(comparison: MachineComparison) -> tuple[ComparedResult, ...]:
    """The results in which the second machine is worse, and by more than 2 % (2 points).

    Worse after adjusting for their number, as everywhere; a difference that is certain and too
    small to matter is none, and of results of one measurement there is one.
    """
    behind = (
        one
        for one in measurements(comparison.results)
        if standing_of(one) is RelativeStanding.WORSE
    )
    return tuple(one for one in behind if size_of(one) > _least_that_matters(one))


def is_undecided(comparison: MachineComparison) -> bool:
    """Whether there are results, and every one is inconclusive."""
    own = measurements(comparison.results)
    return bool(own) and all(standing_of(one) is RelativeStanding.INCONCLUSIVE for one in own)


def measurements(results: Sequence[ComparedResult]) -> tuple[ComparedResult, ...]:
    """Of results that say the same of one measurement, the first primary one, else the first.

    Such are a time and the rate that follows from it, or bytes of a kernel and those of the bus
    (`same_measurement`). Results as printed are all kept.
    """
    groups: dict[int, list[ComparedResult]] = {}
    for first, one in zip(first_of_each(results), results, strict=True):
        groups.setdefault(first, []).append(one)
    return tuple(
        next((one for one in group if is_primary(one.a)), group[0]) for group in groups.values()
    )


def _least_that_matters(result: ComparedResult) -> float:
    return MARGIN_OF_SHARES if result.points is not None else math.log1p(MARGIN)


def _without_verdict(result: ComparedResult) -> ComparedResult:
    """Of runs of which one drifted a difference may be of the moment."""
    undecided = ComparisonVerdict.INCONCLUSIVE
    by = {
        basis: replace(one, verdict=undecided) if one.verdict in _DIFFERENT else one
        for basis, one in result.by.items()
    }
    verdict = undecided if result.verdict in _DIFFERENT else result.verdict
    return replace(result, by=by, verdict=verdict, drifted=True)


def _compared(
    name: str, pair: Matched, paired: bool, others: Sequence[MachineResults]
) -> tuple[ComparedResult, float]:
    """One result, and the p value of a difference of shares (1 for ratios, which carry theirs)."""
    a, b = pair.a, pair.b
    printed = not (has_interval(a.estimate) and has_interval(b.estimate))
    of_sources = _notes_of(a, b)
    result = ComparedResult(
        name=name,
        a=a.estimate,
        b=b.estimate,
        by={},
        as_printed=printed,
        notes=tuple(dict.fromkeys((*pair.comparability.notes, *of_sources.notes))),
        open_a=tuple(sorted(a.open)),
        open_b=tuple(sorted(b.open)),
        flags=of_sources.flags,
    )
    if a.estimate.unit == SHARE:
        return _of_shares(result, paired, others)
    logs = [log for (log,) in values_of(others, (a.estimate,))]
    measured = ratio_between_runs(ratio_of(a, b, paired), logs)
    by = by_basis(a, b, measured, pair.comparability.reach)
    return replace(result, by=by, verdict=measured.verdict), 1.0


def _of_shares(
    result: ComparedResult, paired: bool, others: Sequence[MachineResults]
) -> tuple[ComparedResult, float]:
    values = [value for (value,) in values_of(others, (result.a,), float)]
    found: Difference = points_between_runs(compare_shares(result.b, result.a, paired), values)
    return (
        replace(
            result,
            points=found.value,
            points_low=found.low,
            points_high=found.high,
            verdict=found.verdict,
        ),
        found.p_value,
    )


class _Notes(NamedTuple):
    """What a reader must know of two results."""

    notes: tuple[str, ...]
    flags: tuple[str, ...]
    """Those of the notes that say what is wrong with a result."""


def _notes_of(a: Operand, b: Operand) -> _Notes:
    """Flags and notes of both sources; a note that is the same of both, once."""
    flags = [flag for side in (a, b) if (flag := _flag(side))]
    here, there = (side.estimate.printed.note if side.estimate.printed else "" for side in (a, b))
    if here and here == there:
        notes = [*_notes(a, noted=False), *_notes(b, noted=False), f"both sources: {here}"]
    else:
        notes = [*_notes(a), *_notes(b)]
    return _Notes(tuple(notes), tuple(flags))


def _flag(side: Operand) -> str:
    """What is wrong with a result, empty where nothing is known."""
    printed = side.estimate.printed
    if not printed or not printed.flag:
        return ""
    return f"{side.machine.id}'s figure is {flagged_text(side.machine.origin)}: {printed.flag}"


def _notes(side: Operand, *, noted: bool = True) -> list[str]:
    """What a source says of its own result that a reader must know."""
    one, who = side.estimate, side.machine.id
    found = [_flag(side)]
    if printed := one.printed:
        read_off = printed.how_known is not HowKnown.PRINTED
        found += [
            f"{who}'s figure: {printed.qualifier}" * bool(printed.qualifier),
            f"{who}'s figure is derived: {printed.derived_from}" * bool(printed.derived_from),
            f"{who}'s figure was {printed.how_known.value}" * read_off,
            f"{who}: {printed.note}" * (noted and bool(printed.note)),
        ]
    if spread := one.run_spread:
        ends = f"{format_value(spread.low, one.unit)} to {format_value(spread.high, one.unit)}"
        found.append(f"{who}: its runs differ by more than their launches do, {ends}")
    return [text for text in found if text]


def _adjusted(results: Sequence[tuple[ComparedResult, float]]) -> list[ComparedResult]:
    """Differences that do not hold among so many are inconclusive; each basis is a family."""
    found = [result for result, _ in results]
    tested = [i for i, one in enumerate(found) if not one.as_printed]
    same = first_of_each(found)
    for basis in Basis:
        p_values = {
            i: results[i][1] if found[i].points is not None else found[i].by[basis].p_value
            for i in tested
            if basis in found[i].by or (found[i].points is not None and basis is Basis.AS_MEASURED)
        }
        family = {same[i]: p_value for i, p_value in p_values.items()}
        adjusted = dict(zip(family, holm(list(family.values())), strict=True))
        for i in p_values:
            found[i] = _with_p(found[i], basis, adjusted[same[i]])
    return found


def _with_p(result: ComparedResult, basis: Basis, p_value: float) -> ComparedResult:
    if result.points is not None:
        return replace(result, verdict=_held(result.verdict, p_value))
    old = result.by[basis]
    new: Comparison = replace(old, p_value=p_value, verdict=_held(old.verdict, p_value))
    verdict = new.verdict if basis is Basis.AS_MEASURED else result.verdict
    return replace(result, by={**result.by, basis: new}, verdict=verdict)


def _held(verdict: ComparisonVerdict, p_value: float) -> ComparisonVerdict:
    chance = verdict in _DIFFERENT and p_value > SIGNIFICANCE
    return ComparisonVerdict.INCONCLUSIVE if chance else verdict


def _ordered(results: Sequence[ComparedResult]) -> list[ComparedResult]:
    """By benchmark in the order in which they come, the largest difference first."""
    order = {
        name: number
        for number, name in enumerate(dict.fromkeys(one.a.point.benchmark for one in results))
    }
    return sorted(results, key=lambda one: (order[one.a.point.benchmark], -size_of(one)))


def size_of(result: ComparedResult) -> float:
    """How large a difference is: the log of a ratio, either way, or points of a share."""
    if result.points is not None:
        return abs(result.points)
    ratio = result.by[Basis.AS_MEASURED].ratio
    return 0.0 if math.isnan(ratio) else abs(math.log(ratio))


def _flips(result: ComparedResult, a: str, b: str) -> list[Flip]:
    """Every other basis by which another machine is better than by the results as measured."""
    ahead = {basis: _leader(standing, a, b) for basis, standing in result.standings.items()}
    first = ahead.pop(Basis.AS_MEASURED, "")
    name = f"{result.a.point.benchmark}: {result.name}"
    return [
        Flip(name, Basis.AS_MEASURED.value, str(basis), first, leader)
        for basis, leader in ahead.items()
        if first and leader and leader != first
    ]


def _leader(standing: RelativeStanding, a: str, b: str) -> str:
    """The better machine; empty where that is inconclusive."""
    if standing in (RelativeStanding.BETTER, RelativeStanding.BETTER_AS_PRINTED):
        return b
    return a if standing in (RelativeStanding.WORSE, RelativeStanding.WORSE_AS_PRINTED) else ""
