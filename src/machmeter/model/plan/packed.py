"""Threads of many ranks as a record has them: what hosts have in common once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.layout import ThreadPlace

MOST_RANKS = 2**22
"""A packed record that says it has more is damaged."""
_MOST_CPUS = 2**16
_LACKING = "-"
_RANGES = re.compile(r"\d{1,5}(-\d{1,5})?(\+\d{1,5}(-\d{1,5})?)*")


class Common(Struct, frozen=True):
    """What several blocks of ranks have in common."""

    blocks: tuple[int, ...]
    """Which blocks, by their place in `Packed.blocks`."""
    ranks: str
    """Of each rank of such a block, commas between, its threads with spaces between; `-` for a
    thread that is not there, or has none."""


class Quanta(Struct, frozen=True):
    """Times of equal pieces of work on the threads of a host, those of one thread that are within
    2 % of its fastest as long as that."""

    count: int
    """Pieces of work of each thread."""
    cpus: str
    """CPU of each thread, spaces between."""
    fastest_ns: str
    """The shortest time of each thread, nanoseconds."""
    slow_cpus: str
    """CPU of every time that is more than 2 % longer."""
    slow_ns: str
    """Every such time, nanoseconds."""

    def times(self) -> list[tuple[int, list[float]]]:
        """CPU and times of each thread, seconds; those of threads of one CPU are together.

        Raises ValueError where the texts are no numbers or do not belong together.
        """
        fastest: dict[int, list[float]] = {}
        slow: dict[int, list[float]] = {}
        for found, cpus, times in (
            (fastest, self.cpus, self.fastest_ns),
            (slow, self.slow_cpus, self.slow_ns),
        ):
            for cpu, time in zip(cpus.split(), times.split(), strict=True):
                found.setdefault(int(cpu), []).append(float(time) * 1e-9)
        if not slow.keys() <= fastest.keys():
            raise ValueError("slow pieces of work on CPUs that had none")
        return [
            (cpu, [*self._as_fast(times, len(slow.get(cpu, ()))), *slow.get(cpu, ())])
            for cpu, times in fastest.items()
        ]

    def _as_fast(self, fastest: Sequence[float], slow: int) -> list[float]:
        """The times that are as long as the fastest, shared out between threads of one CPU."""
        left = self.count * len(fastest) - slow
        if not (0 < self.count <= _MOST_CPUS and left >= 0):
            raise ValueError(f"{self.count} pieces of work of a thread, {slow} of a CPU slow")
        each, more = divmod(left, len(fastest))
        return [time for i, time in enumerate(fastest) for _ in range(each + (i < more))]


class Packed(Struct, frozen=True):
    """Where the threads of many ranks on several hosts are, and their noise."""

    hosts: tuple[str, ...]
    """Names of hosts, in the order of their lowest ranks."""
    blocks: tuple[tuple[int, int], ...]
    """Ranks that follow one another on one host: which of `hosts`, and how many; in order."""
    allowed: tuple[Common, ...]
    """The CPUs that threads are allowed: `0-3+8`."""
    on: tuple[Common, ...]
    """The CPUs that threads are on."""
    quanta: tuple[Quanta, ...]
    """Noise, in the order of the hosts."""

    def places(self) -> tuple[ThreadPlace, ...]:
        """Of every thread that was observed, by rank; NUMA domains are not known.

        Raises ValueError where the parts do not belong together.
        """
        if sum(max(ranks, 0) for _, ranks in self.blocks) > MOST_RANKS:
            raise ValueError(f"more than {MOST_RANKS:,} ranks")
        sets: dict[str, tuple[int, ...]] = {}
        allowed = _of_blocks(self.allowed, len(self.blocks))
        on = _of_blocks(self.on, len(self.blocks))
        places: list[ThreadPlace] = []
        rank = 0
        for (host, ranks), every_allowed, every_on in zip(self.blocks, allowed, on, strict=True):
            if not (0 <= host < len(self.hosts) and len(every_allowed) == len(every_on) == ranks):
                raise ValueError(f"block of rank {rank}: host {host}, {ranks} ranks")
            name = self.hosts[host]
            for of_allowed, of_on in zip(every_allowed, every_on, strict=True):
                for thread, (cpus, cpu) in enumerate(zip(of_allowed, of_on, strict=True)):
                    if cpus not in sets:
                        sets[cpus] = _cpu_set(cpus)
                    if cpu != _LACKING:
                        places.append(ThreadPlace(rank, thread, name, sets[cpus], int(cpu)))
                rank += 1
        return tuple(places)


def _of_blocks(groups: Sequence[Common], count: int) -> list[list[list[str]]]:
    """`[block][rank][thread]`, each group's texts once."""
    found: dict[int, list[list[str]]] = {}
    for group in groups:
        texts = [rank.split(" ") for rank in group.ranks.split(",")]
        found |= dict.fromkeys(group.blocks, texts)
    if found.keys() != set(range(count)):
        raise ValueError(f"{len(found)} blocks of ranks are described, {count} are there")
    return [found[number] for number in range(count)]


def _cpu_set(text: str) -> tuple[int, ...]:
    if text == _LACKING:
        return ()
    if not _RANGES.fullmatch(text):
        raise ValueError(f"{text[:80]!r} is no set of CPUs such as 0-3+8")
    cpus: list[int] = []
    for part in text.split("+"):
        first, _, last = part.partition("-")
        cpus += range(int(first), min(int(last or first), _MOST_CPUS) + 1)
    return tuple(cpus)
