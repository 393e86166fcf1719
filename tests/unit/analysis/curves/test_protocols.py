"""Protocols are found in curves of the LogGP model whose switches are known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from machmeter.analysis.curves.protocols import find_protocols, jumps, step_p_value, step_ratio
from machmeter.model.units import UNBOUNDED

SIZES = (0, *(2**power for power in range(23)))
BESIDE = sorted({*SIZES, *(2**p + d for p in range(10, 19) for d in (-3, 3))})
EAGER = (5e-7, 2e-10)
RENDEZVOUS = (4e-6, 0.8e-10)
LIMIT = 8192


def one_line(size: int) -> float:
    return EAGER[0] + EAGER[1] * size


def switching(size: int) -> float:
    startup, per_byte = EAGER if size <= LIMIT else RENDEZVOUS
    return startup + per_byte * size


def curves_of(
    time: object, sizes: list[int] | tuple[int, ...], noise: float, launches: int, seed: int
) -> list[list[float]]:
    """Times of a model, each launch a few percent slow or fast as a whole, as launches are."""
    assert callable(time)
    draw = np.random.default_rng(seed)
    exact = np.array([time(size) for size in sizes])
    whole = draw.normal(0, 0.03, (launches, 1)) * (launches > 1)
    found: list[list[float]] = (
        exact * np.exp(draw.normal(0, noise, (launches, len(sizes))) + whole)
    ).tolist()
    return found


def test_a_line_without_noise_is_given_back() -> None:
    (region,) = find_protocols(SIZES, curves_of(one_line, SIZES, 0.0, 1, 0))
    assert (region.first_bytes, region.last_bytes) == (0, SIZES[-1])
    assert region.startup_seconds == pytest.approx(EAGER[0], rel=1e-6)
    assert region.seconds_per_byte == pytest.approx(EAGER[1], rel=1e-6)
    assert (region.startup_low, region.startup_high) == (-UNBOUNDED, UNBOUNDED)
    assert not jumps(region, region)


def test_a_switch_without_noise_is_given_back_with_its_cost() -> None:
    first, second = find_protocols(BESIDE, curves_of(switching, BESIDE, 0.0, 3, 0))
    assert (first.last_bytes, second.first_bytes) == (LIMIT, LIMIT + 3)
    whole = first.startup_seconds / EAGER[0]
    step = whole * (switching(LIMIT + 3) - one_line(LIMIT + 3))
    assert second.step_seconds == pytest.approx(step, rel=0.01)
    assert jumps(second, first)
    assert step_p_value(second, 3) < 0.01
    assert step_ratio(second, first) == pytest.approx(
        switching(LIMIT + 3) / one_line(LIMIT + 3), rel=0.01
    )


@pytest.mark.parametrize("noise", [0.02, 0.05])
def test_one_line_is_seldom_cut(noise: float) -> None:
    cut = sum(
        len(find_protocols(SIZES, curves_of(one_line, SIZES, noise, 10, seed))) > 1
        for seed in range(60)
    )
    assert cut <= 3


@pytest.mark.parametrize("noise", [0.02, 0.05])
def test_the_switch_is_found_where_it_is(noise: float) -> None:
    right, covered = 0, 0
    for seed in range(30):
        regions = find_protocols(SIZES, curves_of(switching, SIZES, noise, 10, seed))
        if len(regions) == 2 and regions[0].last_bytes == LIMIT:
            right += 1
            step = switching(2 * LIMIT) - one_line(2 * LIMIT)
            covered += regions[1].step_low <= step <= regions[1].step_high
    assert right >= 27
    assert covered >= 0.85 * right


def test_two_switches_are_both_found_and_a_bend_is_no_jump() -> None:
    def thrice(size: int) -> float:
        # From 256 KiB on a byte costs twice as much: messages leave a cache.
        return switching(size) + max(0, size - 2**18) * RENDEZVOUS[1]

    first, second, third = find_protocols(BESIDE, curves_of(thrice, BESIDE, 0.01, 10, 4))
    assert first.last_bytes == LIMIT
    assert second.last_bytes in {2**17, 2**18 - 3, 2**18, 2**18 + 3, 2**19}
    assert jumps(second, first)
    assert not jumps(third, second)
    assert abs(third.step_seconds) < 0.1 * thrice(third.first_bytes)
    assert third.seconds_per_byte == pytest.approx(2 * RENDEZVOUS[1], rel=0.1)


def drifting(size: int) -> float:
    """A byte costs 1/12 ns at first and ever more, 1/6 ns in the end, without any switch."""
    return 1e-6 + size / 12e9 * (1 + math.log2(size + 1) / 22)


def logarithmic(size: int) -> float:
    return 1e-6 + 1e-10 * size + 20e-9 * math.log2(max(size, 1))


@pytest.mark.parametrize("sizes", [SIZES, BESIDE])
@pytest.mark.parametrize("smooth", [drifting, logarithmic])
@pytest.mark.parametrize("noise", [0.002, 0.02])
def test_a_smooth_curve_is_cut_but_does_not_jump(
    sizes: list[int], smooth: object, noise: float
) -> None:
    jumped, cut = 0, 0
    for seed in range(8):
        regions = find_protocols(sizes, curves_of(smooth, sizes, noise, 10, seed))
        cut += len(regions) > 1
        jumped += any(jumps(b, a) for a, b in itertools.pairwise(regions))
    assert cut > 0
    assert jumped <= 1


def test_a_drop_is_a_jump_down() -> None:
    def dropping(size: int) -> float:
        return one_line(size) if size <= LIMIT else 0.4 * one_line(size)

    first, second = find_protocols(BESIDE, curves_of(dropping, BESIDE, 0.01, 10, 2))
    assert second.step_high < 0
    assert jumps(second, first)


def test_one_size_apart_is_no_protocol_of_its_own() -> None:
    times = [one_line(size) for size in SIZES]
    times[0] *= 0.8
    times[12] *= 1.4
    (region,) = find_protocols(SIZES, [times] * 3)
    assert region.seconds_per_byte == pytest.approx(EAGER[1], rel=0.02)


# MPICH 5.0.2 through shared memory of two virtual cores: eager up to 4 KiB.
NANOSECONDS = {
    **{0: 1079, 1: 1135, 2: 1158, 4: 1143, 8: 1146, 16: 1163, 32: 1150, 64: 1160, 128: 1141},
    **{256: 1154, 512: 1204, 1021: 1305, 1024: 1249, 1027: 1265, 2045: 1431, 2048: 1352},
    **{2051: 1409, 4093: 1654, 4096: 1629, 4099: 1657, 8189: 3832, 8192: 4052, 8195: 4360},
    **{16381: 4808, 16384: 4743, 16387: 4954, 32765: 5911, 32768: 5960, 32771: 6124},
    **{65533: 8357, 65536: 8400, 65539: 8570, 131069: 13396, 131072: 13296, 131075: 13478},
    **{262141: 24221, 262144: 24151, 262147: 24246, 524288: 46895, 1048576: 91749},
    **{2097152: 191614, 4194304: 748349},
}


def test_a_size_far_from_both_lines_is_given_to_the_nearer_one() -> None:
    regions = find_protocols(list(NANOSECONDS), [[t * 1e-9 for t in NANOSECONDS.values()]] * 3)
    assert [region.last_bytes for region in regions] == [4099, 131075, 4194304]
    assert jumps(regions[1], regions[0])
    assert all(r.last_bytes >= 1.5 * r.first_bytes for r in regions)


@pytest.mark.parametrize(
    ("sizes", "curves", "words"),
    [
        ((1, 2), (), "at least one curve"),
        ((1,), ((1.0,),), "two sizes"),
        ((2, 1), ((1.0, 1.0),), "rise"),
        ((1, 2), ((1.0,),), "1 times for 2 sizes"),
        ((1, 2), ((1.0, 0.0),), "not a positive number"),
    ],
)
def test_what_is_no_curve_is_refused(
    sizes: tuple[int, ...], curves: tuple[tuple[float, ...], ...], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        find_protocols(sizes, curves)


TIMES = st.lists(st.floats(1e-7, 1e-1), min_size=2, max_size=30)


@settings(max_examples=30, deadline=None)
@given(st.lists(TIMES, min_size=1, max_size=4), st.floats(1e-3, 1e3))
@example(rows=[[0.0078125, 1e-07, 0.0078125, 0.0625, 0.0625, 0.0625]], factor=161.5)
def test_regions_cover_the_sizes_and_scale_with_the_clock(
    rows: list[list[float]], factor: float
) -> None:
    count = min(map(len, rows))
    sizes = BESIDE[:count]
    curves = [row[:count] for row in rows]
    regions = find_protocols(sizes, curves)
    covered = list(
        itertools.chain.from_iterable(
            [size for size in sizes if one.first_bytes <= size <= one.last_bytes] for one in regions
        )
    )
    assert covered == sizes
    assert all(
        sum(one.first_bytes <= size <= one.last_bytes for size in sizes) >= min(3, count)
        for one in regions
    )
    assert all(one.seconds_per_byte >= 0 for one in regions)
    scaled = find_protocols(sizes, [[factor * value for value in row] for row in curves])
    if len(scaled) == len(regions):
        # A slope of nothing is nothing but for rounding, which is in proportion to the times.
        rounding = 1e-6 * factor * max(map(max, curves)) / sizes[-1]
        for one, other in zip(regions, scaled, strict=True):
            expected = pytest.approx(factor * one.seconds_per_byte, rel=1e-3, abs=rounding)
            assert other.seconds_per_byte == expected
