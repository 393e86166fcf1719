"""Every code of a set on several machines: its ratio, and how its threads scale on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from machmeter.analysis.scores.scores import Component, Score, component_bounds
from machmeter.model.layout import Binding
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.scaling import Problem
from machmeter.report.benchmarks.groups.codes.code_scaling import scalings_of
from machmeter.report.benchmarks.groups.codes.picture import EfficiencyLine, efficiency_chart
from machmeter.report.drawing.chart import Chart
from machmeter.report.table import Table
from machmeter.text.scaling import efficiency_text
from machmeter.text.scores import score_interval, score_number


class ComparedCodes(Struct, frozen=True):
    """The codes of a set on two machines."""

    chart: Chart
    """A panel for each code with its ratio and the efficiency of close threads on both."""
    table: Table
    """The same in numbers."""


def compared_codes(
    score: Score, machines: Sequence[MachineResults], titles: Mapping[str, str]
) -> ComparedCodes | None:
    """None of a score over no set, and where neither machine ran its codes on several threads.

    machines: those that are compared; titles: of machines, by ID.
    """
    if not score.code_set:
        return None
    sides = [one for one in machines if one.id in (score.reference, score.machine)]
    drawn = [
        EfficiencyLine((code.title, _ratio_text(one, score)), titles.get(side.id, side.id), code)
        for one in score.components
        for side in sides
        for code in scalings_of(one.name, side.estimates, ())
        if code.binding is Binding.CLOSE and code.problem is Problem.FIXED
    ]
    if not drawn:
        return None
    against = titles.get(score.reference, score.reference)
    title = "Ratio and efficiency of threads, code by code"
    ratio = f"the ratio to {against} with its 95 % interval"
    chart = efficiency_chart(
        drawn,
        title,
        f"Above each panel: {ratio}. Lines: percent of the rate of the fewest threads that each "
        "thread keeps, threads close, with 95 % bands.",
    )
    rows = tuple(
        (
            *line.panel,
            line.series,
            f"{of[0]} to {of[-1]}",
            efficiency_text(line.code.efficiencies[-1]),
        )
        for line in drawn
        for of in (line.code.threads,)
    )
    columns = ("code", "ratio", "machine", "threads", "efficiency")
    return ComparedCodes(chart, Table(title, columns, rows, (1, 4), f"Beside each code {ratio}."))


def _ratio_text(one: Component, score: Score) -> str:
    within = score_interval(one.value, *component_bounds(one), score.kind)
    return f"{score_number(one.value, score.kind)} {within}".strip()
