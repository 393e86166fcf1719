"""Changes of results as text."""

from __future__ import annotations

import pytest

from machmeter.text.twins.sensitivity import change_text, changes_pair, point_heading


@pytest.mark.parametrize(
    ("change", "text"),
    [(0.0834, "+8.3"), (-0.2, "-20.0"), (0.0004, "0"), (None, "–")],
)
def test_a_change_in_percent(change: float | None, text: str) -> None:
    assert change_text(change) == text


def test_two_changes_are_one_where_both_are_nothing() -> None:
    assert changes_pair((0.0, 0.0)) == "0"
    assert changes_pair((-0.1, None)).split("\u00a0") == ["-10.0", "/", "–"]


def test_a_number_stays_with_its_unit() -> None:
    assert point_heading("latency, 8 B", "1.38 µs") == "latency, 8\u00a0B (1.38\u00a0µs)"
