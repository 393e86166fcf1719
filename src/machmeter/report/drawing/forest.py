"""The forest plot: ratios of two machines with their intervals, one line a result, grouped.

The form follows meta-analyses (Lewis and Clarke, "Forest plots: trying to see the wood and the
trees", BMJ 322, 2001): a logarithmic axis, a line at 1, and the numbers beside each mark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.benchmarks.catalogue import title_of
from machmeter.model.origin import Origin
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.machine_comparison import Basis
from machmeter.model.results.printed_text import flagged_text
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.forest_panel import forest_panel
from machmeter.report.drawing.panels import short
from machmeter.report.views.forest import ForestLine, few_of_each, forest_lines
from machmeter.text.comparison import NO_INTERVAL_VALUE, MachinePair
from machmeter.text.numbers import NO_INTERVAL, count_text, ratio_text
from machmeter.text.plain import plain
from machmeter.text.ratios import comparison_text

_FLAGS_MEAN = {
    Origin.PUBLISHED: "Contradicted: the source contradicts itself; the table says how.",
    Origin.IMPORTED: "Flagged: when it was imported; the table says why.",
}


def forest_chart(name: str, pairs: Sequence[MachinePair], who: str) -> Chart | None:
    """The plot of all pairs; `who` says what the ratio is, `B over A`. None without a ratio.

    Of more lines than it can hold it draws some of each benchmark, evenly from the first to the
    last, and says so.
    """
    every = forest_lines(pairs)
    if not every:
        return None
    chosen = few_of_each(every)
    names = list(dict.fromkeys(line.other for line in every))
    rows = _rows(chosen, several=len(names) > 1)
    title = f"{plain(who, 140)}: above 1 is better"
    return draw(
        name,
        title,
        _description(chosen, who),
        forest_panel(rows, names, "ratio, logarithmic"),
        _note(every, chosen),
    )


def _rows(lines: Sequence[ForestLine], several: bool) -> list[Row]:
    """A heading for each benchmark, then its results; `y` keeps their order.

    What all results of a benchmark are called stands in its heading alone.
    """
    rows: list[Row] = []
    for benchmark in dict.fromkeys(line.benchmark for line in lines):
        group = [line for line in lines if line.benchmark == benchmark]
        common = _common_title(group)
        rows.append({"y": len(rows), "heading": f"{title_of(benchmark)}{common}"})
        for line in group:
            rows.append({"y": len(rows), **_row(line, several, common.removeprefix(": "))})
    return rows


def _common_title(group: Sequence[ForestLine]) -> str:
    """What all these results are called, where their names say more than that."""
    title = group[0].result.a.title
    return f": {title}" if all(one.result.name.startswith(f"{title}: ") for one in group) else ""


def _row(line: ForestLine, several: bool, heading: str) -> Row:
    found = line.result.by[Basis.AS_MEASURED]
    known = found.is_bounded and not line.result.as_printed
    numbers = comparison_text(found)
    numbers = numbers if known else f"{ratio_text(found.ratio)} ({NO_INTERVAL})"
    numbers += "".join(f", {flagged_text(origin)}" for origin in line.flagged)
    name = plain(line.result.name.removeprefix(f"{heading}: "), 120)
    return {
        "series": line.other,
        "name": f"{name} · {line.other}" if several else name,
        "value": short(found.ratio),
        "low": short(found.low if known else found.ratio),
        "high": short(found.high if known else found.ratio),
        "known": known,
        "numbers": numbers,
        "label": "; ".join((f"{name}: {numbers}", *line.flags)),
    }


def _description(lines: Sequence[ForestLine], who: str) -> str:
    groups: dict[str, list[Comparison]] = {}
    for line in lines:
        groups.setdefault(line.benchmark, []).append(line.result.by[Basis.AS_MEASURED])
    ranges = "; ".join(
        f"{title_of(name)}: {count_text(len(found), 'result', 'results')}, "
        f"{_span([c.ratio for c in found])}"
        for name, found in groups.items()
    )
    return f"Forest plot, {plain(who, 140)}. {ranges}. The table has every number."


def _span(ratios: Sequence[float]) -> str:
    if math.isclose(min(ratios), max(ratios)):
        return ratio_text(ratios[0])
    return f"{ratio_text(min(ratios))} to {ratio_text(max(ratios))}"


def _note(every: Sequence[ForestLine], chosen: Sequence[ForestLine]) -> str:
    parts = []
    if any(c.is_bounded for c in _ratios(chosen)):
        parts.append("Lines are 95 % intervals.")
    if any(line.result.as_printed for line in chosen):
        parts.append(f"A hollow mark is {NO_INTERVAL_VALUE}: it has no interval.")
    origins = {origin for line in chosen for origin in line.flagged}
    parts += [text for origin, text in _FLAGS_MEAN.items() if origin in origins]
    if len(chosen) < len(every):
        parts.append(
            f"{len(chosen)} of {len(every)} results, in even steps from the largest difference "
            "to the smallest of each benchmark; the tables have the others."
        )
    return " ".join(parts)


def _ratios(lines: Sequence[ForestLine]) -> list[Comparison]:
    return [line.result.by[Basis.AS_MEASURED] for line in lines]
