"""The chart of a score: every component with its interval, and the score with both of its own."""

from __future__ import annotations

import pytest

from machmeter.analysis.scores.scores import (
    Component,
    Score,
    ScoreKind,
    component_bounds,
    geometric_score,
    ssp,
)
from machmeter.report.drawing.scores import score_chart
from machmeter.report.views.forest import MOST_LINES
from tests.support.documents.chart_rows import rows_of

CODES = (
    Component("slow", 0.9, 0.0004, 11.0),
    Component("fast", 1.5, 0.0001, 11.0),
    Component("usual", 1.2, 0.0001, 11.0),
)
TITLES = {"new": "New", "old": "Old", "other": "Other"}


def score_of(machine: str, components: tuple[Component, ...] = CODES) -> Score:
    return geometric_score(ScoreKind.SPEC, components, machine=machine, reference="old")


def test_components_come_with_their_intervals_and_the_score_with_both_of_its_own() -> None:
    score = score_of("new")
    rows = [row for row in rows_of(score_chart([score], TITLES)) if "value" in row]
    by_name = {row["name"]: row for row in rows}
    assert list(by_name)[:3] == ["fast", "usual", "slow"]
    for one in CODES:
        low, high = component_bounds(one)
        assert by_name[one.name]["low"] == pytest.approx(low, rel=1e-4)
        assert by_name[one.name]["high"] == pytest.approx(high, rel=1e-4)
    measured, codes = rows[3:]
    assert (measured["low"], codes["low"]) == pytest.approx(
        (score.low, score.workload_low), rel=1e-4
    )
    assert (measured["high"], codes["high"]) == pytest.approx(
        (score.high, score.workload_high), rel=1e-4
    )


def test_as_printed_the_marks_are_hollow_and_only_other_codes_have_a_line() -> None:
    printed = tuple(Component(one.name, one.value, as_printed=True) for one in CODES)
    chart = score_chart([score_of("new", printed)], TITLES)
    rows = [row for row in rows_of(chart) if "value" in row]
    assert not any(row["known"] for row in rows)
    assert [row["low"] < row["high"] for row in rows] == [False, False, False, False, True]
    assert chart is not None
    assert "hollow mark" in chart.note


def test_machines_stand_beside_one_another_in_each_code() -> None:
    scores = [score_of("new"), score_of("other")]
    rows = [row for row in rows_of(score_chart(scores, TITLES)) if "value" in row]
    assert [row["name"] for row in rows[:4]] == [
        "fast · New",
        "fast · Other",
        "usual · New",
        "usual · Other",
    ]


def test_rates_of_a_node_have_no_axis_in_common_with_a_machine() -> None:
    rates = (Component("a", 5e9, 0.0001, 11.0), Component("b", 20e9, 0.0001, 11.0))
    chart = score_chart([ssp(rates, 100, "new")], TITLES)
    rows = [row for row in rows_of(chart) if "value" in row]
    assert [row["value"] for row in rows] == [20, 5]
    assert rows[0]["low"] < 20 < rows[0]["high"]


def test_of_many_codes_some_are_drawn_and_the_rest_told() -> None:
    many = tuple(Component(f"code {n}", 1 + n / 100, 0.0001, 11.0) for n in range(100))
    chart = score_chart([score_of("new", many)], TITLES)
    drawn = [row["name"] for row in rows_of(chart) if str(row.get("name")).startswith("code")]
    assert len(drawn) == MOST_LINES
    assert (drawn[0], drawn[-1]) == ("code 99", "code 0")
    assert chart is not None
    assert f"{MOST_LINES} of 100 components" in chart.note


def test_one_code_alone_is_the_score() -> None:
    assert score_chart([score_of("new", CODES[:1])], TITLES) is None
    assert score_chart([], TITLES) is None
