"""How well the threads of every code of a set scale, all codes in one picture."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.layout import Binding
from machmeter.model.results.finding import PublishedAnswer
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.codes.code_scaling import CodeScaling, scalings_of
from machmeter.report.benchmarks.groups.codes.picture import EfficiencyLine, efficiency_chart
from machmeter.report.drawing.chart import Chart
from machmeter.report.table import Table, TableRow
from machmeter.run.compare.published_answers import answers_of_study
from machmeter.studies.codes import EFFICIENCY
from machmeter.text.layouts import binding_text
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.results import value_with_interval
from machmeter.text.scaling import efficiency_text

PARTLY, WELL = (band.least for band in EFFICIENCY[1:])
"""Efficiencies from which threads count as scaling partly and well, as in the findings."""


class CodesSection(Struct, frozen=True):
    """What a page shows of a set of codes."""

    conclusion: str
    """How many codes scale how well, in a sentence."""
    charts: tuple[Chart, ...]
    """Efficiency over threads, a panel for each code."""
    tables: tuple[Table, ...]
    """Every code with its rates and its efficiency."""
    published: tuple[PublishedAnswer, ...]
    """What is printed of such sets on other machines."""


def codes_section(result: RunResult) -> CodesSection | None:
    """The section of a run; None where its study has no set, or no code ran on several threads."""
    code_set = result.header.request.study.code_set
    if code_set is None:
        return None
    own = result.header.request.study.benchmarks
    found = [one for name in code_set.codes for one in scalings_of(name, result.estimates, own)]
    if not found:
        return None
    return CodesSection(
        _conclusion(found, code_set.codes),
        (
            efficiency_chart(
                [EfficiencyLine((one.title,), one.placed, one) for one in found],
                "Efficiency of threads, code by code",
                "Percent of the rate of the fewest threads that each thread keeps, with 95 % "
                "bands; weak: of work that grows with the threads.",
            ),
        ),
        (_table(found, code_set.title),),
        answers_of_study(result.header.request.study),
    )


def _conclusion(found: Sequence[CodeScaling], codes: dict[str, int]) -> str:
    said = [
        _of_problem(close)
        for problem in dict.fromkeys(one.problem for one in found)
        if (close := [o for o in found if o.binding is Binding.CLOSE and o.problem is problem])
    ]
    missing = [name for name in codes if name not in {one.name for one in found}]
    if missing:
        said.append(f"Not measured over threads: {', '.join(missing)}.")
    return " ".join(said)


def _of_problem(close: Sequence[CodeScaling]) -> str:
    """How many of these scale how well, by intervals: what one cannot decide is open."""
    most = max(one.threads[-1] for one in close)
    fewer = [one.title for one in close if one.threads[-1] < most]
    ends = {one.title: one.efficiencies[-1] for one in close if one.title not in fewer}
    bounded = {title: end for title, end in ends.items() if end.is_bounded}
    well = [title for title, end in bounded.items() if end.low >= WELL]
    hardly = [title for title, end in bounded.items() if end.high < PARTLY]
    partly = [t for t, end in bounded.items() if end.low >= PARTLY and end.high < WELL]
    unclear = len(ends) - len(well) - len(hardly) - len(partly)
    said = (
        f"On {count_text(most, 'thread', 'threads')}, {close[0].placed}: {len(well)} of "
        f"{len(ends)} codes keep {100 * WELL:.0f} % or more of their rate a thread"
    )
    if hardly:
        said += f"; below {100 * PARTLY:.0f} %: {', '.join(hardly)}"
    if unclear:
        said += f"; of {unclear} the 95 % interval leaves it undecided"
    if fewer:
        said += f"; not measured on so many: {', '.join(fewer)}"
    return f"{said}."


def _table(found: Sequence[CodeScaling], title: str) -> Table:
    counts = sorted({count for one in found for count in (one.threads[0], one.threads[-1])})
    rows = tuple(_row(one) for one in found)
    return Table(
        "Codes of the set over threads",
        ("code", "stands for", "threads", "binding", "problem", "rate of the fewest",
         "of the most", "efficiency"),
        rows,
        (5, 6, 7),
        f"Set {title}. Threads: from the fewest to the most that were measured ({counts[0]} to "
        f"{counts[-1]}). "
        "Efficiency: rate over that of the fewest threads, over the ratio of their numbers. "
        "Brackets: 95 % intervals.",
    )  # fmt: skip


def _row(one: CodeScaling) -> TableRow:
    return (
        one.title,
        one.stands_for or NOTHING,
        f"{one.threads[0]} to {one.threads[-1]}",
        binding_text(one.binding),
        one.problem.value,
        value_with_interval(one.rates[0]),
        value_with_interval(one.rates[-1]),
        efficiency_text(one.efficiencies[-1]),
    )
