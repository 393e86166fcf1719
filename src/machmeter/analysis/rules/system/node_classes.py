"""Classes of nodes: those with the same hardware, which are compared with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.units import format_bytes

UNKNOWN = "unknown hardware"
# Firmware takes some of the memory, not always as much.
_SAME_MEMORY = 1.02
_MOST_CPUS = 2**20


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
        if size > _SAME_MEMORY * last:
            first = size
        kinds[size] = first
        last = size
    return kinds


def _count(cpus: str) -> int:
    """How many a list such as `0-3,8` has; 0 of what is none."""
    count = 0
    for part in cpus.split(","):
        low, _, high = part.partition("-")
        if not (low.isdecimal() and (not high or high.isdecimal())):
            return 0
        count += int(high or low) - int(low) + 1
    return count if 0 < count <= _MOST_CPUS else 0
