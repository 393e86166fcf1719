"""Figures to powers: the mean of what a printed geometric mean leaves out."""

from __future__ import annotations

import math

import pytest

from machmeter.model.errors import MachmeterError
from machmeter.published.format import Powers
from machmeter.published.formulas import PublishedNumber, evaluate, published_numbers
from machmeter.published.load import published_machine


def of(**figures: tuple[float, float, float]) -> PublishedNumber:
    known = {name: PublishedNumber(*ends) for name, ends in figures.items()}
    return evaluate(Powers({"whole": 2.8, "part": -1.8}), known.__getitem__)


def test_the_rest_of_a_geometric_mean_has_the_ends_that_rounding_leaves() -> None:
    nine, five = 7.0, 20.0
    whole = math.exp((9 * math.log(nine) + 5 * math.log(five)) / 14)
    exact = of(whole=(whole, whole, whole), part=(nine, nine, nine))
    assert (exact.value, exact.low, exact.high) == pytest.approx((five, five, five))
    rounded = of(whole=(whole, whole - 0.05, whole + 0.05), part=(nine, nine - 0.005, nine + 0.005))
    lowest = (whole - 0.05) ** 2.8 * (nine + 0.005) ** -1.8
    assert rounded.low == pytest.approx(lowest)
    assert rounded.low < five < rounded.high


@pytest.mark.parametrize("low", [0.0, -1.0])
def test_powers_are_of_figures_above_zero(low: float) -> None:
    with pytest.raises(MachmeterError, match="above 0"):
        of(whole=(1.0, low, 2.0), part=(1.0, 1.0, 1.0))


def test_the_codes_that_a_study_left_out_scored_what_its_scores_leave() -> None:
    numbers = published_numbers(map(published_machine, ("echo", "uv1000")))
    echo, uv = (numbers[f"{name}/spec-omp-others"] for name in ("echo", "uv1000"))
    assert (echo.low, echo.high) == pytest.approx((17.8, 18.3), abs=0.1)
    assert (uv.low, uv.high) == pytest.approx((6.28, 6.32), abs=0.01)
