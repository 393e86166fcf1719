"""Chart and table of every node by itself: where it is on the map, and the worst."""

from __future__ import annotations

import math

from machmeter.analysis.rules.system.nodes import nodes_of, spread_of
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate
from machmeter.report.benchmarks.groups.grids import three_digits
from machmeter.report.benchmarks.node_pairs import node_name
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import MOST_LABELED, heat_map, thresholds
from machmeter.report.table import Table, TableRow
from machmeter.text.findings.nodes import spread_text
from machmeter.text.ratios import times_text
from machmeter.text.results import value_with_interval

LEAST_NODES = 4
MOST_NODES = 4096
_WORST = 20
SHOWN, UNSHOWN = "slow", "not shown to be slow"


def node_maps(section: Section) -> list[Chart]:
    """The nodes in the order of the hosts, by how much of the usual value each has."""
    return [chart for metric in nodes_by_metric(section) for chart in _map(section, metric)]


def node_ranks(section: Section) -> list[Table]:
    """The worst nodes of each metric."""
    return [_worst(section, metric) for metric in nodes_by_metric(section)]


def nodes_by_metric(section: Section) -> list[dict[int, Estimate]]:
    """The nodes of each metric and layout, resolved results above zero alone."""
    groups: dict[tuple[object, ...], list[Estimate]] = {}
    for one in section.estimates:
        if one.resolved and one.value > 0:
            apart = tuple(pair for pair in one.point.parameters if pair[0] != "node")
            key = (one.metric, apart, one.point.layout, one.point.variant)
            groups.setdefault(key, []).append(one)
    return [found for group in groups.values() if (found := nodes_of(group))]


def _map(section: Section, by_node: dict[int, Estimate]) -> list[Chart]:
    """None of few nodes, which the table has all, nor of more than a page can hold."""
    if not LEAST_NODES <= len(by_node) <= MOST_NODES:
        return []
    usual = spread_of(by_node).usual
    first = next(iter(by_node.values()))
    columns = math.ceil(math.sqrt(max(by_node) + 1))
    rows: list[Row] = []
    for node, one in by_node.items():
        share = 100 * one.value / usual
        rows.append(
            {
                "x": node % columns,
                "y": node - node % columns,
                "value": float(f"{share:.4g}"),
                "text": three_digits(share),
                "where": node_name(section.result, node),
                "label": value_with_interval(one),
            }
        )
    axes = (list(range(columns)), ""), (sorted({row["y"] for row in rows}), "")
    panel = heat_map(rows, *axes, (thresholds([row["value"] for row in rows]), "%"), "%")
    title = f"{first.title} of every node, percent of usual"
    better = "more is better" if first.direction is Direction.HIGHER else "less is better"
    note = f"In the order of the hosts, {columns} in a row; usual is the median; {better}."
    if len(by_node) > MOST_LABELED * MOST_LABELED:
        note += f" The table has the {_WORST} worst."
    text = (
        f"{first.title} of {len(by_node)} nodes on a grid, each as a percentage of the median, "
        f"from {min(row['value'] for row in rows):.3g} to {max(row['value'] for row in rows):.3g}."
    )
    return [draw(f"{section.slug}-{first.metric}-map", title, text, panel, note)]


def _worst(section: Section, by_node: dict[int, Estimate]) -> Table:
    found = spread_of(by_node)
    first = next(iter(by_node.values()))
    lower = first.direction is Direction.LOWER
    ranked = sorted(by_node, key=lambda node: by_node[node].value * (-1 if lower else 1))
    slow = {one.node: one for one in found.slow}
    rows: list[TableRow] = []
    for node in ranked[:_WORST]:
        value = by_node[node].value
        worse = value / found.usual if lower else found.usual / value
        shown = slow.get(node)
        ends = f"[{shown.low:.3f}, {shown.high:.3f}]" if shown else "–"
        name = node_name(section.result, node)
        verdict = SHOWN if shown else UNSHOWN
        rows.append((name, value_with_interval(by_node[node]), times_text(worse), ends, verdict))
    return Table(
        f"{first.title}: the worst nodes",
        ("node", "value", "worse than usual", "95 % interval", "verdict"),
        tuple(rows),
        (1, 2, 3),
        f"Usual is the median of {found.nodes} nodes{spread_text(found)}. Slow: an outlier among "
        "the nodes, shown by its launches, by 3 % at least, adjusted for the number of nodes.",
    )
