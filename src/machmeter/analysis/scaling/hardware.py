"""Limits that follow from what hardware is, without a measurement of them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from machmeter.benchmarks.compute import FMA
from machmeter.benchmarks.lu import LU
from machmeter.benchmarks.memory.access import STREAM
from machmeter.benchmarks.network.messages import BANDWIDTH
from machmeter.model.machine import Adapter, Machine
from machmeter.model.results.estimate import Estimate

_BYTES_OF_A_TRANSFER = 8
_PRECISIONS = {"double": 1, "single": 2}
_BOTH_WAYS = "bandwidth_both_ways"
_MEASURED = 0.02


class LimitedBy(StrEnum):
    """The part of a node that limits a result."""

    MEMORY = "memory"
    ADAPTERS = "adapters"
    CORES = "cores"
    NOMINAL_PEAK = "cores at their nominal clock"


class MemoryLimit(Struct, frozen=True):
    """What memory carries at most: all channels at their rate, and memory on the packages."""

    count: int
    """Channels."""
    transfers: float
    """Of a channel a second."""
    on_package: float
    """Of memory on all packages, B/s; 0 is none."""
    count_from: str
    """Where the count was read; empty where it is all that the processors have."""
    transfers_from: str
    """Where the rate was read; empty where it is the fastest that the processors take."""
    generation: str
    """Of the processors; empty where they are not known."""

    @property
    def value(self) -> float:
        """B/s of all channels, or of the memory on the packages where that is faster: a run does
        not know in which of them its arrays lie."""
        return max(self.count * self.transfers * _BYTES_OF_A_TRANSFER, self.on_package)


class PeakLimit(Struct, frozen=True):
    """What arithmetic units do at most at a clock."""

    cores: int
    """That computed."""
    clock: float
    """Mean of the cores, Hz, as measured beside the rate; else the nominal one."""
    operations: int
    """Of a core in a cycle, in the precision of the result."""
    fastest: float = 0.0
    """Upper end of the interval of the clock over the clock; 0 where it has none."""
    nominal: bool = False
    """Whether the clock is the nominal one: cores may run above it."""

    @property
    def value(self) -> float:
        """Operations a second."""
        return self.cores * self.clock * self.operations


class NetworkLimit(Struct, frozen=True):
    """What the adapters of a node carry one way at most, each its link or its slot."""

    adapters: tuple[Adapter, ...]
    """Those of the fastest network whose links are up."""

    @property
    def link(self) -> float:
        """B/s of the fastest one."""
        return max(one.bytes_per_second for one in self.adapters)

    @property
    def value(self) -> float:
        """B/s of all."""
        cards: dict[str, list[Adapter]] = {}
        for one in self.adapters:
            cards.setdefault(one.device or one.name, []).append(one)
        return sum(map(_of_card, cards.values()))


def _of_card(ports: Sequence[Adapter]) -> float:
    """Of all ports of a card, which share its slot."""
    slot = ports[0].slot
    links = sum(one.bytes_per_second for one in ports)
    return min(links, slot.bytes_per_second) if slot else links


def limited_by(estimate: Estimate) -> LimitedBy | None:
    """What limits results of that benchmark, metric and layout, wherever their data reside; None
    where nothing does whose most is known, or a part of a node that was chosen."""
    layout = estimate.point.layout
    match estimate.point.benchmark:
        case STREAM.name:
            return LimitedBy.MEMORY if layout.package < 0 and layout.nodes == 1 else None
        case FMA.name:
            return LimitedBy.CORES if estimate.metric == FMA.metrics[0].name else None
        case LU.name:
            return LimitedBy.NOMINAL_PEAK if estimate.metric == LU.metrics[0].name else None
        case BANDWIDTH.name:
            of_bytes = estimate.metric != "message_rate"
            return LimitedBy.ADAPTERS if of_bytes and layout.nodes == 2 else None
    return None


def most_of_adapters(estimate: Estimate, link: float, all_links: float) -> float:
    """B/s that a bandwidth between nodes is a share of, in its direction or in both.

    Each rank of a node is taken to use one adapter, unless it moved more than that carries, and
    2 % for what was measured: then its library used several, and it is a share of all.

    Args:
        estimate: The bandwidth.
        link: B/s of one adapter, one way.
        all_links: B/s of all adapters of a node, one way.
    """
    ways = 2 if estimate.metric == _BOTH_WAYS else 1
    used = min(estimate.point.layout.ranks_per_node * link, all_links)
    if estimate.value > ways * used * (1 + _MEASURED):
        return ways * all_links
    return max(ways * used, estimate.value) if used < all_links else ways * used


def memory_limit(machine: Machine) -> MemoryLimit | None:
    """Of all memory; None where the processor, its channels or their rate are not known, where a
    package may not be used, and in a virtual machine that shows no channels: it may have a part."""
    seen, known, cpus = machine.channels, machine.processor, machine.topology.cpus
    packages = {cpu.package for cpu in cpus}
    of_part = packages != {cpu.package for cpu in machine.topology.usable}
    # What is counted without knowing the processor may be a part of a channel.
    if known is None or of_part or (machine.software.hypervisor and not seen.count):
        return None
    limit = MemoryLimit(
        seen.count or known.channels * len(packages),
        seen.transfers or known.transfers,
        known.on_package * len(packages),
        seen.count_from,
        seen.transfers_from,
        known.generation,
    )
    return limit if limit.value else None


def peak_limit(machine: Machine, rate: Estimate, estimates: Sequence[Estimate]) -> PeakLimit | None:
    """Of a rate of compute.fma on that machine, as `peak_at` has it."""
    return peak_at(rate, estimates, operations(machine))


def operations(machine: Machine) -> int:
    """Of a core in a cycle in double precision; 0 where they are not known, and in a virtual
    machine, whose cores may be threads of one core."""
    known = machine.processor
    return known.operations if known and not machine.software.hypervisor else 0


def peak_at(rate: Estimate, estimates: Sequence[Estimate], of_core: int) -> PeakLimit | None:
    """Of a rate of compute.fma, with the clock of its point among the estimates.

    of_core: operations of a core in a cycle, double precision. None where the clock was not
    measured, where the operations are not known (0), and where threads share a core.
    """
    clock = next((e for e in estimates if e.metric == "clock" and e.point == rate.point), None)
    layout = rate.point.layout
    width = _PRECISIONS.get(str(rate.point.get("precision")), 0)
    if clock is None or layout.smt > 1 or layout.oversubscribe or not of_core * width:
        return None
    fastest = clock.high / clock.value if clock.is_bounded else 0.0
    return PeakLimit(layout.threads, clock.value, of_core * width, fastest)


def nominal_peak(machine: Machine, rate: Estimate) -> PeakLimit | None:
    """Of a rate in double precision, as data sheets have it (Younge et al. 2016 give HPL as a share
    of it); None where operations or clock are not known, and where threads share a core."""
    known, of_core, layout = machine.processor, operations(machine), rate.point.layout
    if not (known and known.nominal_clock and of_core) or layout.smt > 1 or layout.oversubscribe:
        return None
    return PeakLimit(layout.threads, known.nominal_clock, of_core, nominal=True)


def network_limit(machine: Machine) -> NetworkLimit | None:
    """Of messages to other nodes; None where no adapter shows its rate."""
    up = [one for one in machine.adapters if one.up and one.bytes_per_second]
    if not up:
        return None
    fastest = max(up, key=lambda one: one.bytes_per_second).network
    return NetworkLimit(tuple(one for one in up if one.network == fastest))
