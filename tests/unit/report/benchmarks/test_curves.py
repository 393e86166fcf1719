"""Charts of curves that benchmarks declare: which panels share their value axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.model.display import CurveChart, CurveForm
from machmeter.report.benchmarks.curves import curve_charts
from machmeter.report.benchmarks.section import section_of
from tests.support.synthetic.runs import run


def panels_of(benchmark: str, shared: str) -> CurveChart:
    """Its curves in panels, sharing value axes by that parameter."""
    (chart,) = (
        one
        for one in find(benchmark).display.charts
        if isinstance(one, CurveChart) and one.form is CurveForm.PANELS
    )
    return replace(chart, shared=shared)


def domains(of: object) -> Iterator[tuple[float, float]]:
    """Those of every value axis in a specification."""
    if isinstance(of, dict):
        y: Any = of.get("y")
        if isinstance(y, dict) and "domain" in y.get("scale", {}):
            yield tuple(y["scale"]["domain"])
        of = list(of.values())
    if isinstance(of, list):
        for part in of:
            yield from domains(part)


def value_axes(shared: str) -> list[tuple[float, float]]:
    """Of the panels of network.threads, a panel for each size and window."""
    section = section_of(run("cluster"), "network.threads")
    (chart,) = curve_charts(panels_of("network.threads", shared), section)
    return list(domains(chart.spec))


def ratio(domain: tuple[float, float]) -> float:
    return domain[1] / domain[0]


def test_panels_share_their_value_axis_by_size_or_all_of_them() -> None:
    by_size, together = value_axes("size"), value_axes("")
    assert len(by_size) == len(together) > 1
    assert len(set(by_size)) == 2
    assert len(set(together)) == 1
    # Axes of several sizes may have several prefixes, so widths are compared, not ends.
    assert ratio(together[0]) > max(map(ratio, by_size))
