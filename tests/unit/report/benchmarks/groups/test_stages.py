"""Stages that a program marks, and memory over time through them."""

from __future__ import annotations

import math

from msgspec.structs import replace

from machmeter.benchmarks.memory.assembly import ASSEMBLY
from machmeter.model.layout import Layout
from machmeter.model.point import make_point
from machmeter.model.results.run import ShownPoint
from machmeter.report.benchmarks.groups.stages import stage_charts, stage_tables, staged
from machmeter.report.benchmarks.section import Section, section_of
from tests.support.synthetic.runs import run

RUN = run("2 cores")
ANY = RUN.shown[0]
SERIES = {
    "resident_at": (0.0, 0.1, 0.2, 0.5, 0.9, 1.0),
    "resident": (1e6, 5e6, 9e6, 3e6, 4e6, 4e6),
}
QUANTITIES = {
    "count_end": 0.5,
    "count_seconds": 0.4,
    "count_cpu_seconds": 0.8,
    "count_bytes": 2e9,
    "prune_end": 1.0,
    "prune_seconds": 0.4,
    "prune_cpu_seconds": 0.2,
    "cluster_end": 1.0,
}


def shown(
    table: str, threads: int = 2, series: dict[str, tuple[float, ...]] = SERIES, reads: int = 1000
) -> ShownPoint:
    values = {p.name: p.values[0] for p in ASSEMBLY.parameters}
    point = make_point(
        ASSEMBLY.name, {**values, "table": table, "reads": reads}, Layout(threads_per_rank=threads)
    )
    return replace(
        ANY, point=point, record=replace(ANY.record, series=series, quantities=QUANTITIES)
    )


def section(*points: ShownPoint) -> Section:
    return section_of(replace(RUN, shown=points), ASSEMBLY.name)


def test_each_way_of_the_most_work_and_threads_is_shown_once() -> None:
    found = staged(
        section(
            shown("owned", threads=1),
            shown("owned"),
            shown("shared"),
            shown("owned", reads=500),
        )
    )
    assert [one.name for one in found] == ["table owned, 2 threads", "table shared, 2 threads"]


def test_a_stage_has_the_most_memory_of_its_time() -> None:
    (one,) = staged(section(shown("owned")))
    count, prune, cluster = one.stages
    assert (count.title, count.most) == ("count", 9e6)
    assert prune.most == 4e6
    assert math.isclose(cluster.most, 4e6)


def test_what_the_clock_did_not_resolve_has_no_time() -> None:
    (table,) = stage_tables(section(shown("owned")))
    cells = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert cells[0]["CPUs busy"] == "2.00"
    assert cells[0]["share"] == cells[1]["share"] == "50.0 %"
    assert [one["rate"] for one in cells] == ["5.00 GB/s", "–", "–"]
    assert cells[2]["time"] == cells[2]["CPUs busy"] == "–"


def test_panels_share_their_axes() -> None:
    slow = SERIES | {"resident_at": (0.0, 0.1, 0.2, 0.5, 0.9, 2.0)}
    (chart,) = stage_charts(section(shown("owned"), shown("shared", series=slow)))
    panels = chart.spec["vconcat"]
    domains = [
        layer["encoding"][axis]["scale"]["domain"]
        for panel in panels
        for layer in panel["layer"][:2]
        for axis in ("x", "y")
    ]
    assert domains == [[0, 2.0], domains[1]] * 4


def test_a_series_that_is_none_is_left_out() -> None:
    for broken in (
        {"resident_at": SERIES["resident_at"][:-1]},
        {"resident": (math.nan, *SERIES["resident"][1:])},
        {"resident_at": SERIES["resident_at"][::-1]},
        {"resident_at": (), "resident": ()},
    ):
        of_broken = section(shown("owned", series=SERIES | broken))
        assert not stage_charts(of_broken)
        assert not stage_tables(of_broken)
