"""Limits that follow from what hardware is, without a measurement of them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.machine import Adapter, Machine
from machmeter.model.results.estimate import Estimate

_BYTES_OF_A_TRANSFER = 8
_PRECISIONS = {"double": 1, "single": 2}


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
    """What arithmetic units do at most at the clock that was measured beside them."""

    cores: int
    """That computed."""
    clock: float
    """Mean of the cores, Hz, as measured."""
    operations: int
    """Of a core in a cycle, in the precision of the result."""

    @property
    def value(self) -> float:
        """Operations a second."""
        return self.cores * self.clock * self.operations


class NetworkLimit(Struct, frozen=True):
    """What the adapters of a node carry one way at most, each its link or its slot."""

    adapters: tuple[Adapter, ...]
    """Those of the fastest network whose links are up."""

    @property
    def value(self) -> float:
        """B/s."""
        cards: dict[str, list[Adapter]] = {}
        for one in self.adapters:
            cards.setdefault(one.device or one.name, []).append(one)
        return sum(map(_of_card, cards.values()))


def _of_card(ports: Sequence[Adapter]) -> float:
    """Of all ports of a card, which share its slot."""
    slot = ports[0].slot
    links = sum(one.bytes_per_second for one in ports)
    return min(links, slot.bytes_per_second) if slot else links


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
    """Of a rate of compute.fma, with the clock of its point among the estimates; None where the
    clock was not measured, or the operations of the processor are not known."""
    clock = next((e for e in estimates if e.metric == "clock" and e.point == rate.point), None)
    layout = rate.point.layout
    operations = machine.processor.operations if machine.processor else 0
    # Cores of a virtual machine may be threads of one core.
    shared = layout.smt > 1 or layout.oversubscribe or machine.software.hypervisor
    if clock is None or not operations or shared:
        return None
    width = _PRECISIONS.get(str(rate.point.get("precision")), 0)
    return PeakLimit(layout.threads, clock.value, operations * width) if width else None


def network_limit(machine: Machine) -> NetworkLimit | None:
    """Of messages to other nodes; None where no adapter shows its rate."""
    up = [one for one in machine.adapters if one.up and one.bytes_per_second]
    if not up:
        return None
    fastest = max(up, key=lambda one: one.bytes_per_second).network
    return NetworkLimit(tuple(one for one in up if one.network == fastest))
