"""Tables over pairs of places: what two places share, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes, format_value
from machmeter.report.benchmarks.ancestors import by_ancestor
from machmeter.report.benchmarks.selection import (
    estimates_of,
    of_metric,
    parameter,
    size,
    usual,
    values_of,
    where,
)
from machmeter.report.tables import Row, Table

_COLUMNS = ("in common", "pairs", "median", "lowest", "highest", "over the closest")
_NOTE = (
    "Places are CPUs; what two of them have in common comes from the topology as the system "
    "describes it. Median, lowest and highest are of the values of the pairs."
)


def page_ancestors(result: RunResult) -> tuple[Table, ...]:
    """Visits of pages by what owner and visitor have in common, smallest and largest set."""
    plain = usual(estimates_of(result, "memory.pages"))
    if not plain:
        return ()
    sizes = sorted({size(e) for e in plain})
    rows: list[Row] = []
    for at in dict.fromkeys((sizes[0], sizes[-1])):
        of_size = [e for e in plain if size(e) == at]
        for visit, extent, order in dict.fromkeys(_kind(e) for e in of_size):
            found = [e for e in of_size if _kind(e) == (visit, extent, order)]
            before = (format_bytes(at), visit, f"{order} {extent}s")
            rows += _rows(result, found, before)
    caption = "memory.pages by what owner and visitor have in common"
    return (_table(caption, ("set", "visit", "of"), rows),)


def _kind(estimate: Estimate) -> tuple[str, str, str]:
    visit, extent, order = (str(parameter(estimate, n)) for n in ("visit", "extent", "order"))
    return visit, extent, order


def matrix_ancestors(result: RunResult) -> tuple[Table, ...]:
    """Latency and bandwidth by what the two NUMA domains have in common, by page size."""
    found = estimates_of(result, "memory.matrix")
    rows: list[Row] = []
    for metric in ("latency", "bandwidth"):
        of_one = of_metric(found, metric)
        for pages in sorted({e.point.layout.page_bytes for e in of_one}):
            same = [e for e in of_one if e.point.layout.page_bytes == pages]
            rows += _rows(result, same, (metric, format_bytes(pages)), domains=True)
    caption = "memory.matrix by what the two domains have in common"
    return (_table(caption, ("figure", "pages"), rows),) if rows else ()


def pair_ancestors(result: RunResult) -> tuple[Table, ...]:
    """One way between two cores by what they have in common, by protocol."""
    found = estimates_of(result, "threads.pairs")
    rows = [
        row
        for protocol in values_of(found, "protocol")
        for row in _rows(result, where(found, "protocol", protocol), (protocol,))
    ]
    caption = "threads.pairs by what the two cores have in common"
    return (_table(caption, ("protocol",), rows),) if rows else ()


def _rows(
    result: RunResult, estimates: Sequence[Estimate], before: Row, domains: bool = False
) -> list[Row]:
    kin = by_ancestor(result.header.machine.topology, estimates, domains)
    rows: list[Row] = []
    for one in kin:
        spread, unit = one.spread, one.typical.unit
        ratio = spread.median / kin[0].spread.median
        if one.typical.direction is Direction.HIGHER:
            text = f"{ratio:.2f}x"
        else:
            text = f"{ratio:.3g}x" if ratio >= 10 else f"{ratio:.2f}x"
        values = (format_value(v, unit) for v in (spread.median, spread.low, spread.high))
        rows.append((*before, one.name, str(spread.pairs), *values, text))
    return rows


def _table(caption: str, before: tuple[str, ...], rows: Sequence[Row]) -> Table:
    first = len(before) + 1
    numeric = tuple(range(first, first + len(_COLUMNS) - 1))
    return Table(caption, (*before, *_COLUMNS), tuple(rows), numeric, _NOTE)
