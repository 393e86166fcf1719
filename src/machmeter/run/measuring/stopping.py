"""Rules by which specs are launched no more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from machmeter.analysis.stats.race.dropping import race
from machmeter.analysis.stats.stopping import needs_more
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Benchmark, Direction
from machmeter.model.layout import Binding
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.results.comparison import DroppedOut
from machmeter.model.results.run import Precision
from machmeter.run.measuring.tally import Tally


class StoppingRule(Protocol):
    """When a spec has launches enough."""

    def begin_round(self, number: int) -> None:
        """Take in what the rounds before `number` showed: all of them are complete."""
        ...

    def wants_more(self, spec: LaunchSpec, made: int) -> bool:
        """Whether another launch of `spec` is wanted; made: how many count so far."""
        ...


class UntilPrecise:
    """Implements `StoppingRule`: until every result in `tally` has the target precision."""

    def __init__(self, precision: Precision, tally: Tally) -> None:
        self._precision = precision
        self._tally = tally

    def begin_round(self, number: int) -> None:
        """Nothing: every launch counts at once."""

    def wants_more(self, spec: LaunchSpec, made: int) -> bool:
        """Whether a result of `spec` lacks its precision."""
        estimates = self._tally.estimates(spec, primary_only=True)
        least, most = self._precision.least_launches, self._precision.most_launches
        return needs_more(estimates, made, least, most)


class Race:
    """Implements `StoppingRule`: until a spec is shown to be slower than another one of its race.

    specs: the race, of one point each; own: benchmarks that the study has of its own.
    """

    def __init__(
        self,
        precision: Precision,
        tally: Tally,
        specs: Sequence[LaunchSpec],
        own: Sequence[Benchmark],
    ) -> None:
        self._precision = precision
        self._tally = tally
        self._specs = specs
        self._own = own
        self._dropped: frozenset[str] = frozenset()

    def begin_round(self, number: int) -> None:
        """Drop who was shown to be slower in the rounds before; within a round nobody drops out,
        so that a race that is resumed in the middle of one goes on as it would have."""
        dropped = dropped_out(self._specs, self._tally, self._own, before=number)
        self._dropped = frozenset(one.name for one in dropped)

    def wants_more(self, spec: LaunchSpec, made: int) -> bool:
        """Whether `spec` is in the race, and was not launched often enough to be reported."""
        return made < self._precision.most_launches and spec.name not in self._dropped


def rule_of(
    precision: Precision, tally: Tally, specs: Sequence[LaunchSpec], own: Sequence[Benchmark]
) -> StoppingRule:
    """The rule that a request names."""
    if precision.race:
        return Race(precision, tally, specs, own)
    return UntilPrecise(precision, tally)


def dropped_out(
    specs: Sequence[LaunchSpec],
    tally: Tally,
    own: Sequence[Benchmark],
    before: float = math.inf,
) -> tuple[DroppedOut, ...]:
    """Who has dropped out of the race of `specs` by what `tally` has of the rounds `before` one.

    They race by the first metric of their benchmark. What is launched as if nobody set anything
    stays: every answer is compared with it.
    """
    racing = [spec for spec in specs if not spec.is_ours and len(spec.points) == 1]
    if not racing:
        return ()
    metric = find(racing[0].benchmark, own).metrics[0]
    found: list[DroppedOut] = []
    # More nodes are faster, and cost more: their layouts compete with each other.
    for nodes in dict.fromkeys(spec.layout.nodes for spec in racing):
        group = [spec for spec in racing if spec.layout.nodes == nodes]
        rounds = {
            spec.name: tally.by_round(spec, spec.points[0], metric.name).items() for spec in group
        }
        found += race(
            {name: {n: one for n, one in of if n < before} for name, of in rounds.items()},
            higher_is_better=metric.direction is Direction.HIGHER,
            kept={spec.name for spec in group if spec.layout.binding is Binding.DEFAULT},
        )
    return tuple(found)
