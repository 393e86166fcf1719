"""What a label says and the figures prove false."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import msgspec
from msgspec import Struct

from machmeter.importing.readings import ForeignResult, Reading
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

_BINARY_MEGABYTE = 2**20 / 1e6
_TOLERANCE = 0.006


class ImportedMachine(Struct, frozen=True):
    """What is known of the machine that figures are of; 0 or None where it is not known."""

    nodes: int = 0
    cores: int = 0
    link: Link | None = None


def proved(reading: Reading, machine: ImportedMachine) -> Reading:
    """The reading with what its figures prove false flagged, and told of in its remarks.

    A latency between nodes that no network reaches proves the whole run of the tool to have been
    inside one node: its figures get that layout.
    """
    remarks: list[str] = []
    figures = list(reading.figures)
    for check in (_within_one_node, _above_link, _more_than_cores):
        figures = check(figures, machine, remarks.append)
    return msgspec.structs.replace(
        reading, figures=tuple(figures), remarks=(*reading.remarks, *remarks)
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


def is_in_order(values: Sequence[float]) -> bool:
    """Whether minimum, mean and maximum, as a tool prints them, stand in that order."""
    return all(low <= high for low, high in pairwise(values))


def _within_one_node(
    figures: list[ForeignResult], machine: ImportedMachine, tell: Callable[[str], None]
) -> list[ForeignResult]:
    del machine
    false = {
        figure.group: figure
        for figure in reversed(figures)
        if _needs_the_network(figure)
        and _nodes(figure) > 1
        and _seconds(figure) < FASTEST_NETWORK_SECONDS
    }
    for group, figure in false.items():
        tell(
            f"{group}: labeled {_nodes(figure)} nodes, but {_seconds(figure) * 1e6:.2f} us for "
            f"{figure.parameters.get('size', 0)} B is less than any network takes "
            f"({FASTEST_NETWORK_SECONDS * 1e6:.2f} us, Tofu D): it ran inside one node and is "
            "taken so; its figures are flagged"
        )
    return [
        _inside(figure, false[figure.group]) if figure.group in false else figure
        for figure in figures
    ]


def _needs_the_network(figure: ForeignResult) -> bool:
    """Whether it ends only after a message has passed between nodes, where there are several."""
    if figure.benchmark == "network.collective":
        return figure.parameters.get("operation") in ("allreduce", "allgather", "alltoall")
    return figure.metric in ("latency", "mean_latency", "time") and figure.benchmark in (
        "network.latency",
        "network.pairs",
        "network.barrier",
        "network.onesided",
        "network.atomics",
    )


def _inside(figure: ForeignResult, proof: ForeignResult) -> ForeignResult:
    if _nodes(figure) < 2:
        return figure
    flag = (
        f"labeled {_nodes(figure)} nodes; {_seconds(proof) * 1e6:.2f} us a message proves one node"
    )
    layout = {**figure.layout, "nodes": 1}
    if "ranks_per_node" in figure.layout:
        layout["ranks_per_node"] = _nodes(figure) * int(figure.layout["ranks_per_node"])
    return msgspec.structs.replace(figure, layout=layout, flag=_and(figure.flag, flag))


def _above_link(
    figures: list[ForeignResult], machine: ImportedMachine, tell: Callable[[str], None]
) -> list[ForeignResult]:
    if machine.link is None:
        return figures
    rate, unit = link_rate(machine.link)
    one_way = rate / (8 if unit.symbol == "bit/s" else 1)
    if machine.link.direction is LinkDirection.BOTH_WAYS:
        one_way /= 2
    told = []
    for figure in figures:
        ways = {"bandwidth_one_way": 1, "bandwidth": 1, "bandwidth_both_ways": 2}
        most = one_way * ways.get(figure.metric, 0)
        found = _mean(figure) * _factor(figure)
        if not most or _nodes(figure) < 2 or found <= most * 1.001:
            told.append(figure)
            continue
        flag = f"{found / 1e9:.4g} GB/s is above the link's {most / 1e9:.4g} GB/s"
        tell(f"{figure.group}: {flag}; it did not pass over one such link; the figure is flagged")
        told.append(msgspec.structs.replace(figure, flag=_and(figure.flag, flag)))
    return told


def _more_than_cores(
    figures: list[ForeignResult], machine: ImportedMachine, tell: Callable[[str], None]
) -> list[ForeignResult]:
    if not machine.cores:
        return figures
    told = []
    for figure in figures:
        per_node = _users(figure, ("ranks_per_node", "threads_per_rank"))
        used = per_node * _nodes(figure)
        nodes = _nodes(figure)
        if used <= machine.cores and (not machine.nodes or nodes <= machine.nodes):
            told.append(figure)
            continue
        flag = (
            f"{used} ranks or threads on {machine.cores} core{'s' * (machine.cores != 1)}"
            if used > machine.cores
            else f"{nodes} nodes of {machine.nodes}"
        )
        tell(f"{figure.group}: {flag}: more than the machine has; the figures are flagged")
        told.append(msgspec.structs.replace(figure, flag=_and(figure.flag, flag)))
    return told


def _users(figure: ForeignResult, fields: Iterable[str]) -> int:
    return math.prod(int(figure.layout.get(name, 1)) for name in fields)


def _nodes(figure: ForeignResult) -> int:
    return int(figure.layout.get("nodes", 1))


def _mean(figure: ForeignResult) -> float:
    return math.fsum(figure.values) / len(figure.values)


def _factor(figure: ForeignResult) -> float:
    return printed_unit(figure.unit, figure.group).factor


def _seconds(figure: ForeignResult) -> float:
    return _mean(figure) * _factor(figure)


def _and(first: str, second: str) -> str:
    return f"{first}; {second}" if first else second
