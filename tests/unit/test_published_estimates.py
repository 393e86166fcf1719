"""Published figures as estimates of machmeter's own benchmarks."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.errors import MachmeterError
from machmeter.model.units import is_unbounded
from machmeter.published.estimates import published_estimates
from machmeter.published.format import Figure, PublishedMachine, Table
from machmeter.published.load import machine_names, published_machine

TABLE = Table(
    page="table 1",
    unit="us",
    figures=(Figure("one", 43.37),),
    decimals=2,
    benchmark="memory.pages",
    metric="visit_time",
    parameters={"visit": "read"},
    layout={"threads_per_rank": 8},
)


def machine(table: Table) -> PublishedMachine:
    return PublishedMachine(1, "m", "M", "", "Somebody 2010", 2010, (table,))


@pytest.mark.parametrize("name", machine_names())
def test_every_packaged_figure_that_has_a_benchmark_is_an_estimate(name: str) -> None:
    published = published_machine(name)
    estimates = published_estimates(published)
    mapped = sum(len(table.figures) for table in published.tables if table.benchmark)
    assert len(estimates) == mapped
    assert len({(e.point.key, e.metric) for e in estimates}) == mapped
    for one in estimates:
        assert one.source.startswith(published.source)
        assert one.launches == 1
        assert is_unbounded(one.high)


def test_a_figure_is_in_base_units_and_says_where_it_stands() -> None:
    (one,) = published_estimates(machine(TABLE))
    assert one.value == pytest.approx(43.37e-6)
    assert one.point.get("visit") == "read"
    assert one.point.layout.threads_per_rank == 8
    assert one.source == "Somebody 2010, table 1"


def test_a_figure_adds_to_what_its_table_says() -> None:
    figure = Figure("one", 1.0, parameters={"visit": "write"}, layout={"binding": "spread"})
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
