"""Units: what a person reads and writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.units import (
    ALL_UNITS,
    MESSAGES_PER_SECOND,
    SECONDS,
    SHARE,
    STREAM_BYTES_PER_SECOND,
    UNBOUNDED,
    Unit,
    format_bytes,
    format_interval,
    format_value,
    parse_bytes,
    scale_for,
)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (1000, "1000 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1536 B"),
        (64 * 2**10, "64 KiB"),
        (2**21, "2 MiB"),
        (1536 * 2**10, "1536 KiB"),
        (11468, "11.2 KiB"),
        (2**20 - 1, "1.0 MiB"),
        (1000 * 2**10 + 1, "1000.0 KiB"),
        (80895488 * 2**10, "77.1 GiB"),
        (24684084 * 2**10, "23.5 GiB"),
        (480 * 2**20, "480 MiB"),
        (3 * 2**40, "3 TiB"),
    ],
)
def test_sizes_are_short(count: int, expected: str) -> None:
    assert format_bytes(count) == expected


@given(st.integers(0, 1000 * 2**40))
def test_a_size_is_short_and_within_its_rounding(count: int) -> None:
    text = format_bytes(count)
    number, prefix = text.split()
    assert len(number) <= 6
    factor = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}[prefix]
    if "." in number:
        assert abs(float(number) * factor - count) <= 0.051 * factor
        assert 1.0 <= float(number) < 1024
    else:
        assert parse_bytes(text) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8", 8),
        ("0", 0),
        ("64k", 64_000),
        ("64K", 64_000),
        ("64KB", 64_000),
        ("64Ki", 65_536),
        ("1KiB", 1024),
        (" 2.5 MB ", 2_500_000),
        ("1.5MiB", 1_572_864),
        ("4gib", 2**32),
        ("1TiB", 2**40),
    ],
)
def test_sizes_are_read(text: str, expected: int) -> None:
    assert parse_bytes(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "B", "KiB", "-1", "1.5", "1.0000001KiB", "1e3", "8 i", "8iB", "0x10", "9" * 25, "8EiB"],
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"size in bytes|whole number"):
        parse_bytes(text)


@given(st.text(max_size=30))
def test_any_text_is_a_size_or_refused(text: str) -> None:
    try:
        size = parse_bytes(text)
    except ValueError:
        return
    assert 0 <= size < 2**63


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (18.2e9, STREAM_BYTES_PER_SECOND, "18.2 GB/s"),
        (1.04e-7, SECONDS, "104 ns"),
        (0.0, SECONDS, "0 s"),
        (90.0, SECONDS, "90.0 s"),
        (9.9996e-7, SECONDS, "1.00 µs"),
        (1.72e6, MESSAGES_PER_SECOND, "1.72 Mmsg/s"),
        (0.412, SHARE, "41.2 %"),
        (-0.05, SHARE, "-5.0 %"),
    ],
)
def test_values_are_read_in_the_prefix_that_suits_them(
    value: float, unit: object, expected: str
) -> None:
    assert format_value(value, unit) == expected  # type: ignore[arg-type]


def test_an_interval_stands_on_the_scale_of_its_value() -> None:
    assert format_interval(0.9e-6, 1.2e-6, 1.05e-6, SECONDS) == "[0.900, 1.20]"
    assert format_interval(0.4, 0.5, 0.45, SHARE) == "[40.0, 50.0]"


@pytest.mark.parametrize("unit", [SECONDS, SHARE])
@pytest.mark.parametrize("low", [0.0, -UNBOUNDED])
def test_an_unbounded_interval_is_said_in_words(unit: Unit, low: float) -> None:
    assert format_interval(low, UNBOUNDED, 1e-9, unit) == "interval unknown"


def test_units_are_told_apart_by_name_not_by_symbol() -> None:
    assert len({unit.name for unit in ALL_UNITS}) == len(ALL_UNITS)
    rates = [unit for unit in ALL_UNITS if unit.symbol == "B/s"]
    assert len(rates) > 2
    assert len(set(rates)) == len(rates)


def test_what_is_counted_has_no_digits_after_the_point() -> None:
    tasks = Unit("tasks", "tasks", prefixes=False, whole=True)
    assert format_value(64.0, tasks) == "64 tasks"
    assert format_value(10500.0, tasks) == "10500 tasks"
    assert format_value(21.33, tasks) == "21.3 tasks"


def test_link_bits_and_bytes_are_six_units() -> None:
    links = {unit for unit in ALL_UNITS if unit.name.startswith("link ")}
    assert len(links) == 6
    assert {unit.symbol for unit in links} == {"bit/s", "B/s"}


@given(st.floats(1e-15, 1e15), st.sampled_from(ALL_UNITS))
def test_a_printed_number_stays_between_one_and_a_thousand(value: float, unit: object) -> None:
    factor, symbol = scale_for(value, unit)  # type: ignore[arg-type]
    assert factor > 0
    assert symbol.endswith(unit.symbol)  # type: ignore[attr-defined]
    if unit == SECONDS and 1e-12 <= value < 1000:
        assert 0.9994 < value / factor < 1000.5


def test_a_bound_far_beyond_its_value_is_none() -> None:
    assert format_interval(1e-20, 6e7, 1e-6, SECONDS) == "no bound"
    assert format_interval(0.9e-6, 6e7, 1e-6, SECONDS) == "[0.900, no bound]"
    assert format_interval(1e-9, 1e-3, 1e-6, SECONDS) == "[0.00100, 1000]"
    assert format_interval(-1e-6, 1e-6, 1e-7, SECONDS) == "[-1000, 1000]"
