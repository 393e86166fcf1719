import json
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machmeter.analysis.curves.knees import find_knees
from machmeter.model.results.curves import Knee
from machmeter.model.units import UNBOUNDED

DATA = Path(__file__).parents[3] / "data"
KIB, MIB = 2**10, 2**20
MEMORY = (0, 180e-9)
LEVELS = {
    1: (MEMORY,),
    2: ((32 * KIB, 1.3e-9), MEMORY),
    3: ((32 * KIB, 1.3e-9), (MIB, 4.5e-9), MEMORY),
    4: ((32 * KIB, 1.3e-9), (MIB, 4.5e-9), (8 * MIB, 35e-9), MEMORY),
}
Levels = Sequence[tuple[int, float]]


def sweep(per_octave: int) -> list[int]:
    """4 KiB to 256 MiB in whole cache lines."""
    return [int(4 * KIB * 2 ** (i / per_octave)) // 64 * 64 for i in range(16 * per_octave + 1)]


def latency(size: int, levels: Levels, ramp: str) -> float:
    """A true curve: a step, a ramp straight in logs to 3x, or misses falling as (size)^-2."""
    level = next(i for i, (end, _) in enumerate(levels) if size <= end or end == 0)
    seconds = levels[level][1]
    if level == 0 or ramp == "step":
        return seconds
    end, below = levels[level - 1]
    if ramp == "straight":
        way = min(math.log(size / end) / math.log(3), 1.0)
        return math.exp((1 - way) * math.log(below) + way * math.log(seconds))
    return seconds - (seconds - below) * (end / size) ** 2


def curves(
    sizes: Sequence[int], levels: Levels, ramp: str, launches: int, noise: float, seed: int
) -> list[list[float]]:
    """True latencies with log-normal noise; one in fifty is tripled where there is noise."""
    rng = np.random.default_rng(seed)
    true = np.array([latency(size, levels, ramp) for size in sizes])
    shape = (launches, len(sizes))
    spikes = np.where(rng.random(shape) < (0.02 if noise else 0), 3.0, 1.0)
    noisy: list[list[float]] = (true * rng.lognormal(0, noise, shape) * spikes).tolist()
    return noisy


def true_ends(sizes: Sequence[int], levels: Levels, ramp: str) -> list[int]:
    """The largest size of each level at which less than half of the way to the next is gone."""
    halves = [(a + b) / 2 for (_, a), (_, b) in pairwise(levels)]
    return [max(s for s in sizes if latency(s, levels, ramp) < half) for half in halves] + [0]


def right(found: Sequence[Knee], sizes: Sequence[int], levels: Levels, ramp: str) -> bool:
    """As many levels, each within one measured size and 10 % of latency."""
    step = 1.02 * sizes[1] / sizes[0]
    return len(found) == len(levels) and all(
        (knee.size_bytes == size or (size > 0 and 1 / step < knee.size_bytes / size < step))
        and abs(knee.latency_seconds / seconds - 1) < 0.1
        and knee.size_low_bytes <= knee.size_bytes <= knee.size_high_bytes
        for knee, size, (_, seconds) in zip(
            found, true_ends(sizes, levels, ramp), levels, strict=True
        )
    )


@pytest.mark.parametrize("per_octave", [2, 3])
@pytest.mark.parametrize("ramp", ["step", "straight", "misses"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_levels_are_found_under_noise_and_spikes(count: int, ramp: str, per_octave: int) -> None:
    sizes, levels = sweep(per_octave), LEVELS[count]
    hits = [
        right(find_knees(sizes, curves(sizes, levels, ramp, 5, 0.05, seed)), sizes, levels, ramp)
        for seed in range(10)
    ]
    assert sum(hits) >= 8


@pytest.mark.parametrize("ramp", ["step", "straight"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_without_noise_every_level_ends_exactly_where_half_of_the_loads_hit(
    count: int, ramp: str
) -> None:
    sizes, levels = sweep(2), LEVELS[count]
    found = find_knees(sizes, curves(sizes, levels, ramp, 1, 0.0, 0))
    assert [knee.size_bytes for knee in found] == true_ends(sizes, levels, ramp)
    for knee, (_, seconds) in zip(found, levels, strict=True):
        assert math.isclose(knee.latency_seconds, seconds, rel_tol=0.02)


def test_a_level_has_the_range_in_which_it_ends_over_launches() -> None:
    """Neighbors leave each launch another part of a shared cache."""
    sizes = sweep(2)
    shares = (4 * MIB, 8 * MIB, 16 * MIB)
    launches = [
        [latency(s, ((32 * KIB, 1.3e-9), (share, 16e-9), MEMORY), "step") for s in sizes]
        for share in shares
    ]
    last = find_knees(sizes, launches)[-2]
    assert (last.size_low_bytes, last.size_bytes, last.size_high_bytes) == shares


def test_a_level_that_one_launch_alone_shows_is_none() -> None:
    sizes = sweep(2)
    usual, odd = ((32 * KIB, 1.3e-9), MEMORY), ((32 * KIB, 1.3e-9), (MIB, 4.5e-9), MEMORY)
    kinds = (usual, usual, odd)
    launches = [[latency(s, levels, "step") for s in sizes] for levels in kinds]
    assert len(find_knees(sizes, launches)) == 2


def test_a_plateau_that_is_shorter_than_a_factor_of_two_is_no_level() -> None:
    sizes = sweep(2)
    for last, count in ((MIB * 3 // 2, 2), (MIB * 2, 3)):
        levels = ((MIB - 1, 1.3e-9), (last, 16e-9), MEMORY)
        launch = [latency(s, levels, "step") for s in sizes]
        assert len(find_knees(sizes, [launch])) == count


def test_real_curves_of_a_busy_machine_show_the_same_levels() -> None:
    """Fourteen groups of five launches beside compilations; the file says of which machine."""
    data = json.loads((DATA / "latency_curves.json").read_text())
    sizes, groups = data["sizes_bytes"], data["launches_ns"]
    assert {len(find_knees(sizes, group)) for group in groups} == {4}


def test_levels_less_than_a_third_of_the_latency_apart_are_one() -> None:
    sizes = sweep(2)
    close = ((MIB, 100e-9), (0, 140e-9))
    apart = ((MIB, 100e-9), (0, 145e-9))
    assert len(find_knees(sizes, curves(sizes, close, "step", 5, 0.0, 0))) == 1
    assert len(find_knees(sizes, curves(sizes, apart, "step", 5, 0.0, 0))) == 2


def test_a_falling_curve_is_one_level() -> None:
    sizes = sweep(2)
    falling = [2e-9] * 12 + [1e-9] * (len(sizes) - 12)
    assert len(find_knees(sizes, [falling])) == 1


def test_the_interval_is_over_launches() -> None:
    sizes = sweep(2)
    launches = [[seconds] * len(sizes) for seconds in (1e-7, 1.1e-7, 0.9e-7)]
    (memory,) = find_knees(sizes, launches)
    assert memory.low_seconds < 0.9e-7
    assert memory.high_seconds > 1.1e-7
    (alone,) = find_knees(sizes, launches[:1])
    assert (alone.low_seconds, alone.high_seconds) == (0.0, UNBOUNDED)


@given(st.lists(st.floats(1e-10, 1e-5), min_size=1, max_size=30), st.integers(1, 4))
@settings(max_examples=60)
def test_any_curve_gives_rising_levels_that_end_in_memory(
    latencies: list[float], launches: int
) -> None:
    sizes = [4 * KIB * (i + 1) for i in range(len(latencies))]
    found = find_knees(sizes, [latencies] * launches)
    assert found[-1].size_bytes == 0
    ends = [knee.size_bytes for knee in found[:-1]]
    assert ends == sorted(set(ends))
    assert set(ends) <= set(sizes)
    for knee in found:
        assert knee.low_seconds <= knee.latency_seconds * (1 + 1e-9)
        assert knee.latency_seconds <= knee.high_seconds * (1 + 1e-9)


@pytest.mark.parametrize(
    ("sizes", "launches", "message"),
    [
        ([], [], "at least one"),
        ([1, 2], [], "at least one"),
        ([2, 1], [[1.0, 1.0]], "rise"),
        ([1, 2], [[1.0]], "1 latencies for 2 sizes"),
        ([1, 2], [[1.0, 0.0]], "curve 0"),
        ([1, 2], [[1.0, math.nan]], "curve 0"),
    ],
)
def test_what_is_no_curve_is_refused(
    sizes: list[int], launches: list[list[float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        find_knees(sizes, launches)


def test_a_level_that_is_as_slow_as_memory_is_none() -> None:
    """Spikes at two of its three sizes hide how fast it is in the launches."""
    sizes = [2**14, 2**14 * 3 // 2, 2**15, 2**20, 2**20 * 3 // 2, 2**21, 2**26, 2**26 * 3 // 2]
    sizes += [2**27]
    launch = [1e-9] * 3 + [1e-7, 1e-7, 2e-8] + [1e-7] * 3
    quiet = [1e-9] * 3 + [2e-8] * 3 + [1e-7] * 3
    assert [knee.size_bytes for knee in find_knees(sizes, [quiet] * 5)] == [2**15, 2**21, 0]
    assert [knee.size_bytes for knee in find_knees(sizes, [launch] * 5)][1:] == [0]
