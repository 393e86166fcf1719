from machmeter.analysis.curves.described_caches import described_caches
from machmeter.model.machine import Cache
from machmeter.model.results.curves import Knee

KIB, MIB = 2**10, 2**20
CACHES = tuple(
    Cache(level, kind, size, 64, (0,))
    for level, kind, size in (
        (1, "Data", 32 * KIB),
        (1, "instruction", 64 * KIB),
        (2, "unified", MIB),
        (3, "unified", 32 * MIB),
    )
)


def levels_of(*sizes: int) -> list[int]:
    """Levels of the described caches that levels of a curve are, 0 for none."""
    found = described_caches([Knee(size, 1e-9, 1e-9, 1e-9) for size in sizes], CACHES)
    return [cache.level if cache else 0 for cache in found]


def test_a_level_is_the_described_cache_that_ends_where_it_does() -> None:
    assert levels_of(46336, MIB, 32 * MIB, 0) == [1, 2, 3, 0]


def test_a_level_that_ends_elsewhere_is_no_described_cache() -> None:
    # The end of an instruction cache, and a last cache that neighbors share.
    assert levels_of(64 * KIB, 5 * MIB, 0) == [0, 0, 0]
    assert described_caches([Knee(MIB, 1e-9, 1e-9, 1e-9)], ()) == (None,)


def test_no_cache_is_two_levels() -> None:
    assert levels_of(24 * KIB, 34 * KIB, 0) == [0, 1, 0]
