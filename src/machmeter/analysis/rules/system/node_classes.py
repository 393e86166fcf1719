"""Classes of nodes: those with the same hardware, which are compared with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.plan.packed import cpu_numbers
from machmeter.model.units import format_bytes

UNKNOWN = "unknown hardware"
SAME_MEMORY = 0.02
"""By so much of it hosts with the same memory differ: firmware takes some, not always as much."""


def hosts_in_order(rank_hosts: Sequence[str]) -> tuple[str, ...]:
    """The host of each node by its number, from that of each rank: ranks are placed in blocks."""
    return tuple(dict.fromkeys(rank_hosts))


def node_classes(names: Sequence[str], hosts: Sequence[ObservedHost]) -> tuple[str, ...]:
    """The class of each node, by that of CPU model, number of CPUs and memory in which classes
    differ; none where all are of one, or their hosts say nothing of it.

    names: the host of each node; hosts: what they say.
    """
    said = {host.name: host for host in hosts}
    memory = _kinds_of_memory([host.memory_bytes for host in hosts if host.memory_bytes])
    facts = [_facts(said.get(name), memory) for name in names]
    known = [one for one in facts if one]
    differing = [
        fact
        for fact in dict.fromkeys(fact for one in known for fact in one)
        if len({one.get(fact, "") for one in known}) > 1
    ]
    if not differing:
        return ()
    return tuple(
        ", ".join(one[fact] for fact in differing if fact in one) or UNKNOWN for one in facts
    )


def _facts(host: ObservedHost | None, memory: Mapping[int, int]) -> dict[str, str]:
    if host is None:
        return {}
    cpus = _count(host.online_cpus or "")
    facts = {
        "model": host.cpu_model or "",
        "CPUs": f"{cpus} CPUs" if cpus else "",
        "memory": format_bytes(memory[host.memory_bytes]) if host.memory_bytes else "",
    }
    return {name: value for name, value in facts.items() if value}


def _kinds_of_memory(sizes: Sequence[int]) -> dict[int, int]:
    """By size the smallest of those that it is one with: each at most 2 % above the next."""
    kinds: dict[int, int] = {}
    first = last = 0
    for size in sorted(set(sizes)):
        if size > (1 + SAME_MEMORY) * last:
            first = size
        kinds[size] = first
        last = size
    return kinds


def _count(cpus: str) -> int:
    """How many a list such as `0-3,8` has; 0 of what is none."""
    try:
        return len(cpu_numbers(cpus.replace(",", "+")))
    except ValueError:
        return 0
