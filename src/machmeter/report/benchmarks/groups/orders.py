"""The table of what times by order of a matrix say of larger ones."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.curves.orders import LEAST_ORDERS, foretold_seconds, order_law
from machmeter.model.interval import Interval
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import FLOPS, SECONDS, Unit, is_unbounded
from machmeter.report.benchmarks.pivot_tables import varying_names
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import of_metric
from machmeter.report.table import Table, TableRow
from machmeter.report.views.axis import ORDER, number
from machmeter.text.labels import point_columns
from machmeter.text.numbers import NOTHING, quantity_text, share_text
from machmeter.text.results import value_with_interval

_NOTE = (
    "Fitted: time = a n^3 + b n^2 + c n for order n, no coefficient below zero; ever larger orders "
    "have the rate 2 / (3 a). The largest order is foretold by a law of the others alone. "
    "Brackets: 95 % intervals, by drawing launches again."
)


def order_tables(section: Section) -> list[Table]:
    """The rate of ever larger orders and the order of half of it, and how well the largest order
    is foretold by the others; none with fewer than three orders."""
    times = [one for one in of_metric(section.estimates, "time") if not one.as_printed]
    names, constant = varying_names(times, ORDER.replaces)
    cases: dict[TableRow, dict[int, Estimate]] = {}
    for one in times:
        known = point_columns(one.point)
        case = tuple(known.get(name, NOTHING) for name in names)
        cases.setdefault(case, {})[number(one, "order")] = one
    rows = tuple(
        (*(case or (section.title,)), *_cells(found))
        for case, found in cases.items()
        if len(found) >= LEAST_ORDERS
    )
    if not rows:
        return []
    before = names or ("benchmark",)
    columns = (
        *before,
        "rate of ever larger orders",
        "order of half that rate",
        "misfit",
        "largest order",
        "foretold",
        "measured",
        "within the interval",
    )
    numeric = tuple(range(len(before), len(columns)))
    note = " ".join(text for text in (_NOTE, constant) if text)
    return [Table("What larger orders would reach", columns, rows, numeric, note)]


def _cells(by_order: dict[int, Estimate]) -> tuple[str, ...]:
    orders = sorted(by_order)
    launches = [by_order[order].launch_values for order in orders]
    law = order_law(orders, launches)
    largest = by_order[orders[-1]]
    said = (
        foretold_seconds(orders[-1], orders[:-1], launches[:-1])
        if len(orders) > LEAST_ORDERS
        else None
    )
    return (
        _text(law.rate, FLOPS),
        _order_text(law.half_order),
        share_text(law.misfit),
        f"{orders[-1]:,}",
        _text(said, SECONDS) if said else NOTHING,
        value_with_interval(largest),
        _verdict(said, largest),
    )


def _verdict(said: Interval | None, largest: Estimate) -> str:
    """Whether the intervals of what was foretold and of what was measured have a time in common."""
    if said is None or not said.is_bounded or not largest.is_bounded:
        return NOTHING
    return "yes" if said.low <= largest.high and largest.low <= said.high else "no"


def _text(interval: Interval, unit: Unit) -> str:
    if is_unbounded(interval.value):
        return NOTHING
    return quantity_text(interval.value, interval.low, interval.high, unit)


def _order_text(interval: Interval) -> str:
    if is_unbounded(interval.value):
        return NOTHING
    ends: Sequence[float] = (interval.low, interval.high) if interval.is_bounded else ()
    inside = ", ".join(f"{end:,.0f}" for end in ends)
    return f"{interval.value:,.0f}" + (f" [{inside}]" if inside else "")
