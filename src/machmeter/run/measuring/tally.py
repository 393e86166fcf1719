"""Launch values as they come in, by spec, point and metric."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product

from msgspec import Struct

from machmeter.analysis.stats.estimates import estimate
from machmeter.analysis.stats.launch_value import LaunchValue, launch_value
from machmeter.analysis.stats.stopping import expected_launches
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Benchmark, Metric
from machmeter.model.plan.launch import LaunchOutcome, LaunchSpec, PointRecord, Record, Verdict
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import Precision
from machmeter.model.twin import Twin
from machmeter.simulation.bands import with_band


def metrics_of(benchmark: Benchmark, point: PointRecord) -> tuple[Metric, ...]:
    """The metrics this point has: a rate or an amount only where the amount was recorded and is
    not zero (0-byte messages have no bandwidth), a metric beside the primary ones only where its
    series were recorded (records of older versions know fewer).
    """
    return tuple(
        metric
        for metric in benchmark.metrics
        if (not metric.amount or point.quantities.get(metric.amount, 0.0) != 0)
        and (metric.primary or all(name in point.series for name in metric.series))
    )


class _Entry(Struct, frozen=True):
    launch: int
    round: int
    value: LaunchValue
    batch: int
    words: dict[str, str]


class _Primary(Struct, frozen=True):
    spec: LaunchSpec
    estimates: tuple[Estimate, ...]
    expected_launches: int


class Tally:
    """Collects accepted launches of any number of specs; estimates are made from it on demand."""

    def __init__(
        self, precision: Precision, own: Sequence[Benchmark] = (), twin: Twin | None = None
    ) -> None:
        """own: benchmarks that the study has of its own; twin: what launches are simulated on."""
        self._own = own
        self._twin = twin
        self._precision = precision
        self._entries: dict[tuple[str, Point, str], list[_Entry]] = defaultdict(list)
        self._accepted: dict[str, int] = defaultdict(int)
        self._kept: dict[str, _Primary] = {}

    def add(self, spec: LaunchSpec, outcome: LaunchOutcome, record: Record) -> None:
        """Count one launch; nothing of it is used unless it was accepted."""
        if outcome.verdict is not Verdict.ACCEPTED:
            return
        self._accepted[spec.name] += 1
        self._kept.pop(spec.name, None)
        benchmark = find(spec.benchmark, self._own)
        for recorded in record.points:
            point = spec.point(recorded.parameters)
            # The key of a point is a long text.
            if outcome.dropped_points and point.key in outcome.dropped_points:
                continue
            for metric in metrics_of(benchmark, recorded):
                self._entries[spec.name, point, metric.name].append(
                    _Entry(
                        outcome.launch,
                        outcome.round,
                        launch_value(metric, recorded),
                        recorded.batch,
                        recorded.attributes,
                    )
                )

    def accepted(self, spec: LaunchSpec) -> int:
        """Accepted launches of `spec`."""
        return self._accepted[spec.name]

    def estimates(self, spec: LaunchSpec, *, primary_only: bool = False) -> tuple[Estimate, ...]:
        """Every estimate of `spec`, in the order of its points and the benchmark's metrics."""
        metrics = find(spec.benchmark, self._own).metrics
        return self._primary(spec).estimates if primary_only else self._estimates(spec, metrics)

    def expected_launches(self, spec: LaunchSpec) -> int:
        """Launches after which every primary estimate of `spec` likely has its precision."""
        return self._primary(spec).expected_launches

    def _primary(self, spec: LaunchSpec) -> _Primary:
        """Kept until a launch of `spec` is added: progress needs it before every launch."""
        kept = self._kept.get(spec.name)
        # Another spec of that name has other points.
        if kept is None or kept.spec is not spec:
            metrics = [
                metric for metric in find(spec.benchmark, self._own).metrics if metric.primary
            ]
            estimates = self._estimates(spec, metrics)
            expected = max(map(expected_launches, estimates), default=0)
            kept = self._kept[spec.name] = _Primary(spec, estimates, expected)
        return kept

    def _estimates(self, spec: LaunchSpec, metrics: Sequence[Metric]) -> tuple[Estimate, ...]:
        every = product(spec.points, metrics)
        found = ((one, of, self._entries.get((spec.name, one, of.name))) for one, of in every)
        return tuple(self._estimate(one, of, entries) for one, of, entries in found if entries)

    def values(self, spec: LaunchSpec, point: Point, metric: str) -> tuple[float, ...]:
        """Launch values of one point and metric, in launch order."""
        entries = self._entries.get((spec.name, point, metric), [])
        return tuple(entry.value.value for entry in entries)

    def by_launch(self, spec: LaunchSpec, point: Point, metric: str) -> dict[int, float]:
        """Launch values of one point and metric, by the number of the launch."""
        entries = self._entries.get((spec.name, point, metric), [])
        return {entry.launch: entry.value.value for entry in entries}

    def by_round(self, spec: LaunchSpec, point: Point, metric: str) -> dict[int, float]:
        """Launch values of one point and metric, by the number of the round."""
        entries = self._entries.get((spec.name, point, metric), [])
        return {entry.round: entry.value.value for entry in entries}

    def _estimate(self, point: Point, metric: Metric, entries: list[_Entry]) -> Estimate:
        found = estimate(
            point,
            metric,
            [entry.value for entry in entries],
            [entry.launch for entry in entries],
            target_precision=self._precision.half_width,
            least_launches=self._precision.least_launches,
            batch=max(entry.batch for entry in entries),
            words=entries[-1].words,
            rounds=[entry.round for entry in entries],
        )
        return with_band(found, self._twin) if self._twin else found
