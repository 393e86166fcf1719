"""Published figures as estimates of machmeter's own benchmarks."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.stats.estimates import scale_of
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Direction
from machmeter.model.errors import MachmeterError
from machmeter.model.results.estimate import Scale
from machmeter.model.units import SECONDS, SHARE, is_unbounded
from machmeter.published.estimates import published_estimates
from machmeter.published.format import Better, PrintedFigure, PrintedTable, PublishedMachine
from machmeter.published.load import machine_names, published_machine

TABLE = PrintedTable(
    page="table 1",
    unit="us",
    figures=(PrintedFigure("one", 43.37),),
    decimals=2,
    benchmark="memory.pages",
    metric="visit_time",
    parameters={"visit": "read"},
    layout={"threads_per_rank": 8},
)
WORKLOAD = PrintedTable(
    page="slide NEURON",
    unit="s",
    figures=(PrintedFigure("neuron-48", 1947.0),),
    decimals=0,
    workload="neuron",
    quantity="wall time",
    better=Better.LOWER,
    parameters={"cells": 10500},
    layout={"nodes": 3, "ranks_per_node": 16},
)


def machine(table: PrintedTable) -> PublishedMachine:
    return PublishedMachine(1, "m", "M", "", "Somebody 2010", 2010, (table,))


@pytest.mark.parametrize("name", machine_names())
def test_every_packaged_figure_of_a_benchmark_or_workload_is_an_estimate(name: str) -> None:
    published = published_machine(name)
    estimates = published_estimates(published)
    tables = [table for table in published.tables if table.benchmark or table.workload]
    mapped = sum(len(table.figures) for table in tables)
    assert len(estimates) == mapped
    relations = {id(e): e.printed.relation for e in estimates if e.printed}
    assert len({(e.point.key, e.metric, relations[id(e)]) for e in estimates}) == mapped
    for one in estimates:
        sources = [table.source or published.source for table in tables]
        assert one.source.startswith(tuple(sources))
        assert is_unbounded(one.high) == (one.launches == 1)


def test_a_figure_is_in_base_units_and_says_where_it_stands() -> None:
    (one,) = published_estimates(machine(TABLE))
    assert one.value == pytest.approx(43.37e-6)
    assert one.point.get("visit") == "read"
    assert one.point.layout.threads_per_rank == 8
    assert one.source == "Somebody 2010, table 1"


def test_a_table_of_another_source_says_so() -> None:
    (one,) = published_estimates(machine(replace(TABLE, source="Another 2012")))
    assert one.source == "Another 2012, table 1"


def test_a_figure_of_a_workload_carries_its_quantity_and_direction() -> None:
    (one,) = published_estimates(machine(WORKLOAD))
    assert one.point.benchmark == "workload.neuron"
    assert (one.metric, one.title) == ("wall_time", "Wall time")
    assert one.direction is Direction.LOWER
    assert one.value == pytest.approx(1947)
    assert (one.unit, one.scale) == (SECONDS, Scale.LOG)
    assert one.point.get("cells") == 10500
    assert one.printed and one.printed.stated_layout == ("nodes", "ranks_per_node")


def test_a_share_of_a_workload_has_no_end_on_either_side() -> None:
    (one,) = published_estimates(machine(replace(WORKLOAD, unit="%", better=Better.HIGHER)))
    assert one.value == pytest.approx(19.47)
    assert (one.unit, one.scale) == (SHARE, Scale.LINEAR)
    assert is_unbounded(one.low)
    assert is_unbounded(one.high)


def test_bytes_one_way_are_not_taken_for_both() -> None:
    one_way = replace(
        TABLE,
        benchmark="network.bandwidth",
        metric="bandwidth_both_ways",
        unit="GB/s one way",
        parameters={},
    )
    with pytest.raises(MachmeterError, match="no unit of bandwidth_both_ways"):
        published_estimates(machine(one_way))


@pytest.mark.parametrize("name", machine_names())
def test_a_published_figure_is_on_the_scale_of_a_measured_one(name: str) -> None:
    own = [
        one
        for one in published_estimates(published_machine(name))
        if not one.point.benchmark.startswith("workload.")
    ]
    for one in own:
        metric = find(one.point.benchmark).metric(one.metric)
        assert (one.scale, one.unit) == (scale_of(metric.formula), metric.unit)


def test_a_flag_stands_with_its_figure_alone() -> None:
    two = replace(
        TABLE, figures=(PrintedFigure("one", 1.0), PrintedFigure("two", 2.0, layout={"nodes": 2}))
    )
    one, other = published_estimates(machine(two), {"one": "claim 1 is contradicted"})
    assert one.flag == "claim 1 is contradicted"
    assert not other.flag


@pytest.mark.parametrize("value", [0.0, -1.0])
def test_a_time_is_above_zero_and_a_share_need_not_be(value: float) -> None:
    figures = (PrintedFigure("one", value),)
    with pytest.raises(MachmeterError, match="no time, rate or ratio"):
        published_estimates(machine(replace(WORKLOAD, figures=figures)))
    (one,) = published_estimates(machine(replace(WORKLOAD, figures=figures, unit="share")))
    assert one.value == value


def test_a_workload_takes_known_units_only() -> None:
    with pytest.raises(MachmeterError, match="'furlong' is no unit") as error:
        published_estimates(machine(replace(WORKLOAD, unit="furlong")))
    assert "particle-steps/s" in error.value.remedy


def test_a_figure_adds_to_what_its_table_says() -> None:
    figure = PrintedFigure("one", 1.0, parameters={"visit": "write"}, layout={"binding": "spread"})
    (one,) = published_estimates(machine(replace(TABLE, figures=(figure,))))
    assert one.point.get("visit") == "write"
    assert one.point.layout.binding.value == "spread"
    assert one.point.layout.threads_per_rank == 8


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"benchmark": "memory.holes"}, "memory.holes"),
        ({"metric": "delight"}, "delight"),
        ({"unit": "GB/s"}, "no unit of visit_time"),
        ({"unit": "furlong"}, "furlong"),
        ({"parameters": {"colour": 1}}, "colour"),
        ({"parameters": {"visit": "smell"}}, "smell"),
        ({"layout": {"floor": 1}}, "floor"),
        ({"layout": {"binding": "glued"}}, "glued"),
    ],
)
def test_what_machmeter_does_not_have_is_refused(change: dict[str, object], problem: str) -> None:
    with pytest.raises(MachmeterError) as error:
        published_estimates(machine(replace(TABLE, **change)))
    assert problem in f"{error.value.message} {error.value.remedy}"
    assert error.value.remedy


@pytest.mark.parametrize(
    "layout",
    [
        {"nodes": 0},
        {"nodes": -3},
        {"smt": 0},
        {"ranks_per_node": -10, "threads_per_rank": -1},
        {"reserved_cores": -1},
        {"threads_per_rank": 10**10},
    ],
)
def test_a_layout_that_cannot_be_is_refused(layout: dict[str, int]) -> None:
    with pytest.raises(MachmeterError, match=f"{next(iter(layout))} is outside"):
        published_estimates(machine(replace(TABLE, layout=layout)))


@pytest.mark.parametrize(
    "parameters",
    [{"threads": 10**400}, {"reference_tflop": "abc"}, {"reference_tflop": -5}],
)
def test_a_parameter_that_nothing_can_be_computed_with_is_refused(
    parameters: dict[str, int | str],
) -> None:
    with pytest.raises(MachmeterError, match=next(iter(parameters))):
        published_estimates(machine(replace(WORKLOAD, parameters=parameters)))


@pytest.mark.parametrize("mean", [103.0, 102.7])
def test_a_value_is_the_mean_of_its_launches_as_far_as_it_is_rounded(mean: float) -> None:
    def one(value: float) -> PublishedMachine:
        figure = PrintedFigure("one", value, decimals=1, launches=(95.0, 101.0, 113.0))
        return machine(replace(WORKLOAD, figures=(figure,)))

    assert published_estimates(one(mean))[0].launches == 3
    with pytest.raises(MachmeterError, match=r"101 is not the mean of its launches, 103 or 102\.7"):
        published_estimates(one(101.0))


@pytest.mark.parametrize("value", [1e-180, 1e200])
def test_a_number_beyond_everything_is_no_quantity(value: float) -> None:
    with pytest.raises(MachmeterError, match="no quantity of a computer"):
        published_estimates(machine(replace(WORKLOAD, figures=(PrintedFigure("one", value),))))
