import json
import math
from collections.abc import Iterable
from pathlib import Path

import altair as alt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import ValidationError
from msgspec.structs import replace

from machmeter.model.results.run import RunResult
from machmeter.model.units import UNBOUNDED
from machmeter.report.benchmarks.charts import all_charts, save_chart
from machmeter.report.benchmarks.groups.sparse import patterns
from machmeter.report.benchmarks.section import section_of
from machmeter.report.benchmarks.selection import estimates_of
from machmeter.report.drawing.axes import log_ticks
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.heat import thresholds
from machmeter.report.drawing.panels import ratio_rows, scaled_rows
from machmeter.report.drawing.theme import HEAT_STEPS
from machmeter.text.results import result_text
from tests.support.synthetic.runs import NAMES, charts_by_benchmark, charts_in, run

RUN, NODE, NETWORK = run("quick"), run("scalemp"), run("cluster")


def drawn(name: str) -> list[Chart]:
    return [chart for charts in charts_by_benchmark(name).values() for chart in charts]


def patterns_in(result: RunResult) -> dict[str, tuple[float, ...]]:
    return patterns(section_of(result, "sparse.spmv"))


def names_of(charts: Iterable[Chart]) -> set[str]:
    return {chart.name for chart in charts}


@pytest.mark.parametrize("name", ["quick", "scalemp", "cluster", "laptop"])
def test_every_benchmark_is_drawn_under_a_name_of_its_own(name: str) -> None:
    charts = drawn(name)
    assert len(charts) == len(names_of(charts))
    assert all(chart.title and chart.description for chart in charts)
    assert all(charts_by_benchmark(name).values())


@pytest.mark.parametrize("name", ["scalemp", "cluster"])
def test_every_chart_is_what_vega_lite_takes(name: str) -> None:
    for chart in drawn(name):
        alt.TopLevelSpec.validate(chart.spec)
    with pytest.raises(ValidationError):
        alt.TopLevelSpec.validate({**drawn(name)[0].spec, "vconcat": 3})


def test_all_charts_are_those_of_every_benchmark() -> None:
    assert all_charts(RUN) == tuple(drawn("quick"))


def test_one_domain_and_one_pair_have_no_matrix() -> None:
    names = names_of(drawn("2 cores"))
    assert "memory-matrix-latency" not in names
    assert "threads-pairs-map" not in names
    assert {"memory-pages-map-largest", "threads-pairs-ancestors"} <= names


def test_maps_of_the_smallest_and_the_largest_set_are_drawn() -> None:
    charts = charts_by_benchmark("scalemp")["memory.pages"]
    titles = [chart.title for chart in charts if "-map-" in chart.name]
    assert titles == [
        "Visit of one word of a page, set of 256 KiB",
        "Visit of one word of a page, set of 64 MiB",
    ]


@pytest.mark.parametrize("name", ["scalemp", "2 cores", "cluster", "laptop"])
def test_one_launch_is_drawn_without_intervals(name: str) -> None:
    whole = drawn(name)
    alone = tuple(
        replace(e, launches=1, low=0.0, high=UNBOUNDED, precision=UNBOUNDED)
        for e in run(name).estimates
    )
    charts = all_charts(replace(run(name), estimates=alone))
    # Ratios of one launch mean nothing: they are not drawn.
    compared = sum("over" in chart.title.split(", ")[-1] for chart in whole)
    assert len(charts) >= len(whole) - max(compared, 1)
    assert "e+30" not in json.dumps([chart.spec for chart in charts])


@pytest.mark.parametrize("name", ["scalemp", "cluster"])
def test_nothing_resolved_is_drawn_without_an_error(name: str) -> None:
    lost = tuple(replace(e, resolved=False, low=-1.0, value=0.0) for e in run(name).estimates)
    for chart in all_charts(replace(run(name), estimates=lost)):
        assert chart.spec


@pytest.mark.parametrize("keep", [1, 2, 7])
def test_a_run_that_lacks_most_points_is_drawn_without_an_error(keep: int) -> None:
    for benchmark in dict.fromkeys(e.point.benchmark for e in NETWORK.estimates):
        few = estimates_of(NETWORK, benchmark)[:keep]
        for chart in charts_in(replace(NETWORK, estimates=few), benchmark):
            assert chart.spec


def test_placement_has_a_curve_close_and_a_curve_spread() -> None:
    charts = {chart.name: chart for chart in drawn("scalemp")}
    text = json.dumps(charts["memory-stream-placement"].spec)
    assert '"series": "close"' in text
    assert '"series": "spread"' in text
    assert "memory-stream-placement" not in names_of(drawn("quick"))


def test_runtimes_stand_side_by_side_only_where_there_are_several() -> None:
    assert "threads-sync-runtimes" in names_of(drawn("scalemp"))
    linked = tuple(e for e in NODE.estimates if not e.point.layout.openmp)
    names = names_of(charts_in(replace(NODE, estimates=linked), "threads.sync"))
    assert "threads-sync-runtimes" not in names
    assert "threads-sync-constructs" in names


def test_pictures_hold_every_field_of_every_matrix() -> None:
    assert list(patterns_in(NODE)) == ["banded", "ramp", "power-law", "random"]
    broken = tuple(
        replace(s, record=replace(s.record, series={"pattern": (1.0, 2.0)})) for s in NODE.shown
    )
    names = {chart.name for chart in charts_in(replace(NODE, shown=broken), "sparse.spmv")}
    assert "sparse-spmv-rates" in names
    assert "sparse-spmv-patterns" not in names


def test_a_picture_is_found_by_matrix_whichever_point_of_a_launch_holds_it() -> None:
    without = tuple(
        replace(s, record=replace(s.record, series={"seconds": (0.01,)})) for s in NODE.shown
    )
    assert patterns_in(replace(NODE, shown=without)) == {}
    assert patterns_in(replace(NODE, shown=without + NODE.shown)) == patterns_in(NODE)


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=40))
def test_colors_change_at_rising_bounds_within_the_values(values: list[float]) -> None:
    bounds = thresholds(values)
    assert bounds == sorted(set(bounds))
    assert 1 <= len(bounds) < HEAT_STEPS
    assert min(values) * 0.99 <= bounds[0]
    assert bounds[-1] <= max(values) * 1.01


def test_threads_are_drawn_over_threads_only_where_there_are_several() -> None:
    assert "threads-sync-threads" in names_of(drawn("many threads"))
    assert "threads-sync-threads" not in names_of(drawn("quick"))


def test_specifications_name_no_color() -> None:
    text = json.dumps([chart.spec for name in NAMES for chart in drawn(name)])
    assert '"config"' not in text
    assert "#" not in text


def test_knees_drawn_are_those_of_the_largest_pages_in_any_order() -> None:
    small, huge = RUN.knees.values()
    moved = tuple(replace(knee, size_bytes=3 * knee.size_bytes) for knee in small)
    for knees in ({"4096": moved, "2097152": huge}, {"2097152": huge, "4096": moved}):
        (chart,) = charts_in(replace(RUN, knees=knees), "memory.latency")
        text = json.dumps(chart.spec)
        assert '"name": "48 KiB"' in text
        assert '"name": "144 KiB"' not in text


def test_what_cannot_be_drawn_is_not() -> None:
    assert all_charts(replace(RUN, estimates=())) == ()
    assert charts_in(RUN, "device.unknown") == ()


def test_rows_carry_the_words_of_the_table_and_one_scale() -> None:
    estimates = estimates_of(RUN, "network.latency")
    scaled = scaled_rows(estimates, lambda e: 0, lambda e: "a")
    assert scaled.symbol == "µs"
    for row, one in zip(scaled.rows, estimates, strict=True):
        assert row["label"] == result_text(one)
        assert math.isclose(row["value"], one.value * 1e6, rel_tol=1e-4)


def test_rates_over_many_powers_of_ten_have_the_prefix_of_the_largest() -> None:
    rates = estimates_of(RUN, "network.bandwidth", "bandwidth_one_way")
    assert scaled_rows(rates, lambda e: 0, lambda e: "a").symbol == "GB/s"
    largest = max(e.value for e in rates)
    assert largest > 1e9
    assert min(e.value for e in rates) < largest / 1000


def test_precision_stands_below_a_bandwidth_and_not_below_its_rate() -> None:
    panels = {c.name: c.spec["vconcat"] for c in charts_in(RUN, "network.bandwidth")}
    assert len(panels["network-message-rate"]) == 1
    upper, below = panels["network-bandwidth"]
    (name,) = {part["data"]["name"] for part in below["layer"] if "data" in part} or {
        below["data"]["name"]
    }
    (chart,) = (c for c in charts_in(RUN, "network.bandwidth") if c.name == "network-bandwidth")
    widths = [row["value"] for row in chart.spec["datasets"][name]]
    found = estimates_of(RUN, "network.bandwidth")
    assert min(widths) > 0
    assert max(widths) <= 100 * max(e.precision for e in found) * 1.001
    assert upper != below


def test_unresolved_overhead_is_drawn_at_its_upper_bound() -> None:
    unresolved = [e for e in RUN.estimates if not e.resolved]
    for row in scaled_rows(unresolved, lambda e: 0, lambda e: "a").rows:
        assert row["value"] == row["low"] == row["high"] == 12.0
        assert not row["resolved"]


def test_ratio_is_above_one_where_better_and_skips_the_reference() -> None:
    one = estimates_of(RUN, "network.latency")[3]
    slower = replace(
        one,
        value=2 * one.value,
        low=2 * one.low,
        high=2 * one.high,
        launch_values=tuple(2 * v for v in one.launch_values),
    )
    series = {id(one): "fast", id(slower): "slow"}
    (row,) = ratio_rows([one, slower], lambda e: 1, lambda e: series[id(e)], "slow")
    assert row["series"] == "fast"
    assert math.isclose(row["value"], 2.0, rel_tol=1e-4)
    assert "faster" in row["label"]


@given(st.floats(1e-12, 1e12), st.floats(1.0, 1e6))
def test_logarithmic_ticks_hold_every_interval(low: float, factor: float) -> None:
    ticks = log_ticks([{"low": low, "high": low * factor}])
    assert ticks == sorted(set(ticks))
    assert 2 <= len(ticks) <= 16
    assert ticks[0] <= low * (1 + 1e-12)
    assert ticks[-1] >= low * factor * (1 - 1e-12)


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<svg")])
def test_the_same_specification_gives_pictures(tmp_path: Path, ending: str, start: bytes) -> None:
    path = tmp_path / f"chart.{ending}"
    save_chart(charts_by_benchmark("quick")["memory.latency"][0].spec, path)
    data = path.read_bytes()
    assert data.startswith(start)
    assert b"var(--" not in data


def test_picture_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"neither \.png nor \.svg"):
        save_chart({}, tmp_path / "chart.gif")
