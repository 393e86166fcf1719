"""The CPUs of one node that threads may get, each with the domains that hold it."""

from __future__ import annotations

from msgspec import Struct

from machmeter.layout.boards import boards_of
from machmeter.model.machine import Cpu, Topology


class Slot(Struct, frozen=True):
    """A CPU that a thread may get."""

    cpu: int
    """Its number."""
    kind: int
    """Kind of its core, the fastest first."""
    numa: int
    """Its NUMA domain."""
    core: int
    """Its core."""
    path: tuple[int, ...]
    """Its domains from the outermost inwards: board, package, NUMA domain, caches above the first
    (the largest first), core."""


def slots_of(topology: Topology, smt: int) -> list[Slot]:
    """The first `smt` usable CPUs of each core, in order of their paths."""
    cores: dict[int, list[Cpu]] = {}
    for cpu in topology.usable:
        cores.setdefault(cpu.core, []).append(cpu)
    levels = _levels(topology)
    slots = []
    for core, cpus in cores.items():
        cpus.sort(key=lambda cpu: (cpu.smt, cpu.number))
        place = min(cpu.number for cpu in cpus)
        for cpu in cpus[:smt]:
            path = (*(level[cpu.number] for level in levels), place)
            slots.append(Slot(cpu.number, cpu.kind, cpu.numa, core, path))
    return sorted(slots, key=lambda slot: slot.path)


def _levels(topology: Topology) -> list[dict[int, int]]:
    """The group that each CPU is in, for every sort of group, the largest groups first.

    Boards are outermost. Which of the others is within which differs: a NUMA domain can hold
    several packages, and a package several domains.
    """
    online = [cpu for cpu in topology.cpus if cpu.online]
    boards = boards_of(topology)
    found = [
        {cpu.number: cpu.package for cpu in online},
        {cpu.number: cpu.numa for cpu in online},
        *(
            {cpu.number: held.get(cpu.number, cpu.number) for cpu in online}
            for held in _cache_domains(topology)
        ),
    ]
    by_size = sorted(found, key=lambda level: len(set(level.values())))
    return [{cpu.number: boards.get(cpu.numa, cpu.numa) for cpu in online}] * bool(boards) + by_size


def _cache_domains(topology: Topology) -> list[dict[int, int]]:
    """For each cache level above the first, last one first: the lowest CPU beside each CPU."""
    levels: dict[int, dict[int, int]] = {}
    for cache in topology.caches:
        if cache.level > 1 and cache.kind != "instruction" and cache.cpus:
            domains = levels.setdefault(cache.level, {})
            domains.update(dict.fromkeys(cache.cpus, min(cache.cpus)))
    return [levels[level] for level in sorted(levels, reverse=True)]


def without_reserved(slots: list[Slot], reserved: int) -> list[Slot]:
    """What is left once the last core of each NUMA domain in turn was taken away."""
    domains: dict[int, list[int]] = {}
    for slot in sorted(slots, key=lambda slot: (slot.numa, slot.kind, slot.path)):
        cores = domains.setdefault(slot.numa, [])
        if slot.core not in cores:
            cores.append(slot.core)
    idle: set[int] = set()
    while len(idle) < reserved:
        for cores in domains.values():
            if cores and len(idle) < reserved:
                idle.add(cores.pop())
    return [slot for slot in slots if slot.core not in idle]
