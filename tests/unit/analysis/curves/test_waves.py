from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.analysis.curves.waves import wave_speedup, wave_speedup_interval, wave_time

# Schmidl et al. 2010, SHEMAT-Suite: one derivative alone and eight at once on one board, seconds.
BOARD = {1: 60.64, 8: 131.07}
ALL_SERIAL = 19404.3


def test_the_published_ceiling() -> None:
    assert wave_time(320, 13, 8, BOARD) == pytest.approx(3 * 131.07 + 60.64)
    assert round(wave_speedup(ALL_SERIAL, 320, 13, 8, BOARD), 2) == 42.75


def test_one_domain_of_two_cores() -> None:
    times = {1: 1.0, 2: 1.5}
    found = [wave_time(units, 1, 2, times) for units in (1, 2, 3, 5)]
    assert found == [1.0, 1.5, 2.5, 4.0]


def test_the_rest_is_dealt_out_over_the_domains_first() -> None:
    times = {1: 1.0, 2: 1.2, 3: 1.9, 4: 3.5}
    assert wave_time(4, 4, 4, times) == 1.0
    assert wave_time(5, 4, 4, times) == 1.2
    assert wave_time(15, 4, 4, times) == 2.4, "two waves of two each are cheaper than one of four"
    assert wave_time(16, 4, 4, times) == 3.5, "a full wave fills every slot"


def test_unknown_counts_take_the_time_of_more_units_or_several_waves() -> None:
    assert wave_time(2, 1, 4, {1: 1.0, 4: 1.5}) == 1.5
    assert wave_time(2, 1, 4, {1: 1.0, 4: 2.5}) == 2.0
    assert wave_time(3, 1, 4, {4: 2.5}) == 2.5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 1, 1, {1: 1.0}), "at least 1"),
        ((1, 0, 1, {1: 1.0}), "at least 1"),
        ((1, 1, 2, {1: 1.0}), "2 units at once"),
        ((1, 1, 1, {1: 1.0, 2: 1.0}), r"within 1\.\.1"),
        ((1, 1, 1, {1: 0.0}), "above 0"),
        ((1, 1, 1, {1: math.nan}), "above 0"),
    ],
)
def test_impossible_numbers_are_refused(
    arguments: tuple[int, int, int, dict[int, float]], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        wave_time(*arguments)


def test_a_serial_time_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="serial time"):
        wave_speedup(0.0, 1, 1, 1, {1: 1.0})


COUNTS = st.integers(1, 40)


@st.composite
def times_of(draw: st.DrawFn, slots: int) -> dict[int, float]:
    """Between no interference (t_1) and none but it (j t_1), never less for more units."""
    times = [draw(st.floats(0.1, 10.0))]
    for _ in range(1, slots):
        times.append(times[-1] + draw(st.floats(0.0, 1.0)) * times[0])
    return {count + 1: time for count, time in enumerate(times)}


@given(st.data(), COUNTS, st.integers(1, 13), st.integers(1, 8))
def test_between_perfect_and_serial(
    data: st.DataObject, units: int, domains: int, slots: int
) -> None:
    times = data.draw(times_of(slots))
    speedup = wave_speedup(units * times[1], units, domains, slots, times)
    assert 1 - 1e-9 <= speedup <= min(units, domains * slots) * (1 + 1e-9)


@given(st.data(), COUNTS, st.integers(1, 13), st.integers(1, 8))
def test_more_units_take_no_less_time_and_more_domains_no_more(
    data: st.DataObject, units: int, domains: int, slots: int
) -> None:
    # Without interference inside a domain, so that fuller waves are never dearer.
    time = data.draw(st.floats(0.1, 10.0))
    times = dict.fromkeys(range(1, slots + 1), time)
    found = wave_time(units, domains, slots, times)
    rounding = 1e-12 * found
    assert wave_time(units + 1, domains, slots, times) >= found - rounding
    assert wave_time(units, domains + 1, slots, times) <= found + rounding
    assert found == pytest.approx(time * math.ceil(units / (domains * slots)))


@given(st.data(), COUNTS, st.integers(1, 13), st.integers(1, 8), st.floats(1.0, 1.5))
def test_the_interval_holds_the_speedup_of_times_inside_theirs(
    data: st.DataObject, units: int, domains: int, slots: int, width: float
) -> None:
    times = data.draw(times_of(slots))
    serial = units * times[1]
    ends = {count: (time / width, time * width) for count, time in times.items()}
    low, high = wave_speedup_interval((serial / width, serial * width), units, domains, slots, ends)
    middle = wave_speedup(serial, units, domains, slots, times)
    assert low <= middle * (1 + 1e-9)
    assert middle <= high * (1 + 1e-9)
    assert high / low == pytest.approx(width**4)
