"""Precision is told once: a distribution, its median over time, and a sentence."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.results.precision import PrecisionBin, PrecisionReached, PrecisionStep
from machmeter.report.drawing.row_plot import Shape
from machmeter.report.pages.precision_rows import precision_plots, precision_sentence

REACHED = PrecisionReached(
    target=0.02,
    results=10,
    reached=3,
    median=0.07,
    launches=13,
    bins=(PrecisionBin(0, 0.02, 3), PrecisionBin(0.02, 0.1, 6), PrecisionBin(0.1, None, 1)),
    curve=(
        PrecisionStep(50, 0.1, extrapolated=False),
        PrecisionStep(110, 0.07, extrapolated=False),
        PrecisionStep(440, 0.035, extrapolated=True),
    ),
)


def test_every_range_is_a_row_with_a_bar_as_long_as_its_count() -> None:
    rows = precision_plots(REACHED)[0].groups[0].rows
    assert [row.label for row in rows] == ["up to 2 %", "2 % to 10 %", "above 10 %"]
    assert [row.value for row in rows] == ["3", "6", "1"]
    assert [row.marks[0].value for row in rows] == [3, 6, 1]


def test_what_is_extrapolated_is_hollow_and_the_target_is_a_limit() -> None:
    plot = precision_plots(REACHED)[1]
    shapes = [row.marks[0].shape for row in plot.groups[0].rows]
    assert shapes == [Shape.DOT, Shape.DOT, Shape.HOLLOW]
    (line,) = plot.axis.references
    assert (line.value, line.limit) == (0.02, True)


def test_the_sentence_says_what_was_reached_and_what_more_time_gives() -> None:
    text = precision_sentence(REACHED)
    assert text.startswith("Half of the results are within ±7 %; 3 of 10 results met the target")
    assert "About 7 min 20 s would halve the median, to ±3.5 %." in text


def test_the_sentence_says_where_time_alone_gives_nothing_and_what_is_not_counted() -> None:
    text = precision_sentence(
        replace(REACHED, curve=(), most_launches=2, shares=1, shares_median=0.015)
    )
    assert "halve" not in text
    assert "2 results took the most launches allowed" in text
    assert "1 share, with a median of ±1.5 points" in text


def test_without_a_curve_there_is_no_plot_of_it() -> None:
    (only,) = precision_plots(replace(REACHED, curve=()))
    assert only.name == "precision"
