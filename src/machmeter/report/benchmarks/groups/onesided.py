"""Charts and tables of one-sided operations: time of one, and how many overlap."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.stats.fields import value_of
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.pivot_tables import MOST_ROWS, varying_names
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import first_choices, of_metric, positive, size
from machmeter.report.benchmarks.variants import ratio_of
from machmeter.report.drawing.axes import log_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import Panel, stack
from machmeter.report.drawing.panels import dots, few, scaled_rows
from machmeter.report.table import Table, TableRow
from machmeter.report.views.axis import OUTSTANDING, number
from machmeter.text.labels import Name, distinguishing_label, names_of, point_columns
from machmeter.text.numbers import NOTHING
from machmeter.text.results import value_with_interval

_SYNCHRONIZED = ("size", "operation", "synchronization", "window", "target")


def operation_charts(section: Section) -> list[Chart]:
    """Time until one operation is complete, of the smallest size: a line a case, a panel for what
    the target does.
    """
    times = [e for e in of_metric(section.estimates, "time") if number(e, "outstanding") <= 1]
    smallest = min(map(size, times), default=0)
    alone = positive(e for e in times if size(e) == smallest)
    kept, left = few(alone, distinguishing_label(alone, _SYNCHRONIZED))
    if not kept:
        return []
    name = distinguishing_label(kept, _SYNCHRONIZED)
    case = _case_of(kept)
    panels: list[Panel] = []
    targets = list(dict.fromkeys(value_of(e, "target") for e in kept))
    for target in targets:
        found = [e for e in kept if value_of(e, "target") == target]
        scaled = scaled_rows(found, case, name)
        of_target = f", target {target}" if len(targets) > 1 else ""
        x = log_axis(f"time{of_target}, {scaled.symbol}", scaled.rows)
        panels.append(dots(scaled.rows, x, names_of(found, case), names_of(kept, name)))
    sized = f", {format_bytes(smallest)}" if smallest else ""
    text = (
        "Time until one operation is complete, for each operation and way to synchronize, with "
        "95 % intervals."
    )
    title = f"One operation by itself{sized}"
    note = f"With one operation outstanding. {left}".strip()
    return [draw(f"{section.slug}-time", title, text, stack(*panels), note)]


def _case_of(estimates: Sequence[Estimate]) -> Name:
    """Operation, with how it is synchronized where that differs, and windows that are not plain."""
    synchronized = len({value_of(e, "synchronization") for e in estimates}) > 1
    plain = first_choices(estimates[0].point.benchmark).get("window")

    def case(estimate: Estimate) -> str:
        window = value_of(estimate, "window")
        parts = (
            str(value_of(estimate, "operation")),
            str(value_of(estimate, "synchronization")) if synchronized else "",
            "" if window in {"", plain} else f"{window} window",
        )
        return ", ".join(part for part in parts if part)

    return case


_LITTLE = (
    "In flight: the rate times the time of one operation by itself (Little's law): as many as "
    "overlap, of the {} that were begun together. Brackets: 95 % intervals."
)


def operation_tables(section: Section) -> list[Table]:
    """Time of one operation, rate of many, and how many of them are in flight."""
    found = section.estimates
    times, rates = of_metric(found, "time"), of_metric(found, "rate")
    names, constant = varying_names(times, OUTSTANDING.replaces)
    most = max((number(e, "outstanding") for e in rates), default=0)
    alone = _by_case(times, names, 1)
    alone_rates, many = _by_case(rates, names, 1), _by_case(rates, names, most)
    rows = tuple(
        (
            *(case or (section.title,)),
            value_with_interval(alone.get(case)),
            value_with_interval(many.get(case)),
            _in_flight(many.get(case), alone_rates.get(case)),
        )
        for case in dict.fromkeys([*alone, *many])
    )
    if not rows:
        return []
    before = names or ("benchmark",)
    columns = (*before, "one alone", f"rate, {most} outstanding", "in flight")
    numeric = tuple(range(len(before), len(columns)))
    caption = "One operation, many, and how many overlap"
    note = " ".join(text for text in (_LITTLE.format(most), constant) if text)
    if len(rows) > MOST_ROWS:
        note += f" {MOST_ROWS} of {len(rows)} cases are shown."
    return [Table(caption, columns, rows[:MOST_ROWS], numeric, note)]


def _by_case(
    estimates: Sequence[Estimate], names: Sequence[str], outstanding: int
) -> dict[TableRow, Estimate]:
    found = {}
    for one in estimates:
        if number(one, "outstanding") == outstanding:
            known = point_columns(one.point)
            found[tuple(known.get(name, NOTHING) for name in names)] = one
    return found


def _in_flight(many: Estimate | None, alone: Estimate | None) -> str:
    """The rate of many over that of one alone, which is one over its time."""
    found = ratio_of(many, alone) if many and alone else None
    return f"{found.ratio:.1f} [{found.low:.1f}, {found.high:.1f}]" if found else NOTHING
