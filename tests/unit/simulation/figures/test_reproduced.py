"""Deviations, rounding, order and counts of figures that are reproduced."""

from __future__ import annotations

import pytest

from machmeter.model.results.printed import Printed
from machmeter.simulation.figures.reproduced import (
    counted_once,
    counts_of_classes,
    misses_first,
    stated_value,
    within_counts,
)
from machmeter.simulation.figures.reproduction import FigureClass, ReproducedFigure, WithinCounts


def figure(
    name: str,
    kind: FigureClass = FigureClass.PREDICTED,
    value: float | None = None,
    counted_as: str = "",
) -> ReproducedFigure:
    """A figure that prints 1.00, beside a value."""
    return ReproducedFigure(
        printed=Printed(name, "1.00", 1.0, "s", "a study"),
        figure_class=kind,
        twin=None if value is None else stated_value(value, 1.0, 0.995, 1.005),
        counted_as=counted_as,
    )


@pytest.mark.parametrize(
    ("value", "printed", "half", "deviation", "rounds"),
    [
        (1.5, 1.5, 0.05, 0.0, True),
        (1.55, 1.5, 0.05, 1 / 30, True),
        (1.5501, 1.5, 0.05, 0.0334, False),
        (3.49, 3.0, 0.5, 0.163333, True),
        (2.49, 3.0, 0.5, -0.17, False),
        (16.0, 16.0, 0.0, 0.0, True),
        (-1.8, -2.0, 0.5, -0.1, True),
    ],
)
def test_a_deviation_is_model_over_printed_and_rounding_is_a_hit(
    value: float, printed: float, half: float, deviation: float, rounds: bool
) -> None:
    found = stated_value(value, printed, printed - half, printed + half)
    assert found.deviation == pytest.approx(deviation, rel=1e-3)
    assert found.within_rounding is rounds


def test_nothing_deviates_from_zero() -> None:
    with pytest.raises(ValueError, match="0"):
        stated_value(1.0, 0.0, -0.5, 0.5)


def test_misses_come_first_and_the_others_keep_their_order() -> None:
    figures = (
        figure("count b", FigureClass.PARAMETER),
        figure("fitted", FigureClass.FITTED, 3.0),
        figure("close", value=0.99),
        figure("count a", FigureClass.PARAMETER),
        figure("far", value=0.5),
        figure("none", FigureClass.NOT_PREDICTABLE),
        figure("above", value=1.3),
        figure("follows", FigureClass.RESTATED),
    )
    names = [one.printed.id for one in misses_first(figures)]
    assert names == ["far", "above", "close", "fitted", "none", "follows", "count b", "count a"]
    assert counts_of_classes(figures) == {
        "predicted": 3,
        "fitted": 1,
        "not predictable": 1,
        "restated": 1,
        "parameter": 2,
    }


def test_figures_that_state_the_same_count_once_by_the_worst() -> None:
    figures = (
        figure("a", value=1.02, counted_as="atomics"),
        figure("b", value=1.08, counted_as="atomics"),
        figure("c", value=1.05, counted_as="atomics"),
        figure("alone", value=1.3),
        figure("fitted", FigureClass.FITTED, 1.0),
    )
    assert {one.printed.id for one in counted_once(figures)} == {"b", "alone"}


def test_what_rounds_to_the_figure_is_close_at_every_width() -> None:
    values = (
        stated_value(3.49, 3.0, 2.5, 3.5),
        stated_value(1.05, 1.0, 0.995, 1.005),
        stated_value(0.91, 1.0, 0.995, 1.005),
        stated_value(1.19, 1.0, 0.995, 1.005),
        stated_value(2.0, 1.0, 0.995, 1.005),
        None,
    )
    assert within_counts(values) == WithinCounts(
        within_5=2, within_10=3, within_20=4, within_rounding=1
    )
