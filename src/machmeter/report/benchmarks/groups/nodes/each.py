"""Chart and table of every node by itself: where it is on the map, and the worst."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from machmeter.analysis.rules.system.nodes import NODE, class_of, nodes_of, shared_causes, spread_of
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate
from machmeter.report.benchmarks.groups.grids import three_digits
from machmeter.report.benchmarks.node_pairs import names_of_nodes
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import MOST_LABELED, heat_map, thresholds
from machmeter.report.table import Table, TableRow
from machmeter.text.findings.nodes import attribute_text, shared_text, spread_text
from machmeter.text.numbers import NOTHING
from machmeter.text.plain import capitalized, plain
from machmeter.text.ratios import times_text
from machmeter.text.results import value_with_interval

LEAST_NODES = 4
MOST_NODES = 4096
_WORST = 20
_LONGEST_CLASS = 60
SHOWN, UNSHOWN = "slow", "not shown to be slow"


def node_maps(section: Section) -> list[Chart]:
    """The nodes in the order of the hosts, by how much of the usual value each has."""
    return [chart for group in node_groups(section) for chart in _map(section, group)]


def node_ranks(section: Section) -> list[Table]:
    """The worst nodes of each metric."""
    return [_worst(section, group) for group in node_groups(section)]


class NodeGroup(NamedTuple):
    """Nodes that are compared with each other."""

    by_node: Mapping[int, Estimate]
    """The result of each by its number."""
    title: str
    """The metric, and the class of the nodes where there are several."""
    slug: str
    """Names its charts."""


def node_groups(section: Section) -> list[NodeGroup]:
    """The nodes of each metric, layout and class, resolved results above zero alone."""
    classes = section.result.node_classes or ()
    groups: dict[tuple[object, ...], list[Estimate]] = {}
    for one in section.estimates:
        if one.resolved and one.value > 0:
            apart = tuple(pair for pair in one.point.parameters if pair[0] != NODE)
            of = class_of(one, classes)
            key = (one.metric, apart, one.point.layout, one.point.variant, of)
            groups.setdefault(key, []).append(one)
    found = []
    for number, group in enumerate(groups.values()):
        first, of = group[0], class_of(group[0], classes)
        title = f"{first.title} ({plain(of, _LONGEST_CLASS)})" if of else first.title
        slug = f"{section.slug}-{first.metric}" + f"-{number}" * (number > 0)
        if by_node := nodes_of(group):
            found.append(NodeGroup(by_node, title, slug))
    return found


def _map(section: Section, group: NodeGroup) -> list[Chart]:
    """None of few nodes, which the table has all, nor of more than a page can hold."""
    by_node = group.by_node
    if not LEAST_NODES <= len(by_node) <= MOST_NODES:
        return []
    usual = spread_of(by_node).usual
    first = next(iter(by_node.values()))
    columns = math.ceil(math.sqrt(max(by_node) + 1))
    names = names_of_nodes(section.result, by_node)
    rows: list[Row] = []
    for node, one in by_node.items():
        share = 100 * one.value / usual
        rows.append(
            {
                "x": node % columns,
                "y": node - node % columns,
                "value": float(f"{share:.4g}"),
                "text": three_digits(share),
                "where": names[node],
                "label": value_with_interval(one),
            }
        )
    axes = (list(range(columns)), ""), (sorted({row["y"] for row in rows}), "")
    panel = heat_map(rows, *axes, (thresholds([row["value"] for row in rows]), "%"), "%")
    title = f"{group.title} of every node, percent of usual"
    better = "more is better" if first.direction is Direction.HIGHER else "less is better"
    note = f"In the order of the hosts, {columns} in a row; usual is the median; {better}."
    if len(by_node) > MOST_LABELED * MOST_LABELED:
        note += f" The table has the {_WORST} worst."
    text = (
        f"{group.title} of {len(by_node)} nodes on a grid, each as a percentage of the median, "
        f"from {min(row['value'] for row in rows):.3g} to {max(row['value'] for row in rows):.3g}."
    )
    return [draw(f"{group.slug}-map", title, text, panel, note)]


def _worst(section: Section, group: NodeGroup) -> Table:
    by_node = group.by_node
    found = spread_of(by_node)
    first = next(iter(by_node.values()))
    lower = first.direction is Direction.LOWER
    ranked = sorted(by_node, key=lambda node: by_node[node].value * (-1 if lower else 1))
    slow = {one.node: one for one in found.slow}
    names = names_of_nodes(section.result, ranked[:_WORST])
    shared = shared_causes(found, by_node, section.result.node_attributes or {})
    causes = {
        node: "; ".join(attribute_text(one) for one in shared if node in one.slow) or NOTHING
        for node in ranked[:_WORST]
    }
    rows: list[TableRow] = []
    for node in ranked[:_WORST]:
        value = by_node[node].value
        worse = value / found.usual if lower else found.usual / value
        shown = slow.get(node)
        ends = f"[{shown.low:.3f}, {shown.high:.3f}]" if shown else NOTHING
        verdict = SHOWN if shown else UNSHOWN
        columns = (value_with_interval(by_node[node]), times_text(worse), ends, verdict)
        rows.append((names[node], *columns, *([causes[node]] * bool(shared))))
    said = "".join(f" {capitalized(shared_text(one))}." for one in shared)
    return Table(
        f"{group.title}: the worst nodes",
        (
            "node",
            "value",
            "worse than usual",
            "95 % interval",
            "verdict",
            *(["slow nodes share"] * bool(shared)),
        ),
        tuple(rows),
        (1, 2, 3),
        f"Usual is the median of {found.nodes} nodes{spread_text(found)}. Slow: an outlier among "
        "the nodes, shown by its launches, by 3 % at least, adjusted for the number of nodes."
        + said,
    )
