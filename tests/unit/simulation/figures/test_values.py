"""Values of figures from results, and files that are refused."""

from __future__ import annotations

import msgspec
import pytest

from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.point import make_point
from machmeter.simulation.builtin import find_twin
from machmeter.simulation.figures.format import (
    DifferenceOfTwin,
    FigureEntry,
    ParameterOfTwin,
    QuotientOfTwin,
    ResultOfTwin,
)
from machmeter.simulation.figures.points import PrintedResult, points_of
from machmeter.simulation.figures.read import figures_of, reproducible_names
from machmeter.simulation.figures.values import value_on

EDISON = find_twin("edison")
OWN = PrintedResult(make_point("some.benchmark", {"size": 8}, Layout(nodes=2)), "time")
SWEPT = ResultOfTwin(layout={"nodes": (2, 4)}, parameters={"window": (1, 64)})
POINTS = [
    make_point("some.benchmark", {"size": 8, "window": window}, Layout(nodes=nodes))
    for window in (1, 64)
    for nodes in (2, 4)
]
RESULTS = {
    (twin, point, "time"): scale * value
    for twin, scale in (("edison", 1.0), ("hopper", 0.5))
    for point, value in zip(POINTS, (1.0, 7.0, 3.0, 2.0), strict=True)
}


def test_what_is_left_out_is_that_of_the_printed_figure() -> None:
    assert points_of(ResultOfTwin(), OWN) == (OWN.point,)
    assert list(points_of(SWEPT, OWN)) == POINTS
    other = ResultOfTwin(benchmark="other.one", metric="rate", parameters={"size": 4})
    assert points_of(other, OWN) == (make_point("other.one", {"size": 4}, Layout()),)
    with pytest.raises(ValueError, match="no benchmark"):
        points_of(ResultOfTwin(), None)


def test_of_several_points_the_largest_counts() -> None:
    hopper = ResultOfTwin(layout=SWEPT.layout, parameters=SWEPT.parameters, twin="hopper")
    one = ResultOfTwin(layout={"nodes": 4}, parameters={"window": 64})
    assert value_on(SWEPT, OWN, EDISON, RESULTS) == 7.0
    assert value_on(QuotientOfTwin(over=SWEPT, under=hopper), OWN, EDISON, RESULTS) == 2.0
    assert value_on(DifferenceOfTwin(of=SWEPT, less=one), OWN, EDISON, RESULTS) == 5.0
    assert value_on(ParameterOfTwin("network.eager_limit"), None, EDISON, {}) == 16384


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ({"class": "predicted"}, "have a rule"),
        ({"class": "parameter", "rule": {"text": "a", "over": ["b"]}}, "have a rule"),
        ({"class": "predicted", "rule": {"text": "a"}}, "names figures"),
        ({"class": "predicted", "rule": {"text": "a", "times": 2}}, "`source`"),
        ({"class": "not predictable"}, "what is missing"),
        ({"class": "fitted", "missing": "a"}, "what is missing"),
        ({"class": "restated", "twin": {"form": "result"}}, "stated by the twin"),
        ({"class": "fitted", "counted_as": "a"}, "counted together"),
        ({"class": "guessed"}, "guessed"),
    ],
)
def test_an_entry_that_contradicts_its_class_is_refused(
    written: dict[str, object], why: str
) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        msgspec.convert(written, FigureEntry)


def test_a_study_names_its_machines_and_a_machine_itself() -> None:
    assert [one.machine for one in figures_of("edison-network")] == ["edison", "hopper"]
    assert [one.machine for one in figures_of("comet-network")] == ["comet", "gordon"]
    assert [one.machine for one in figures_of("louhi")] == ["louhi", "murska"]
    assert [one.machine for one in figures_of("hopper")] == ["hopper"]
    assert reproducible_names()[:3] == ("comet-network", "edison-network", "louhi")
    with pytest.raises(UsageError) as raised:
        figures_of("edson")
    assert "edison" in raised.value.remedy
