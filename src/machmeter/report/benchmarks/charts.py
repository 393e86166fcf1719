"""Every chart of a run as a Vega-Lite specification, for the page and for papers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vl_convert

from machmeter.model.display import ChartKind, CurveChart, RatiosToDefault
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.curves import curve_charts, ratio_charts
from machmeter.report.benchmarks.groups import (
    apps,
    collectives,
    memory,
    messages,
    onesided,
    places,
    sparse,
    stages,
    threads,
    timeline,
)
from machmeter.report.benchmarks.groups.codes.section import codes_section
from machmeter.report.benchmarks.groups.explored.picture import layout_charts
from machmeter.report.benchmarks.groups.modes.section import mode_section
from machmeter.report.benchmarks.groups.nodes import distribution, each, pairs
from machmeter.report.benchmarks.groups.roofline.devices import device_roofline_charts
from machmeter.report.benchmarks.groups.roofline.picture import roofline_charts
from machmeter.report.benchmarks.section import Section, sections_of
from machmeter.report.benchmarks.selection import of_metric
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.machine import group_chart
from machmeter.report.drawing.theme import LIGHT, chart_config
from machmeter.text.machines import ResultGroup

_MOST_COLUMNS = 4

_DRAWN: dict[ChartKind, Callable[[Section], list[Chart]]] = {
    ChartKind.KERNEL_BANDWIDTH: memory.stream_charts,
    ChartKind.WORKING_SETS: memory.latency_charts,
    ChartKind.LOADED_LATENCY: memory.loaded_charts,
    ChartKind.ALLOCATION_PHASES: memory.allocation_charts,
    ChartKind.TIME_SERIES: timeline.timeline_charts,
    ChartKind.PAGE_VISITS: places.page_charts,
    ChartKind.DOMAIN_MATRIX: places.matrix_charts,
    ChartKind.CORE_PAIRS: places.pair_charts,
    ChartKind.CONSTRUCTS: threads.sync_charts,
    ChartKind.ARRAY_CLAUSES: threads.array_charts,
    ChartKind.SCHEDULES: threads.schedule_charts,
    ChartKind.NESTED_REGIONS: threads.nested_charts,
    ChartKind.SPARSE_PRODUCTS: sparse.spmv_charts,
    ChartKind.SPLITS: apps.split_charts,
    ChartKind.WAVES: apps.wave_charts,
    ChartKind.MESSAGE_TIME: messages.message_charts,
    ChartKind.MESSAGE_STREAMS: messages.stream_charts,
    ChartKind.BARRIER: collectives.barrier_charts,
    ChartKind.COLLECTIVE_OVERLAP: collectives.collective_overlap_charts,
    ChartKind.OPERATION_TIME: onesided.operation_charts,
    ChartKind.NODE_MATRIX: pairs.node_charts,
    ChartKind.NODE_MAP: each.node_maps,
    ChartKind.NODE_DISTRIBUTION: distribution.node_distributions,
    ChartKind.LAYOUTS: layout_charts,
    ChartKind.ROOFLINE: roofline_charts,
    ChartKind.DEVICE_ROOFLINE: device_roofline_charts,
    ChartKind.STAGES: stages.stage_charts,
}


def charts_of(section: Section) -> tuple[Chart, ...]:
    """The charts that a benchmark declares; where it declares none, a chart of each primary metric
    along a number that varies.
    """
    declared = section.display.charts
    if not section.estimates:
        return ()
    if not declared:
        return _usual_charts(section)
    return tuple(chart for one in declared for chart in _drawn(one, section))


def _drawn(declared: CurveChart | RatiosToDefault | ChartKind, section: Section) -> list[Chart]:
    if isinstance(declared, CurveChart):
        return curve_charts(declared, section)
    if isinstance(declared, RatiosToDefault):
        return ratio_charts(declared, section)
    return _DRAWN[declared](section)


def _usual_charts(section: Section) -> tuple[Chart, ...]:
    declared = section.declared
    primary = [m.name for m in declared.metrics if m.primary] if declared else []
    metrics = primary or list(dict.fromkeys(e.metric for e in section.estimates))
    charts = []
    for metric in metrics:
        found = of_metric(section.estimates, metric)
        if found:
            group = ResultGroup(section.name, found[0].title, "", found)
            charts.append(group_chart(f"{section.slug}-{metric.replace('_', '-')}", group))
    return tuple(chart for chart in charts if chart is not None)


def all_charts(result: RunResult) -> tuple[Chart, ...]:
    """The charts of launch modes and of a set of codes, and those of every benchmark of the run."""
    whole = (mode_section(result), codes_section(result))
    of_benchmarks = (chart for section in sections_of(result) for chart in charts_of(section))
    return (*(chart for one in whole if one for chart in one.charts), *of_benchmarks)


def save_chart(spec: dict[str, Any], path: Path, scale: float = 2.0) -> None:
    """Write a chart as PNG or SVG, by the ending of `path`, in the light theme.

    scale: pixels of a PNG per point of the chart. Raises ValueError for another ending, OSError
    where the file cannot be written.
    """
    config = chart_config(LIGHT)
    config["legend"]["columns"] = _MOST_COLUMNS
    themed = json.dumps({**spec, "config": config})
    ending = path.suffix.lower()
    if ending == ".svg":
        path.write_text(vl_convert.vegalite_to_svg(themed), encoding="utf-8")
    elif ending == ".png":
        path.write_bytes(vl_convert.vegalite_to_png(themed, scale=scale))
    else:
        raise ValueError(f"{path.name} is neither .png nor .svg; name the chart with one of them")
