"""Which figures of a machine make curves, and along what."""

from __future__ import annotations

from typing import Any

import pytest

from machmeter.published.estimates import published_estimates
from machmeter.published.format import Better, PrintedFigure, PrintedTable, PublishedMachine
from machmeter.published.load import machine_names
from machmeter.published.machine import published_results
from machmeter.report.drawing.machine import group_chart, line_of
from machmeter.text.machines import ResultGroup, result_groups


def group(*figures: PrintedFigure, **table: Any) -> ResultGroup:
    """Figures of one table of a workload."""
    made = PrintedTable(
        "table 1", table.pop("unit", "s"), figures, 2, workload="code", quantity="wall time",
        better=Better.LOWER, **table,
    )  # fmt: skip
    machine = PublishedMachine(1, "m", "M", "", "Somebody 2010", 2010, (made,))
    (found,) = result_groups(published_estimates(machine))
    return found


def at(
    value: float, layout: dict[str, int] | None = None, flag: str = "", **parameters: Any
) -> PrintedFigure:
    name = "-".join(f"{k}{v}" for k, v in (parameters | (layout or {})).items()).lower()
    return PrintedFigure(
        f"f-{name}", value, parameters=parameters, layout=dict(layout or {}), flag=flag
    )


def rows_of(found: ResultGroup) -> list[dict[str, Any]]:
    chart = group_chart("c", found)
    assert chart is not None
    return [row for rows in chart.spec["datasets"].values() for row in rows]


def test_three_points_along_a_number_are_a_curve_and_two_are_none() -> None:
    three = [at(9.0 / n, cores=n) for n in (48, 96, 192)]
    found = line_of(group(*three).results)
    assert found is not None
    assert found.axis.name == "cores"
    assert line_of(group(*three[:2]).results) is None


def test_what_grows_with_the_axis_does_not_tell_curves_apart() -> None:
    figures = [
        at(v / n, {"nodes": n // 16, "ranks_per_node": 16}, cores=n, mpi=mpi)
        for mpi, v in (("Open MPI", 9.0), ("MVAPICH2", 8.0))
        for n in (48, 96, 192)
    ]
    found = group(*figures)
    line = line_of(found.results)
    assert line is not None
    assert {line.series(one) for one in found.results} == {"mpi=Open MPI", "mpi=MVAPICH2"}


def test_words_never_follow_an_axis() -> None:
    """Each program has a size of its own: no curve leads from one to the other."""
    figures = [at(1.0 + n, case=f"case {n}", points=n) for n in (10, 20, 30)]
    assert line_of(group(*figures).results) is None


def test_two_figures_of_a_curve_at_one_place_are_no_curve() -> None:
    figures = [at(1.0 + n, {"smt": smt}, cores=n) for n in (8, 16, 32) for smt in (1, 2)]
    found = line_of(group(*figures).results)
    assert found is not None
    assert {found.series(one) for one in group(*figures).results} == {"smt 1", "smt 2"}


def test_a_layout_that_is_not_stated_has_no_place_on_the_axis() -> None:
    stated = [at(9.0 / n, {"nodes": n}, kind="x") for n in (1, 2, 4)]
    assert line_of(group(*stated).results) is not None
    silent = PrintedFigure("silent", 5.0, parameters={"kind": "x"}, layout={"nodes": 8})
    unstated = PrintedFigure("unstated", 5.0, parameters={"kind": "x"})
    figures = [at(9.0 / n, {"nodes": n}, kind="x") for n in (2, 4)]
    assert line_of(group(*figures, silent, unstated).results) is None


def test_flags_and_precision_are_in_the_chart() -> None:
    figures = [
        at(9.0 / n, cores=n, flag="its sum says 3" if n == 96 else "") for n in (48, 96, 192)
    ]
    found = group(*figures)
    chart = group_chart("c", found)
    assert chart is not None
    assert "1 result is flagged" in chart.note
    assert "Without intervals: as printed." in chart.note
    assert "48 cores" in chart.description
    told = {row["label"] for row in rows_of(found)}
    assert any("its sum says 3" in label for label in told)
    assert all("as printed" in label for label in told)


def test_shares_below_zero_are_drawn_on_a_linear_axis() -> None:
    figures = [at(v, cores=n) for n, v in ((8, -200.0), (64, 50.0), (512, 90.0))]
    chart = group_chart("c", group(*figures, unit="%"))
    assert chart is not None
    assert {kind for axis, kind in scales_of(chart.spec) if axis == "y"} == {None}
    positive = group_chart("c", group(*(at(9.0 / n, cores=n) for n in (8, 64, 512))))
    assert positive is not None
    assert {kind for axis, kind in scales_of(positive.spec) if axis == "y"} == {"log"}


def scales_of(spec: Any) -> set[tuple[str, str | None]]:
    """The kinds of scales of both axes, wherever they are in a specification."""
    if isinstance(spec, list):
        return {found for part in spec for found in scales_of(part)}
    if not isinstance(spec, dict):
        return set()
    own = {
        (axis, spec[axis]["scale"].get("type"))
        for axis in ("x", "y")
        if isinstance(spec.get(axis), dict) and "scale" in spec[axis]
    }
    return own | {found for part in spec.values() for found in scales_of(part)}


@pytest.mark.parametrize("name", machine_names())
def test_every_chart_of_a_published_machine_shows_each_of_its_figures(name: str) -> None:
    for found in result_groups(published_results(name).estimates):
        chart = group_chart("c", found)
        if chart is None:
            continue
        assert len({(r["x"], r["series"]) for r in rows_of(found)}) == len(found.results)
        assert "table has every value" in chart.description


def test_gordon_and_comet_have_their_scaling_drawn() -> None:
    for name, expected in (("comet", 5), ("gordon", 4), ("scalemp", 2), ("tigerton", 2)):
        groups = result_groups(published_results(name).estimates)
        assert sum(group_chart("c", one) is not None for one in groups) == expected, name
