"""How results scale, in a terminal of at most 100 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from machmeter.analysis.scaling.limits import REACH
from machmeter.model.results.scaling import FittedLaw, Problem, Scaling, ScalingReport, StepVerdict
from machmeter.text.machines import within_a_line
from machmeter.text.numbers import count_text, ratio_number
from machmeter.text.plain import plain
from machmeter.text.scaling import (
    count_value_text,
    growth,
    headline,
    holds_text,
    law_label,
    law_note,
    limit_short,
    limit_text,
    parameter_words,
    percent,
    prediction_sentences,
    problem_text,
    range_text,
    speedup_text,
    step_text,
)

MOST_IN_FULL = 3
_STYLES = {StepVerdict.YES: "", StepVerdict.NO: "yellow", StepVerdict.INCONCLUSIVE: "dim"}


def print_scaling(report: ScalingReport, console: Console, *, details: bool = False) -> None:
    """Print every series: a line each, or in full where they are few or `details` is set."""
    count = count_text(len(report.series), "result", "results")
    console.print(Text(f"{plain(report.title, 70)}: scaling of {count}", style="bold"))
    required = f"A doubling scales where its speedup is {report.least_gain:g}x or more."
    console.print(Text(required, style="dim"))
    if details or len(report.series) <= MOST_IN_FULL:
        for scaling in report.series:
            _print_in_full(scaling, console)
    else:
        _print_summary(report.series, console)
    for note in report.notes:
        console.print(Text(f"! {plain(note)}", style="yellow"))


def _print_summary(series: Sequence[Scaling], console: Console) -> None:
    table = _table()
    table.add_column("result", overflow="fold")
    for name in ("over", "speedup", "efficiency", "scales up to", "best law"):
        table.add_column(name, no_wrap=name not in ("over", "best law"))
    for one in series:
        last = one.results[-1]
        cost = one.problem is Problem.COST
        mark = "*" if any(step.superlinear for step in one.steps) else ""
        table.add_row(
            Text(one.name),
            range_text(one),
            f"{ratio_number(growth(one))}x the cost" if cost else speedup_text(last.speedup),
            "–" if cost else percent(last.efficiency.value) + mark,
            _scales_up_to(one),
            law_label(one.laws[0].law) if one.laws else "–",
        )
    console.print(table)
    if any(step.superlinear for one in series for step in one.steps):
        console.print(Text("* with superlinear steps", style="dim"))
    console.print(Text("All counts and laws: --details, or select with --benchmark.", style="dim"))


def _scales_up_to(scaling: Scaling) -> str:
    if scaling.limit is None:
        return "–"
    return limit_short(scaling.limit, scaling.results[-1].count)


def _print_in_full(scaling: Scaling, console: Console) -> None:
    console.print()
    console.print(Text(scaling.name, style="bold"))
    console.print(_indented(Text(headline(scaling))))
    console.print(_indented(Text(problem_text(scaling), style="dim")))
    if scaling.conditions:
        text = ", ".join(scaling.conditions.values())
        console.print(_indented(Text(plain(text, 400), style="dim")))
    console.print(_indented(_counts(scaling)))
    if scaling.laws:
        console.print(_indented(_laws(scaling)))
        for law in scaling.laws:
            names = ", ".join(f"{p.symbol}: {p.name}" for p in law.parameters)
            said = f"{law.law.value}: {law.formula}" + f" ({names})" * bool(names)
            console.print(_indented(Text(said, style="dim")))
        console.print(_indented(Text(law_note(scaling), style="dim")))
    for line in prediction_sentences(scaling):
        console.print(_indented(Text(line)))
    for note in scaling.notes:
        console.print(_indented(Text(f"! {plain(note)}", style="yellow")))


def _counts(scaling: Scaling) -> Table:
    cost = scaling.problem is Problem.COST
    table = _table()
    table.add_column(scaling.axis.value, justify="right")
    table.add_column(plain(within_a_line(scaling.title), 40))
    if cost:
        table.add_column("cost of a doubling")
    else:
        table.add_column(f"speedup over {scaling.results[0].count:,}")
        table.add_column("efficiency")
        table.add_column("gain of a doubling")
        table.add_column("scales")
    steps = [None, *scaling.steps]
    for one, step in zip(scaling.results, steps, strict=True):
        flag = plain(one.printed.flag) if one.printed else ""
        value = count_value_text(one, scaling) + f" ({flag})" * bool(flag)
        gain = speedup_text(step.gain) if step else ""
        row = [f"{one.count:,}", value]
        if cost:
            row.append(gain)
        else:
            remark = step_text(step) if step else ""
            # Its interval is that of the speedup beside it.
            efficiency = percent(one.efficiency.value)
            row += [speedup_text(one.speedup), efficiency, gain, remark]
        style = _STYLES[step.verdict] if step and not cost else ""
        table.add_row(*map(Text, row), style=style)
    return table


def _laws(scaling: Scaling) -> Table:
    table = _table()
    table.add_column("law", no_wrap=True)
    table.add_column("parameters", no_wrap=True)
    if not scaling.as_printed:
        table.add_column("holds")
    weighed = ("weight",) * _weighed(scaling)
    for name in ("misfit", "leave-one-out", *weighed):
        table.add_column(name, justify="right", no_wrap=True)
    if scaling.problem is not Problem.COST:
        table.add_column("scales up to", no_wrap=True)
    for law in scaling.laws:
        table.add_row(*map(Text, _law_row(law, scaling)))
    return table


def _law_row(law: FittedLaw, scaling: Scaling) -> list[str]:
    reach = REACH * scaling.results[-1].count
    row = [
        law_label(law.law),
        "\n".join(parameter_words(p) for p in law.parameters),
        *(() if scaling.as_printed else (holds_text(law),)),
        percent(law.misfit),
        percent(law.left_out),
    ]
    if _weighed(scaling):
        row.append("–" if law.weight < 0 else f"{law.weight:.2f}")
    return row if law.limit is None else [*row, limit_text(law, reach)]


def _weighed(scaling: Scaling) -> bool:
    return any(law.weight >= 0 for law in scaling.laws)


def _table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))


def _indented(what: Text | Table) -> Padding:
    return Padding(what, (0, 0, 0, 2), expand=False)
