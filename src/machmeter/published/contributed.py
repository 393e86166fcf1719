"""What the file of a machine lacks to come with machmeter, and what its own hardware rules out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum

from msgspec import Struct

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed import HowKnown
from machmeter.published.estimates import published_estimates
from machmeter.published.format import Hardware, PrintedTable, PublishedMachine

FASTEST_BEHIND_PCIE_SECONDS = 0.9e-6
"""Below this a latency between two nodes is doubtful where interfaces are behind PCI Express.

No bound of physics: among the MPI latencies between nodes that 2018 to 2026 printed for machines
with such interfaces none is below 1.59 us, and those below 0.5 us were proved to be of one node.
"""

WAYS = {"bandwidth_one_way": 1, "bandwidth": 1, "bandwidth_both_ways": 2}
"""Directions of a link that a metric of messages adds up."""

_MESSAGE_RATES = ("message_rate", "rate")
_BOTH_WAYS = "both-ways"
# The interface is part of the processor.
_ON_CHIP = "tofu"
# Smaller arrays may lie in caches, which carry more than memory.
_LEAST_IN_MEMORY = 2**29
_CLAIMED = ("at least", "at most", "peak", "up to")
_STATED_STATISTIC = ("memory", "network", "threads")


class ContributedPart(StrEnum):
    """What a machine that comes with machmeter states beyond what any file does."""

    ADDRESS = "address"
    STATISTIC = "statistic"
    TEXT = "text (the line as printed)"
    PRECISION = 'precision = "threshold" (claimed, not measured)'
    GENERATION = "hardware.generation (a name in cpus.toml)"
    NETWORK = "hardware.network"


class Missing(Struct, frozen=True):
    """One part that is missing."""

    part: ContributedPart
    """What it is."""
    figures: tuple[str, ...] = ()
    """Those without it; empty where it is of the machine."""


def missing_parts(machine: PublishedMachine, generations: Collection[str]) -> tuple[Missing, ...]:
    """What a machine lacks to be added by a pull request.

    generations: of processors that machmeter knows.
    """
    of_figures: dict[ContributedPart, list[str]] = {}
    for table in machine.tables:
        for part, names in _missing_of(table):
            of_figures.setdefault(part, []).extend(names)
    found = [Missing(part, tuple(names)) for part, names in of_figures.items()]
    if machine.hardware.generation not in generations:
        found.append(Missing(ContributedPart.GENERATION))
    messages = any(table.benchmark.startswith("network.") for table in machine.tables)
    if messages and not machine.hardware.network:
        found.append(Missing(ContributedPart.NETWORK))
    return tuple(found)


def _missing_of(table: PrintedTable) -> Iterator[tuple[ContributedPart, list[str]]]:
    every = [figure.id for figure in table.figures]
    if not table.address:
        yield ContributedPart.ADDRESS, every
    measured = table.precision is not HowKnown.THRESHOLD
    if measured and not table.statistic and table.benchmark.startswith(_STATED_STATISTIC):
        yield ContributedPart.STATISTIC, every
    own = [one for one in table.figures if one.derived is None]
    if silent := [one.id for one in own if not one.text]:
        yield ContributedPart.TEXT, silent
    claimed = [
        one.id
        for one in own
        if (one.qualifier or table.qualifier) in _CLAIMED
        and (one.precision or table.precision) is not HowKnown.THRESHOLD
    ]
    if claimed:
        yield ContributedPart.PRECISION, claimed


def beyond_limits(machine: PublishedMachine) -> tuple[str, ...]:
    """Figures that are better than the machine's own hardware can be, each with the limit.

    Raises MachmeterError as `published_estimates` does.
    """
    said = (_beyond(machine.hardware, one) for one in published_estimates(machine))
    return tuple(one for one in said if one)


def _beyond(hardware: Hardware, one: Estimate) -> str:
    """Which limit a result breaks; empty where it breaks none that is known."""
    name = one.printed.id if one.printed else one.metric
    parameters = dict(one.point.parameters)
    size = parameters.get("size")
    if one.metric == "stream_bandwidth":
        in_caches = isinstance(size, int) and size < _LEAST_IN_MEMORY
        most = hardware.bandwidth * max(one.point.layout.nodes, 1)
        return "" if in_caches else _above(name, one.value, most, "memory")
    if one.point.layout.nodes < 2 or not one.point.benchmark.startswith("network."):
        return ""
    if one.point.benchmark == "network.latency" and not _is_on_chip(hardware):
        low = one.value < FASTEST_BEHIND_PCIE_SECONDS
        least = f"{FASTEST_BEHIND_PCIE_SECONDS * 1e6:g} us"
        return f"{name}: {one.value * 1e6:.3g} us between nodes is below {least}" if low else ""
    ways, rate = WAYS.get(one.metric, 0), one.value
    if one.metric in _MESSAGE_RATES and isinstance(size, int):
        ways, rate = 1 + (parameters.get("direction") == _BOTH_WAYS), rate * size
    links = hardware.nic_gigabits * 1e9 / 8 * max(hardware.nics, 1)
    return _above(name, rate, links * ways, "the network")


def _is_on_chip(hardware: Hardware) -> bool:
    return hardware.network.lower().startswith(_ON_CHIP)


def _above(name: str, rate: float, most: float, what: str) -> str:
    """most: 0 where it is not known, or does not limit this."""
    if not most or rate <= most:
        return ""
    return f"{name}: {rate / 1e9:.4g} GB/s is above the {most / 1e9:.4g} GB/s of {what}"
