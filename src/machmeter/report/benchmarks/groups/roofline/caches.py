"""Cache levels as roofs: the bandwidth of sweeps whose arrays are in one level on all cores."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from machmeter.analysis.stats.fields import where
from machmeter.model.machine import Cache, Topology
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.roofline.roofs import bounded, is_modeled
from machmeter.report.benchmarks.selection import best, of_unit, size, threads

# Of a sweep over twice a cache, what is read again was evicted before.
_EVICTS = 2


class CacheRoof(Struct, frozen=True):
    """A level of caches as a roof."""

    name: str
    """`L2`."""
    bandwidth: Estimate
    """The most bytes per second of a sweep over arrays in it."""


def cache_roofs(result: RunResult, memory: Estimate) -> tuple[CacheRoof, ...]:
    """The levels that the run swept on as many threads as the memory, the innermost first.

    Levels that are no faster than the next one are left out: there, what is measured is the time
    between sweeps.
    """
    topology = result.header.machine.topology
    cores = len(topology.usable_cores)
    if threads(memory) < cores:
        return ()
    rates = where(bounded(of_unit(result.estimates, memory.unit)), "stores", "temporal")
    sweeps = [
        e for e in rates if threads(e) == threads(memory) and not is_modeled(result.estimates, e)
    ]
    found: list[CacheRoof] = []
    slower = memory.value
    for level, least, most in reversed(list(_ranges(topology, result.last_cache.size))):
        fastest = best(e for e in sweeps if least <= size(e) / cores <= most)
        if fastest and fastest.value > slower:
            found.insert(0, CacheRoof(f"L{level}", fastest))
            slower = fastest.value
    return tuple(found)


def _ranges(topology: Topology, last_cache: int) -> Iterator[tuple[int, float, float]]:
    """Each level with the least and the most bytes a core that are in it and in no level before."""
    caches = [one for one in topology.caches if one.kind != "instruction"]
    levels = sorted({one.level for one in caches})
    inner = 0.0
    for level in levels:
        of_level = [one for one in caches if one.level == level and _cores_of(one, topology)]
        sizes = {one: last_cache if level == levels[-1] else one.size_bytes for one in of_level}
        shares = [sizes[one] / _cores_of(one, topology) for one in of_level]
        yield level, _EVICTS * inner, min(shares, default=0.0)
        # Cores of several kinds have several sizes.
        inner = max([inner, *shares])


def _cores_of(cache: Cache, topology: Topology) -> int:
    """How many usable cores share it."""
    return len({cpu.core for cpu in topology.usable if cpu.number in cache.cpus})
