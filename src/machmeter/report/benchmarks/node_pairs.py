"""Pairs of nodes as measured: which are apart from the others, by size and figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from machmeter.analysis.curves.consistency import Consistency, consistency_of
from machmeter.analysis.rules.system.node_classes import hosts_in_order
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.places import Pair, pair_of
from machmeter.report.benchmarks.selection import size
from machmeter.text.labels import point_columns
from machmeter.text.plain import plain

_Key = tuple[tuple[str, str], ...]


class PairsOfSize(Struct, frozen=True):
    """The pairs of one result at one message size under one layout, and which of them differ."""

    metric: str
    """Its title."""
    size: int
    """Message size, bytes."""
    estimates: dict[Pair, Estimate]
    """By pair, those that are resolved and above zero."""
    found: Consistency
    """Which of them differ from the others."""

    @property
    def places(self) -> tuple[int, ...]:
        """The ranks that any pair names, in order."""
        return tuple(sorted({place for pair in self.estimates for place in pair}))

    @property
    def outliers(self) -> frozenset[Pair]:
        """Pairs worse than usual."""
        return frozenset(one.pair for one in self.found.apart)

    @property
    def size_text(self) -> str:
        """The message size as text."""
        return format_bytes(self.size)


def pairs_by_size(estimates: Sequence[Estimate]) -> tuple[PairsOfSize, ...]:
    """Pairs put together by figure, size and layout: sizes rising, then as the run has them."""
    groups: dict[tuple[str, int, _Key], dict[Pair, Estimate]] = {}
    for one in estimates:
        pair = pair_of(one)
        if pair is None or not one.resolved or one.value <= 0 or pair[0] == pair[1]:
            continue
        known = point_columns(one.point)
        rest = tuple((n, t) for n, t in known.items() if n not in {"pair", "size"})
        ordered = (min(pair), max(pair))
        groups.setdefault((one.metric, size(one), rest), {}).setdefault(ordered, one)
    found = [
        PairsOfSize(metric, at, pairs, consistency_of(pairs))
        for (metric, at, _), pairs in groups.items()
    ]
    return tuple(sorted(found, key=lambda group: group.size))


def worst_and_best(result: RunResult, estimates: Sequence[Estimate]) -> list[tuple[str, Estimate]]:
    """The slowest and the fastest of times; nothing where none is of a pair.

    Each with what it is: `Slowest pair of nodes`, on one host `of ranks`, of one pair no rank.
    """
    kind = "nodes" if len(set(filter(None, result.rank_hosts))) > 1 else "ranks"
    pairs = [e for e in estimates if e.resolved and pair_of(e)]
    ordered = sorted(pairs, key=lambda e: -e.value)
    if len(ordered) < 2:
        return [(f"Pair of {kind}", one) for one in ordered]
    return [(f"Slowest pair of {kind}", ordered[0]), (f"Fastest pair of {kind}", ordered[-1])]


def pair_label(result: RunResult, estimate: Estimate) -> str:
    """The nodes of a pair and the message size: `n4 – n6, 8 B`."""
    names = [node_name(result, place) for place in pair_of(estimate) or ()]
    return f"{' – '.join(names)}, {format_bytes(size(estimate))}"


def names_of_nodes(result: RunResult, nodes: Iterable[int]) -> dict[int, str]:
    """The host of each node by its number; `node 3` where it is not known."""
    hosts = dict(enumerate(hosts_in_order(result.rank_hosts)))
    found = ((node, hosts.get(node)) for node in nodes)
    return {node: plain(host, 40) if host else f"node {node}" for node, host in found}


def node_name(result: RunResult, rank: int) -> str:
    """The host of a rank; `rank 3` where hosts are not known or hold several ranks."""
    hosts = result.rank_hosts
    if rank < len(hosts) and hosts[rank] and len(set(hosts)) == len(hosts):
        return plain(hosts[rank], 40)
    return f"rank {rank}"
