"""What an answer holds for, and what a machine lacks to give one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from machmeter.model.results.estimate import Estimate, Origin


def scope_text(estimates: Sequence[Estimate]) -> str:
    """On how many nodes figures of a network were measured, which another number may change."""
    nodes = {
        e.point.layout.nodes
        for e in estimates
        if e.point.layout.ranks > 1
        and e.origin is Origin.MEASURED
        and e.point.benchmark.startswith("network.")
    }
    if not nodes:
        return ""
    if max(nodes) == 1:
        return "ranks on several nodes: these were all on one, and talked through its memory"
    return f"another number of nodes: measured on {max(nodes)}"


def lacking_text(needs: Mapping[str, int], facts: Mapping[str, int]) -> tuple[str, ...]:
    """What a machine has too little of, and how much it takes, by what `needs` names."""
    return tuple(
        f"{_NEEDED.get(name, name)}: {least} needed, {facts[name]} here"
        for name, least in needs.items()
        if facts.get(name, least) < least
    )


_NEEDED = {
    "cores": "cores",
    "ranks": "ranks with a core each",
    "domains": "NUMA domains",
    "memories": "NUMA domains with memory",
    "two_placed": "pairs of cores that are not equally near",
    "some_placed": "placements that differ for close and spread threads",
    "hugetlb-2m": "free pages of 2 MiB in the pool",
    "transparent": "transparent huge pages",
    "runtimes": "OpenMP runtimes",
    "allocators": "allocators",
    "packages": "packages",
    "nodes": "nodes",
    "places": "nodes, or cores that stand for them",
    "mpis": "MPI libraries",
    "free_core": "cores beside those of the ranks",
    "shmem": "OpenSHMEM compilers",
}
