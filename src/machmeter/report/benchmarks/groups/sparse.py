"""Charts and tables of sparse products: rates, imbalance, what the matrices look like."""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.analysis.stats.fields import extreme, value_of
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import (
    best,
    of_metric,
    positive,
    threads,
    usual,
    values_of,
)
from machmeter.report.drawing.axes import linear_x, log_axis, thread_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import multiples
from machmeter.report.drawing.panel import (
    Panel,
    Transform,
    concat,
    data_of,
    layer,
    mark,
    only,
    ordinal,
    quantitative,
    stack,
)
from machmeter.report.drawing.panels import dots, guide, ratio_rows, scaled_rows
from machmeter.report.table import Table
from machmeter.text.labels import parameter_text
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.results import value_text

PATTERN_SIDE = 48


_MOST_PICTURES = 8


_STEPS = 99


_IN_A_ROW = 4


# Three pixels a field, so that no seams show between them.
_PICTURE = 3 * PATTERN_SIDE


def spmv_charts(section: Section) -> list[Chart]:
    """Rates and imbalance on all threads, rates over threads, pictures of the matrices."""
    plain_ones = usual(section.estimates)
    rates, uneven = of_metric(plain_ones, "flops"), of_metric(plain_ones, "imbalance")
    charts = []
    if rates:
        charts.append(_rates(extreme(rates, "threads")))
    if len({threads(e) for e in positive(rates)}) > 2:
        charts.append(_over_threads(rates))
    wide = extreme(uneven, "threads")
    if wide and threads(wide[0]) > 1:
        charts.append(_imbalance(wide))
    return charts + _pictures(section)


def _matrix(estimate: Estimate) -> str:
    return parameter_text("matrix", value_of(estimate, "matrix"))


def _schedule(estimate: Estimate) -> str:
    return str(value_of(estimate, "schedule"))


def _rates(rates: tuple[Estimate, ...]) -> Chart:
    matrices, names = list(dict.fromkeys(map(_matrix, rates))), values_of(rates, "schedule")
    scaled = scaled_rows(rates, _matrix, _schedule)
    x = linear_x(f"rate, {scaled.symbol}", zero=True)
    panels: list[Panel] = [dots(scaled.rows, x, matrices, names)]
    ratios = ratio_rows(rates, _matrix, _schedule, "static")
    if ratios:
        others = [name for name in names if name != "static"]
        ratio = dots(ratios, linear_x("times static", zero=False), matrices, names, others)
        panels.append(layer(guide(1.0, "", vertical=True), ratio))
    return draw(
        "sparse-spmv-rates",
        f"Sparse product by matrix, {count_text(threads(rates[0]), 'thread', 'threads')}",
        "Rate of the sparse matrix-vector product with 95 % intervals, for each matrix and each "
        "way of sharing out its rows; below, the ratio to static.",
        stack(*panels),
    )


def _over_threads(rates: Sequence[Estimate]) -> Chart:
    drawn = sorted(positive(rates), key=threads)
    scaled = scaled_rows(drawn, threads, _schedule)
    rows = [row | {"panel": _matrix(e)} for row, e in zip(scaled.rows, drawn, strict=True)]
    matrices = list(dict.fromkeys(map(_matrix, rates)))
    x, y = thread_axis([threads(e) for e in drawn]), log_axis(f"rate, {scaled.symbol}", rows)
    return draw(
        "sparse-spmv-threads",
        "Sparse product over threads",
        "Rate of the sparse matrix-vector product over the number of threads on logarithmic axes "
        "with 95 % bands, a small panel a matrix, one curve a schedule.",
        multiples(rows, x, y, matrices, values_of(rates, "schedule"), columns=2),
        "All panels have the same axes.",
    )


def _imbalance(uneven: tuple[Estimate, ...]) -> Chart:
    scaled = scaled_rows(uneven, _matrix, _schedule)
    matrices, names = list(dict.fromkeys(map(_matrix, uneven))), values_of(uneven, "schedule")
    x = linear_x("slowest thread over the mean, times", zero=False)
    panel: Panel = dots(scaled.rows, x, matrices, names)
    return draw(
        "sparse-spmv-imbalance",
        f"Imbalance, {count_text(threads(uneven[0]), 'thread', 'threads')}",
        "Time of the slowest thread over the mean of all with 95 % intervals, for each matrix and "
        "each way of sharing out its rows.",
        layer(guide(1.0, "", vertical=True), panel),
        "Dashed: all threads work equally long.",
    )


def patterns(section: Section) -> dict[str, tuple[float, ...]]:
    """Counts of nonzeros by matrix, row by row of a square of `PATTERN_SIDE` squared fields."""
    found: dict[str, tuple[float, ...]] = {}
    for shown in section.result.shown:
        counts = shown.record.series.get("pattern", ())
        usable = len(counts) == PATTERN_SIDE**2 and all(0 <= c < math.inf for c in counts)
        if shown.point.benchmark == section.name and usable and max(counts) > 0:
            name = plain(str(dict(shown.point.parameters).get("matrix", "")), 60)
            found.setdefault(name, counts)
    return found


def _pictures(section: Section) -> list[Chart]:
    found = patterns(section)
    shown = list(found)[:_MOST_PICTURES]
    if not shown:
        return []
    return [
        draw(
            "sparse-spmv-patterns",
            "Where the nonzeros are",
            f"Each matrix as a square of {PATTERN_SIDE} x {PATTERN_SIDE} fields, the darker the "
            "more nonzeros a field holds.",
            concat(*(_picture(name, found[name]) for name in shown), columns=_IN_A_ROW).properties(
                usermeta={"square": True}
            ),
            "Darkness by the logarithm of the count, in each picture up to its fullest field.",
        )
    ]


def _picture(name: str, counts: Sequence[float]) -> Panel:
    """A list of numbers is all that is kept: where each belongs follows from its position."""
    fullest = math.log1p(max(counts))
    steps = [round(_STEPS * math.log1p(count) / fullest) for count in counts]
    close = {"padding": 0, "round": True, "domain": list(range(PATTERN_SIDE))}
    darkness = {"domain": [0, _STEPS], "range": [0.1, 1]}
    place = {
        "x": ordinal("column", axis=None, scale=close),
        "y": ordinal("row", axis=None, scale=close),
        "opacity": quantitative("data", legend=None, scale=darkness),
    }
    row, column = (
        f"floor((datum.position - 1) / {PATTERN_SIDE})",
        f"(datum.position - 1) % {PATTERN_SIDE}",
    )
    transform: list[Transform] = [
        {"window": [{"op": "row_number", "as": "position"}]},
        {"calculate": column, "as": "column"},
        {"calculate": row, "as": "row"},
        only("datum.data > 0"),
    ]
    picture = mark("rect", data_of(steps), place, transform, style="ink", stroke=None)
    return layer(picture).properties(title=name, width=_PICTURE, height=_PICTURE)


def product_tables(section: Section) -> list[Table]:
    """Of each matrix and schedule on all threads: rate, imbalance, what the partition costs."""
    found = extreme(section.estimates, "threads")
    cases = dict.fromkeys((value_of(e, "matrix"), value_of(e, "schedule")) for e in found)
    rows = []
    for matrix, schedule in cases:
        of_case = [
            e
            for e in found
            if (value_of(e, "matrix"), value_of(e, "schedule")) == (matrix, schedule)
        ]
        rate = best(of_metric(of_case, "flops"))
        search = best(of_metric(of_case, "partition_time"))
        placement = best(of_metric(of_case, "placement_time"))
        rows.append(
            (
                parameter_text("matrix", matrix),
                str(schedule),
                _text(rate),
                _text(best(of_metric(of_case, "bandwidth"))),
                _text(best(of_metric(of_case, "imbalance"))),
                _text(search),
                _text(placement),
                _cost_in_products(section.result, rate, placement or search),
            )
        )
    caption = "Sharing out rows, and what the partition costs"
    columns = ("matrix", "schedule", "rate", "compulsory traffic", "imbalance", "partition",
               "placement", "in products")  # fmt: skip
    note = "Imbalance: slowest thread over the mean. The last column: how many products take as "
    note += "long as the partition, with the copy to its owners (placement), takes once."
    return [Table(caption, columns, tuple(rows), (2, 3, 4, 5, 6, 7), note)] if rows else []


def _text(estimate: Estimate | None) -> str:
    return value_text(estimate) if estimate else "–"


def _cost_in_products(result: RunResult, rate: Estimate | None, cost: Estimate | None) -> str:
    """The partition's time over that of one product, whose operations the record holds."""
    if rate is None or cost is None:
        return "–"
    flops = [
        shown.record.quantities.get("flops", 0.0)
        for shown in result.shown
        if shown.point.benchmark == rate.point.benchmark
        and dict(shown.point.parameters) == dict(rate.point.parameters)
    ]
    if not flops or not flops[0] > 0 or rate.value <= 0:
        return "–"
    return f"{cost.value * rate.value / flops[0]:.1f}"
