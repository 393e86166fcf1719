"""What a label says and the results contradict."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import msgspec
from msgspec import Struct

from machmeter.importing.readings import ForeignResult, Reading
from machmeter.model.units import format_bytes
from machmeter.published.contributed import FASTEST_BEHIND_PCIE_SECONDS, WAYS
from machmeter.published.format import Link, LinkDirection
from machmeter.published.units import link_rate, printed_unit

FASTEST_NETWORK_SECONDS = 0.49e-6
"""One way between two nodes takes this long at least.

The wire is not what bounds it: 1 m of cable takes light 5 ns. Two network interfaces and a router
do. The least that is published for any machine that runs MPI is 0.49 us, for 8 bytes put between
neighbors of Tofu D, whose interface is part of the processor chip and writes into its cache (Ajima
et al., The Tofu Interconnect D, IEEE CLUSTER 2018, abstract and section V); MPI itself, and an
interface behind PCI Express, add to that. Inside one node 0.1 to 0.5 us are usual.
"""

# The rule of STREAM (McCalpin).
_ARRAY_OVER_CACHE = 4
_BINARY_MEGABYTE = 2**20 / 1e6
_TOLERANCE = 0.006


class ImportedMachine(Struct, frozen=True):
    """What is known of the machine that results are of; 0 or None where it is not known."""

    nodes: int = 0
    """Nodes of the machine."""
    cores: int = 0
    """Cores of the whole machine."""
    link: Link | None = None
    """Of its interconnect."""


def proved(reading: Reading, machine: ImportedMachine) -> Reading:
    """The reading with contradicted results flagged, and a remark on each.

    A latency between nodes that no network reaches shows that the whole run of the tool was
    inside one node: its results get that layout.
    """
    remarks: list[str] = []
    results = list(reading.results)
    for check in (_within_one_node, _hardly_between_nodes, _above_link, _more_than_cores):
        results = check(results, machine, remarks.append)
    return msgspec.structs.replace(
        reading, results=tuple(results), remarks=(*reading.remarks, *remarks)
    )


def rate_kind(printed: float, decimals: int, megabytes: float) -> str:
    """`MB/s` or `MiB/s`: which a printed rate is, whose row says `megabytes` (10^6 B) a second.

    Empty where it is neither within what was rounded and 0.6 %: the row contradicts itself.
    """
    rounding = 0.5 * 10.0**-decimals
    for name, factor in (("MB/s", 1.0), ("MiB/s", _BINARY_MEGABYTE)):
        expected = megabytes / factor
        if abs(printed - expected) <= rounding + _TOLERANCE * expected:
            return name
    return ""


def doubt_of_caches(array_bytes: int, cache_bytes: int) -> str:
    """Why a rate of memory is doubtful whose arrays have that size; empty where it is not, or the
    last caches, together, are not known (0)."""
    if array_bytes >= _ARRAY_OVER_CACHE * cache_bytes:
        return ""
    return (
        f"arrays of {format_bytes(array_bytes)} are below {_ARRAY_OVER_CACHE} times the last "
        f"caches ({format_bytes(cache_bytes)}), where part of them stays: its rates are doubtful"
    )


def is_in_order(values: Sequence[float]) -> bool:
    """Whether minimum, mean and maximum, as a tool prints them, stand in that order."""
    return all(low <= high for low, high in pairwise(values))


def _within_one_node(
    results: list[ForeignResult], machine: ImportedMachine, remark: Callable[[str], None]
) -> list[ForeignResult]:
    del machine
    false = {
        result.group: result
        for result in reversed(results)
        if _needs_the_network(result)
        and _nodes(result) > 1
        and _seconds(result) < FASTEST_NETWORK_SECONDS
    }
    for group, result in false.items():
        remark(
            f"{group}: labeled {_nodes(result)} nodes, but {_seconds(result) * 1e6:.2f} us for "
            f"{result.parameters.get('size', 0)} B is less than any network takes "
            f"({FASTEST_NETWORK_SECONDS * 1e6:.2f} us, Tofu D): it ran inside one node and is "
            "taken so; its results are flagged"
        )
    return [
        _inside(result, false[result.group]) if result.group in false else result
        for result in results
    ]


def _hardly_between_nodes(
    results: list[ForeignResult], machine: ImportedMachine, remark: Callable[[str], None]
) -> list[ForeignResult]:
    """The results as they are: what is doubtful is no contradiction."""
    del machine
    doubtful = {
        result.group: result
        for result in reversed(results)
        if _needs_the_network(result)
        and _nodes(result) > 1
        and _seconds(result) < FASTEST_BEHIND_PCIE_SECONDS
    }
    for group, result in doubtful.items():
        remark(
            f"{group}: {_seconds(result) * 1e6:.2f} us for {result.parameters.get('size', 0)} B "
            f"between {_nodes(result)} nodes is doubtful, unless their interfaces are parts of the "
            f"processors: behind PCI Express below {FASTEST_BEHIND_PCIE_SECONDS * 1e6:.1f} us has "
            "not been seen; look whether the ranks were on one node (--used-nodes 1)"
        )
    return results


def _needs_the_network(result: ForeignResult) -> bool:
    """Whether it ends only after a message has passed between nodes, where there are several."""
    if result.benchmark == "network.collective":
        return result.parameters.get("operation") in ("allreduce", "allgather", "alltoall")
    return result.metric in ("latency", "mean_latency", "time") and result.benchmark in (
        "network.latency",
        "network.pairs",
        "network.barrier",
        "network.onesided",
        "network.atomics",
    )


def _inside(result: ForeignResult, proof: ForeignResult) -> ForeignResult:
    if _nodes(result) < 2:
        return result
    flag = (
        f"labeled {_nodes(result)} nodes; {_seconds(proof) * 1e6:.2f} us a message proves one node"
    )
    layout = {**result.layout, "nodes": 1}
    if "ranks_per_node" in result.layout:
        layout["ranks_per_node"] = _nodes(result) * int(result.layout["ranks_per_node"])
    return msgspec.structs.replace(result, layout=layout, flag=_and(result.flag, flag))


def _above_link(
    results: list[ForeignResult], machine: ImportedMachine, remark: Callable[[str], None]
) -> list[ForeignResult]:
    if machine.link is None:
        return results
    rate, unit = link_rate(machine.link)
    one_way = rate / (8 if unit.symbol == "bit/s" else 1)
    if machine.link.direction is LinkDirection.BOTH_WAYS:
        one_way /= 2
    checked = []
    for result in results:
        most = one_way * WAYS.get(result.metric, 0)
        found = _mean(result) * _factor(result)
        if not most or _nodes(result) < 2 or found <= most * 1.001:
            checked.append(result)
            continue
        flag = f"{found / 1e9:.4g} GB/s is above the link's {most / 1e9:.4g} GB/s"
        remark(f"{result.group}: {flag}; it did not pass over one such link; the result is flagged")
        checked.append(msgspec.structs.replace(result, flag=_and(result.flag, flag)))
    return checked


def _more_than_cores(
    results: list[ForeignResult], machine: ImportedMachine, remark: Callable[[str], None]
) -> list[ForeignResult]:
    if not machine.cores:
        return results
    checked = []
    for result in results:
        per_node = _users(result, ("ranks_per_node", "threads_per_rank"))
        used = per_node * _nodes(result)
        nodes = _nodes(result)
        if used <= machine.cores and (not machine.nodes or nodes <= machine.nodes):
            checked.append(result)
            continue
        flag = (
            f"{used} ranks or threads on {machine.cores} core{'s' * (machine.cores != 1)}"
            if used > machine.cores
            else f"{nodes} nodes of {machine.nodes}"
        )
        remark(f"{result.group}: {flag}: more than the machine has; the results are flagged")
        checked.append(msgspec.structs.replace(result, flag=_and(result.flag, flag)))
    return checked


def _users(result: ForeignResult, fields: Iterable[str]) -> int:
    return math.prod(int(result.layout.get(name, 1)) for name in fields)


def _nodes(result: ForeignResult) -> int:
    return int(result.layout.get("nodes", 1))


def _mean(result: ForeignResult) -> float:
    return math.fsum(result.values) / len(result.values)


def _factor(result: ForeignResult) -> float:
    return printed_unit(result.unit, result.group).factor


def _seconds(result: ForeignResult) -> float:
    return _mean(result) * _factor(result)


def _and(first: str, second: str) -> str:
    return f"{first}; {second}" if first else second
