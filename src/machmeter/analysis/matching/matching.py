"""Which results of two machines measure the same, and which only have the same name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from machmeter.analysis.matching.comparability import (
    Comparability,
    comparability,
    settled,
)
from machmeter.analysis.matching.operands import Operand
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import Refusal

MOST_REFUSALS = 40
# A result that fits more than this many leaves too much open to say beside which it stands.
MOST_FITTING = 6
_MOST_REASONS = 2
_MOST_OF_ONE = 4
_MOST_LOOKED_AT = 20_000

Key = tuple[str, str, str, Direction]


class Matched(NamedTuple):
    """Two results that are the same thing, and in what they may still differ."""

    a: Operand
    """The first machine's result."""
    b: Operand
    """The other machine's result."""
    comparability: Comparability
    """In what they may still differ."""

    @property
    def sides(self) -> tuple[Operand, Operand]:
        """Both results, the first machine's first."""
        return self.a, self.b


class Matches(NamedTuple):
    """Results of both machines that are the same, and near misses with their reasons."""

    pairs: tuple[Matched, ...]
    """In the order of the first machine's results."""
    refusals: tuple[Refusal, ...]
    """Near misses with their reasons."""
    only_a: int
    """How many results only the first machine has."""
    only_b: int
    """How many results only the other machine has."""


def match(a: MachineResults, b: MachineResults) -> Matches:
    """Pair the results of two machines.

    The same point is taken first; of what is left, each result with the nearest comparable one,
    where neither has a nearer one. A result beside which several stand equally near has a row with
    each of them, up to `MOST_FITTING`.
    """
    exact = tuple(_exact(a, b))
    nearest, refusals = _nearest(_left(a, exact, 0), _left(b, exact, 1))
    order = {id(estimate): number for number, estimate in enumerate(a.estimates)}
    pairs = tuple(sorted((*exact, *nearest), key=lambda pair: order[id(pair.a.estimate)]))
    used_a, used_b = ({id(pair.sides[side].estimate) for pair in pairs} for side in (0, 1))
    compared = {key_of(pair.a.estimate) for pair in pairs}
    listed = _listed(refusals, compared, _other_metrics(a, b))
    return Matches(
        pairs,
        tuple(islice(listed, MOST_REFUSALS)),
        sum(id(e) not in used_a for e in a.estimates),
        sum(id(e) not in used_b for e in b.estimates),
    )


def key_of(estimate: Estimate) -> Key:
    """What two results must have in common to be looked at together."""
    return (*_named(estimate), estimate.direction)


def _named(estimate: Estimate) -> tuple[str, str, str]:
    return estimate.point.benchmark, estimate.metric, estimate.unit.name


def _exact(a: MachineResults, b: MachineResults) -> Iterator[Matched]:
    """Results of the same point, or of points that one run measured side by side; one of a pair of
    CPUs is, where they share the same on both. A point of which a source does not state everything
    is the same only by what is usual, and looked at among all that it may be.
    """
    own = a.origin.is_own and b.origin.is_own
    there = {(_stands_for(e), *key_of(e)): e for e in b.estimates}
    for here in a.estimates:
        other = there.get((_stands_for(here), *key_of(here)))
        if other is not None and here.pair_relation == other.pair_relation:
            sides = Operand(a, here), Operand(b, other)
            found = comparability(*sides)
            if own or not (found.reasons or found.notes):
                yield Matched(*sides, found)


def _stands_for(estimate: Estimate) -> str:
    return estimate.partner or estimate.point.key


def _left(machine: MachineResults, exact: Sequence[Matched], side: int) -> list[Operand]:
    """Results that have no match yet; what is in memory here and in caches there has none."""
    settled = {
        id(pair.sides[side].estimate)
        for pair in exact
        if pair.a.estimate.memory_level is pair.b.estimate.memory_level
        or pair.sides[side].estimate.memory_level is not MemoryLevel.MEMORY
    }
    return [Operand(machine, e) for e in machine.estimates if id(e) not in settled]


def _nearest(
    left_a: Iterable[Operand], left_b: Iterable[Operand]
) -> tuple[list[Matched], list[tuple[Matched, str]]]:
    """Pairs of which neither has a nearer partner, and near misses with the reason of each."""
    groups: dict[Key, tuple[list[Operand], list[Operand]]] = defaultdict(lambda: ([], []))
    for number, sides in enumerate((left_a, left_b)):
        for side in sides:
            groups[key_of(side.estimate)][number].append(side)
    pairs: list[Matched] = []
    refused: list[tuple[Matched, str]] = []
    for here, there in groups.values():
        if here and there:
            of_group = [Matched(*sides, comparability(*sides)) for sides in _looked_at(here, there)]
            kept, open_ones = _mutual([m for m in of_group if not m.comparability.reasons])
            pairs += kept
            # Of a few results beside many it is the few that miss a partner.
            fewer = int(len(there) < len(here))
            refused += [*open_ones, *_near_misses(of_group, pairs, fewer)]
    return pairs, refused


def _looked_at(
    here: Sequence[Operand], there: Sequence[Operand]
) -> Iterator[tuple[Operand, Operand]]:
    """Every result with every other; of very many those that can match, and a few near misses.

    Two that state the same parameters can only match where the settled ones are equal.
    """
    if len(here) * len(there) <= _MOST_LOOKED_AT:
        yield from product(here, there)
        return
    by_settled: dict[object, list[Operand]] = defaultdict(list)
    by_names: dict[object, list[Operand]] = defaultdict(list)
    for other in there:
        by_settled[settled(other.estimate)].append(other)
        by_names[_names_of(other)].append(other)
    for one in here:
        others = [by_settled[settled(one.estimate)] or by_names[_names_of(one)][:_MOST_OF_ONE]]
        others += [sides for names, sides in by_names.items() if names != _names_of(one)]
        yield from ((one, other) for sides in others for other in sides)


def _names_of(side: Operand) -> tuple[str, ...]:
    return tuple(name for name, _ in side.estimate.point.parameters)


def _mutual(fitting: Sequence[Matched]) -> tuple[list[Matched], list[tuple[Matched, str]]]:
    best: dict[int, float] = {}
    for one in fitting:
        for side in (one.a, one.b):
            known = best.get(id(side.estimate), one.comparability.distance)
            best[id(side.estimate)] = min(known, one.comparability.distance)
    mutual = [
        one
        for one in fitting
        if one.comparability.distance == best[id(one.a.estimate)] == best[id(one.b.estimate)]
    ]
    if mutual and "pair" in dict(mutual[0].a.estimate.point.parameters):
        return list(_one_to_one(mutual)), []
    partners: dict[int, int] = defaultdict(int)
    for one in mutual:
        partners[id(one.a.estimate)] += 1
        partners[id(one.b.estimate)] += 1
    kept, too_open = [], []
    for one in mutual:
        most = max(partners[id(one.a.estimate)], partners[id(one.b.estimate)])
        if most <= MOST_FITTING:
            kept.append(one)
        else:
            why = f"matches {most} results equally well; " + "; ".join(one.comparability.notes)
            too_open.append((one, why))
    return kept, too_open


def _one_to_one(mutual: Sequence[Matched]) -> Iterator[Matched]:
    """Each result once: of many pairs that share the same, the first with the first."""
    used: set[int] = set()
    for one in mutual:
        both = {id(side.estimate) for side in one.sides}
        if not both & used:
            used |= both
            yield one


def _near_misses(
    of_group: Sequence[Matched], pairs: Sequence[Matched], side: int
) -> Iterator[tuple[Matched, str]]:
    """Of each result of one machine without a match, the nearest of the other."""
    partnered = {id(pair.sides[side].estimate) for pair in pairs}
    nearest: dict[int, Matched] = {}
    for one in of_group:
        result = id(one.sides[side].estimate)
        if not one.comparability.reasons or result in partnered:
            continue
        known = nearest.get(result)
        if known is None or _farness(one) < _farness(known):
            nearest[result] = one
    for one in nearest.values():
        if len(one.comparability.reasons) <= _MOST_REASONS:
            yield one, "; ".join(one.comparability.reasons)


def _farness(one: Matched) -> tuple[int, float]:
    return len(one.comparability.reasons), one.comparability.distance


def _other_metrics(a: MachineResults, b: MachineResults) -> Iterator[tuple[str, str]]:
    """Results of `b` whose benchmark is in `a` too, but by another definition only."""
    by_benchmark: dict[str, list[Estimate]] = defaultdict(list)
    for estimate in a.estimates:
        by_benchmark[estimate.point.benchmark].append(estimate)
    known = {key_of(e) for e in a.estimates}
    directions = {_named(e): e.direction for e in a.estimates}
    common = {e.point.benchmark for e in b.estimates if key_of(e) in known}
    for estimate in b.estimates:
        here = directions.get(_named(estimate))
        if here and key_of(estimate) not in known:
            yield _what(estimate), f"{here.value} against {estimate.direction.value}"
            continue
        if estimate.point.benchmark in common:
            continue
        for other in by_benchmark[estimate.point.benchmark]:
            if other.unit.symbol == estimate.unit.symbol:
                named = f"{other.title} against {estimate.title}"
                units = f"{other.unit.name} against {estimate.unit.name}"
                yield _what(estimate), units if other.unit != estimate.unit else named
                break


def _listed(
    refused: Sequence[tuple[Matched, str]], compared: set[Key], metrics: Iterable[tuple[str, str]]
) -> Iterator[Refusal]:
    """Each reason once, with how many results it holds for; of a sweep a few values suffice.

    Another value along a sweep whose results are compared otherwise is no news.
    """
    news = (
        (_what(one.b.estimate), reason)
        for one, reason in refused
        if not (one.comparability.on_axis and key_of(one.a.estimate) in compared)
    )
    counts = Counter((*news, *metrics))
    shown: Counter[str] = Counter()
    for (what, reason), count in counts.items():
        shown[what] += 1
        if shown[what] <= _MOST_OF_ONE:
            yield Refusal(f"{what} ({count} results)" if count > 1 else what, reason)


def _what(estimate: Estimate) -> str:
    return f"{estimate.point.benchmark}, {estimate.title}"
