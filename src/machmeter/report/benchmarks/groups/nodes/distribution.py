"""Chart and table of how the nodes of a class spread: the share of them up to each value."""

from __future__ import annotations

from machmeter.analysis.rules.system.nodes import spread_of
from machmeter.model.units import format_value, scale_for
from machmeter.report.benchmarks.groups.nodes.each import (
    LEAST_NODES,
    MOST_NODES,
    SHOWN,
    UNSHOWN,
    NodeGroup,
    node_groups,
)
from machmeter.report.benchmarks.node_pairs import names_of_nodes
from machmeter.report.benchmarks.section import Section
from machmeter.report.drawing.axes import Row, linear_x
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panel import data_of, layer, mark, nominal, quantitative
from machmeter.report.drawing.panels import WIDTH, color_of, guide, shape_of, short
from machmeter.report.table import Table, TableRow
from machmeter.text.results import value_with_interval

_HEIGHT = 220


def node_distributions(section: Section) -> list[Chart]:
    """Of each metric the share of the nodes, percent, that have at most each value."""
    return [
        _distribution(section, group)
        for group in node_groups(section)
        if LEAST_NODES <= len(group.by_node) <= MOST_NODES
    ]


def node_quantiles(section: Section) -> list[Table]:
    """The least, the quartiles and the most of each metric, and how nodes and launches spread."""
    rows = [_quantiles(group) for group in node_groups(section)]
    if not rows:
        return []
    heads = ("least", "lower quartile", "usual", "upper quartile", "most", "nodes spread by")
    return [
        Table(
            "How the nodes are distributed",
            ("", "nodes", *heads, "launches of one by"),
            tuple(rows),
            tuple(range(1, 9)),
            "Usual is the median of the nodes. Spreads are relative standard deviations by "
            "quartiles and medians, so that slow nodes do not widen them; that of the nodes is "
            "without the noise of launches.",
        )
    ]


def _distribution(section: Section, group: NodeGroup) -> Chart:
    by_node = group.by_node
    found = spread_of(by_node)
    slow = {one.node for one in found.slow}
    first = next(iter(by_node.values()))
    factor, symbol = scale_for(found.usual, first.unit)
    names = names_of_nodes(section.result, by_node)
    rows: list[Row] = [
        {
            "value": short(by_node[node].value / factor),
            "share": short(100 * (place + 1) / len(by_node)),
            "series": SHOWN if node in slow else UNSHOWN,
            "where": names[node],
            "label": value_with_interval(by_node[node]),
        }
        for place, node in enumerate(sorted(by_node, key=lambda node: by_node[node].value))
    ]
    series = [name for name in (UNSHOWN, SHOWN) if any(row["series"] == name for row in rows)]
    axis = linear_x(f"{first.title}, {symbol}", zero=False)
    encoding = {
        "x": axis,
        "y": quantitative("share", title="nodes, %", scale={"domain": [0, 100]}),
        "color": color_of(series),
        "shape": shape_of(series),
        "tooltip": [nominal("where", title=" "), nominal("label", title="  ")],
    }
    points = mark("point", data_of(rows), encoding, size=36, filled=True, opacity=1)
    usual = guide(short(found.usual / factor), "usual", vertical=True)
    values = [one.value for one in by_node.values()]
    text = (
        f"The share of {len(by_node)} nodes with at most each {group.title}: from "
        f"{format_value(min(values), first.unit)} to {format_value(max(values), first.unit)}, "
        f"usually {format_value(found.usual, first.unit)}; {len(slow)} slow."
    )
    return draw(
        f"{group.slug}-distribution",
        f"{group.title}: how the nodes are distributed",
        text,
        layer(usual, points).properties(width=WIDTH, height=_HEIGHT),
        "Each mark is a node; usual is the median.",
    )


def _quantiles(group: NodeGroup) -> TableRow:
    by_node = group.by_node
    found = spread_of(by_node)
    first = next(iter(by_node.values()))
    values = [one.value for one in by_node.values()]
    levels = (min(values), found.lower_quartile, found.usual, found.upper_quartile, max(values))
    spreads = ("–" if one is None else f"{100 * one:.1f} %" for one in (found.spread, found.noise))
    texts = (format_value(value, first.unit) for value in levels)
    return (group.title, str(found.nodes), *texts, *spreads)
