"""Numbers with their units as people write them: `105 ns`, `5.25 GB/s`, `16 KiB`, `0.74`, `4`."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite

from machmeter.model.errors import UsageError
from machmeter.model.units import (
    BYTES,
    BYTES_PER_SECOND_ONE_WAY,
    SECONDS,
    SHARE,
    Unit,
    format_bytes,
    scale_for,
)

COUNT = Unit("count", "", prefixes=False, whole=True)

_SIZES = {
    "B": "1",
    **{f"{prefix}B": f"1e{3 * power}" for power, prefix in enumerate("kMGT", 1)},
    "KB": "1e3",
    **{f"{prefix}iB": str(2 ** (10 * power)) for power, prefix in enumerate("KMGT", 1)},
}
_FACTORS: dict[Unit, dict[str, str]] = {
    # Of the two signs for micro, one is a Greek letter.
    SECONDS: {
        "s": "1",
        "ms": "1e-3",
        **dict.fromkeys(("us", "µs", "μs"), "1e-6"),
        "ns": "1e-9",
        "ps": "1e-12",
    },
    BYTES: _SIZES,
    BYTES_PER_SECOND_ONE_WAY: {f"{symbol}/s": factor for symbol, factor in _SIZES.items()},
    SHARE: {"": "1", "%": "0.01"},
    COUNT: {"": "1"},
}
_EXPECTED = {
    SECONDS: ("a time", "write a number with its unit, such as 105 ns or 1.27 us"),
    BYTES: ("a size", "write a number with its unit, such as 16 KiB or 8192 B"),
    BYTES_PER_SECOND_ONE_WAY: (
        "a bandwidth",
        "write a number with its unit, bytes per second one way, such as 5.25 GB/s",
    ),
    SHARE: ("a share", "write a number such as 0.74 or 74 %"),
    COUNT: ("a count", "write a whole number such as 4"),
}
_NUMBER = re.compile(r"\s*([0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?)\s*(\S{0,8})\s*")
_SHOWN = 40


def parse_quantity(written: str | float, unit: Unit) -> float:
    """What was written, in the base unit.

    Raises UsageError where it is no such quantity: no number, negative, or of another unit.
    """
    text = str(written)
    found = _NUMBER.fullmatch(text)
    factor = _FACTORS[unit].get(found.group(2)) if found else None
    if not found or factor is None:
        what, remedy = _EXPECTED[unit]
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        raise UsageError(f"{shown!r} is not {what}", remedy)
    return float(Decimal(found.group(1)) * Decimal(factor))


def quantity_text(value: float, unit: Unit) -> str:
    """A value in the base unit as `parse_quantity` reads it; all but bytes of 12 digits."""
    if unit == BYTES and isfinite(value):
        short = format_bytes(int(value))
        return short if parse_quantity(short, unit) == value else f"{value:.17g} B"
    if unit == SECONDS and value >= 1:
        return f"{value:.12g} s"
    factor, symbol = scale_for(value, unit)
    return f"{value / factor:.12g} {symbol}".strip()
