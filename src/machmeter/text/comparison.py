"""A comparison of machines as text: who is better, by how much, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import measurements, standing_of
from machmeter.analysis.matching.standings import has_no_ratio, is_of_one_launch
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import (
    Basis,
    ComparedResult,
    Flip,
    MachineComparison,
    RelativeStanding,
)
from machmeter.model.results.printed_text import flagged_text, origin_text
from machmeter.model.units import UnitScale
from machmeter.text.numbers import NO_INTERVAL, NOTHING, ValueText, count_text, points_parts
from machmeter.text.plain import plain
from machmeter.text.ratios import comparison_parts, comparison_text
from machmeter.text.results import result_interval_text, short_value_text, value_with_interval

NO_INTERVAL_VALUE = "a published, simulated or single value"
"""A value that was published, imported, simulated or measured in one launch."""
NO_INTERVAL_MEANS = f"no CI: {NO_INTERVAL_VALUE}, which has no confidence interval"
"""What tables say of such a value."""
_STANDINGS = {
    RelativeStanding.BETTER: "better",
    RelativeStanding.WORSE: "worse",
    RelativeStanding.SAME: "same",
    RelativeStanding.INCONCLUSIVE: "inconclusive",
    RelativeStanding.BETTER_AS_PRINTED: f"better ({NO_INTERVAL})",
    RelativeStanding.WORSE_AS_PRINTED: f"worse ({NO_INTERVAL})",
    RelativeStanding.SAME_AS_PRINTED: f"same ({NO_INTERVAL})",
}
_LONGEST_NAME = 24
_LEAST_ENDING = 4
_NOT_SIGNIFICANT = "not significant"
DRIFTED = "no verdict: drifted"
"""Of a difference between runs of which one drifted."""
_UNDECIDED = RelativeStanding.INCONCLUSIVE
LONGEST_STANDING = max(map(len, (*_STANDINGS.values(), _NOT_SIGNIFICANT, DRIFTED)))


class MachinePair(Struct, frozen=True):
    """Two machines and their comparison."""

    a: MachineResults
    """The first, which is the baseline."""
    b: MachineResults
    """The second: ratios above 1 say that it is better."""
    comparison: MachineComparison
    """How `b` compares with `a`."""


class StandingCounts(Struct, frozen=True):
    """In how many results the second machine is better, worse, the same, or neither is known."""

    better: int
    """Results in which the second is better."""
    worse: int
    """In which it is worse."""
    same: int
    """In which both are the same."""
    inconclusive: int
    """In which nothing is known."""
    no_verdict: int
    """In which the source of a published value does not state a setting."""
    without_interval: int
    """How many of all rest on a value without an interval."""

    @property
    def results(self) -> int:
        """All of them."""
        return self.better + self.worse + self.same + self.inconclusive + self.no_verdict

    @property
    def text(self) -> str:
        """`better in 12 of 40 results, worse in 8, same in 20`."""
        counts = (
            ("better", self.better),
            ("worse", self.worse),
            ("same", self.same),
            ("inconclusive", self.inconclusive),
            ("no verdict", self.no_verdict),
        )
        (word, count), *others = [(word, count) for word, count in counts if count] or counts[:1]
        first = f"{word} in {count} of {count_text(self.results, 'result', 'results')}"
        return ", ".join([first, *(f"{word} in {count}" for word, count in others)])


def with_distinct_titles(machines: Sequence[MachineResults]) -> tuple[MachineResults, ...]:
    """The machines; those with one title have in brackets what distinguishes each.

    Of runs that is what they measured, when, and how their IDs end:
    `vm (quick, 15:27 UTC, …4013)`.
    """
    titles = Counter(machine.title for machine in machines)
    return tuple(
        replace(m, title=f"{m.title} ({_distinction(m, machines)})") if titles[m.title] > 1 else m
        for m in machines
    )


def _distinction(machine: MachineResults, machines: Sequence[MachineResults]) -> str:
    """What distinguishes a machine from others of its title; the ID where it is no one run."""
    if len(machine.runs) != 1 or machine.id != machine.runs[0]:
        return machine.id
    others = [one for one in machines if one.title == machine.title]
    days = {one.properties.get("date", "")[:10] for one in others}
    date = machine.properties.get("date", "")
    when = date[11:] if len(days) == 1 else date
    measured = machine.properties.get("request", "")
    first, *more = measured.split(", ")
    what = f"{first} and {len(more)} more" if len(measured) > _LONGEST_NAME else measured
    return ", ".join(part for part in (what, when, _ending(machine, others)) if part)


def _ending(machine: MachineResults, others: Sequence[MachineResults]) -> str:
    """The end of an ID, four characters or as many as no other ends with: `…4013`."""
    for length in range(_LEAST_ENDING, len(machine.id) - _LEAST_ENDING):
        ending = machine.id[-length:]
        if sum(one.id.endswith(ending) for one in others) == 1:
            return f"…{ending}"
    return machine.id


def counts_of(results: Sequence[ComparedResult]) -> StandingCounts:
    """How the second machine stands to the first over those results."""
    found = Counter(standing_of(one) for one in results if not one.setting)
    return StandingCounts(
        better=found[RelativeStanding.BETTER] + found[RelativeStanding.BETTER_AS_PRINTED],
        worse=found[RelativeStanding.WORSE] + found[RelativeStanding.WORSE_AS_PRINTED],
        same=found[RelativeStanding.SAME] + found[RelativeStanding.SAME_AS_PRINTED],
        inconclusive=found[RelativeStanding.INCONCLUSIVE],
        no_verdict=sum(bool(one.setting) for one in results),
        without_interval=sum(one.as_printed for one in results),
    )


def verdict_text(pair: MachinePair) -> str:
    """`B versus A: better in 12 of 40 results, worse in 8, same in 20.`"""
    found = counts_of(measurements(pair.comparison.results))
    who = f"{plain(pair.b.title, 80)} versus {plain(pair.a.title, 80)}"
    if not found.results:
        return f"{who}: no result can be compared."
    some = found.without_interval
    if some == found.results and some:
        known = "the values are published, simulated or single ones"
        printed = f" No ratio has a confidence interval: {known}."
    else:
        verb = "has" if some == 1 else "have"
        printed = f" {some} of these {verb} no confidence interval." if some else ""
    return f"{who}: {found.text}.{printed}"


def method_text(comparison: MachineComparison) -> str:
    """How verdicts were tested, and what only one machine has."""
    family = measurements(comparison.results)
    tested = sum(not one.as_printed for one in family)
    parts = []
    if tested:
        how = "paired t test" if comparison.paired else "Welch's t test"
        every = sum(not one.as_printed for one in comparison.results)
        follow = f"; {every - tested} more results follow from the tested ones" * (every > tested)
        parts.append(
            f"95 % intervals, {how}, corrected for {count_text(tested, 'test', 'tests')} "
            f"(Holm){follow}"
        )
    if runs := comparison.spread_runs:
        parts.append(
            f"intervals hold the spread between {len(runs)} earlier runs of this machine where it "
            f"is wider than that of launches ({runs[-1]} to {runs[0]})"
        )
    if comparison.only_a or comparison.only_b:
        parts.append(
            f"not in common: {comparison.only_a} of {comparison.a}, {comparison.only_b} of "
            f"{comparison.b}"
        )
    text = "; ".join(parts)
    return plain(f"{text[:1].upper()}{text[1:]}.") if text else ""


def kind_and_id(machine: MachineResults) -> str:
    """What an ID names: `run 20261122-150104-vm-30cd`, `published machine louhi`, `file a.txt`."""
    kind = "file" if machine.origin is Origin.IMPORTED else f"{machine.origin.value} machine"
    return plain(f"{'run' if machine.runs else kind} {machine.id}", 200)


def machine_line(machine: MachineResults) -> str:
    """A machine in a line: title, kind and ID, source, processor, cores, compiler and MPI."""
    properties = machine.properties
    parts = [machine.source]
    parts += [properties[name] for name in ("processor", "cpu") if properties.get(name)][:1]
    if machine.parts.cores:
        parts.append(count_text(machine.parts.cores, "core", "cores"))
    if machine.parts.nodes > 1:
        parts.append(count_text(machine.parts.nodes, "node", "nodes"))
    parts += [plain(properties[name], 60) for name in ("compiler", "MPI") if properties.get(name)]
    name = machine.title.partition(" (")[0] if machine.runs else machine.title
    return plain(f"{name}, {kind_and_id(machine)}: {'; '.join(parts)}", 400)


def machine_value_text(
    one: Estimate, machine: MachineResults, scale: UnitScale | None = None
) -> str:
    """A value with its interval; one without says how it is known, and what it is flagged as."""
    value = short_value_text(one, scale)
    if one.origin is Origin.SIMULATED:
        return f"{value} simulated, {result_interval_text(one, scale)}"
    if one.printed is None and one.is_bounded:
        return value_with_interval(one, scale) if one.resolved else value
    flag = f", {flagged_text(machine.origin)}" if one.flag else ""
    return f"{value} {plain(origin_text(one.printed)) if one.printed else 'of one launch'}{flag}"


def short_titles(pair: MachinePair) -> tuple[str, str]:
    """The titles of two machines without what stands in brackets, where they differ without it."""
    a, b = (plain(machine.title, 60) for machine in (pair.a, pair.b))
    short = tuple(title.partition(" (")[0] for title in (a, b))
    return (short[0], short[1]) if all(short) and short[0] != short[1] else (a, b)


def difference_parts(one: ComparedResult, points: str = "points") -> ValueText:
    """By how much the second machine is better, and its interval where it has one; points: what
    those of shares are called."""
    if one.points is not None:
        return points_parts(one.points, one.points_low, one.points_high, points)
    found = None if has_no_ratio(one) else one.by.get(Basis.AS_MEASURED)
    return comparison_parts(found) if found else ValueText(NOTHING)


def difference_text(one: ComparedResult) -> str:
    """By how much the second machine is better, with its interval where it has one."""
    return str(difference_parts(one))


def basis_text(one: ComparedResult, basis: Basis) -> str:
    """The ratio on a basis; a dash where there is none."""
    found = one.by.get(basis)
    return comparison_text(found) if found else NOTHING


def standing_text(one: ComparedResult) -> str:
    """The verdict in a word or two: `better`, `worse (no CI)`, `inconclusive`, `one launch`.

    `no verdict` where the source of a published value does not state a setting, or a run drifted;
    `not significant`
    where the interval excludes equality and the correction for the number of results does not.
    """
    if one.setting:
        return "no verdict"
    if one.drifted and excludes_equality(one) and standing_of(one) is _UNDECIDED:
        return DRIFTED
    if one.as_printed and is_of_one_launch(one) and not has_no_ratio(one):
        return "one launch"
    if standing_of(one) is RelativeStanding.INCONCLUSIVE and excludes_equality(one):
        return _NOT_SIGNIFICANT
    return _STANDINGS[standing_of(one)]


def excludes_equality(one: ComparedResult) -> bool:
    """Whether the interval, which is not corrected for the number of results, leaves 1 out."""
    if one.as_printed:
        return False
    if one.points is not None:
        return one.points_low > 0 or one.points_high < 0
    found = one.by[Basis.AS_MEASURED]
    return found.is_bounded and (found.low > 1 or found.high < 1)


def bases_text(one: ComparedResult) -> str:
    """The ratio on every other basis: `per core 0.68x, per node 1.20x`; empty where none is."""
    if has_no_ratio(one):
        return ""
    parts = []
    for basis in Basis:
        if basis is Basis.AS_MEASURED or basis not in one.by:
            continue
        standing = one.standings[basis]
        # Without an interval the ratio says who is better, unless the other's interval holds it.
        inconclusive = standing is RelativeStanding.INCONCLUSIVE and not one.setting
        says = inconclusive or not one.as_printed
        parts.append(f"{basis} {basis_text(one, basis)}" + f" ({_STANDINGS[standing]})" * says)
    return ", ".join(parts)


def flip_text(flip: Flip) -> str:
    """A ranking that depends on the basis, in a sentence."""
    return plain(
        f"{flip.name}: {flip.ahead_by_first} is better {flip.first}, "
        f"{flip.ahead_by_second} {flip.second}"
    )
