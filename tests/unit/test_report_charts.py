import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from synthetic_run import make_run

from machmeter.report.charts import all_charts, charts_of, save_chart
from machmeter.report.figures import estimates_of
from machmeter.report.panels import log_ticks, ratio_rows, scaled_rows
from machmeter.report.words import figure_text

RUN = make_run()
MANY = make_run(threads=(1, 2, 4, 8, 16, 32, 64))


def test_every_benchmark_is_drawn_under_a_name_of_its_own() -> None:
    names = [chart.name for chart in all_charts(RUN)]
    assert len(names) == len(set(names))
    for benchmark in dict.fromkeys(e.point.benchmark for e in RUN.estimates):
        assert charts_of(RUN, benchmark)


def test_threads_are_drawn_over_threads_only_where_there_are_several() -> None:
    assert "threads-sync-threads" in {c.name for c in all_charts(MANY)}
    assert "threads-sync-threads" not in {c.name for c in all_charts(RUN)}


def test_specifications_name_no_color() -> None:
    text = json.dumps([chart.spec for chart in all_charts(MANY)])
    assert '"config"' not in text
    assert "#" not in text


def test_knees_drawn_are_those_of_the_largest_pages_in_any_order() -> None:
    small, huge = RUN.knees.values()
    moved = tuple(replace(knee, size_bytes=3 * knee.size_bytes) for knee in small)
    for knees in ({"4096": moved, "2097152": huge}, {"2097152": huge, "4096": moved}):
        (chart,) = charts_of(replace(RUN, knees=knees), "memory.latency")
        text = json.dumps(chart.spec)
        assert '"name": "48 KiB"' in text
        assert '"name": "144 KiB"' not in text


def test_what_cannot_be_drawn_is_not() -> None:
    assert all_charts(replace(RUN, estimates=())) == ()
    assert charts_of(RUN, "device.copy") == ()


def test_rows_carry_the_words_of_the_table_and_one_scale() -> None:
    estimates = estimates_of(RUN, "network.latency")
    scaled = scaled_rows(estimates, lambda e: 0, lambda e: "a")
    assert scaled.symbol == "µs"
    for row, one in zip(scaled.rows, estimates, strict=True):
        assert row["label"] == figure_text(one)
        assert math.isclose(row["value"], one.value * 1e6, rel_tol=1e-4)


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
    save_chart(charts_of(RUN, "memory.latency")[0].spec, path)
    data = path.read_bytes()
    assert data.startswith(start)
    assert b"var(--" not in data


def test_picture_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"neither \.png nor \.svg"):
        save_chart({}, tmp_path / "chart.gif")
