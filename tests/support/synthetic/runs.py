"""Whole runs made up for tests, each made once, and their charts, drawn once: both take seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.charts import charts_of
from machmeter.report.benchmarks.section import section_of, sections_of
from machmeter.report.benchmarks.tables import tables_of
from machmeter.report.drawing.chart import Chart
from machmeter.report.table import Table
from tests.support.synthetic.network import make_laptop_network_run, make_network_run
from tests.support.synthetic.node import make_node_run, make_small_run
from tests.support.synthetic.run import make_run

_MAKE: dict[str, Callable[[], RunResult]] = {
    "quick": make_run,
    "many threads": partial(make_run, threads=(1, 2, 4, 8, 16, 32, 64)),
    "scalemp": make_node_run,
    "2 cores": make_small_run,
    "cluster": make_network_run,
    "laptop": make_laptop_network_run,
}
NAMES = tuple(_MAKE)


@cache
def run(name: str) -> RunResult:
    """The run of that name, one of `NAMES`."""
    return _MAKE[name]()


@cache
def charts_by_benchmark(name: str) -> dict[str, tuple[Chart, ...]]:
    """The charts of each benchmark of that run."""
    return {section.name: charts_of(section) for section in sections_of(run(name))}


def charts_in(result: RunResult, benchmark: str) -> tuple[Chart, ...]:
    """The charts of one benchmark of any run."""
    return charts_of(section_of(result, benchmark))


def tables_in(result: RunResult, benchmark: str) -> tuple[Table, ...]:
    """The tables of one benchmark of any run, without that of all its results."""
    return tables_of(section_of(result, benchmark))
