from collections.abc import Sequence

import pytest

from machmeter.analysis.curves.knees import find_knees
from machmeter.analysis.curves.last_cache import UNKNOWN_CACHE, kept_size, last_cache
from machmeter.model.results.curves import EarlierCache, Knee, LastCache

MIB = 2**20


def level(size: int, nanoseconds: float, low: int = 0, high: int = 0) -> Knee:
    seconds = nanoseconds * 1e-9
    return Knee(size, seconds, seconds, seconds, low or size, high or size)


def curve(size: int, low: int, high: int) -> Sequence[Knee]:
    return (level(32 * 1024, 1.2), level(size, 16, low, high), level(0, 125, high=2**30))


@pytest.mark.parametrize(
    ("described", "low", "measured", "high", "size"),
    [
        # A shared cache, of which neighbors leave each launch another part.
        (32, 3, 5, 16, 32),
        (32, 4, 4, 4, 32),
        # Virtual machines describe the whole host.
        (480, 6, 16, 24, 24),
        (480, 6, 16, 60, 480),
        # A level that is not described.
        (2, 20, 24, 32, 32),
        (32, 32, 45, 64, 32),
        (0, 6, 8, 12, 12),
    ],
)
def test_sizes_follow_the_description_unless_every_launch_refutes_it(
    described: int, low: int, measured: int, high: int, size: int
) -> None:
    found = last_cache(described * MIB, curve(measured * MIB, low * MIB, high * MIB))
    assert (found.described, found.measured) == (described * MIB, measured * MIB)
    assert (found.low, found.high) == (low * MIB, high * MIB)
    assert found.size == size * MIB


def test_a_curve_that_ends_within_the_described_cache_refutes_nothing() -> None:
    levels = (level(32 * 1024, 1.2), level(MIB, 4), level(0, 20, high=64 * MIB))
    assert last_cache(105 * MIB, levels).size == 105 * MIB


@pytest.mark.parametrize("described", [32, 64, 105, 256])
@pytest.mark.parametrize("replaced", ["in turn", "at random"])
def test_on_large_caches_the_one_before_the_last_is_not_taken_for_the_last(
    described: int, replaced: str
) -> None:
    """Replaced in turn, nothing hits beyond the cache; at random, as much as fits into it."""

    def seconds(size: int) -> float:
        hits = min(1.0, described * MIB / size) if replaced == "at random" else 1.0
        if replaced == "in turn":
            hits = min(max((1.5 - size / (described * MIB)) / 0.5, 0.0), 1.0)
        inner = 1.2e-9 if size <= 32 * 1024 else 4e-9 if size <= MIB else 20e-9
        return hits * inner + (1 - hits) * 120e-9

    sizes = [4096 * 2 ** (i // 2) * (3 if i % 2 else 2) // 2 for i in range(60)]
    sizes = [size for size in sizes if size <= max(4 * described, 128) * MIB]
    found = last_cache(described * MIB, find_knees(sizes, [[seconds(s) for s in sizes]] * 5))
    assert found.size == described * MIB
    assert described / 2 * MIB <= found.measured <= 3 * described * MIB


def test_a_step_within_memory_is_no_cache() -> None:
    levels = (level(8 * MIB, 20), level(128 * MIB, 95), level(0, 100))
    assert last_cache(8 * MIB, levels).measured == 8 * MIB


def test_without_a_level_the_description_is_followed_and_without_one_a_guess() -> None:
    for levels in ((), (level(0, 100),)):
        assert last_cache(8 * MIB, levels).size == 8 * MIB
        assert last_cache(0, levels).size == UNKNOWN_CACHE


def own(size: int) -> LastCache:
    """Of a run whose curve shows a cache of `size` MiB, where 32 MiB are described: below 4 MiB it
    refutes that; of 0 it shows none."""
    if not size:
        return last_cache(32 * MIB, ())
    return last_cache(32 * MIB, curve(size * MIB, size * MIB, size * MIB))


def in_turn(*sizes: int) -> list[LastCache]:
    """The last caches of runs one after the other, each with those before it."""
    runs: list[EarlierCache] = []
    for number, size in enumerate(sizes):
        runs.insert(0, EarlierCache(f"run{number}", kept_size(own(size), runs)))
    return [one.cache for one in reversed(runs)]


@pytest.mark.parametrize(
    ("measured", "followed"),
    [
        # Settled by three that agree: then no run changes it.
        ([24, 24, 24, 1, 1, 1, 1], [32, 32, 32, 32, 32, 32, 32]),
        ([2, 1, 3, 24, 24, 24], [2, 2, 3, 3, 3, 3]),
        # A first run under load freezes nothing; on conflict the larger size.
        ([1, 24, 24, 24, 1], [1, 32, 32, 32, 32]),
        ([24, 1, 1, 1, 24], [32, 32, 32, 1, 1]),
        ([1, 24, 1, 24, 1, 24], [1, 32, 32, 32, 1, 1]),
        # A run without a cache on its curve says nothing, and takes what is known.
        ([1, 0, 2, 0, 2, 0], [1, 1, 2, 2, 2, 2]),
        ([0, 0, 0, 1], [32, 32, 32, 1]),
    ],
)
def test_a_size_stays_once_three_runs_agree_and_is_the_larger_one_until_then(
    measured: list[int], followed: list[int]
) -> None:
    caches = in_turn(*measured)
    assert [cache.size // MIB for cache in caches] == followed
    # What each run has measured itself is not replaced.
    assert [cache.measured // MIB for cache in caches] == measured


def test_a_run_names_the_earlier_runs_that_its_size_was_chosen_with() -> None:
    caches = in_turn(1, 24, 24, 24, 24, 1)
    assert [cache.runs for cache in caches] == [
        (),
        ("run0",),
        ("run1", "run0"),
        ("run2", "run1", "run0"),
        ("run3",),
        ("run4",),
    ]
    assert [cache.settled for cache in caches] == [False] * 3 + [True] * 3


def test_of_runs_of_an_older_version_the_newest_count() -> None:
    sizes = (1, 32, 32, 1, 1, 1, 1)
    older = [
        EarlierCache(f"run{n}", LastCache(32 * MIB, MIB, MIB, MIB, size * MIB))
        for n, size in enumerate(sizes)
    ]
    found = kept_size(own(1), older)
    assert (found.size, found.settled) == (MIB, True)
    assert found.runs == ("run0", "run1", "run2", "run3")
