"""Which CPUs each thread of each rank gets on one node."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from machmeter.layout.errors import LayoutError
from machmeter.layout.progress import progress_cpus
from machmeter.layout.slots import Slot, slots_of, without_reserved
from machmeter.model.layout import Assignment, Binding, Layout
from machmeter.model.machine import Topology


def assign(layout: Layout, topology: Topology) -> Assignment:
    """The CPUs requested for each thread of each rank of one node, `cpus[rank][thread]`.

    Only usable CPUs (online and inside the cpuset) are given: of each core its first
    `layout.smt` usable hardware threads. Reserved cores are the last of each NUMA domain, one
    domain after the other. The most capable kind of core is used up before the next one.

    CLOSE fills neighbors: core, then cache, NUMA domain, package, board, or whatever order their
    sizes have on this machine. SPREAD shares the ranks out evenly over the largest of them, within
    each over the next, down to the cores, and keeps the threads of a rank together; the outer
    threads of a single rank are spread themselves, as the `spread` policy of OpenMP 5.2, section
    10.1.3, does with places, and their inner teams kept together. OUTER is SPREAD, but each thread
    of an inner team gets all CPUs of its team. NONE and DEFAULT give empty tuples. With
    `oversubscribe`, threads beyond the last CPU start again at the first one, in close order.

    Where the layout names a package, only its CPUs are given. A progress thread gets all CPUs of
    its rank (unbound: all that may be used), or its share of the reserved cores: ranks in order,
    in equal parts, several ranks to a core where the cores are fewer.

    Raises LayoutError when the machine lacks the package, the cores or the hardware threads, or
    when progress is requested on reserved cores and none are reserved.
    """
    offered = _of_package(layout.package, topology)
    _check_counts(layout, offered)
    every = slots_of(offered, layout.smt)
    slots = without_reserved(every, layout.reserved_cores)
    cpus = _cpus_of_ranks(layout, offered, slots)
    idle = sorted(set(every) - set(slots), key=lambda slot: slot.path)
    return Assignment(cpus, progress_cpus(layout, cpus, offered, idle))


def _of_package(package: int, topology: Topology) -> Topology:
    """The machine as if only the CPUs of one package could be used; -1: as it is."""
    if package == -1:
        return topology
    packages = sorted({cpu.package for cpu in topology.usable})
    if not 0 <= package < len(packages):
        raise LayoutError(
            f"package {package} was requested; this machine lets machmeter use CPUs of "
            f"{_counted(len(packages), 'package')}, counted from 0: take one below {len(packages)}"
        )
    others = (
        cpu if cpu.package == packages[package] else replace(cpu, allowed=False)
        for cpu in topology.cpus
    )
    return replace(topology, cpus=tuple(others))


def _cpus_of_ranks(
    layout: Layout, topology: Topology, slots: list[Slot]
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    ranks, threads = layout.ranks_per_node, layout.cpus_per_rank
    needed = ranks * threads
    if not layout.binding.is_bound and layout.package >= 0:
        raise LayoutError(
            f"threads that are not bound do not stay on package {layout.package}: "
            "take a binding that binds"
        )
    if layout.binding is Binding.DEFAULT:
        return (((),) * threads,) * ranks
    if needed > len(slots) and not layout.oversubscribe:
        raise LayoutError(_too_small(layout, topology, len(slots)))
    if not layout.binding.is_bound:
        return (((),) * threads,) * ranks
    if needed > len(slots) or layout.binding is Binding.CLOSE:
        close = sorted(slots, key=lambda slot: (slot.kind, slot.path))
        order = [close[index % len(close)] for index in range(needed)]
    else:
        order = _spread_order(slots, layout)
    cpus = _cpus_of_threads(order, layout)
    return tuple(tuple(cpus[r * threads : (r + 1) * threads]) for r in range(ranks))


def _cpus_of_threads(order: Sequence[Slot], layout: Layout) -> list[tuple[int, ...]]:
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
            f"cores at least 0; requested: {layout.nodes} nodes, {layout.ranks_per_node} ranks, "
            f"{layout.threads_per_rank} threads, {layout.inner_threads} inner threads, "
            f"SMT {layout.smt}, {layout.reserved_cores} reserved"
        )
    cores = topology.usable_cores
    if not cores:
        raise LayoutError(
            "this machine lets machmeter use no CPU at all: check the cpuset of the container or "
            "batch job (`taskset -p $$`)"
        )
    offered = hardware_threads(topology)
    if layout.smt > offered:
        enabling = "" if topology.is_simulated else ", or switch SMT on in the firmware"
        whose = "of the model" if topology.is_simulated else "that machmeter may use"
        raise LayoutError(
            f"{layout.smt} hardware threads of each core were requested; the cores {whose} offer "
            f"{offered}: pass --smt {offered}{enabling}"
        )
    if layout.reserved_cores >= len(cores):
        raise LayoutError(
            f"{layout.reserved_cores} reserved cores leave none of the {len(cores)} that "
            f"machmeter may use: reserve at most {len(cores) - 1}"
        )


def hardware_threads(topology: Topology) -> int:
    """The most usable hardware threads that any core has."""
    counts: dict[int, int] = {}
    for cpu in topology.usable:
        counts[cpu.core] = counts.get(cpu.core, 0) + 1
    return max(counts.values(), default=1)


def _too_small(layout: Layout, topology: Topology, offered: int) -> str:
    teams = [_counted(layout.ranks_per_node, "rank"), _counted(layout.threads_per_rank, "thread")]
    if layout.inner_threads > 1:
        teams.append(_counted(layout.inner_threads, "inner thread"))
    needed = layout.ranks_per_node * layout.cpus_per_rank
    what = "cores" if layout.smt == 1 else "hardware threads"
    kept = f" beside {layout.reserved_cores} reserved" if layout.reserved_cores else ""
    on_node = " on each node" if layout.nodes > 1 else ""
    whose = (
        "a node of the model has" if topology.is_simulated else "this machine lets machmeter use"
    )
    remedies = _remedies(layout, topology)
    return (
        f"{' x '.join(teams)} need {needed} {what}{on_node}; {whose} {offered}{kept}: "
        f"{', '.join(remedies[:-1])} or {remedies[-1]}"
    )


def _remedies(layout: Layout, topology: Topology) -> list[str]:
    """What to request instead: models have no cores that ranks share, but many nodes."""
    if topology.is_simulated:
        return ["ask for fewer", "share them out over more nodes (--nodes)"]
    of_core = hardware_threads(topology)
    more = [f"pass --smt {of_core}"] if layout.smt < of_core else []
    return ["ask for fewer", *more, "pass --oversubscribe"]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _spread_order(slots: list[Slot], layout: Layout) -> list[Slot]:
    ranks, threads = layout.ranks_per_node, layout.cpus_per_rank
    chosen = _most_capable(slots, ranks * threads)
    if ranks == 1:
        return _flatten(_spread(chosen, layout.threads_per_rank, layout.inner_threads, 0))
    return _flatten(_spread(chosen, ranks, threads, 0))


def _most_capable(slots: list[Slot], needed: int) -> list[Slot]:
    """The slots to spread over: all of the most capable kind, and of the next as many as needed."""
    chosen: list[Slot] = []
    for kind in sorted({slot.kind for slot in slots}):
        of_kind = [slot for slot in slots if slot.kind == kind]
        missing = needed - len(chosen)
        if missing <= 0:
            break
        chosen += (
            of_kind if not chosen else _flatten(_spread(of_kind, min(missing, len(of_kind)), 1, 0))
        )
    return sorted(chosen, key=lambda slot: slot.path)


def _spread(slots: Sequence[Slot], count: int, size: int, level: int) -> list[Sequence[Slot]]:
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


def _flatten(blocks: list[Sequence[Slot]]) -> list[Slot]:
    return [slot for block in blocks for slot in block]
