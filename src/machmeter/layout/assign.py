"""Which CPUs each thread of each rank gets on one node."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from machmeter.layout.boards import boards_of
from machmeter.model.layout import Assignment, Binding, Layout
from machmeter.model.machine import Cpu, Topology


class LayoutError(ValueError):
    """A layout that this machine cannot hold; the message says what is lacking and what to do."""


class _Slot(Struct, frozen=True):
    """A CPU that a thread may get, with its domains from the outermost inwards.

    path: board, package, NUMA domain and the caches above the first, the largest of them first;
    core.
    """

    cpu: int
    kind: int
    numa: int
    core: int
    path: tuple[int, ...]


def assign(layout: Layout, topology: Topology) -> Assignment:
    """The CPUs asked for each thread of each rank of one node, `cpus[rank][thread]`.

    Only usable CPUs (online and inside the cpuset) are given: of each core its first
    `layout.smt` usable hardware threads. Reserved cores are the last of each NUMA domain, one
    domain after the other. The most capable kind of core is used up before the next one.

    CLOSE fills neighbors: core, then cache, NUMA domain, package, board, or whatever order their
    sizes have on this machine. SPREAD shares the ranks out evenly over the largest of them, within
    each over the next, down to the cores, and keeps the threads of a rank together; the outer
    threads of a single rank are spread themselves, as the `spread` policy of OpenMP 5.2, section
    10.1.3, does with places, and their inner teams kept together. OUTER is SPREAD, but each thread
    of an inner team gets all CPUs of its team. NONE gives empty tuples. With `oversubscribe`,
    threads beyond the last CPU start again at the first one, in close order.

    Raises LayoutError when the machine lacks the cores or hardware threads.
    """
    _check_counts(layout, topology)
    slots = _without_reserved(_slots(topology, layout.smt), layout.reserved_cores)
    ranks, threads = layout.ranks_per_node, layout.cpus_per_rank
    needed = ranks * threads
    if needed > len(slots) and not layout.oversubscribe:
        raise LayoutError(_too_small(layout, topology, len(slots)))
    if layout.binding is Binding.NONE:
        return Assignment((((),) * threads,) * ranks)
    if needed > len(slots) or layout.binding is Binding.CLOSE:
        close = sorted(slots, key=lambda slot: (slot.kind, slot.path))
        order = [close[index % len(close)] for index in range(needed)]
    else:
        order = _spread_order(slots, layout)
    cpus = _cpus_of_threads(order, layout)
    return Assignment(tuple(tuple(cpus[r * threads : (r + 1) * threads]) for r in range(ranks)))


def _cpus_of_threads(order: Sequence[_Slot], layout: Layout) -> list[tuple[int, ...]]:
    if layout.binding is not Binding.OUTER:
        return [(slot.cpu,) for slot in order]
    inner = layout.inner_threads
    teams = [order[start : start + inner] for start in range(0, len(order), inner)]
    # An oversubscribed team can come round to a CPU again.
    together = [tuple(dict.fromkeys(slot.cpu for slot in team)) for team in teams]
    return [cpus for cpus in together for _ in range(inner)]


def _check_counts(layout: Layout, topology: Topology) -> None:
    counts = (layout.nodes, layout.ranks_per_node, layout.threads_per_rank, layout.smt)
    if min(*counts, layout.inner_threads) < 1 or layout.reserved_cores < 0:
        raise LayoutError(
            "nodes, ranks, threads and hardware threads a core must be at least 1 and reserved "
            f"cores at least 0; asked: {layout.nodes} nodes, {layout.ranks_per_node} ranks, "
            f"{layout.threads_per_rank} threads, {layout.inner_threads} inner threads, "
            f"SMT {layout.smt}, {layout.reserved_cores} reserved"
        )
    cores = topology.usable_cores
    if not cores:
        raise LayoutError(
            "this machine lets machmeter use no CPU at all: check the cpuset of the container or "
            "batch job (`taskset -p $$`)"
        )
    offered = _hardware_threads(topology)
    if layout.smt > offered:
        raise LayoutError(
            f"{layout.smt} hardware threads of each core were asked for; the cores that machmeter "
            f"may use offer {offered}: pass --smt {offered}, or switch SMT on in the firmware"
        )
    if layout.reserved_cores >= len(cores):
        raise LayoutError(
            f"{layout.reserved_cores} reserved cores leave none of the {len(cores)} that "
            f"machmeter may use: reserve at most {len(cores) - 1}"
        )


def _hardware_threads(topology: Topology) -> int:
    """The most usable hardware threads that any core has."""
    counts: dict[int, int] = {}
    for cpu in topology.usable:
        counts[cpu.core] = counts.get(cpu.core, 0) + 1
    return max(counts.values())


def _too_small(layout: Layout, topology: Topology, offered: int) -> str:
    teams = [_counted(layout.ranks_per_node, "rank"), _counted(layout.threads_per_rank, "thread")]
    if layout.inner_threads > 1:
        teams.append(_counted(layout.inner_threads, "inner thread"))
    needed = layout.ranks_per_node * layout.cpus_per_rank
    what = "cores" if layout.smt == 1 else "hardware threads"
    kept = f" beside {layout.reserved_cores} reserved" if layout.reserved_cores else ""
    on_node = " on each node" if layout.nodes > 1 else ""
    remedies = ["ask for fewer"]
    hardware_threads = _hardware_threads(topology)
    if layout.smt < hardware_threads:
        remedies.append(f"pass --smt {hardware_threads}")
    return (
        f"{' x '.join(teams)} need {needed} {what}{on_node}; this machine lets machmeter use "
        f"{offered}{kept}: {', '.join(remedies)} or pass --oversubscribe"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _slots(topology: Topology, smt: int) -> list[_Slot]:
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
            slots.append(_Slot(cpu.number, cpu.kind, cpu.numa, core, path))
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


def _without_reserved(slots: list[_Slot], reserved: int) -> list[_Slot]:
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


def _spread_order(slots: list[_Slot], layout: Layout) -> list[_Slot]:
    ranks, threads = layout.ranks_per_node, layout.cpus_per_rank
    chosen = _most_capable(slots, ranks * threads)
    if ranks == 1:
        return _flatten(_spread(chosen, layout.threads_per_rank, layout.inner_threads, 0))
    return _flatten(_spread(chosen, ranks, threads, 0))


def _most_capable(slots: list[_Slot], needed: int) -> list[_Slot]:
    """The slots to spread over: all of the most capable kind, and of the next as many as needed."""
    chosen: list[_Slot] = []
    for kind in sorted({slot.kind for slot in slots}):
        alike = [slot for slot in slots if slot.kind == kind]
        missing = needed - len(chosen)
        if missing <= 0:
            break
        chosen += alike if not chosen else _flatten(_spread(alike, min(missing, len(alike)), 1, 0))
    return sorted(chosen, key=lambda slot: slot.path)


def _spread(slots: Sequence[_Slot], count: int, size: int, level: int) -> list[Sequence[_Slot]]:
    """`count` blocks of `size` slots, shared out evenly over the domains of `level` and inwards.

    Where domains are too small for whole blocks, the blocks are laid over them at even steps.
    """
    if level < len(slots[0].path):
        domains = [tuple(group) for _, group in groupby(slots, lambda slot: slot.path[level])]
        room = [len(domain) // size for domain in domains]
        if sum(room) >= count:
            shares = even_shares(room, count)
            parts = zip(domains, shares, strict=True)
            return [
                block
                for domain, share in parts
                if share
                for block in _spread(domain, share, size, level + 1)
            ]
    starts = [index * len(slots) // count for index in range(count)]
    return [slots[start : start + size] for start in starts]


def even_shares(room: Sequence[int], count: int) -> list[int]:
    """`count` things over places that hold `room[i]` each, as evenly as the room allows.

    What does not divide evenly goes to places at even steps. Requires sum(room) >= count.
    """
    shares = [0] * len(room)
    left = count
    while left:
        free = [index for index, share in enumerate(shares) if share < room[index]]
        if left < len(free):
            free = [free[index * len(free) // left] for index in range(left)]
        each = max(left // len(free), 1)
        for index in free:
            given = min(each, room[index] - shares[index])
            shares[index] += given
            left -= given
    return shares


def _flatten(blocks: list[Sequence[_Slot]]) -> list[_Slot]:
    return [slot for block in blocks for slot in block]
