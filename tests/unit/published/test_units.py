"""Units as they are printed: bits are not bytes, one way is not both, counts are not rounded."""

from __future__ import annotations

import pytest

from machmeter.model.benchmark import Direction, Formula, Metric
from machmeter.model.errors import MachmeterError
from machmeter.model.units import (
    ALL_UNITS,
    BYTES,
    BYTES_PER_SECOND_BOTH_WAYS,
    BYTES_PER_SECOND_ONE_WAY,
    FLOPS,
    LINK_BITS_UNSTATED,
    LINK_BYTES_BOTH_WAYS,
    LINK_BYTES_ONE_WAY,
    SECONDS,
    Unit,
)
from machmeter.published.format import Link, LinkDirection
from machmeter.published.units import (
    PRINTED_UNITS,
    is_counted,
    link_rate,
    printed_unit,
    unit_of_metric,
)

STREAM = Metric("copy", "Copy", Unit("stream bytes", "B/s"), Direction.HIGHER, Formula.RATE)
ONE_WAY = Metric("way", "Way", BYTES_PER_SECOND_ONE_WAY, Direction.HIGHER, Formula.RATE)


@pytest.mark.parametrize(
    ("name", "factor", "unit"),
    [
        ("us", 1e-6, SECONDS),
        ("h", 3600, SECONDS),
        ("kB", 1e3, BYTES),
        ("KiB", 1024, BYTES),
        ("TFLOP/s", 1e12, FLOPS),
        ("GB/s one way", 1e9, BYTES_PER_SECOND_ONE_WAY),
        ("GB/s both ways", 1e9, BYTES_PER_SECOND_BOTH_WAYS),
    ],
)
def test_a_printed_unit_is_a_factor_and_a_type(name: str, factor: float, unit: Unit) -> None:
    found = printed_unit(name, "here")
    assert (found.factor, found.unit) == (factor, unit)


def test_hours_for_ten_million_steps_are_seconds_for_one() -> None:
    assert printed_unit("h per 1e7 steps", "here").factor * 1.25 == pytest.approx(4.5e-4)
    assert printed_unit("h per 1e7 steps", "here").unit == printed_unit("s/step", "here").unit


def test_a_unit_that_is_not_known_is_refused_with_those_that_are() -> None:
    with pytest.raises(MachmeterError, match="here: 'Gbps' is no unit") as error:
        printed_unit("Gbps", "here")
    assert "GB/s both ways" in error.value.remedy


def test_units_of_one_name_are_one_unit() -> None:
    units = {*ALL_UNITS, *(printed.unit for printed in PRINTED_UNITS.values())}
    assert len({unit.name for unit in units}) == len(units)


def test_a_plain_rate_takes_the_kind_of_bytes_of_its_metric() -> None:
    assert unit_of_metric("MB/s", STREAM, "here").unit == STREAM.unit
    assert unit_of_metric("GB/s one way", ONE_WAY, "here").factor == 1e9


@pytest.mark.parametrize(
    ("name", "metric"),
    [("GB/s one way", STREAM), ("GB/s both ways", ONE_WAY), ("s", STREAM), ("GB", STREAM)],
)
def test_a_rate_of_another_kind_is_refused(name: str, metric: Metric) -> None:
    with pytest.raises(MachmeterError, match=f"no unit of {metric.name}") as error:
        unit_of_metric(name, metric, "here")
    assert "GB/s" in error.value.remedy


def test_only_whole_things_are_counted() -> None:
    assert is_counted("cores")
    assert is_counted("count")
    assert not is_counted("GB")
    assert not is_counted("parsecs")


@pytest.mark.parametrize(
    ("value", "name", "direction", "rate", "unit"),
    [
        (15, "Gbit/s", LinkDirection.UNSTATED, 15e9, LINK_BITS_UNSTATED),
        (15, "GB/s", LinkDirection.BOTH_WAYS, 15e9, LINK_BYTES_BOTH_WAYS),
        (7.5, "GB/s", LinkDirection.ONE_WAY, 7.5e9, LINK_BYTES_ONE_WAY),
        (100, "kB/s", LinkDirection.ONE_WAY, 1e5, LINK_BYTES_ONE_WAY),
        (8, "bit/s", LinkDirection.UNSTATED, 8, LINK_BITS_UNSTATED),
    ],
)
def test_fifteen_gigabits_are_not_fifteen_gigabytes(
    value: float, name: str, direction: LinkDirection, rate: float, unit: Unit
) -> None:
    link = Link("link", value, name, "page", direction=direction)  # type: ignore[arg-type]
    found, kind = link_rate(link)
    assert found == pytest.approx(rate)
    assert kind == unit
