"""Which places of a machine to compare with each other, and what two of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import gcd

from msgspec import Struct

from machmeter.layout.assign import even_shares
from machmeter.layout.boards import boards_of, domain_distances
from machmeter.model.machine import CpuRelation, Topology

# Of two that hold the same CPUs the one of lower rank is named; a level n cache has rank 2 + n.
_RANKS = {
    CpuRelation.CPU: 0,
    CpuRelation.CORE: 1,
    CpuRelation.NUMA: 10,
    CpuRelation.PACKAGE: 11,
    CpuRelation.BOARD: 12,
    CpuRelation.MACHINE: 13,
}
_RANK_OF_CACHES = 2
_MOST_ANCHORS = 64

Pair = tuple[int, int]


class Ancestor(Struct, frozen=True):
    """The closest thing that two CPUs share."""

    size: int
    """How many CPUs share it."""
    rank: int
    """Orders what as many CPUs share, from the inside outwards (CPU, core, caches, NUMA domain,
    package, board, machine)."""
    kind: CpuRelation
    """What it is."""
    distance: int | None = None
    """From the first CPU's NUMA domain to the second's as the firmware reports it (10 = local; ACPI
    6.4, section 5.2.17); None within one domain and where not known."""

    @property
    def nearness(self) -> tuple[int, int, int, str]:
        """Sorts ancestors, the closest first: one NUMA domain may hold several packages."""
        return self.size, self.rank, self.distance or 0, self.kind

    def __str__(self) -> str:
        return (
            self.kind.value if self.distance is None else f"{self.kind}, distance {self.distance}"
        )


class _Group(Struct, frozen=True, order=True):
    """Something that CPUs share: what it is, which one of its kind, and how many CPUs it has."""

    size: int
    rank: int
    kind: CpuRelation
    key: int


class _Neighborhood(Struct, frozen=True):
    """Of every CPU its groups, the smallest first, and its domain; of every two, the distance."""

    groups: dict[int, dict[_Group, None]]
    domain_of: dict[int, int]
    distances: dict[Pair, int]

    def ancestor(self, a: int, b: int) -> Ancestor:
        others = self.groups[b]
        shared = next(group for group in self.groups[a] if group in others)
        domains = (self.domain_of[a], self.domain_of[b])
        distance = self.distances.get(domains) if domains[0] != domains[1] else None
        return Ancestor(shared.size, shared.rank, shared.kind, distance)


def common_ancestors(topology: Topology, pairs: Iterable[Pair]) -> dict[Pair, Ancestor]:
    """The smallest thing that holds both CPUs of each pair: core, cache, NUMA domain, package,
    board.

    Where two things hold the same CPUs the inner one is named: cores of a processor with one last
    level cache share that. A board is a group of NUMA domains, of more than one package, that are
    nearer to each other than any of them is to a domain outside.

    Raises ValueError when the topology lacks one of the CPUs.
    """
    neighborhood = _neighborhood(topology)
    wanted = list(pairs)
    for cpu in {cpu for pair in wanted for cpu in pair}:
        if cpu not in neighborhood.groups:
            raise ValueError(f"this machine has no CPU {cpu}: its CPUs are {_cpus(topology)}")
    return {pair: neighborhood.ancestor(*pair) for pair in wanted}


def places(topology: Topology) -> tuple[int, ...]:
    """The first usable CPU of each usable core, in the system's order."""
    first: dict[int, int] = {}
    for cpu in topology.usable:
        first.setdefault(cpu.core, cpu.number)
    return tuple(first.values())


def ordered_pairs(topology: Topology, most: int) -> tuple[Pair, ...]:
    """Pairs of NUMA domains, each with itself included and both directions, sorted.

    All of them, or `most` where there are more: then every kind of ancestor (and NUMA distance)
    gets the same share, as far as it has pairs, spread over the machine. The same topology gives
    the same pairs.
    """
    return _pairs_of_places(topology, most, lambda _a, _b: True)


def unordered_pairs(topology: Topology, most: int) -> tuple[Pair, ...]:
    """Pairs of two different places, each once, sorted; sampled as by `ordered_pairs`."""
    rank = {cpu: index for index, cpu in enumerate(places(topology))}
    return _pairs_of_places(topology, most, lambda a, b: rank[a] < rank[b])


def domain_pairs(topology: Topology, most: int) -> tuple[Pair, ...]:
    """Pairs of a NUMA domain with usable CPUs and a domain with usable memory, sorted.

    All of them, or `most` where there are more: then every distance gets the same share.
    """
    distances = domain_distances(topology.domains)
    candidates = [
        (cpus, memory) for cpus in topology.usable_domains for memory in topology.memory_domains
    ]
    return _even_sample(
        candidates, most, lambda pair: (pair[0] != pair[1], distances.get(pair, -1))
    )


def _pairs_of_places(
    topology: Topology, most: int, wanted: Callable[[int, int], bool]
) -> tuple[Pair, ...]:
    neighborhood = _neighborhood(topology)
    everywhere = places(topology)
    large = len(everywhere) ** 2 > max(most, _MOST_ANCHORS**2)
    anchors = _anchors(everywhere, neighborhood) if large else everywhere
    candidates = [(a, b) for a in anchors for b in everywhere if wanted(a, b)]
    return _even_sample(candidates, most, lambda pair: str(neighborhood.ancestor(*pair)))


def _anchors(everywhere: Sequence[int], neighborhood: _Neighborhood) -> tuple[int, ...]:
    """Places that pairs begin with on a large machine: at even steps, and one of each sort."""
    even = {everywhere[i * len(everywhere) // _MOST_ANCHORS] for i in range(_MOST_ANCHORS)}
    rows: dict[int, list[int]] = {}
    for (domain, _), distance in neighborhood.distances.items():
        rows.setdefault(domain, []).append(distance)
    sorts: dict[Hashable, int] = {}
    for cpu in everywhere:
        row = sorted(rows.get(neighborhood.domain_of[cpu], ()))
        sizes = tuple((group.size, group.rank) for group in neighborhood.groups[cpu])
        sorts.setdefault((sizes, tuple(row)), cpu)
    chosen = even | set(sorts.values())
    return tuple(cpu for cpu in everywhere if cpu in chosen)


def _even_sample(
    candidates: Sequence[Pair], most: int, sort_of: Callable[[Pair], Hashable]
) -> tuple[Pair, ...]:
    """At most `most` of the pairs, as many of each sort as there are, or an even share."""
    if len(candidates) <= most:
        return tuple(sorted(candidates))
    sorts: dict[Hashable, list[Pair]] = {}
    for pair in candidates:
        sorts.setdefault(sort_of(pair), []).append(pair)
    shares = even_shares([len(pairs) for pairs in sorts.values()], most)
    chosen = zip(sorts.values(), shares, strict=True)
    return tuple(sorted(pair for pairs, share in chosen for pair in _scattered(pairs, share)))


def _scattered(pairs: Sequence[Pair], count: int) -> list[Pair]:
    """`count` of the pairs at steps of the golden section of their number.

    Such steps leave gaps of two or three sizes only (three-distance theorem, Sós 1958), and meet
    no rhythm of the machine's numbering, as equal steps would.
    """
    golden = 0.6180339887498949
    step = max(round(golden * len(pairs)), 1)
    while gcd(step, len(pairs)) > 1:
        step += 1
    return [pairs[index * step % len(pairs)] for index in range(count)]


def _neighborhood(topology: Topology) -> _Neighborhood:
    members: dict[tuple[int, CpuRelation, int], list[int]] = {}
    boards = boards_of(topology)
    online = [cpu for cpu in topology.cpus if cpu.online]
    for cpu in online:
        neighborhood = {
            CpuRelation.CPU: cpu.number,
            CpuRelation.CORE: cpu.core,
            CpuRelation.NUMA: cpu.numa,
            CpuRelation.PACKAGE: cpu.package,
            CpuRelation.BOARD: boards.get(cpu.numa, -1),
            CpuRelation.MACHINE: 0,
        }
        for kind, key in neighborhood.items():
            if key >= 0:
                members.setdefault((_RANKS[kind], kind, key), []).append(cpu.number)
    known = {cpu.number for cpu in online}
    for cache in topology.caches:
        cpus = [cpu for cpu in cache.cpus if cpu in known]
        if cache.kind != "instruction" and cpus:
            members[
                _RANK_OF_CACHES + cache.level, CpuRelation(f"same L{cache.level}"), min(cpus)
            ] = cpus
    return _Neighborhood(
        _groups_of_cpus(members),
        {cpu.number: cpu.numa for cpu in online},
        domain_distances(topology.domains),
    )


def _groups_of_cpus(
    members: dict[tuple[int, CpuRelation, int], list[int]],
) -> dict[int, dict[_Group, None]]:
    groups = [_Group(len(cpus), *name) for name, cpus in members.items()]
    found: dict[int, dict[_Group, None]] = {}
    for group, cpus in sorted(zip(groups, members.values(), strict=True)):
        for cpu in cpus:
            found.setdefault(cpu, {})[group] = None
    return found


def _cpus(topology: Topology) -> str:
    numbers = [cpu.number for cpu in topology.cpus if cpu.online]
    return ", ".join(map(str, numbers[:16])) + (", ..." if len(numbers) > 16 else "")
