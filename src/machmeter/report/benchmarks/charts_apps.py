"""Charts of the applications: outer x inner teams, bindings, and the wave model."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_value, is_unbounded, scale_for
from machmeter.report.benchmarks.figures_apps import problem
from machmeter.report.benchmarks.grids import three_digits
from machmeter.report.benchmarks.selection import (
    best,
    most_threads,
    number,
    of_metric,
    parameter,
    threads,
)
from machmeter.report.benchmarks.wave_model import (
    BENCHMARK,
    UNIT,
    WaveModel,
    serial_seconds,
    wave_models,
)
from machmeter.report.drawing.axes import Row, linear_x, log_x
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import beside, heat_map, log_middle, thresholds
from machmeter.report.drawing.panels import Panel, dots, guide, scaled_rows, short
from machmeter.text.layouts import binding_text, split_text
from machmeter.text.results import result_text, value_text

_AMOUNTS = ("queries", "images", "derivatives", "cells")


def application_charts(result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Speed-up by split as a map, time by split and binding, measured against the wave model."""
    times = of_metric(estimates, "time")
    if not times:
        return []
    largest = tuple(e for e in times if problem(e) == max(map(problem, times)))
    benchmark = times[0].point.benchmark
    name = benchmark.replace(".", "-")
    charts = _split_map(times, largest, name) + _splits(largest, name)
    if benchmark == BENCHMARK:
        charts += _waves(wave_models(result), largest)
    return charts


def _variant(estimate: Estimate) -> str:
    """What tells two points of one problem and split apart."""
    layout = estimate.point.layout
    choices = [
        f"{key} {value}" if key == "arrays" else f"{value}"
        for key, value in estimate.point.parameters
        if key not in _AMOUNTS
    ]
    named = [binding_text(layout.binding), layout.openmp, layout.allocator]
    return ", ".join([*choices, *(part for part in named if part)])


def _without_binding(estimate: Estimate) -> str:
    return ", ".join(
        f"{key} {value}" for key, value in estimate.point.parameters if key not in _AMOUNTS
    )


def _split(estimate: Estimate) -> tuple[int, int]:
    layout = estimate.point.layout
    return layout.threads_per_rank, layout.inner_threads


def _alone_seconds(every: Sequence[Estimate], largest: Sequence[Estimate], variant: str) -> float:
    """The time of the largest problem on one thread; 0 where it is not known."""
    alone = best(e for e in largest if threads(e) == 1 and _without_binding(e) == variant)
    if alone is not None:
        return alone.value
    alike = [e for e in every if _without_binding(e) == variant]
    return serial_seconds(alike, number(largest[0], UNIT))


def _split_map(every: Sequence[Estimate], times: Sequence[Estimate], name: str) -> list[Chart]:
    """Outer by inner threads: the speed-up over one thread, or the time where that is unknown."""
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
    legend, symbol = ("speed-up over one thread", "x") if speedups else ("time", "s")
    outers = sorted({_split(e)[0] for e in times})
    inners = sorted({_split(e)[1] for e in times})
    panels = [
        heat_map(
            rows_of[v], (inners, "inner threads"), (outers, "outer threads"), (bounds, symbol), v
        )
        for v in variants
    ]
    work = ", ".join(
        f"{value} {key}" for key, value in times[0].point.parameters if key in _AMOUNTS
    )
    return [
        draw(
            f"{name}-map",
            f"Outer by inner threads: {legend}",
            f"The {legend} as a matrix: outer by inner threads, the best binding of each.",
            beside(*panels),
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
    widest = sorted(most_threads(times), key=_split)
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


def _time_axis(rows: Sequence[Row], symbol: str) -> alt.X:
    spread = max(row["high"] for row in rows) / max(min(row["low"] for row in rows), 1e-300)
    title = f"time, {symbol}"
    return log_x(title, rows) if spread > 8 else linear_x(title, zero=True)


def _threads(estimate: Estimate) -> str:
    return split_text(estimate.point.layout)


def _waves(models: Sequence[WaveModel], times: Sequence[Estimate]) -> list[Chart]:
    """Time of every split beside what the wave model says is possible."""
    if not models:
        return []
    unit = models[0].measured.unit
    splits = [e for e in sorted(most_threads(times), key=_split) if not is_unbounded(e.value)]
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
            "apps-heatflow-waves",
            "Measured against the wave model",
            "Time of the whole problem by split of all cores, with 95 % intervals, beside the time "
            "of the wave model, with dashed lines at the latter.",
            alt.layer(*guides, *panels),
            _wave_note(models[0]),
        )
    ]


def _arrays(estimate: Estimate) -> str:
    return str(parameter(estimate, "arrays"))


def _measured_row(found: Estimate, model: WaveModel, factor: float) -> Row:
    unknown = is_unbounded(found.high)
    return {
        "x": _threads(found),
        "series": f"arrays {model.arrays}",
        "value": short(found.value / factor),
        "low": short((found.value if unknown else found.low) / factor),
        "high": short((found.value if unknown else found.high) / factor),
        "resolved": True,
        "label": f"{result_text(found)}; {found.value / model.seconds:.2f}x the wave model",
    }


def _wave_note(model: WaveModel) -> str:
    return (
        f"The model: {model.units} derivatives in waves of {model.domains} x {model.slots}, each "
        "taking the measured time of so many at once on one domain (after Schmidl et al. 2010). "
        "Best binding of each split."
    )
