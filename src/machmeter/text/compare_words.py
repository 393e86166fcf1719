"""A comparison of machines in words: who, by how much, and how sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from machmeter.analysis.matching.compare_machines import (
    measurements,
    standing_of,
)
from machmeter.analysis.matching.standings import has_no_ratio, is_of_one_launch
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import (
    Basis,
    ComparedResult,
    Flip,
    MachineComparison,
    RelativeStanding,
)
from machmeter.model.units import SECONDS, bound_text, is_unbounded
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.results import value_text

_MEASURED = (
    RelativeStanding.AHEAD,
    RelativeStanding.BEHIND,
    RelativeStanding.SAME,
    RelativeStanding.UNRESOLVED,
)
_PRINTED = {
    RelativeStanding.AHEAD_AS_PRINTED: "ahead",
    RelativeStanding.BEHIND_AS_PRINTED: "behind",
    RelativeStanding.SAME_AS_PRINTED: "the same",
    RelativeStanding.UNRESOLVED: "not resolved",
}
_SHORT = {
    RelativeStanding.AHEAD_AS_PRINTED: "ahead, printed",
    RelativeStanding.BEHIND_AS_PRINTED: "behind, printed",
    RelativeStanding.SAME_AS_PRINTED: "same, printed",
    RelativeStanding.SAME: "the same",
}


def headline(machines: Sequence[MachineResults]) -> str:
    """Who stands beside whom: `Comet (published 2015) beside Gordon (published 2015)`."""
    first, *others = (
        f"{plain(m.title, 60)} ({f'{m.origin.value} {_when(m)}'.strip()})" for m in machines
    )
    return f"{' and '.join(others)} beside {first}"


def machine_line(machine: MachineResults) -> str:
    """A machine in one line: id, source, processor, cores, and what programs were built with."""
    facts = machine.properties
    parts = [machine.source]
    parts += [facts[name] for name in ("processor", "cpu") if facts.get(name)][:1]
    if machine.parts.cores:
        parts.append(count_text(machine.parts.cores, "core", "cores"))
    if machine.parts.nodes > 1:
        parts.append(count_text(machine.parts.nodes, "node", "nodes"))
    parts += [plain(facts[name], 60) for name in ("compiler", "MPI") if facts.get(name)]
    return plain(f"{machine.id}: {'; '.join(parts)}", 400)


def _when(machine: MachineResults) -> str:
    return machine.properties.get("date", "")[:16] or (str(machine.year) if machine.year else "")


def counts_text(comparison: MachineComparison) -> str:
    """How many figures of each verdict, and how many were not compared."""
    counts = Counter(standing_of(one) for one in comparison.figures if not one.as_printed)
    without = Counter(standing_of(one) for one in comparison.figures if one.as_printed)
    said = [f"{counts[one]} {one.value}" for one in _MEASURED if counts[one]]
    printed = [f"{without[one]} {word}" for one, word in _PRINTED.items() if without[one]]
    parts = []
    if said:
        how = "paired" if comparison.paired else "Welch's t"
        family = sum(not one.as_printed for one in measurements(comparison.figures))
        copies = sum_of(counts, _MEASURED) - family
        more = f", {copies} more follow from these" * (copies > 0)
        parts.append(f"{', '.join(said)} (95 %, {how}, Holm over {family}{more})")
    if printed:
        parts.append(f"as printed, without interval: {', '.join(printed)}")
    if not parts:
        parts.append("no figure in common")
    alone = f"not in common: {comparison.only_a} of {comparison.a}, {comparison.only_b} of "
    return plain(f"{comparison.b}: {'; '.join(parts)}; {alone}{comparison.b}")


def sum_of(counts: Counter[RelativeStanding], standings: Sequence[RelativeStanding]) -> int:
    """How many figures have one of these standings."""
    return sum(counts[one] for one in standings)


def ratio_text(comparison: Comparison, *, as_printed: bool) -> str:
    """`1.48x [1.40, 1.56]`; as printed the ratio alone; a dash where there is none."""
    if as_printed:
        return times_text(comparison.ratio)
    if is_unbounded(comparison.high):
        return "–"
    low, high = (
        bound_text(end, comparison.ratio, _number(end)) for end in (comparison.low, comparison.high)
    )
    return f"{times_text(comparison.ratio)} [{low}, {high}]"


def figure_value(estimate: Estimate) -> str:
    """A figure with its unit; long times in whole seconds, as tables of applications print them,
    and what others printed as they did.
    """
    long = estimate.unit == SECONDS and estimate.value >= 1000 and estimate.resolved
    if long and not estimate.as_printed:
        return f"{estimate.value:,.0f} s"
    return value_text(estimate)


def difference_text(figure: ComparedResult) -> str:
    """By how much the second machine is better, with its interval where it has one."""
    if has_no_ratio(figure):
        return "–"
    if figure.points is None:
        return ratio_text(figure.by[Basis.AS_MEASURED], as_printed=figure.as_printed)
    text = f"{100 * figure.points:+.1f} points"
    if is_unbounded(figure.points_high):
        return text
    low, high = (_points(bound) for bound in (figure.points_low, figure.points_high))
    return f"{text} [{low}, {high}]"


def standing_text(figure: ComparedResult) -> str:
    """The verdict in a word or two: `ahead`, `behind, printed`, `not resolved`."""
    standing = standing_of(figure)
    if figure.as_printed and is_of_one_launch(figure) and not has_no_ratio(figure):
        return "one launch"
    return _SHORT.get(standing, standing.value)


def bases_text(figure: ComparedResult) -> str:
    """The ratio on every other basis: `per core 0.68x, per node 1.20x`; empty where none is."""
    if has_no_ratio(figure):
        return ""
    others = [(basis, one) for basis, one in figure.by.items() if basis != Basis.AS_MEASURED]
    return ", ".join(
        f"{basis} {ratio_text(one, as_printed=figure.as_printed)}"
        + f" ({figure.standings[basis].value})" * _tells_standing(figure, basis)
        for basis, one in others
    )


def _tells_standing(figure: ComparedResult, basis: str) -> bool:
    """As printed a ratio says who is ahead, unless the interval of one side holds the other."""
    return not figure.as_printed or figure.standings[basis] is RelativeStanding.UNRESOLVED


def flip_text(flip: Flip) -> str:
    """A flip in a sentence."""
    return plain(
        f"{flip.name}: {flip.ahead_by_first} is ahead {flip.first}, "
        f"{flip.ahead_by_second} {flip.second}"
    )


def times_text(ratio: float) -> str:
    """A ratio as a person reads it: `1.48x`, `451x`, `0.00321x`."""
    return f"{_number(ratio)}x"


def _points(share: float) -> str:
    """A bound in points, finer where it is near zero."""
    return f"{100 * share:+.{1 if abs(share) < 0.1 else 0}f}"


def _number(value: float) -> str:
    """Three significant digits, never an exponent for what a person compares."""
    if value == 0 or is_unbounded(value):
        return "0" if value == 0 else "unbounded"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 0.1 else f"{value:.{2 if value < 10 else 1}f}"
