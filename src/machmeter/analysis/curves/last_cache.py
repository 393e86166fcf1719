"""The last cache before memory: which of what is described and what is measured sizes follow."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.results.curves import Knee, LastCache

# Neighbors on a shared processor leave a launch a part of the cache, and not always the same.
REFUTED_BELOW = 8
REFUTED_ABOVE = 2
UNKNOWN_CACHE = 32 * 2**20
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
        return LastCache(described, 0, 0, 0, described or UNKNOWN_CACHE)
    last = max(caches, key=lambda knee: knee.size_bytes)
    low, high = last.size_low_bytes, last.size_high_bytes
    seen = max(knee.size_high_bytes for knee in knees if not knee.size_bytes)
    too_large = REFUTED_BELOW * high < described <= seen
    refuted = too_large or low > REFUTED_ABOVE * described
    return LastCache(described, last.size_bytes, low, high, high if refuted else described)
