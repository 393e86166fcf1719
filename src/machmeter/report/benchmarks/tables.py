"""The tables of one benchmark that are shown before the table of all its results."""

from __future__ import annotations

from collections.abc import Callable

from machmeter.model.display import PivotTable, RatiosToDefault, TableKind
from machmeter.report.benchmarks.groups import (
    apps,
    memory,
    messages,
    onesided,
    orders,
    places,
    sparse,
    stages,
    timeline,
)
from machmeter.report.benchmarks.groups.explored.picture import layout_tables
from machmeter.report.benchmarks.groups.explored.time_use import time_use_tables
from machmeter.report.benchmarks.groups.nodes import distribution, each, pairs
from machmeter.report.benchmarks.groups.protocols import protocol_tables
from machmeter.report.benchmarks.groups.roofline.devices import device_roofline_tables
from machmeter.report.benchmarks.groups.roofline.shares import roofline_tables
from machmeter.report.benchmarks.pivot_tables import pivot_tables, ratio_tables
from machmeter.report.benchmarks.section import Section
from machmeter.report.table import Table

_MADE: dict[TableKind, Callable[[Section], list[Table]]] = {
    TableKind.LEVELS: memory.level_tables,
    TableKind.TIME_SERIES: timeline.timeline_tables,
    TableKind.PAGE_VISITS: places.page_tables,
    TableKind.DOMAIN_MATRIX: places.matrix_tables,
    TableKind.CORE_PAIRS: places.pair_tables,
    TableKind.SPARSE_PRODUCTS: sparse.product_tables,
    TableKind.WAVES: apps.wave_tables,
    TableKind.MESSAGE_STREAMS: messages.stream_tables,
    TableKind.OPERATIONS_IN_FLIGHT: onesided.operation_tables,
    TableKind.ORDERS: orders.order_tables,
    TableKind.NODE_PAIRS: pairs.node_tables,
    TableKind.NODE_RANKS: each.node_ranks,
    TableKind.NODE_QUANTILES: distribution.node_quantiles,
    TableKind.LAYOUTS: layout_tables,
    TableKind.STAGES: stages.stage_tables,
    TableKind.TIME_USE: time_use_tables,
    TableKind.ROOFLINE: roofline_tables,
    TableKind.DEVICE_ROOFLINE: device_roofline_tables,
}


def tables_of(section: Section) -> tuple[Table, ...]:
    """What a benchmark declares, after the protocols that were found in it; none for most."""
    declared = section.display.tables
    return (
        *protocol_tables(section),
        *(table for one in declared for table in _made(one, section)),
    )


def _made(declared: PivotTable | RatiosToDefault | TableKind, section: Section) -> list[Table]:
    if isinstance(declared, PivotTable):
        return pivot_tables(declared, section)
    if isinstance(declared, RatiosToDefault):
        return ratio_tables(declared, section)
    return _MADE[declared](section)
