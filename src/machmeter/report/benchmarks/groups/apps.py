"""Charts and tables of applications: splits into outer and inner teams, and the wave model."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.curves.waves import wave_time
from machmeter.analysis.stats.fields import extreme, value_of, where
from machmeter.benchmarks.catalogue import amounts_of
from machmeter.model.layout import Binding
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import (
    UNBOUNDED,
    format_interval,
    format_value,
    is_unbounded,
    scale_for,
)
from machmeter.report.benchmarks.groups.grids import three_digits
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import best, of_metric, threads, values_of
from machmeter.report.drawing.axes import Row, linear_x, log_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import heat_map, log_middle, side_by_side, thresholds
from machmeter.report.drawing.panel import Channel, Panel, layer
from machmeter.report.drawing.panels import dots, guide, scaled_rows, short
from machmeter.report.table import Table, TableRow
from machmeter.report.views.axis import number
from machmeter.text.layouts import binding_text, layout_text, split_text
from machmeter.text.ratios import percent_text, times_text
from machmeter.text.results import result_text, value_text

UNIT = "derivatives"


class WaveModel(Struct, frozen=True):
    """The model of one problem on all cores, with the ends that its own times give it."""

    arrays: str
    """Which kind of private arrays, of the application."""
    units: int
    """Independent derivatives."""
    domains: int
    """NUMA domains."""
    slots: int
    """How many derivatives run at once on each domain."""
    seconds: float
    """Time by the model."""
    low_seconds: float
    """Lower end of that."""
    high_seconds: float
    """Upper end of that."""
    measured: Estimate
    """All cores as outer threads, as the finding of the study has it, else the best layout of all
    cores."""
    serial_seconds: float
    """The same work on one thread, else as many times that of one unit (they are independent);
    0 where neither was measured."""


def wave_models(section: Section) -> tuple[WaveModel, ...]:
    """One model for each kind of private arrays, of the largest problem on all cores."""
    times = [e for e in of_metric(section.estimates, "time") if e.resolved]
    models = (_model(name, where(times, "arrays", name)) for name in values_of(times, "arrays"))
    return tuple(model for model in models if model is not None)


def _model(arrays: str, times: Sequence[Estimate]) -> WaveModel | None:
    units = max((number(e, UNIT) for e in times), default=0)
    widest = extreme(where(times, UNIT, units), "threads")
    measured = best(_outer_alone(widest)) or best(widest)
    cores = max((threads(e) for e in times), default=0)
    slots = _slot_times([e for e in times if e.point != (measured.point if measured else None)])
    most = max(slots, default=0)
    if measured is None or threads(measured) != cores or cores < 2 or not 1 <= most <= cores:
        return None
    domains = cores // most

    def seconds(ends: dict[int, float]) -> float:
        return wave_time(units, domains, most, ends)

    known = all(e.is_bounded for e in slots.values())
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


def problem(estimate: Estimate) -> tuple[int, ...]:
    """How much work a point of an application is, to be compared within one application."""
    amounts = (value_of(estimate, name) for name in amounts_of(estimate.point.benchmark))
    return tuple(amount for amount in amounts if isinstance(amount, int))


def split_charts(section: Section) -> list[Chart]:
    """Speedup by split as a map, time by split and binding."""
    times = of_metric(section.estimates, "time")
    if not times:
        return []
    largest = tuple(e for e in times if problem(e) == max(map(problem, times)))
    return _split_map(times, largest, section.slug) + _splits(largest, section.slug)


def _variant(estimate: Estimate) -> str:
    """What tells two points of one problem and split apart."""
    layout = estimate.point.layout
    choices = [
        f"{key} {value}" if key == "arrays" else f"{value}"
        for key, value in estimate.point.parameters
        if key not in amounts_of(estimate.point.benchmark)
    ]
    named = [binding_text(layout.binding), layout.openmp, layout.allocator]
    return ", ".join([*choices, *(part for part in named if part)])


def _without_binding(estimate: Estimate) -> str:
    return ", ".join(
        f"{key} {value}"
        for key, value in estimate.point.parameters
        if key not in amounts_of(estimate.point.benchmark)
    )


def _split(estimate: Estimate) -> tuple[int, int]:
    layout = estimate.point.layout
    return layout.threads_per_rank, layout.inner_threads


def _alone_seconds(every: Sequence[Estimate], largest: Sequence[Estimate], variant: str) -> float:
    """The time of the largest problem on one thread; 0 where it is not known."""
    alone = best(e for e in largest if threads(e) == 1 and _without_binding(e) == variant)
    if alone is not None:
        return alone.value
    of_variant = [e for e in every if _without_binding(e) == variant]
    return serial_seconds(of_variant, number(largest[0], UNIT))


def _split_map(every: Sequence[Estimate], times: Sequence[Estimate], name: str) -> list[Chart]:
    """Outer by inner threads: the speedup over one thread, or the time where that is unknown."""
    if len({_split(e) for e in times}) < 2:
        return []
    variants = list(dict.fromkeys(_without_binding(e) for e in times))
    alone = {v: _alone_seconds(every, times, v) for v in variants}
    rows_of = {
        v: _map_rows([e for e in times if _without_binding(e) == v], alone[v]) for v in variants
    }
    speedups = all(alone.values())
    values = [row["value"] for v in variants for row in rows_of[v]]
    if not values:
        return []
    bounds = thresholds(values)
    legend, symbol = ("speedup over one thread", "x") if speedups else ("time", "s")
    outers = sorted({_split(e)[0] for e in times})
    inners = sorted({_split(e)[1] for e in times})
    panels = [
        heat_map(
            rows_of[v], (inners, "inner threads"), (outers, "outer threads"), (bounds, symbol), v
        )
        for v in variants
    ]
    amounts = amounts_of(times[0].point.benchmark)
    work = ", ".join(f"{value} {key}" for key, value in times[0].point.parameters if key in amounts)
    return [
        draw(
            f"{name}-map",
            f"Outer by inner threads: {legend}",
            f"The {legend} as a matrix: outer by inner threads, the best binding of each.",
            side_by_side(*panels),
            f"Best binding of each split; {work}. Empty: not measured.",
        )
    ]


def _map_rows(times: Sequence[Estimate], alone: float) -> list[Row]:
    rows: list[Row] = []
    for split in sorted({_split(e) for e in times}):
        found = best(e for e in times if _split(e) == split)
        if found is None:
            continue
        speedup = alone / found.value
        rows.append(
            {
                "x": split[1],
                "y": split[0],
                "value": short(speedup or found.value),
                "text": f"{three_digits(speedup)}x" if alone else value_text(found),
                "where": f"{split[0]} x {split[1]}, {binding_text(found.point.layout.binding)}",
                "label": result_text(found),
            }
        )
    return rows


def _splits(times: Sequence[Estimate], name: str) -> list[Chart]:
    """Time of every split with its interval, by binding and variant."""
    widest = sorted(extreme(times, "threads"), key=_split)
    names = list(dict.fromkeys(_variant(e) for e in widest))
    if len(widest) < 2:
        return []
    scaled = scaled_rows(widest, _threads, _variant)
    categories = list(dict.fromkeys(_threads(e) for e in widest))
    return [
        draw(
            f"{name}-splits",
            "Time by split of all cores",
            "Time of the whole problem with 95 % intervals, for each split of all cores into "
            "outer x inner threads and each binding.",
            dots(scaled.rows, _time_axis(scaled.rows, scaled.symbol), categories, names),
        )
    ]


def _time_axis(rows: Sequence[Row], symbol: str) -> Channel:
    spread = max(row["high"] for row in rows) / max(min(row["low"] for row in rows), 1e-300)
    title = f"time, {symbol}"
    return log_axis(title, rows) if spread > 8 else linear_x(title, zero=True)


def _threads(estimate: Estimate) -> str:
    return split_text(estimate.point.layout)


def wave_charts(section: Section) -> list[Chart]:
    """Time of every split against what the wave model says is possible."""
    models = wave_models(section)
    if not models:
        return []
    every = of_metric(section.estimates, "time")
    times = [e for e in every if problem(e) == max(map(problem, every))]
    unit = models[0].measured.unit
    splits = [e for e in sorted(extreme(times, "threads"), key=_split) if not is_unbounded(e.value)]
    factor, symbol = scale_for(log_middle([m.seconds for m in models]), unit)
    categories = ["wave model", *dict.fromkeys(_threads(e) for e in splits)]
    names = [f"arrays {model.arrays}" for model in models]
    rows: list[Row] = [
        {
            "x": "wave model",
            "series": f"arrays {model.arrays}",
            "value": short(model.seconds / factor),
            "low": short(model.low_seconds / factor),
            "high": short(model.high_seconds / factor),
            "resolved": True,
            "label": f"{format_value(model.seconds, unit)} for {model.units} derivatives",
        }
        for model in models
    ]
    for split in dict.fromkeys(map(_split, splits)):
        for model in models:
            found = best(e for e in splits if (_split(e), _arrays(e)) == (split, model.arrays))
            if found:
                rows.append(_measured_row(found, model, factor))
    panels: list[Panel] = [dots(rows, _time_axis(rows, symbol), categories, names)]
    guides = [guide(rows[n]["value"], "", vertical=True) for n in range(len(models))]
    return [
        draw(
            f"{section.slug}-waves",
            "Measured against the wave model",
            "Time of the whole problem by split of all cores, with 95 % intervals, beside the time "
            "of the wave model, with dashed lines at the latter.",
            layer(*guides, *panels),
            _wave_note(models[0]),
        )
    ]


def _arrays(estimate: Estimate) -> str:
    return str(value_of(estimate, "arrays"))


def _measured_row(found: Estimate, model: WaveModel, factor: float) -> Row:
    unknown = not found.is_bounded
    return {
        "x": _threads(found),
        "series": f"arrays {model.arrays}",
        "value": short(found.value / factor),
        "low": short((found.value if unknown else found.low) / factor),
        "high": short((found.value if unknown else found.high) / factor),
        "resolved": True,
        "label": f"{result_text(found)}; {times_text(found.value / model.seconds)} the wave model",
    }


def _wave_note(model: WaveModel) -> str:
    return (
        f"The model: {model.units} derivatives in waves of {model.domains} x {model.slots}, each "
        "taking the measured time of so many at once on one domain (after Schmidl et al. 2010). "
        "Best binding of each split."
    )


def wave_tables(section: Section) -> list[Table]:
    """A row for each kind of private arrays."""
    models = wave_models(section)
    rows = tuple(_wave_row(model) for model in models)
    columns = ("arrays", "derivatives", "at once", "model", "speedup", "measured",
               "speedup measured", "of the model")  # fmt: skip
    note = (
        "The wave model: derivatives in waves over all domains, each wave taking the measured time "
        "of so many at once on one domain (after Schmidl et al. 2010). Speedups are over the "
        "time of one thread: as measured, else as many times that of one derivative; measured: all "
        "cores as outer threads."
    )
    caption = "Measured against the wave model"
    return [Table(caption, columns, rows, (1, 3, 4, 6, 7), note)] if rows else []


def _wave_row(model: WaveModel) -> TableRow:
    unit = model.measured.unit
    serial = model.serial_seconds
    modeled = measured = "–"
    if serial:
        modeled = times_text(serial / model.seconds)
        measured = times_text(serial / model.measured.value)
    high = model.high_seconds if model.high_seconds > model.low_seconds else UNBOUNDED
    low, seconds = model.low_seconds, model.seconds
    interval = format_interval(low, high, seconds, unit)
    return (
        model.arrays,
        str(model.units),
        f"{model.domains} x {model.slots}",
        f"{format_value(seconds, unit)} {interval}",
        modeled,
        f"{value_text(model.measured)}, {layout_text(model.measured.point.layout)}",
        measured,
        percent_text(seconds / model.measured.value),
    )
