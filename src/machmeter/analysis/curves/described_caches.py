"""Which of the caches that the system describes the levels of a latency curve are."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.machine import Cache
from machmeter.model.results.curves import Knee

# Curves have two working sets to a factor of 2.
AGREES_WITHIN = 1.5


def described_caches(knees: Sequence[Knee], caches: Sequence[Cache]) -> tuple[Cache | None, ...]:
    """Of each level the described cache for data that ends where the level does, within a factor of
    1.5; of several the nearest, and no cache for two levels."""
    levels = [knee for knee in knees if knee.size_bytes]
    kept = [one for one in caches if one.kind != "instruction" and one.size_bytes]

    def cache_of(knee: Knee) -> Cache | None:
        if not (knee.size_bytes and kept):
            return None
        nearest = min(kept, key=lambda one: _apart(knee, one))
        of_nearest = min(levels, key=lambda one: _apart(one, nearest))
        agrees = of_nearest is knee and _apart(knee, nearest) <= AGREES_WITHIN
        return nearest if agrees else None

    return tuple(map(cache_of, knees))


def _apart(knee: Knee, cache: Cache) -> float:
    ratio = knee.size_bytes / cache.size_bytes
    return max(ratio, 1 / ratio)
