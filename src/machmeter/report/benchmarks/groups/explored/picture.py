"""One picture of the layouts of a program that is not ours, and the table of what it shows."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.units import UnitScale, common_scale, scale_for
from machmeter.report.benchmarks.groups.explored.per_core import (
    CORE_TIME,
    CoreResult,
    core_results,
)
from machmeter.report.benchmarks.groups.explored.standings import (
    LayoutResult,
    Standing,
    layout_results,
    without_result,
)
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.forest_panel import forest_panel
from machmeter.report.drawing.panels import short
from machmeter.report.table import Table, TableRow
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.plain import capitalized, plain
from machmeter.text.results import (
    result_interval_text,
    result_text,
    value_text,
    value_with_interval,
)

MOST_DRAWN = 40
_MOST_NAMED = 4
_SET, _DEFAULT, _OUT = "layout", "nothing set", "dropped out of the race"
_TIED_MEANS = "Tied: not distinguishable from the best, as the finding says."
_OUT_MEANS = "A layout dropped out of the race once it was shown to be slower than another one."
_CORE_TIME_MEANS = "Core time: the time of a run on all cores of its layout together."
_SERIES = (_SET, _DEFAULT, _OUT)


def layout_charts(section: Section) -> list[Chart]:
    """A row for each layout with its interval, the best first, those tied with it shaded; none
    where there is but one."""
    every = [one for one in layout_results(section) if one.estimate.value > 0]
    if len(every) < 2:
        return []
    shown = [one for n, one in enumerate(every) if n < MOST_DRAWN or one.is_default]
    scale = _scale(shown)
    rows = [_row(place, one, scale) for place, one in enumerate(shown)]
    names = [name for name in _SERIES if any(row["series"] == name for row in rows)]
    title = plain(every[0].estimate.title, 40)
    unit = f", {plain(scale.symbol, 20)}" if scale.symbol else ""
    return [
        draw(
            f"{section.slug}-layouts",
            f"{title} of each layout, the best first",
            _description(every),
            forest_panel(rows, names, f"{title}{unit}, logarithmic", middle=None),
            _note(every, shown, len(without_result(section))),
        )
    ]


def layout_tables(section: Section) -> list[Table]:
    """What the picture shows, in the same order, and then the layouts without a result."""
    every, without = layout_results(section), without_result(section)
    if not every:
        return []
    names = {one.spec: one.name for one in every}
    tied = any(one.standing is Standing.TIED for one in every)
    topology = section.result.header.machine.topology
    of_cores = core_results([one.estimate for one in every], topology)
    name = next((one.name for one in of_cores.values()), "")
    columns = ("cores", name) if name else ()
    meanings = (
        _TIED_MEANS * tied,
        _OUT_MEANS * any(one.dropped for one in every),
        _CORE_TIME_MEANS * (name == CORE_TIME),
    )
    blank = (NOTHING,) * len(columns)
    return [
        Table(
            f"Layouts, the best first: {count_text(len(every), 'result', 'results')}",
            ("layout", "value", "95 % interval", "launches", *columns, "standing"),
            (
                *(_table_row(one, names, of_cores.get(one.estimate.point)) for one in every),
                *((one, NOTHING, NOTHING, "0", *blank, "no accepted launch") for one in without),
            ),
            tuple(range(1, 4 + len(columns))),
            " ".join(filter(None, meanings)),
        )
    ]


def _scale(shown: Sequence[LayoutResult]) -> UnitScale:
    """One unit for all of them: that of the best where they are too far apart for one."""
    unit, values = shown[0].estimate.unit, [one.estimate.value for one in shown]
    return common_scale(values, unit) or UnitScale(*scale_for(values[0], unit))


def _row(place: int, one: LayoutResult, scale: UnitScale) -> Row:
    estimate = one.estimate
    known = estimate.is_bounded and estimate.low > 0
    ends = (estimate.low, estimate.high) if known else (estimate.value, estimate.value)
    interval = f" {scale.interval(*ends, estimate.value)}" if known else ""
    standing = f", {one.standing.value}" if one.is_ahead else ""
    return {
        "y": place,
        "series": _series(one),
        "name": one.name,
        "value": short(estimate.value / scale.factor),
        "low": short(ends[0] / scale.factor),
        "high": short(ends[1] / scale.factor),
        "known": known,
        "shaded": one.is_ahead,
        "numbers": f"{scale.number(estimate.value)}{interval}{standing}",
        "label": plain(f"{one.name}: {result_text(estimate)}; {_standing_text(one)}", 300),
    }


def _series(one: LayoutResult) -> str:
    if one.is_default:
        return _DEFAULT
    return _OUT if one.dropped else _SET


def _standing_text(one: LayoutResult) -> str:
    if one.dropped is None:
        return one.standing.value
    return f"dropped out after round {one.dropped.round}"


def _table_row(one: LayoutResult, names: dict[str, str], of_cores: CoreResult | None) -> TableRow:
    standing = _standing_text(one)
    if one.dropped is not None and one.dropped.behind in names:
        standing += f", behind {names[one.dropped.behind]}"
    estimate = one.estimate
    value, interval = value_text(estimate), result_interval_text(estimate)
    cells = (str(of_cores.cores), of_cores.value) if of_cores else ()
    return (one.name, value, interval, str(estimate.launches), *cells, standing)


def _description(every: Sequence[LayoutResult]) -> str:
    tied = [one.name for one in every if one.standing is Standing.TIED]
    parts = [f"Forest plot of {count_text(len(every), 'layout', 'layouts')}, the best first"]
    parts += [
        f"{one.standing.value if one.standing is Standing.BEST else 'nothing set'}: "
        f"{one.name}, {value_with_interval(one.estimate)}"
        for one in every
        if one.standing is Standing.BEST or one.is_default
    ]
    if tied:
        more = tied[_MOST_NAMED:]
        named = [*tied[:_MOST_NAMED], *([f"{len(more)} more"] if more else [])]
        parts.append(f"tied with the best: {'; '.join(named)}")
    out = sum(one.dropped is not None for one in every)
    if out:
        parts.append(f"{count_text(out, 'layout', 'layouts')} dropped out of the race")
    return plain(f"{'. '.join(map(capitalized, parts))}. The table has every number.", 1000)


def _note(every: Sequence[LayoutResult], shown: Sequence[LayoutResult], without: int) -> str:
    parts = ["Lines are 95 % intervals."]
    if any(one.is_ahead for one in every):
        parts.append("Shaded: the best layout and those tied with it.")
    if any(not one.estimate.is_bounded for one in shown):
        parts.append("A hollow mark is of one launch: it has no interval.")
    if any(one.dropped for one in every):
        parts.append(_OUT_MEANS)
    if len(shown) < len(every):
        parts.append(f"{len(every) - len(shown)} more in the table.")
    if without:
        parts.append(f"{count_text(without, 'layout has', 'layouts have')} no accepted launch.")
    return " ".join(parts)
