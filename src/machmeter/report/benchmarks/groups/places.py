"""Charts and tables over pairs of CPUs or domains: pages, NUMA domains, cores."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.stats.fields import value_of, where
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes, format_value, is_unbounded, scale_for
from machmeter.report.benchmarks.groups.grids import (
    Grid,
    cpu_levels,
    domain_levels,
    grid_of,
    grid_rows,
)
from machmeter.report.benchmarks.places import AncestorGroup, are_of_domains, by_ancestor, spread_of
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import of_metric, size, usual, values_of
from machmeter.report.drawing.axes import Row, linear_x, log_axis, size_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import heat_map, log_middle, ranges, side_by_side, thresholds
from machmeter.report.drawing.panel import Channel, Panel, stack
from machmeter.report.drawing.panels import curves, short
from machmeter.report.table import Table, TableRow
from machmeter.text.labels import parameter_text
from machmeter.text.numbers import count_text
from machmeter.text.ratios import times_text
from machmeter.text.results import result_text

_BOX = "A mark is the median of the pairs, a bar their middle half, a line all of them."


# With fewer, quarters of them say nothing.
_LEAST_IN_A_BOX = 4


_WIDE = 5.0


class _Case(Struct, frozen=True):
    """One of several sets of pairs that are drawn in the same way."""

    name: str
    estimates: tuple[Estimate, ...]


class _Maps(Struct, frozen=True):
    """What the heat maps of a chart have in common. rows, columns: titles of the axes."""

    name: str
    title: str
    description: str
    rows: str
    columns: str
    symmetric: bool = False


def page_charts(section: Section) -> list[Chart]:
    """Word after word: maps of the smallest and the largest set, ancestors, the time over sizes."""
    result, plain = section.result, usual(section.estimates)
    words = where(where(plain, "extent", "word"), "order", "dependent") or plain
    sizes = sorted({size(e) for e in words})
    charts = []
    for at in dict.fromkeys((sizes[0], sizes[-1])):
        cases = _cases([e for e in words if size(e) == at], "visit")
        text = parameter_text("size", at)
        maps = _Maps(
            f"memory-pages-map-{'smallest' if at == sizes[0] else 'largest'}",
            f"Visit of one word of a page, set of {text}",
            "Time of one page visit as a matrix: the owner, who last wrote the pages, by the "
            f"visitor; dependent visits of one word, in a set of {text}.",
            "owner",
            "visitor",
        )
        charts += _maps(result, cases, maps)
        title = f"Page visits by what owner and visitor share, set of {text}"
        name = f"memory-pages-ancestors-{'smallest' if at == sizes[0] else 'largest'}"
        charts += _ancestors(result, cases, name, title, "time of a visit")
    return charts + _over_sizes(result, words, len(sizes))


def matrix_charts(section: Section) -> list[Chart]:
    """Latency and bandwidth from domain to domain, and by what the domains share."""
    charts = []
    for metric, title in (("latency", "Latency"), ("bandwidth", "Read bandwidth")):
        found = usual(of_metric(section.estimates, metric))
        cases = [_Case("", found)] if found else []
        maps = _Maps(
            f"memory-matrix-{metric}",
            f"{title} between NUMA domains",
            f"{title} as a matrix: the NUMA domain of the CPUs by that of the memory.",
            "CPUs of",
            "memory of",
        )
        charts += _maps(section.result, cases, maps)
        charts += _ancestors(
            section.result,
            cases,
            f"memory-matrix-{metric}-ancestors",
            f"{title} by what the two domains share",
            title.lower(),
        )
    return charts


def pair_charts(section: Section) -> list[Chart]:
    """A matrix of cores a protocol, and one way by what the two cores share."""
    result, cases = section.result, _cases(section.estimates, "protocol")
    maps = _Maps(
        "threads-pairs-map",
        "Core to core, one way",
        "One-way time of a word between two cores as a matrix, one for each protocol.",
        "",
        "",
        symmetric=True,
    )
    title = "Core to core by what the two cores share"
    drawn = _ancestors(result, cases, "threads-pairs-ancestors", title, "one way")
    return [*_maps(result, cases, maps), *drawn]


def _cases(estimates: Sequence[Estimate], name: str) -> list[_Case]:
    return [_Case(value, where(estimates, name, value)) for value in values_of(estimates, name)]


def _maps(result: RunResult, cases: Sequence[_Case], maps: _Maps) -> list[Chart]:
    """One map a case, on the same colors; none of a single pair."""
    topology = result.header.machine.topology
    of_domains = bool(cases) and are_of_domains(cases[0].estimates)
    levels = domain_levels(topology) if of_domains else cpu_levels(topology)
    grids = [(case, grid_of(levels, case.estimates, maps.symmetric)) for case in cases]
    least = 3 if maps.symmetric else 2
    grids = [(case, grid) for case, grid in grids if len(grid.places) >= least]
    if not grids:
        return []
    unit = grids[0][0].estimates[0].unit
    values = [cell.value for _, grid in grids for cell in grid.cells]
    factor, symbol = scale_for(log_middle(values), unit)
    bounds = thresholds([value / factor for value in values])
    panels: list[Panel] = []
    for case, grid in grids:
        rows = grid_rows(grid, factor, lambda a, b: _between(case.name, a, b))  # noqa: B023
        x = (grid.places, _axis(maps.columns, grid))
        y = (grid.places, _axis(maps.rows, grid))
        title = f"{case.name}, {symbol}" if case.name else symbol
        panels.append(heat_map(rows, x, y, (bounds, symbol), title))
    note = _map_note([grid for _, grid in grids], maps)
    return [draw(maps.name, maps.title, maps.description, side_by_side(*panels), note)]


def _between(case: str, row: int, column: int) -> str:
    return f"{case}: {row} – {column}" if case else f"{row} – {column}"


def _axis(title: str, grid: Grid) -> str:
    return f"{title}, {grid.level.name}" if title else grid.level.name


def _map_note(grids: Sequence[Grid], maps: _Maps) -> str:
    once = [[c for c in g.cells if c.row <= c.column or not maps.symmetric] for g in grids]
    pairs = max(sum(cell.pairs for cell in cells) for cells in once)
    parts = [f"{count_text(pairs, 'pair', 'pairs')} measured."]
    if any(cell.pairs > 1 for grid in grids for cell in grid.cells):
        name = grids[0].level.name
        parts.append(
            f"A cell is the median of all pairs of different CPUs between two groups: {name}."
        )
    if any(len(grid.cells) < len(grid.places) ** 2 for grid in grids):
        parts.append("Empty: not measured.")
    if maps.symmetric:
        parts.append("The matrix is symmetric.")
    return " ".join(parts)


def _ancestors(
    result: RunResult,
    cases: Sequence[_Case],
    name: str,
    title: str,
    axis: str,
) -> list[Chart]:
    """Ranges over pairs by common ancestor; none where there is only one pair to a case."""
    topology = result.header.machine.topology
    kin = [(case, one) for case in cases for one in by_ancestor(topology, case.estimates)]
    if not kin or (all(len(case.estimates) < 2 for case in cases) and len(cases) < 2):
        return []
    unit = kin[0][1].estimates[0].unit
    middles = [one.spread.median for _, one in kin]
    factor, symbol = scale_for(log_middle(middles), unit)
    rows = [_range_row(case, one, factor) for case, one in kin]
    order = {one.name: one.ancestor for _, one in kin}
    categories = sorted(order, key=lambda n: (order[n].rank, order[n].distance or 0))
    wide = max(middles) / min(middles) > _WIDE and kin[0][1].typical.direction is Direction.LOWER
    x = (log_axis if wide else _from_zero)(f"{axis}, {symbol}", rows)
    names = [case.name for case in cases]
    text = f"{title}: the median, the middle half and the range of all pairs, by common ancestor."
    return [draw(name, title, text, ranges(rows, x, categories, names), _BOX)]


def _range_row(case: _Case, one: AncestorGroup, factor: float) -> Row:
    """The spread of the pairs, or the 95 % interval of the only one."""
    spread = one.spread
    return {
        "x": one.name,
        "series": case.name,
        "first": short(spread.first_quarter / factor),
        "third": short(spread.third_quarter / factor),
        "boxed": spread.pairs >= _LEAST_IN_A_BOX,
        **_middle_row(one.estimates, factor),
    }


def _from_zero(title: str, _rows: Sequence[Row]) -> Channel:
    return linear_x(title, zero=True)


def _over_sizes(result: RunResult, words: Sequence[Estimate], sizes: int) -> list[Chart]:
    """Time of a visit over the size of the set, one curve a common ancestor."""
    if sizes < 2:
        return []
    topology = result.header.machine.topology
    panels = []
    names = [one.name for one in by_ancestor(topology, words)]
    for case in _cases(words, "visit"):
        factor, symbol = scale_for(log_middle([e.value for e in case.estimates]), words[0].unit)
        rows: list[Row] = []
        for one in by_ancestor(topology, case.estimates):
            for at in sorted({size(e) for e in one.estimates}):
                of_size = [e for e in one.estimates if size(e) == at]
                rows.append({"x": at, "series": one.name} | _middle_row(of_size, factor))
        x = size_axis([row["x"] for row in rows], "set of pages")
        title = f"{case.name}, {symbol}"
        panels.append(curves(rows, x, log_axis(title, rows), names, height=230))
    return [
        draw(
            "memory-pages-sizes",
            "Page visits by size of the set",
            "Time of a dependent visit of one word over the size of the set of pages on "
            "logarithmic axes, one curve for each common ancestor of owner and visitor.",
            stack(*panels),
            "Curves: the median of the pairs; bands: all pairs, or the 95 % interval of one.",
        )
    ]


def _middle_row(estimates: Sequence[Estimate], factor: float) -> Row:
    if len(estimates) == 1:
        one = estimates[0]
        low, middle, high, label = one.low, one.value, one.high, result_text(one)
        if is_unbounded(high):
            low = high = middle
    else:
        spread = spread_of([e.value for e in estimates])
        low, middle, high = spread.low, spread.median, spread.high
        low_text, high_text = (format_value(v, estimates[0].unit) for v in (low, high))
        label = f"{format_value(middle, estimates[0].unit)}, median of {spread.pairs} pairs, "
        label += f"{low_text} to {high_text}"
    ends = {"low": short(low / factor), "high": short(high / factor)}
    return {"value": short(middle / factor), **ends, "resolved": True, "label": label}


_COLUMNS = ("in common", "pairs", "median", "lowest", "highest", "over the closest")


_NOTE = (
    "Places are CPUs; what two of them have in common comes from the topology as the system "
    "describes it. Median, lowest and highest are of the values of the pairs."
)


def page_tables(section: Section) -> list[Table]:
    """Visits of pages by what owner and visitor have in common, smallest and largest set."""
    plain = usual(section.estimates)
    if not plain:
        return []
    sizes = sorted({size(e) for e in plain})
    rows: list[TableRow] = []
    for at in dict.fromkeys((sizes[0], sizes[-1])):
        of_size = [e for e in plain if size(e) == at]
        for visit, extent, order in dict.fromkeys(_kind(e) for e in of_size):
            found = [e for e in of_size if _kind(e) == (visit, extent, order)]
            before = (format_bytes(at), visit, f"{order} {extent}s")
            rows += _rows(section, found, before)
    caption = "By what owner and visitor have in common"
    return [_table(caption, ("set", "visit", "of"), rows)]


def _kind(estimate: Estimate) -> tuple[str, str, str]:
    visit, extent, order = (str(value_of(estimate, n)) for n in ("visit", "extent", "order"))
    return visit, extent, order


def matrix_tables(section: Section) -> list[Table]:
    """Latency and bandwidth by what the two NUMA domains have in common, by page size."""
    rows: list[TableRow] = []
    for metric in ("latency", "bandwidth"):
        of_one = of_metric(section.estimates, metric)
        for pages in sorted({e.point.layout.page_bytes for e in of_one}):
            same = [e for e in of_one if e.point.layout.page_bytes == pages]
            rows += _rows(section, same, (metric, format_bytes(pages)))
    caption = "By what the two domains have in common"
    return [_table(caption, ("result", "pages"), rows)] if rows else []


def pair_tables(section: Section) -> list[Table]:
    """One way between two cores by what they have in common, by protocol."""
    found = section.estimates
    rows = [
        row
        for protocol in values_of(found, "protocol")
        for row in _rows(section, where(found, "protocol", protocol), (protocol,))
    ]
    caption = "By what the two cores have in common"
    return [_table(caption, ("protocol",), rows)] if rows else []


def _rows(section: Section, estimates: Sequence[Estimate], before: TableRow) -> list[TableRow]:
    kin = by_ancestor(section.result.header.machine.topology, estimates)
    rows: list[TableRow] = []
    for one in kin:
        spread, unit = one.spread, one.typical.unit
        ratio = spread.median / kin[0].spread.median
        values = (format_value(v, unit) for v in (spread.median, spread.low, spread.high))
        rows.append((*before, one.name, str(spread.pairs), *values, times_text(ratio)))
    return rows


def _table(caption: str, before: tuple[str, ...], rows: Sequence[TableRow]) -> Table:
    first = len(before) + 1
    numeric = tuple(range(first, first + len(_COLUMNS) - 1))
    return Table(caption, (*before, *_COLUMNS), tuple(rows), numeric, _NOTE)
