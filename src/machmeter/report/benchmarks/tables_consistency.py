"""Tables of the pairs of nodes: the worst ones, and each node by itself."""

from __future__ import annotations

from machmeter.model.results.run import RunResult
from machmeter.model.units import format_value
from machmeter.report.benchmarks.consistency import PairsOfSize, node_name, pairs_by_size
from machmeter.report.benchmarks.pivots import with_interval
from machmeter.report.benchmarks.selection import estimates_of
from machmeter.report.tables import Row, Table
from machmeter.text.plain import plain

_WORST_PAIRS = 20
_WORST_NODES = 20


def consistency_tables(result: RunResult) -> tuple[Table, ...]:
    """Pairs by how much worse they are than usual; nodes by their pairs."""
    groups = pairs_by_size(estimates_of(result, "network.consistency"))
    kept = [g for g in groups if g.metric == "latency"]
    if not kept:
        return ()
    return (_pairs(result, kept), _nodes(result, kept))


def _pairs(result: RunResult, groups: list[PairsOfSize]) -> Table:
    """The worst pairs of every size; the figure is the time, of which bandwidth is the inverse."""
    rows: list[Row] = []
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
                    with_interval(group.estimates[pair]),
                    f"{group.found.worse[pair]:.2f}x",
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
        "network.consistency: the slowest pairs",
        ("size", "pair", "one way", "over usual", "apart", "behind it"),
        tuple(rows),
        (2, 3),
        f"Usual: {usual}. Judged by the median over launches. Apart: slower than usual by more "
        f"than five deviations, or twice, and by 10 %. At most {_WORST_PAIRS} pairs a size; all "
        "stand below.",
    )


def _nodes(result: RunResult, groups: list[PairsOfSize]) -> Table:
    rows: list[Row] = []
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
                    f"{found.scores[node]:.2f}x",
                    f"{apart} of {len(mine)}",
                    "yes" if node in blamed else "no",
                )
            )
    return Table(
        "network.consistency: nodes by the median of their pairs",
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
