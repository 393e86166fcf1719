"""Pairs of CPUs or domains grouped by what the two have in common in the topology."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.stats.fields import value_of
from machmeter.benchmarks.catalogue import known as find_benchmark
from machmeter.layout.places import Ancestor, common_ancestors
from machmeter.model.benchmark import ParameterKind
from machmeter.model.machine import CpuRelation, Topology
from machmeter.model.results.estimate import Estimate
from machmeter.text.numbers import count_text

_PAIR = re.compile(r"^(\d{1,9})-(\d{1,9})$")
_LAST = 1000

Pair = tuple[int, int]


class Spread(Struct, frozen=True):
    """Quantiles of the values of several pairs, in the unit's base."""

    pairs: int
    """How many pairs there are."""
    low: float
    """The lowest."""
    first_quarter: float
    """A quarter of them is lower."""
    median: float
    """Half of them are lower."""
    third_quarter: float
    """Three quarters of them are lower."""
    high: float
    """The highest."""


class AncestorGroup(Struct, frozen=True):
    """All pairs of one common ancestor."""

    ancestor: Ancestor
    """What the two of each pair share."""
    estimates: tuple[Estimate, ...]
    """Their results."""

    @property
    def name(self) -> str:
        """The ancestor as text."""
        return str(self.ancestor)

    @property
    def typical(self) -> Estimate:
        """The estimate at the median; of the two next to it the lower."""
        ordered = sorted(self.estimates, key=lambda e: e.value)
        return ordered[(len(ordered) - 1) // 2]

    @property
    def spread(self) -> Spread:
        """The values of the pairs."""
        return spread_of([e.value for e in self.estimates])


def spread_of(values: Sequence[float]) -> Spread:
    """Quantiles of at least one value, interpolated linearly (Hyndman and Fan 1996, type 7)."""
    ordered = sorted(values)

    def quantile(share: float) -> float:
        at = share * (len(ordered) - 1)
        below = math.floor(at)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (at - below) * (ordered[above] - ordered[below])

    return Spread(
        len(ordered),
        ordered[0],
        quantile(0.25),
        float(statistics.median(ordered)),
        quantile(0.75),
        ordered[-1],
    )


def pair_of(estimate: Estimate) -> Pair | None:
    """The parameter `pair` as two numbers; None where it is no pair."""
    found = _PAIR.match(str(value_of(estimate, "pair")))
    return (int(found.group(1)), int(found.group(2))) if found else None


def are_of_domains(estimates: Sequence[Estimate]) -> bool:
    """Whether the pairs of these results are NUMA domains, by their benchmark's declaration."""
    declared = find_benchmark(estimates[0].point.benchmark) if estimates else None
    pair = declared.parameter("pair") if declared else None
    return pair is not None and pair.kind is ParameterKind.DOMAIN_PAIR


def median_pair_label(group: AncestorGroup) -> str:
    """Among which pairs the typical one is the median: `median of 8 pairs, distance 32`."""
    pairs = count_text(len(group.estimates), "pair", "pairs")
    distance = group.ancestor.distance
    return f"median of {pairs}" + ("" if distance is None else f", distance {distance}")


def by_ancestor(topology: Topology, estimates: Sequence[Estimate]) -> tuple[AncestorGroup, ...]:
    """Results of one benchmark by the common ancestor of their pair, the closest first.

    Of NUMA domains each stands for its first CPU. What is no pair, or names a CPU that the topology
    lacks, is left out, and so is an estimate below resolution.
    """
    pairs = {id(e): pair for e in estimates if e.resolved and (pair := pair_of(e))}
    ancestors = _domain_ancestors if are_of_domains(estimates) else _cpu_ancestors
    known = ancestors(topology, set(pairs.values()))
    # Things of one kind may differ in size: caches of unequal cores.
    closest: dict[str, Ancestor] = {}
    for ancestor in sorted(known.values(), key=lambda one: one.nearness):
        closest.setdefault(str(ancestor), ancestor)
    groups: dict[str, list[Estimate]] = {name: [] for name in closest}
    for one in estimates:
        pair = pairs.get(id(one))
        if pair is not None and pair in known:
            groups[str(known[pair])].append(one)
    return tuple(AncestorGroup(closest[name], tuple(group)) for name, group in groups.items())


def _cpu_ancestors(topology: Topology, pairs: set[Pair]) -> dict[Pair, Ancestor]:
    online = {cpu.number for cpu in topology.cpus if cpu.online}
    return common_ancestors(topology, [pair for pair in pairs if online.issuperset(pair)])


def _domain_ancestors(topology: Topology, pairs: set[Pair]) -> dict[Pair, Ancestor]:
    """Of two domains; one without CPUs shares nothing nearer than the machine."""
    first: dict[int, int] = {}
    for cpu in topology.cpus:
        if cpu.online and cpu.numa >= 0:
            first.setdefault(cpu.numa, cpu.number)
    between = {
        pair: (first[pair[0]], first[pair[1]])
        for pair in pairs
        if pair[0] != pair[1] and first.keys() >= set(pair)
    }
    known = common_ancestors(topology, between.values())
    numbers = {domain.number: domain for domain in topology.domains}
    found = {}
    for pair in pairs:
        if pair in between:
            found[pair] = known[between[pair]]
        elif pair[0] == pair[1] and pair[0] in first:
            found[pair] = Ancestor(0, 0, CpuRelation.OWN_DOMAIN)
        elif numbers.keys() >= set(pair):
            far = dict(zip(sorted(numbers), numbers[pair[0]].distances, strict=False))
            found[pair] = Ancestor(len(topology.cpus), _LAST, CpuRelation.NO_CPUS, far.get(pair[1]))
    return found
