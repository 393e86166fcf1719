"""The geometric means of a comparison as a row plot: one row a group of results."""

from __future__ import annotations

from machmeter.model.results.machine_comparison import GroupMean, RelativeStanding
from machmeter.model.units import is_unbounded
from machmeter.report.drawing.row_axis import ratio_axis
from machmeter.report.drawing.row_plot import (
    Mark,
    PlotRow,
    RowGroup,
    RowPlot,
    Shape,
    Weight,
    ends_of,
)
from machmeter.report.views.comparison_lead import (
    group_name,
    group_ratio_text,
    group_standing_text,
    typical_text,
)
from machmeter.text.comparison import MachinePair
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

_WEIGHTS = {
    RelativeStanding.BETTER: Weight.CLEAR,
    RelativeStanding.WORSE: Weight.SLOWER,
    RelativeStanding.INCONCLUSIVE: Weight.INCONCLUSIVE,
}


def group_plot(name: str, pair: MachinePair, who: str) -> RowPlot | None:
    """The plot; `who` says what the ratio is, `B over A`. None without a mean."""
    means = pair.comparison.groups
    if not means:
        return None
    rows = tuple(_row(mean) for mean in means)
    tested = sum(not is_unbounded(mean.high) for mean in means)
    note = "Right of 1x is better."
    if tested:
        groups = count_text(tested, "group", "groups")
        note += f" Filled: significant at 95 % after Holm correction over {groups}, or the same"
        note += " within 2 %. Hollow: inconclusive. Rounds of launches are the sampling unit."
    if tested < len(means):
        note += " Diamond: a published or single value, no confidence interval."
    axis = ratio_axis(ends_of([mark for row in rows for mark in row.marks]))
    title = plain(who, 200)
    return RowPlot(name, title, "Group", "Ratio [95 %]", axis, (RowGroup(rows),), note)


def _row(mean: GroupMean) -> PlotRow:
    known = not is_unbounded(mean.high)
    inconclusive = mean.standing is RelativeStanding.INCONCLUSIVE
    shape = Shape.HOLLOW if inconclusive else Shape.DOT
    mark = (
        Mark(mean.ratio, mean.low, mean.high, shape)
        if known
        else Mark(mean.ratio, shape=Shape.DIAMOND)
    )
    value, _, interval = group_ratio_text(mean).partition(" ")
    return PlotRow(
        label=group_name(mean),
        value=value,
        marks=(mark,),
        detail=typical_text(mean),
        interval=interval,
        verdict=group_standing_text(mean),
        weight=_WEIGHTS.get(mean.standing, Weight.PLAIN),
    )
