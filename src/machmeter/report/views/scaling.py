"""Scaling prepared for people: tables of series, of counts and of laws."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.scaling.limits import REACH
from machmeter.model.results.scaling import FittedLaw, Problem, Scaling
from machmeter.report.table import Table, TableRow
from machmeter.text.machines import within_a_line
from machmeter.text.numbers import ratio_number
from machmeter.text.plain import plain
from machmeter.text.scaling import (
    count_value_text,
    growth,
    holds_text,
    law_label,
    limit_short,
    limit_text,
    parameter_words,
    percent,
    range_text,
    speedup_text,
    step_text,
)


def summary_table(series: Sequence[Scaling]) -> Table:
    """One row a series: its range, speedup, efficiency, limit and best law."""
    superlinear = any(step.superlinear for one in series for step in one.steps)
    return Table(
        "",
        ("result", "over", "speedup", "efficiency", "scales up to", "best law"),
        tuple(map(_summary_row, series)),
        note="* with superlinear steps" if superlinear else "",
    )


def _summary_row(one: Scaling) -> TableRow:
    last, cost = one.results[-1], one.problem is Problem.COST
    mark = "*" if any(step.superlinear for step in one.steps) else ""
    return (
        plain(one.name, 300),
        range_text(one),
        f"{ratio_number(growth(one))}x the cost" if cost else speedup_text(last.speedup),
        "–" if cost else percent(last.efficiency.value) + mark,
        limit_short(one.limit, last.count) if one.limit else "–",
        law_label(one.laws[0].law) if one.laws else "–",
    )


def counts_table(scaling: Scaling) -> Table:
    """One row a count: value, speedup, efficiency, what the step to it gained."""
    columns = [scaling.axis.value, plain(within_a_line(scaling.title), 40)]
    cost = scaling.problem is Problem.COST
    if cost:
        columns.append("cost of a doubling")
    else:
        first = f"speedup over {scaling.results[0].count:,}"
        columns += [first, "efficiency", "gain of a doubling", "scales"]
    rows = []
    for one, step in zip(scaling.results, [None, *scaling.steps], strict=True):
        flag = plain(one.printed.flag) if one.printed else ""
        value = count_value_text(one, scaling) + f" ({flag})" * bool(flag)
        gain = speedup_text(step.gain) if step else ""
        remark = step_text(step) if step else ""
        # The interval of the efficiency is that of the speedup beside it.
        own = (speedup_text(one.speedup), percent(one.efficiency.value), gain, remark)
        rows.append((f"{one.count:,}", value, *((gain,) if cost else own)))
    return Table("", tuple(columns), tuple(rows), (0,))


def laws_table(scaling: Scaling) -> Table:
    """One row a fitted law, the best first."""
    weighed = any(law.weight >= 0 for law in scaling.laws)
    columns = ["law", "parameters", *(() if scaling.as_printed else ("holds",))]
    first = len(columns)
    columns += ["misfit", "leave-one-out", *(("weight",) * weighed)]
    numeric = tuple(range(first, len(columns)))
    columns += ["scales up to"] * (scaling.problem is not Problem.COST)
    rows = tuple(_law_row(law, scaling, weighed=weighed) for law in scaling.laws)
    return Table("", tuple(columns), rows, numeric)


def _law_row(law: FittedLaw, scaling: Scaling, *, weighed: bool) -> TableRow:
    reach = REACH * scaling.results[-1].count
    row = [
        law_label(law.law),
        "\n".join(parameter_words(p) for p in law.parameters),
        *(() if scaling.as_printed else (holds_text(law),)),
        percent(law.misfit),
        percent(law.left_out),
    ]
    if weighed:
        row.append("–" if law.weight < 0 else f"{law.weight:.2f}")
    return tuple(row) if law.limit is None else (*row, limit_text(law, reach))
