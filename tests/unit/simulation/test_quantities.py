"""Numbers with units: what is read, what is refused, and that text and number agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.errors import UsageError
from machmeter.model.units import BYTES, BYTES_PER_SECOND_ONE_WAY, SECONDS, SHARE, Unit
from machmeter.simulation.quantities import COUNT, parse_quantity, quantity_text


@pytest.mark.parametrize(
    ("written", "unit", "value"),
    [
        ("105 ns", SECONDS, 105e-9),
        ("1.27 us", SECONDS, 1.27e-6),
        ("1.27 µs", SECONDS, 1.27e-6),
        ("0 s", SECONDS, 0),
        ("2.5e1 ms", SECONDS, 0.025),
        ("5.25 GB/s", BYTES_PER_SECOND_ONE_WAY, 5.25e9),
        ("1GiB/s", BYTES_PER_SECOND_ONE_WAY, 2**30),
        ("16 KiB", BYTES, 16384),
        ("128000 B", BYTES, 128_000),
        ("0.74", SHARE, 0.74),
        ("74 %", SHARE, 0.74),
        (0.74, SHARE, 0.74),
        ("4", COUNT, 4),
        (4, COUNT, 4),
    ],
)
def test_a_quantity_is_read_in_its_base_unit(
    written: str | float, unit: Unit, value: float
) -> None:
    assert parse_quantity(written, unit) == value


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        ("105", SECONDS),
        (105, SECONDS),
        ("105 GB/s", SECONDS),
        ("-1 ns", SECONDS),
        ("nan s", SECONDS),
        ("1 min", SECONDS),
        ("40 Gbit/s", BYTES_PER_SECOND_ONE_WAY),
        ("40 Gb/s", BYTES_PER_SECOND_ONE_WAY),
        ("5 GB", BYTES_PER_SECOND_ONE_WAY),
        ("16", BYTES),
        ("0.74 s", SHARE),
        (float("inf"), SHARE),
        (float("nan"), SHARE),
        (-1, COUNT),
        ("four", COUNT),
        (10**1000, COUNT),
        ("1" * 100, COUNT),
        ("1e999", COUNT),
        ("", COUNT),
        ("٤", COUNT),
    ],
)
def test_what_is_no_such_quantity_is_refused_with_an_example(
    written: str | float, unit: Unit
) -> None:
    with pytest.raises(UsageError) as error:
        parse_quantity(written, unit)
    assert "such as" in error.value.remedy
    assert len(error.value.message) < 80


@given(
    unit=st.sampled_from([SECONDS, BYTES_PER_SECOND_ONE_WAY, SHARE]),
    digits=st.integers(0, 10**6),
    power=st.integers(-12, 9),
)
def test_text_and_number_agree(unit: Unit, digits: int, power: int) -> None:
    value = digits * 10.0**power
    assert parse_quantity(quantity_text(value, unit), unit) == pytest.approx(value, rel=1e-11)


@given(st.integers(0, 2**40))
def test_text_and_number_of_bytes_are_equal(value: int) -> None:
    assert parse_quantity(quantity_text(value, BYTES), BYTES) == value
