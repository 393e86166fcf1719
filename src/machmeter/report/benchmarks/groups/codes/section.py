"""How well the threads of every code of a set scale, all codes in one picture."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.scaling.series import grows_with_threads
from machmeter.analysis.scaling.steps import gain_of, times
from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Value
from machmeter.model.interval import Interval
from machmeter.model.layout import Binding
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import PublishedAnswer
from machmeter.model.results.run import RunResult
from machmeter.model.results.scaling import Problem
from machmeter.report.benchmarks.selection import of_metric
from machmeter.report.drawing.axes import Row, count_axis, renamed
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import (
    data_of,
    facet,
    layer,
    mark,
    nominal,
    quantitative,
    until,
)
from machmeter.report.drawing.panels import WIDTH, color_of, shape_of, short, tooltip
from machmeter.report.table import Table, TableRow
from machmeter.run.compare.published_answers import answers_of_study
from machmeter.studies.codes import EFFICIENCY
from machmeter.text.layouts import binding_text
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.plain import plain
from machmeter.text.results import value_with_interval
from machmeter.text.scaling import efficiency_text

_COLUMNS = 4
_SPACING = 14
_HEIGHT = 74
_BINDINGS = (Binding.CLOSE, Binding.SPREAD)
PARTLY, WELL = (band.least for band in EFFICIENCY[1:])
"""Efficiencies from which threads count as scaling partly and well, as in the findings."""


class CodeScaling(Struct, frozen=True):
    """One code of a set under one binding, over threads."""

    name: str
    """Of the benchmark."""
    title: str
    """Of the benchmark."""
    stands_for: str
    """The kind of program that it stands for."""
    binding: Binding
    """Where its threads are."""
    problem: Problem
    """Whether its work grows with them."""
    rates: tuple[Estimate, ...]
    """By rising number of threads."""

    @property
    def threads(self) -> tuple[int, ...]:
        """Their numbers."""
        return tuple(one.point.layout.threads for one in self.rates)

    @property
    def placed(self) -> str:
        """Where its threads are, and that its work grows with them where it does."""
        return binding_text(self.binding) + ", weak" * (self.problem is Problem.GROWING)

    @property
    def efficiencies(self) -> tuple[Interval, ...]:
        """Rate over that of the fewest threads, over the ratio of their numbers."""
        base = self.rates[0]
        fewest = base.point.layout.threads
        return (
            Interval(1.0, 1.0, 1.0),
            *(
                times(gain_of(one, base).ratio, fewest / one.point.layout.threads)
                for one in self.rates[1:]
            ),
        )


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
    found = [one for name in code_set.codes for one in _scalings(result, name)]
    if not found:
        return None
    return CodesSection(
        _conclusion(found, code_set.codes),
        (_chart(found),),
        (_table(found, code_set.title),),
        answers_of_study(result.header.request.study),
    )


def _scalings(result: RunResult, name: str) -> list[CodeScaling]:
    declared = known(name, result.header.request.study.benchmarks)
    if declared is None:
        return []
    mine = [one for one in result.estimates if one.point.benchmark == name and one.resolved]
    works: dict[Problem, dict[tuple[tuple[str, Value], ...], list[Estimate]]] = {}
    for one in of_metric(mine, "rate"):
        if one.point.layout.ranks == 1:
            grows = grows_with_threads(one.point)
            problem = Problem.GROWING if grows else Problem.FIXED
            of_problem = works.setdefault(problem, {})
            of_problem.setdefault(one.point.parameters, []).append(one)
    return [
        CodeScaling(name, declared.title, declared.stands_for, binding, problem, over_threads)
        for problem, of_problem in works.items()
        for binding in _BINDINGS
        if len(over_threads := _over_threads(max(of_problem.values(), key=len), binding)) > 1
    ]


def _over_threads(rates: Sequence[Estimate], binding: Binding) -> tuple[Estimate, ...]:
    """By rising number of threads; one thread is the same under every binding."""
    by_threads: dict[int, Estimate] = {}
    for one in sorted(rates, key=lambda rate: rate.point.layout.binding is not binding):
        layout = one.point.layout
        if layout.binding is binding or layout.threads == 1:
            by_threads.setdefault(layout.threads, one)
    return tuple(by_threads[threads] for threads in sorted(by_threads))


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
    ends = {one.title: one.efficiencies[-1] for one in close}
    most = max(one.threads[-1] for one in close)
    bounded = {title: end for title, end in ends.items() if end.is_bounded}
    well = [title for title, end in bounded.items() if end.low >= WELL]
    hardly = [title for title, end in bounded.items() if end.high < PARTLY]
    partly = [t for t, end in bounded.items() if end.low >= PARTLY and end.high < WELL]
    unclear = len(ends) - len(well) - len(hardly) - len(partly)
    said = (
        f"On {count_text(most, 'thread', 'threads')}, {close[0].placed}: {len(well)} of "
        f"{len(close)} codes keep {100 * WELL:.0f} % or more of their rate a thread"
    )
    if hardly:
        said += f"; below {100 * PARTLY:.0f} %: {', '.join(hardly)}"
    if unclear:
        said += f"; of {unclear} the 95 % interval leaves it undecided"
    return f"{said}."


def _chart(found: Sequence[CodeScaling]) -> Chart:
    rows: list[Row] = [
        {
            "panel": plain(one.title, 28),
            "series": one.placed,
            "x": threads,
            "value": short(100 * efficiency.value),
            "low": short(100 * (efficiency.low if efficiency.is_bounded else efficiency.value)),
            "high": short(100 * (efficiency.high if efficiency.is_bounded else efficiency.value)),
            "label": f"{count_text(threads, 'thread', 'threads')}: {efficiency_text(efficiency)}",
        }
        for one in found
        for threads, efficiency in zip(one.threads, one.efficiencies, strict=True)
    ]
    names = list(dict.fromkeys(str(row["series"]) for row in rows))
    top = max(110.0, *(float(row["value"]) * 1.05 for row in rows))
    x = count_axis([int(row["x"]) for row in rows], "threads")
    y = quantitative(
        "value",
        title=None,
        scale={"domain": [0, short(top)], "nice": False},
        axis={"values": [0, 50, 100]},
    )
    data = data_of(rows)
    base = {"x": x, "color": color_of(names)}
    lines = layer(
        mark(
            "area",
            data,
            {**base, "y": renamed(y, "low"), "y2": until("high")},
            opacity=0.18,
            line=False,
            clip=True,
        ),
        mark("line", data, {**base, "y": y}, strokeWidth=1.6),
        mark(
            "point",
            data,
            {**base, "y": y, "shape": shape_of(names), "tooltip": tooltip()},
            size=30,
            filled=False,
        ),
    ).properties(width=WIDTH // _COLUMNS - 46, height=_HEIGHT)
    header = {"title": None, "labelFontSize": 11.5, "labelFontWeight": 500}
    by = nominal("panel", sort=list(dict.fromkeys(row["panel"] for row in rows)), header=header)
    return draw(
        "codes-efficiency",
        "Efficiency of threads, code by code",
        f"A small panel for each of {len({one.name for one in found})} codes: percent of the rate "
        "of one thread that each thread keeps, over threads, with 95 % bands; weak: of work that "
        "grows with the threads. The table has every number.",
        facet(lines, by, _COLUMNS, _SPACING),
        "Percent of the rate of the fewest threads that each thread keeps, with 95 % bands.",
    )


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
