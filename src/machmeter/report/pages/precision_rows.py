"""The precision of a run, once: how results are distributed, and what more time would give."""

from __future__ import annotations

from machmeter.model.results.precision import PrecisionBin, PrecisionReached, PrecisionStep
from machmeter.model.units import SHARE
from machmeter.report.drawing.row_axis import value_axis
from machmeter.report.drawing.row_plot import (
    LegendEntry,
    Mark,
    PlotRow,
    ReferenceLine,
    RowAxis,
    RowGroup,
    RowPlot,
    Shape,
    Tick,
)
from machmeter.report.views.forest import evenly
from machmeter.text.numbers import count_text, duration_text, half_width_text

_MOST_STEPS = 8


def precision_plots(reached: PrecisionReached) -> tuple[RowPlot, ...]:
    """The distribution of half widths, and where it is known their median over measuring time."""
    if not reached.curve:
        return (_distribution(reached),)
    return _distribution(reached), _over_time(reached)


def precision_sentence(reached: PrecisionReached) -> str:
    """What the time reached, what more time gives, and when it gives nothing."""
    within = f"{reached.reached} of {count_text(reached.results, 'result', 'results')}"
    parts = [
        f"Half of the results are within ±{half_width_text(reached.median)}; {within} met the "
        f"target of ±{half_width_text(reached.target)}."
    ]
    later = next((s for s in reached.curve if s.half_width <= reached.median / 2), None)
    if later and later.extrapolated:
        parts.append(
            f"About {duration_text(later.seconds)} would halve the median, to "
            f"±{half_width_text(later.half_width)}."
        )
    if reached.most_launches:
        held = count_text(reached.most_launches, "result took", "results took")
        parts.append(f"{held} the most launches allowed: for these allow more.")
    if reached.shares:
        shares = count_text(reached.shares, "share", "shares")
        parts.append(
            f"Not counted: {shares}, with a median of ±{100 * reached.shares_median:.1f} points."
        )
    return " ".join(parts)


def _distribution(reached: PrecisionReached) -> RowPlot:
    most = max((one.results for one in reached.bins), default=1) or 1
    rows = tuple(
        PlotRow(_range(one), f"{one.results:,}", (Mark(one.results, shape=Shape.BAR),))
        for one in reached.bins
    )
    half = most / 2
    middle = (Tick(half, f"{half:g}"),) if half.is_integer() else ()
    axis = RowAxis(0.0, most, (Tick(0.0, "0"), *middle, Tick(most, f"{most:,}")))
    launches = count_text(reached.launches, "launch", "launches")
    return RowPlot(
        "precision",
        "Precision reached",
        "Half width of the 95 % interval",
        "Results",
        axis,
        (RowGroup(rows),),
        f"{count_text(reached.results, 'result', 'results')}, in the median {launches} each.",
    )


def _range(one: PrecisionBin) -> str:
    if one.upto is None:
        return f"above {half_width_text(one.above)}"
    if not one.above:
        return f"up to {half_width_text(one.upto)}"
    return f"{half_width_text(one.above)} to {half_width_text(one.upto)}"


def _over_time(reached: PrecisionReached) -> RowPlot:
    steps = evenly(reached.curve, _MOST_STEPS)
    rows = tuple(_step(step) for step in steps)
    target = ReferenceLine(reached.target, limit=True)
    return RowPlot(
        "precision-time",
        "Precision over measuring time",
        "Measuring time",
        "Median half width",
        value_axis([step.half_width for step in steps], SHARE, (target,)),
        (RowGroup(rows),),
        "Dashed: the target.",
        (
            LegendEntry("from the launches made", Shape.DOT),
            LegendEntry("extrapolated at the current variance", Shape.HOLLOW),
        ),
    )


def _step(step: PrecisionStep) -> PlotRow:
    shape = Shape.HOLLOW if step.extrapolated else Shape.DOT
    return PlotRow(
        duration_text(step.seconds),
        f"±{half_width_text(step.half_width)}",
        (Mark(step.half_width, shape=shape),),
    )
