"""The ratios of a comparison as row plots: a mean for each group, and each result once."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.matching.compare_machines import standing_of
from machmeter.analysis.matching.open_settings import quoted_key
from machmeter.benchmarks.catalogue import title_of
from machmeter.model.results.machine_comparison import (
    Basis,
    ComparedResult,
    GroupMean,
    RelativeStanding,
)
from machmeter.report.drawing.row_axis import ratio_axis
from machmeter.report.drawing.row_plot import (
    LegendEntry,
    Mark,
    PlotRow,
    ReferenceLine,
    RowGroup,
    RowPlot,
    Shape,
    Weight,
    ends_of,
)
from machmeter.report.views.comparison_lead import (
    group_name,
    group_ratio,
    group_standing_text,
    typical_text,
)
from machmeter.report.views.forest import ForestLine, few_of_each, forest_lines
from machmeter.report.views.gate import GATE, Gate, has_pairs, pair_ratios
from machmeter.text.comparison import NO_INTERVAL_VALUE, MachinePair, standing_text
from machmeter.text.machines import point_labels
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.ratios import comparison_parts, times_text
from machmeter.text.results import both_texts

_WEIGHTS = {
    RelativeStanding.BETTER: Weight.CLEAR,
    RelativeStanding.WORSE: Weight.SLOWER,
    RelativeStanding.INCONCLUSIVE: Weight.INCONCLUSIVE,
}
_MEANINGS = {
    Shape.DOT: "95 % confidence interval",
    Shape.HOLLOW: "inconclusive or not significant",
    Shape.DIAMOND: "published or single value, no confidence interval",
}


def ratio_plot(name: str, pairs: Sequence[MachinePair], who: str) -> RowPlot | None:
    """The plot of all pairs; `who` says what the ratio is, `B over A`. None without a ratio.

    Of more results than a person reads it draws some of each benchmark, evenly from the first to
    the last, and says so.
    """
    every = forest_lines(pairs)
    if not every:
        return None
    chosen = few_of_each(every)
    groups = _groups(chosen, several=len({line.other for line in every}) > 1)
    marks = [mark for group in groups for row in group.rows for mark in row.marks]
    # A row of two marks says itself what they are.
    alone = [row.marks[0] for group in groups for row in group.rows if len(row.marks) == 1]
    drawn = {mark.shape for mark in alone}
    cut = (
        f" {len(chosen)} of {len(every)} results, in even steps from the largest difference to "
        "the smallest of each benchmark; the tables have the others."
    )
    return RowPlot(
        name,
        plain(who, 140),
        "Result",
        "Ratio [95 %]",
        ratio_axis(ends_of(marks)),
        groups,
        "Right of 1x is better." + cut * (len(chosen) < len(every)),
        tuple(LegendEntry(text, shape) for shape, text in _MEANINGS.items() if shape in drawn),
    )


def _groups(lines: Sequence[ForestLine], *, several: bool) -> tuple[RowGroup, ...]:
    """A group for each benchmark; what all its results are called stands in its heading alone."""
    groups = []
    for benchmark in dict.fromkeys(line.benchmark for line in lines):
        mine = [line for line in lines if line.benchmark == benchmark]
        common = _common_title(mine)
        title = title_of(benchmark) + f": {common}" * bool(common)
        rows = tuple(
            _row_of_two(*same, several=several)
            if len(same) == 2
            else _row(same[0], common, several=several)
            for same in _of_one_quoted(mine)
        )
        groups.append(RowGroup(rows, title))
    return tuple(groups)


def _of_one_quoted(lines: Sequence[ForestLine]) -> list[tuple[ForestLine, ...]]:
    """Lines; two that are compared with one published value, in different settings, together."""
    found: dict[object, list[ForestLine]] = {}
    for line in lines:
        key = (line.other, quoted_key(line.result)) if line.result.setting else id(line)
        found.setdefault(key, []).append(line)
    parts = (
        [tuple(same)] if len(same) == 2 else [(one,) for one in same] for same in found.values()
    )
    return [part for several in parts for part in several]


def _row_of_two(one: ForestLine, other: ForestLine, *, several: bool) -> PlotRow:
    """One published value and two results that fit it: both ratios, and no verdict."""
    lines = sorted((one, other), key=lambda line: -line.result.by[Basis.AS_MEASURED].ratio)
    ratios = [line.result.by[Basis.AS_MEASURED].ratio for line in lines]
    names = [plain(line.result.setting, 80) for line in lines]
    flags = dict.fromkeys(flag for line in lines for flag in line.flags)
    detail = [one.other] * several + [f"dot: {names[0]}; square: {names[1]}"]
    return PlotRow(
        label=_quoted_label(one.result),
        value=f"{times_text(ratios[0])} / {times_text(ratios[1])}",
        marks=(Mark(ratios[0]), Mark(ratios[1], shape=Shape.SQUARE, series=2)),
        detail="; ".join([*detail, *(f"caveat: {flag}" for flag in flags)]),
        verdict=standing_text(lines[0].result),
        weight=Weight.INCONCLUSIVE,
    )


def _quoted_label(result: ComparedResult) -> str:
    """What a published value is of, as its source has it."""
    quoted = result.a if result.a.origin.is_quoted else result.b
    return plain(", ".join(point_labels(quoted)) or quoted.title, 120)


def _common_title(group: Sequence[ForestLine]) -> str:
    """What all these results are called, where their names say more than that."""
    title = group[0].result.a.title
    return title if all(one.result.name.startswith(f"{title}: ") for one in group) else ""


def _row(line: ForestLine, heading: str, *, several: bool) -> PlotRow:
    found = line.result.by[Basis.AS_MEASURED]
    standing = standing_of(line.result)
    known = found.is_bounded and not line.result.as_printed
    value, interval = comparison_parts(found)
    setting = [plain(line.result.setting, 80)] if line.result.setting else []
    detail = [line.other] * several + setting + [f"caveat: {flag}" for flag in line.flags]
    named = plain(line.result.name.removeprefix(f"{heading}: "), 120)
    shape = Shape.HOLLOW if standing is RelativeStanding.INCONCLUSIVE else Shape.DOT
    return PlotRow(
        label=_quoted_label(line.result) if line.result.setting else named,
        value=value if known else times_text(found.ratio),
        marks=(
            Mark(
                found.ratio,
                found.low if known else None,
                found.high if known else None,
                shape if known else Shape.DIAMOND,
            ),
        ),
        detail="; ".join(detail),
        interval=interval if known else "",
        verdict=standing_text(line.result),
        weight=_WEIGHTS.get(standing, Weight.PLAIN),
    )


def group_plot(name: str, pair: MachinePair, who: str) -> RowPlot | None:
    """The plot; `who` says what the ratio is, `B over A`. None without a mean."""
    means = pair.comparison.groups
    if not means:
        return None
    rows = tuple(_group_row(mean) for mean in means)
    tested = sum(mean.is_bounded for mean in means)
    note = "Right of 1x is better."
    if tested:
        groups = count_text(tested, "group", "groups")
        note += f" Filled: significant at 95 % after Holm correction over {groups}, or the same"
        note += " within 2 %. Hollow: inconclusive or not significant."
        note += " Rounds of launches are the sampling unit."
    if tested < len(means):
        note += f" Diamond: {NO_INTERVAL_VALUE}, no confidence interval."
    axis = ratio_axis(ends_of([mark for row in rows for mark in row.marks]))
    title = plain(who, 200)
    return RowPlot(name, title, "Group", "Ratio [95 %]", axis, (RowGroup(rows),), note)


def gate_plot(name: str, gate: Gate) -> RowPlot | None:
    """The result that decides an A/B run: each pair of launches, and the ratio with its interval.

    None where no ratio has an interval.
    """
    one = gate.deciding
    if one is None or not has_pairs(one):
        return None
    ratios = pair_ratios(one)
    found = one.by[Basis.AS_MEASURED]
    value, interval = comparison_parts(found)
    above = sum(ratio > 1 for ratio in ratios)
    standing = standing_of(one)
    shape = Shape.HOLLOW if standing is RelativeStanding.INCONCLUSIVE else Shape.DOT
    old, new = both_texts(one.a, one.b)
    rows = (
        PlotRow(
            label=count_text(len(ratios), "pair of launches", "pairs of launches"),
            value=f"{above} above 1x",
            marks=tuple(Mark(ratio, shape=Shape.SMALL) for ratio in ratios),
            detail="each dot: a candidate launch over the baseline launch next to it",
        ),
        PlotRow(
            label=plain(one.a.title, 120),
            value=value,
            marks=(Mark(found.ratio, found.low, found.high, shape),),
            detail=f"baseline {old} → candidate {new}",
            interval=interval,
            verdict="slower" if standing is RelativeStanding.WORSE else standing_text(one),
            weight=_WEIGHTS.get(standing, Weight.PLAIN),
        ),
    )
    axis = ratio_axis(
        ends_of([mark for row in rows for mark in row.marks]), (ReferenceLine(GATE, limit=True),)
    )
    title = f"{plain(one.name, 120)}: candidate over baseline"
    note = "Left of 1x: the candidate is slower. Dashed: the gate, 2 % slower."
    return RowPlot(name, title, "Measure", "Ratio [95 %]", axis, (RowGroup(rows),), note)


def _group_row(mean: GroupMean) -> PlotRow:
    known = mean.is_bounded
    inconclusive = mean.standing is RelativeStanding.INCONCLUSIVE
    shape = Shape.HOLLOW if inconclusive else Shape.DOT
    mark = (
        Mark(mean.ratio, mean.low, mean.high, shape)
        if known
        else Mark(mean.ratio, shape=Shape.DIAMOND)
    )
    value, interval = group_ratio(mean)
    return PlotRow(
        label=group_name(mean),
        value=value,
        marks=(mark,),
        detail=typical_text(mean),
        interval=interval,
        verdict=group_standing_text(mean),
        weight=_WEIGHTS.get(mean.standing, Weight.PLAIN),
    )
