"""Threads of many ranks as a record has them: what hosts have in common once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.layout import ThreadPlace

MOST_RANKS = 2**22
"""A packed record that says it has more, or more threads, is damaged."""
_MOST_CPUS = 2**16
LACKING = "-"
"""In the place of the CPUs of a thread that is not there, and of a host without quanta."""
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
    """CPU of each thread: `0-3+8`; `-` where none has quanta."""
    fastest_ns: str
    """The shortest time of each thread, nanoseconds, with spaces between."""
    slow: str
    """How many times of each thread are more than 2 % longer."""
    slow_ns: str
    """Every such time, nanoseconds, thread by thread."""


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
        rank = threads = listed = 0
        for (host, ranks), every_allowed, every_on in zip(self.blocks, allowed, on, strict=True):
            if not (0 <= host < len(self.hosts) and len(every_allowed) == len(every_on) == ranks):
                raise ValueError(f"block of rank {rank}: host {host}, {ranks} ranks")
            name = self.hosts[host]
            for of_allowed, of_on in zip(every_allowed, every_on, strict=True):
                threads += len(of_on)
                for thread, (cpus, cpu) in enumerate(zip(of_allowed, of_on, strict=True)):
                    if cpus not in sets:
                        sets[cpus] = () if cpus == LACKING else cpu_numbers(cpus)
                        listed += len(sets[cpus])
                    if max(threads, listed) > MOST_RANKS:
                        raise ValueError(f"more than {MOST_RANKS:,} threads, or CPUs of theirs")
                    if cpu != LACKING:
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


def cpu_numbers(text: str) -> tuple[int, ...]:
    """`0-3+8` as numbers. Raises ValueError where the text is no such list, or one of more than a
    machine has."""
    if not _RANGES.fullmatch(text):
        raise ValueError(f"{text[:80]!r} is no list of CPUs such as 0-3+8")
    cpus: list[int] = []
    for part in text.split("+"):
        first, _, last = part.partition("-")
        cpus += range(int(first), min(int(last or first), _MOST_CPUS) + 1)
        if len(cpus) > _MOST_CPUS:
            raise ValueError(f"{text[:80]!r} names more than {_MOST_CPUS:,} CPUs")
    return tuple(cpus)
