"""The chart of the load of links, and its table."""

from __future__ import annotations

from machmeter.report.twins.loads import load_chart
from machmeter.simulation.builtin import find_twin
from machmeter.simulation.loads import KindLoad, PatternLoad

X = KindLoad("x", 6528, 1024.0, 2048.0, 1024.0)
Y = KindLoad("y", 6528, 0.0, 0.0, 1024.0)
LOAD = PatternLoad("all-to-all, 4 KiB, 64 ranks", 4.0, (X, Y))


def test_bars_end_where_the_share_of_the_time_does() -> None:
    chart = load_chart(find_twin("hopper"), (LOAD,))
    assert chart is not None
    assert [(bar.mean, bar.most) for bar in chart.bars] == [
        (chart.width / 4, chart.width / 2),
        (0.0, 0.0),
    ]
    assert [bar.kind for bar in chart.bars] == ["link-1", "link-2"]
    assert all(bar.y < chart.height for bar in chart.bars)


def test_the_table_and_the_description_have_the_same_numbers() -> None:
    chart = load_chart(find_twin("hopper"), (LOAD,))
    assert chart is not None
    assert chart.table.rows[0] == (
        LOAD.title,
        "between routers along x",
        "6,528",
        "1 KiB",
        "2 KiB",
        "25.0 %",
        "50.0 %",
    )
    assert "along x: 25.0 %, most 50.0 %" in chart.description


def test_without_loads_there_is_no_chart() -> None:
    assert load_chart(find_twin("two-nodes"), ()) is None
