"""Scaling in words, tables and charts."""

from __future__ import annotations

from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console

from machmeter.analysis.scaling.fit import scaling_of
from machmeter.model.interval import Interval
from machmeter.model.results.scaling import Problem, Scaling, ScalingLimit, ScalingReport
from machmeter.model.units import UNBOUNDED
from machmeter.report.drawing.scaling import chart_name, scaling_chart
from machmeter.report.terminal.scaling import print_scaling
from machmeter.text.machines import within_a_line
from machmeter.text.scaling import (
    efficiency_text,
    headline,
    holds_text,
    limit_text,
    percent,
    prediction_sentences,
    speedup_text,
    value_of,
)
from tests.support.made_up.scaling import amdahl, power, series, universal

COUNTS = (1, 2, 4, 8, 16)


def measured(**more: int) -> Scaling:
    drawn = series(COUNTS, universal(0.05, 0.004), noise=0.01)
    return scaling_of(drawn, {"size": "8 B"}, name="made up, wall time", **more)  # type: ignore[arg-type]


def test_numbers_carry_their_interval_or_none_where_there_is_none() -> None:
    assert speedup_text(Interval(2.0, 1.9, 2.1)) == "2.00x [1.90, 2.10]"
    assert speedup_text(Interval(14.4, 14.41, 14.43)) == "14.4x [14.4, 14.4]"
    assert speedup_text(Interval(0.0526, 0.0422, 0.0656)) == "0.0526x [0.0422, 0.0656]"
    assert speedup_text(Interval(2.0)) == "2.00x"
    assert efficiency_text(Interval(0.5, 0.45, 0.55)) == "50.0 % [45.0, 55.0]"
    assert percent(-1) == "–"
    assert percent(0.123) == "12.3 %"
    assert percent(77.0) == "> 1000 %"


def test_seconds_of_a_long_run_stay_seconds() -> None:
    printed = scaling_of(series((48, 96), lambda n: n / 93_456), {})
    assert value_of(printed.results[0].value, printed) == "1,947 s"


def test_the_headline_says_speed_up_and_where_it_stops_paying() -> None:
    words = headline(measured())
    assert words.startswith("1 to 16 cores: speedup ")
    assert "scales up to 4 cores" in words or "scales up to 8 cores" in words
    cost = scaling_of(series(COUNTS, power(0.5), problem=Problem.COST), {})
    assert headline(cost) == "1 to 16 cores: 4.00 times the cost"


def test_a_limit_out_of_reach_is_said_to_be_beyond_it() -> None:
    law = measured().laws[0]
    beyond = ScalingLimit(UNBOUNDED, UNBOUNDED, UNBOUNDED)
    reached = ScalingLimit(20.4, 12.0, UNBOUNDED)
    assert limit_text(replace(law, limit=beyond), 32) == ">32"
    assert limit_text(replace(law, limit=reached), 32) == "20 [12, >32]"


def test_laws_stand_side_by_side_where_they_predict() -> None:
    lines = prediction_sentences(measured(to=128))
    assert lines[0] == "At 128 cores, 8 times the largest measured:"
    assert lines[-1].startswith("  the laws differ by a factor of ")
    assert len(lines) == 2 + len(measured().laws)
    assert prediction_sentences(measured()) == ()


def test_whether_a_law_holds_is_not_known_of_printed_figures() -> None:
    printed = scaling_of(series(COUNTS, amdahl(0.1)), {})
    assert {holds_text(law) for law in printed.laws} == {"–"}
    assert {holds_text(law) for law in measured().laws} <= {"yes", "no"}


@pytest.mark.parametrize(
    ("title", "within"), [("Wall time", "wall time"), ("MPI_Init", "MPI_Init"), ("", "")]
)
def test_names_in_capitals_stay(title: str, within: str) -> None:
    assert within_a_line(title) == within


def test_the_chart_has_results_laws_and_the_ideal() -> None:
    found = measured()
    chart = scaling_chart(found)
    drawn = str(chart.spec)
    for name in ("measured", "ideal", found.laws[0].law.value):
        assert f"'{name}'" in drawn
    assert "95 %" in chart.description
    assert chart.name == chart_name(found)


def test_a_cost_is_drawn_by_its_value() -> None:
    cost = scaling_of(series(COUNTS, power(0.5), problem=Problem.COST, noise=0.01), {}, name="it")
    chart = scaling_chart(cost)
    drawn = str(chart.spec)
    assert "'ideal'" not in drawn
    assert "'power law'" in drawn


@pytest.mark.parametrize("details", [True, False])
def test_a_terminal_of_100_columns_holds_measured_figures(details: bool) -> None:
    console = Console(width=100, file=StringIO(), record=True)
    shown = tuple(replace(measured(to=20), name=f"made up {n}") for n in range(4))
    report = ScalingReport("made-up", "Made up", 1.5, shown, ("a note",))
    print_scaling(report, console, details=details)
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= 100
    text = "\n".join(lines)
    assert ("s: contention, k: coherency" in text) == details
    assert ("All counts and laws: --details" in text) != details
    assert "a note" in text
    # One row a count, none folded.
    rows = [line for line in lines if line.split()[:1] == ["16"]]
    assert len(rows) == (4 if details else 0)
    assert all(row.rstrip().endswith("no") for row in rows)
