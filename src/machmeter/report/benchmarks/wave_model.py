"""The wave model of a run's heat-flow points beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.curves.waves import wave_time
from machmeter.model.layout import Binding
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import is_unbounded
from machmeter.report.benchmarks.selection import (
    best,
    estimates_of,
    most_threads,
    number,
    threads,
    values_of,
    where,
)

BENCHMARK = "apps.heatflow"
UNIT = "derivatives"


class WaveModel(Struct, frozen=True):
    """The model of one problem on all cores, seconds, with the ends that its own times give it.

    units: independent derivatives; domains, slots: how many run at once, slots on each domain;
    measured: all cores as outer threads, as the finding of the study has it, else the best layout
    of all cores; serial_seconds: the same work on one thread, else as many times that of one unit
    (they are independent); 0 where neither was measured.
    """

    arrays: str
    units: int
    domains: int
    slots: int
    seconds: float
    low_seconds: float
    high_seconds: float
    measured: Estimate
    serial_seconds: float


def wave_models(result: RunResult) -> tuple[WaveModel, ...]:
    """One model for each kind of private arrays, of the largest problem on all cores."""
    times = [e for e in estimates_of(result, BENCHMARK, "time") if e.resolved]
    models = (_model(name, where(times, "arrays", name)) for name in values_of(times, "arrays"))
    return tuple(model for model in models if model is not None)


def _model(arrays: str, times: Sequence[Estimate]) -> WaveModel | None:
    units = max((number(e, UNIT) for e in times), default=0)
    of_problem = where(times, UNIT, units)
    widest = most_threads(of_problem)
    measured = best(_outer_alone(widest)) or best(widest)
    cores = max((threads(e) for e in times), default=0)
    slots = _slot_times([e for e in times if e.point != (measured.point if measured else None)])
    most = max(slots, default=0)
    if measured is None or threads(measured) != cores or cores < 2 or not 1 <= most <= cores:
        return None
    domains = cores // most

    def seconds(ends: dict[int, float]) -> float:
        return wave_time(units, domains, most, ends)

    known = not any(is_unbounded(e.high) for e in slots.values())
    value = seconds({count: e.value for count, e in slots.items()})
    return WaveModel(
        arrays,
        units,
        domains,
        most,
        value,
        seconds({count: e.low for count, e in slots.items()}) if known else value,
        seconds({count: e.high for count, e in slots.items()}) if known else value,
        measured,
        serial_seconds(times, units),
    )


def serial_seconds(times: Sequence[Estimate], units: int) -> float:
    """The time of so many derivatives on one thread, seconds, for one kind of arrays.

    As measured, else as many times the time of one: they are independent. 0 where neither is known.
    """
    alone = [e for e in times if threads(e) == 1]
    whole, one = (best(where(alone, UNIT, count)) for count in (units, 1))
    if whole is not None:
        return whole.value
    return units * one.value if one is not None else 0.0


def _outer_alone(times: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Those without inner teams whose threads are spread."""
    return tuple(
        e
        for e in times
        if e.point.layout.inner_threads == 1 and e.point.layout.binding is Binding.SPREAD
    )


def _slot_times(times: Sequence[Estimate]) -> dict[int, Estimate]:
    """The time of j units at once on one domain: bound threads, as many as units, no nesting."""
    found: dict[int, Estimate] = {}
    for one in times:
        layout, count = one.point.layout, number(one, UNIT)
        free = layout.binding in (Binding.NONE, Binding.OUTER)
        if free or layout.inner_threads > 1 or layout.threads_per_rank != count:
            continue
        if count not in found or layout.binding is Binding.CLOSE:
            found[count] = one
    return found
