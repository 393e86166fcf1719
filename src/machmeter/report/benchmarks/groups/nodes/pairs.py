"""Charts and tables of a whole system: every pair of nodes."""

from __future__ import annotations

from typing import Any

from machmeter.model.results.run import RunResult
from machmeter.model.units import format_value, scale_for
from machmeter.report.benchmarks.groups.grids import three_digits
from machmeter.report.benchmarks.node_pairs import PairsOfSize, node_name, pairs_by_size
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import MOST_LABELED, heat_map, log_middle, thresholds
from machmeter.report.drawing.panel import data_of, layer, mark, ordinal
from machmeter.report.table import Table, TableRow
from machmeter.text.plain import plain
from machmeter.text.ratios import times_text
from machmeter.text.results import result_text, value_with_interval

_MOST_PAIRS = 1300


def node_charts(section: Section) -> list[Chart]:
    """Node by node: latency of the smallest message, bandwidth of the largest."""
    groups = pairs_by_size(section.estimates)
    latencies = [group for group in groups if group.metric == "latency"]
    bandwidths = [group for group in groups if group.metric == "bandwidth"]
    charts = []
    for title, chosen in (("Latency", latencies[:1]), ("Bandwidth", bandwidths[-1:])):
        for pairs in chosen:
            charts += _matrix(section.result, title, pairs)
    return charts


def _matrix(result: RunResult, title: str, pairs: PairsOfSize) -> list[Chart]:
    """No matrix of two nodes, nor of more pairs than a page can hold: the table has the worst."""
    estimates = pairs.estimates
    if len(pairs.places) < 3 or len(estimates) > _MOST_PAIRS:
        return []
    values = [one.value for one in estimates.values()]
    factor, symbol = scale_for(log_middle(values), next(iter(estimates.values())).unit)
    bounds = thresholds([value / factor for value in values])
    small = len(pairs.places) <= MOST_LABELED
    rows = _rows(result, pairs, factor, mirrored=small)
    axis = ([node_name(result, place) for place in pairs.places], "")
    chart = heat_map(rows, axis, axis, (bounds, symbol), symbol)
    framed = _framed(result, pairs, mirrored=small)
    if framed:
        place, width = {"x": ordinal("x"), "y": ordinal("y")}, 2.5 if small else 1.2
        frames: dict[str, Any] = {"style": "event", "filled": False, "strokeWidth": width}
        chart = layer(chart, mark("rect", data_of(framed), place, **frames))
    text = (
        f"{title} as a matrix, node by node, for messages of {pairs.size_text}; "
        f"{len(pairs.outliers)} of {len(estimates)} pairs are worse than usual."
    )
    name = f"network-consistency-{title.lower()}"
    marked = " Framed: worse than usual by more than five deviations, or twice." if framed else ""
    once = "The matrix is symmetric." if small else "Each pair is drawn once."
    note = f"{once} Empty: not measured.{marked}"
    return [draw(name, f"{title} node by node, {pairs.size_text}", text, chart, note)]


def _rows(result: RunResult, pairs: PairsOfSize, factor: float, mirrored: bool) -> list[Row]:
    """mirrored: below the diagonal too, with text; a page cannot hold that of many nodes."""
    rows = []
    outliers = pairs.outliers
    for pair, one in pairs.estimates.items():
        a, b = (node_name(result, place) for place in pair)
        value = one.value / factor
        row = {
            "value": float(f"{value:.4g}"),
            "where": f"{a} – {b}{', worse than usual' if pair in outliers else ''}",
            "label": result_text(one) if mirrored else value_with_interval(one),
        }
        if mirrored:
            row["text"] = three_digits(value)
            rows.append({"x": a, "y": b, **row})
        rows.append({"x": b, "y": a, **row})
    return rows


def _framed(result: RunResult, pairs: PairsOfSize, mirrored: bool) -> list[Row]:
    """Places of the outliers."""
    named = [tuple(node_name(result, place) for place in pair) for pair in sorted(pairs.outliers)]
    once = [{"x": b, "y": a} for a, b in named]
    return [*once, *({"x": a, "y": b} for a, b in named)] if mirrored else once


_WORST_PAIRS = 20


_WORST_NODES = 20


def node_tables(section: Section) -> list[Table]:
    """Pairs by how much worse they are than usual; nodes by their pairs."""
    groups = pairs_by_size(section.estimates)
    kept = [g for g in groups if g.metric == "latency"]
    if not kept:
        return []
    return [_pairs(section.result, kept), _nodes(section.result, kept)]


def _pairs(result: RunResult, groups: list[PairsOfSize]) -> Table:
    """The worst pairs of every size; the figure is the time, of which bandwidth is the inverse."""
    rows: list[TableRow] = []
    for group in groups:
        ranked = sorted(group.estimates, key=lambda pair: -group.found.worse[pair])
        behind = {one.node for one in group.found.nodes}
        deviations = {one.pair: one.deviations for one in group.found.apart}
        for pair in ranked[:_WORST_PAIRS]:
            names = [_with_host(result, place) for place in pair if place in behind]
            alone = "no one node" if group.found.levels else "this pair alone"
            apart = f"by {deviations[pair]:.0f} deviations" if pair in deviations else "no"
            rows.append(
                (
                    group.size_text,
                    " – ".join(_with_host(result, place) for place in pair),
                    value_with_interval(group.estimates[pair]),
                    times_text(group.found.worse[pair]),
                    apart,
                    ", ".join(names) or (alone if pair in deviations else "–"),
                )
            )
    usual = "; ".join(
        f"{g.size_text} {format_value(g.found.usual, next(iter(g.estimates.values())).unit)} "
        f"± {100 * g.found.deviation:.1f} %, {len(g.outliers)} of {g.found.pairs} pairs apart"
        for g in groups
    )
    return Table(
        "The slowest pairs",
        ("size", "pair", "one way", "over usual", "apart", "behind it"),
        tuple(rows),
        (2, 3),
        f"Usual: {usual}. Judged by the median over launches. Apart: slower than usual by more "
        f"than five deviations, or twice, and by 10 %. At most {_WORST_PAIRS} pairs a size; all "
        "stand below.",
    )


def _nodes(result: RunResult, groups: list[PairsOfSize]) -> Table:
    rows: list[TableRow] = []
    for group in groups:
        found = group.found
        blamed = {one.node for one in found.nodes}
        ranked = sorted(found.scores, key=lambda node: -found.scores[node])
        for node in ranked[:_WORST_NODES]:
            mine = [pair for pair in group.estimates if node in pair]
            apart = sum(pair in group.outliers for pair in mine)
            rows.append(
                (
                    group.size_text,
                    _with_host(result, node),
                    times_text(found.scores[node]),
                    f"{apart} of {len(mine)}",
                    "yes" if node in blamed else "no",
                )
            )
    return Table(
        "Nodes by the median of their pairs",
        ("size", "node", "over the others", "pairs apart", "behind them"),
        tuple(rows),
        (2, 3),
        f"Behind them: blaming the node explains its pairs most simply. At most {_WORST_NODES} "
        "nodes a size, the slowest first.",
    )


def _with_host(result: RunResult, rank: int) -> str:
    """`n4`, or the rank and its host where several ranks share hosts: `rank 3 (laptop)`."""
    name = node_name(result, rank)
    hosts = result.rank_hosts
    if rank < len(hosts) and hosts[rank] and name == f"rank {rank}":
        return f"{name} ({plain(hosts[rank], 40)})"
    return name
