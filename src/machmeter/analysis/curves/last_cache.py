"""The last cache before memory: which of what is described and what is measured sizes follow."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.model.results.curves import EarlierCache, Knee, LastCache

# Neighbors on a shared processor leave a launch a part of the cache, and not always the same.
REFUTED_BELOW = 8
REFUTED_ABOVE = 2
UNKNOWN_CACHE = 32 * 2**20
SETTLED_BY = 3
"""Runs that must agree on whether the description is refuted."""
MOST_RUNS = 2 * SETTLED_BY - 1
"""Of so many runs, this one included, only one answer can be that of three."""
CACHE_TO_MEMORY = 0.7
"""A level nearer than this to the next one is none of its own: address translation and noise make
such steps."""


def last_cache(described: int, knees: Sequence[Knee]) -> LastCache:
    """The last cache from its described size, bytes (0: none), and the levels of a latency curve.

    Sizes follow the description, which is the same in every run, unless the curve refutes it: in
    every launch the cache ended below an eighth of it, on a curve that goes beyond it (virtual
    machines describe the whole host), or beyond twice of it (a level is not described). Then, and
    where nothing is described, they follow the largest of the launches: arrays that are too large
    are in memory all the same. 32 MiB where neither is known.
    """
    memory = max((knee.latency_seconds for knee in knees), default=0.0)
    caches = [k for k in knees if k.size_bytes and k.latency_seconds < CACHE_TO_MEMORY * memory]
    if not caches:
        size = described or UNKNOWN_CACHE
        return LastCache(described, 0, 0, 0, size, size)
    last = max(caches, key=lambda knee: knee.size_bytes)
    low, high = last.size_low_bytes, last.size_high_bytes
    seen = max(knee.size_high_bytes for knee in knees if not knee.size_bytes)
    too_large = REFUTED_BELOW * high < described <= seen
    refuted = too_large or low > REFUTED_ABOVE * described
    size = high if refuted else described
    return LastCache(described, last.size_bytes, low, high, size, size)


def kept_size(own: LastCache, earlier: Sequence[EarlierCache]) -> LastCache:
    """The last cache of a run, with the size that earlier runs of its machine had.

    own: by the run's own curve; earlier: of earlier runs, the newest first.

    A size that is settled stays. It is settled once three of the newest five runs agree whether
    the description is refuted, as the largest of those that agree; until then the largest of all.
    A run whose curve shows no cache says nothing.
    """
    for one in earlier:
        if one.cache.settled:
            return replace(own, size=one.cache.size, runs=(one.run,), settled=True)
    saying = [one for one in earlier if one.cache.measured]
    saying = saying[: MOST_RUNS - bool(own.measured)]
    caches = [*[own] * bool(own.measured), *(one.cache for one in saying)]
    refuting = [one for one in caches if one.refuted]
    agreeing = refuting if 2 * len(refuting) > len(caches) else [c for c in caches if not c.refuted]
    settled = len(agreeing) >= SETTLED_BY
    sizes = [one.own_size or one.size for one in (agreeing if settled else caches)]
    names = tuple(one.run for one in saying)
    return replace(own, size=max(sizes, default=own.size), runs=names, settled=settled)
