"""A value and its interval apart, and both as one text."""

from __future__ import annotations

import math

import pytest

from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.units import UNBOUNDED
from machmeter.text.numbers import ValueText, points_parts, points_text, ratio_parts, ratio_text
from machmeter.text.ratios import comparison_parts, comparison_text


@pytest.mark.parametrize(
    ("found", "parts"),
    [
        ((1.92, 1.85, 2.0), ("1.92x", "[1.85, 2.00]")),
        ((14.4,), ("14.4x", "")),
        ((1.0, 1e-9, 1e9), ("1.00x", "no bound")),
        ((math.nan,), ("–", "")),
    ],
)
def test_a_ratio_is_its_parts_together(found: tuple[float, ...], parts: tuple[str, str]) -> None:
    assert ratio_parts(*found) == parts
    assert ratio_text(*found) == " ".join(filter(None, parts))


def test_where_one_bound_is_known_it_is_a_value_without_an_interval() -> None:
    one = Comparison(7.0, 7.0, UNBOUNDED, True, 9.0, 0.01, ComparisonVerdict.FASTER)
    assert comparison_parts(one) == ("at least 7.00x", "")
    assert comparison_text(one) == "at least 7.00x"


def test_points_may_be_called_otherwise_in_a_narrow_column() -> None:
    assert points_parts(0.041, 0.032, 0.05, "pt") == ValueText("+4.1 pt", "[+3.2, +5.0]")
    assert points_text(0.041, 0.032, 0.05) == "+4.1 points [+3.2, +5.0]"
    assert points_text(0.041) == "+4.1 points"
