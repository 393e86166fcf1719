"""Rules by which specs are launched no more."""

from __future__ import annotations

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

    def wants_more(self, spec: LaunchSpec, made: int, tally: Tally) -> bool:
        """Whether another launch of `spec` is wanted; made: how many count so far."""
        ...


class UntilPrecise:
    """Implements `StoppingRule`: until every result has the target precision."""

    def __init__(self, precision: Precision) -> None:
        self._precision = precision

    def wants_more(self, spec: LaunchSpec, made: int, tally: Tally) -> bool:
        """Whether a result of `spec` lacks its precision."""
        estimates = tally.estimates(spec, primary_only=True)
        least, most = self._precision.least_launches, self._precision.most_launches
        return needs_more(estimates, made, least, most)


class Race:
    """Implements `StoppingRule`: until a spec is shown to be slower than another one of its race.

    specs: the race, of one point each; own: benchmarks that the study has of its own.
    """

    def __init__(
        self, precision: Precision, specs: Sequence[LaunchSpec], own: Sequence[Benchmark]
    ) -> None:
        self._precision = precision
        self._specs = specs
        self._own = own
        self._dropped: frozenset[str] = frozenset()
        self._of_launches = 0

    def wants_more(self, spec: LaunchSpec, made: int, tally: Tally) -> bool:
        """Whether `spec` is in the race, and was not launched often enough to be reported."""
        if made >= self._precision.most_launches:
            return False
        launches = sum(map(tally.accepted, self._specs))
        if launches != self._of_launches:
            dropped = dropped_out(self._specs, tally, self._own)
            self._dropped, self._of_launches = frozenset(one.name for one in dropped), launches
        return spec.name not in self._dropped


def rule_of(
    precision: Precision, specs: Sequence[LaunchSpec], own: Sequence[Benchmark]
) -> StoppingRule:
    """The rule that a request names."""
    return Race(precision, specs, own) if precision.race else UntilPrecise(precision)


def dropped_out(
    specs: Sequence[LaunchSpec], tally: Tally, own: Sequence[Benchmark]
) -> tuple[DroppedOut, ...]:
    """Who has dropped out of the race of `specs` by what `tally` has.

    They race by the first metric of their benchmark. What is launched as if nobody set anything
    stays: every answer is compared with it.
    """
    racing = [spec for spec in specs if spec.command is not None and len(spec.points) == 1]
    if not racing:
        return ()
    metric = find(racing[0].benchmark, own).metrics[0]
    return race(
        {spec.name: tally.by_round(spec, spec.points[0], metric.name) for spec in racing},
        higher_is_better=metric.direction is Direction.HIGHER,
        kept={spec.name for spec in racing if spec.layout.binding is Binding.DEFAULT},
    )
