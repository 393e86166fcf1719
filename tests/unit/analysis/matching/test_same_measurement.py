"""Figures that say the same of one measurement count once."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import (
    compare_machines,
    measurements,
    regressions,
    standing_of,
)
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import Basis, RelativeStanding
from machmeter.text.comparison import method_text
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import machine

PAIR = Layout(ranks_per_node=2)


def latency(value: float, size: int = 8, spread: float = 0.004) -> Estimate:
    return made_up("network.latency", {"size": size}, PAIR, "latency", value, spread)


def test_figures_of_one_measurement_count_once() -> None:
    def stream(value: float, *metrics: str) -> list[Estimate]:
        layout = Layout(threads_per_rank=2)
        parameters: list[dict[str, Value]] = [
            {"kernel": kernel, "size": 2**27, "stores": "temporal"} for kernel in ("copy", "triad")
        ]
        return [
            made_up("memory.stream", one, layout, metric, scale * value, 0.02)
            for one in parameters
            for metric, scale in zip(metrics, (1.0, 4 / 3), strict=False)
        ]

    one, both = ("stream_bandwidth",), ("stream_bandwidth", "bus_bandwidth")
    alone, copied = (
        compare_machines(machine("a", *stream(20e9, *names)), machine("b", *stream(19e9, *names)))
        for names in (one, both)
    )
    assert len(copied.results) == 2 * len(alone.results) == 4
    assert len(measurements(copied.results)) == len(regressions(copied)) == 2
    expected = {f.a.point.key: f.by[Basis.AS_MEASURED].p_value for f in alone.results}
    for figure in copied.results:
        assert standing_of(figure) is RelativeStanding.WORSE
        p_value = figure.by[Basis.AS_MEASURED].p_value
        assert p_value == pytest.approx(expected[figure.a.point.key], rel=1e-6)
    assert (
        "corrected for 2 tests (Holm); 2 more results follow from the tested ones"
        in method_text(copied)
    )
    assert "corrected for 2 tests (Holm)." in method_text(alone)
    turned = replace(copied, results=copied.results[::-1])
    for found in (copied, turned):
        assert {one.a.metric for one in measurements(found.results)} == {"stream_bandwidth"}


def without_spread(value: float, size: int, metric: str) -> Estimate:
    return replace(latency(value, size, 0.0), metric=metric)


def test_figures_without_spread_or_bound_are_measurements_of_their_own() -> None:
    exact = compare_machines(
        machine("a", without_spread(2.0, 8, "setup"), without_spread(10.0, 8, "wall")),
        machine("b", without_spread(1.0, 8, "setup"), without_spread(5.0, 8, "wall")),
    )
    assert len(measurements(exact.results)) == len(exact.results) == 2

    def overhead(metric: str) -> Estimate:
        one = made_up("threads.sync", {"construct": "for"}, PAIR, "overhead", 1e-6)
        return replace(one, metric=metric, low=-1e-6, resolved=False)

    names = ("overhead", "other")
    open_ones = compare_machines(
        machine("a", *map(overhead, names)), machine("b", *map(overhead, names))
    )
    assert len(measurements(open_ones.results)) == 2


def test_equal_ratios_of_launches_that_differ_are_two_measurements() -> None:
    one = latency(1e-6, spread=0.004)
    turned = replace(one, metric="other", launch_values=one.launch_values[::-1])
    a, b = machine("a", one, turned), machine("b", one, turned)
    assert len(measurements(compare_machines(a, b).results)) == 2
