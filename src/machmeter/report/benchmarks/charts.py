"""Every chart of a run as a Vega-Lite specification, for the page and for papers alike.

Importing this module loads Altair: import it only where charts are drawn.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vl_convert

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.charts_apps import application_charts
from machmeter.report.benchmarks.charts_collectives import (
    barrier_charts,
    collective_charts,
    collective_overlap_charts,
)
from machmeter.report.benchmarks.charts_load import allocation_charts, loaded_charts
from machmeter.report.benchmarks.charts_memory import latency_charts, stream_charts
from machmeter.report.benchmarks.charts_network import (
    availability_charts,
    message_charts,
    overlap_charts,
)
from machmeter.report.benchmarks.charts_onesided import (
    atomic_charts,
    shmem_alltoall_charts,
    transfer_charts,
)
from machmeter.report.benchmarks.charts_pairs import (
    bandwidth_charts,
    pair_latency_charts,
    thread_charts,
)
from machmeter.report.benchmarks.charts_places import matrix_charts, page_charts, pair_charts
from machmeter.report.benchmarks.charts_sparse import spmv_charts
from machmeter.report.benchmarks.charts_system import consistency_charts, startup_charts
from machmeter.report.benchmarks.charts_threads import (
    array_charts,
    nested_charts,
    schedule_charts,
    sync_charts,
)
from machmeter.report.benchmarks.charts_time import timeline_charts
from machmeter.report.benchmarks.selection import estimates_of
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.theme import LIGHT, chart_config

_MOST_COLUMNS = 4

_DRAWN: dict[str, Callable[[RunResult, tuple[Estimate, ...]], list[Chart]]] = {
    "memory.stream": stream_charts,
    "memory.latency": latency_charts,
    "memory.pages": page_charts,
    "memory.matrix": matrix_charts,
    "memory.loaded": loaded_charts,
    "memory.timeline": timeline_charts,
    "memory.allocation": allocation_charts,
    "threads.sync": sync_charts,
    "threads.arrays": array_charts,
    "threads.schedule": schedule_charts,
    "threads.nested": nested_charts,
    "threads.pairs": pair_charts,
    "sparse.spmv": spmv_charts,
    "apps.retrieval": application_charts,
    "apps.heatflow": application_charts,
    "network.latency": message_charts,
    "network.pairs": pair_latency_charts,
    "network.bandwidth": bandwidth_charts,
    "network.threads": thread_charts,
    "network.overlap": overlap_charts,
    "network.availability": availability_charts,
    "network.collective": collective_charts,
    "network.barrier": barrier_charts,
    "network.collective-overlap": collective_overlap_charts,
    "network.onesided": transfer_charts,
    "network.atomics": atomic_charts,
    "network.startup": startup_charts,
    "network.consistency": consistency_charts,
    "shmem.transfer": transfer_charts,
    "shmem.atomics": atomic_charts,
    "shmem.alltoall": shmem_alltoall_charts,
}


def charts_of(result: RunResult, benchmark: str) -> tuple[Chart, ...]:
    """The charts of one benchmark; none for a benchmark that is not in the run or not drawn."""
    estimates = estimates_of(result, benchmark)
    if not estimates or benchmark not in _DRAWN:
        return ()
    return tuple(_DRAWN[benchmark](result, estimates))


def all_charts(result: RunResult) -> tuple[Chart, ...]:
    """The charts of every benchmark of the run."""
    names = dict.fromkeys(e.point.benchmark for e in result.estimates)
    return tuple(chart for name in names for chart in charts_of(result, name))


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
