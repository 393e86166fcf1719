"""Boards: groups of NUMA domains that are nearer to each other than to all others."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.machine import NumaDomain, Topology

Pair = tuple[int, int]


def domain_distances(domains: Sequence[NumaDomain]) -> dict[Pair, int]:
    """Distance of every ordered pair of domains; empty where one is not known."""
    if any(len(domain.distances) != len(domains) for domain in domains):
        return {}
    return {
        (domain.number, other.number): distance
        for domain in domains
        for other, distance in zip(domains, domain.distances, strict=True)
    }


def boards_of(topology: Topology) -> dict[int, int]:
    """The board of each NUMA domain with CPUs that is on one: the lowest domain of the board.

    A board is a group of domains, of more than one package, that are nearer to each other, by the
    firmware's distances, than any of them is to a domain outside.
    """
    packages: dict[int, set[int]] = {}
    for cpu in topology.cpus:
        if cpu.online and cpu.numa >= 0:
            packages.setdefault(cpu.numa, set()).add(cpu.package)
    distances = domain_distances(topology.domains)
    boards: dict[int, int] = {}
    for domain in sorted(packages):
        if domain not in boards and (board := _board_of(domain, packages, distances)):
            boards.update(dict.fromkeys(board, min(board)))
    return boards


def _board_of(
    domain: int, packages: dict[int, set[int]], distances: dict[Pair, int]
) -> tuple[int, ...]:
    """The smallest group around `domain` that is a board; empty where there is none."""

    def far(a: int, b: int) -> int:
        return max(distances[a, b], distances[b, a])

    if any((a, b) not in distances for a in packages for b in packages):
        return ()
    for reach in sorted({far(domain, other) for other in packages if other != domain}):
        near = [other for other in packages if other == domain or far(domain, other) <= reach]
        outside = [other for other in packages if other not in near]
        inner = max(far(a, b) for a in near for b in near if a != b)
        apart = outside and inner < min(far(a, b) for a in near for b in outside)
        if apart and len(set().union(*(packages[one] for one in near))) > 1:
            return tuple(near)
    return ()
