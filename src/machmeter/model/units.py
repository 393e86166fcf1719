"""Units as types: a value is stored in the base unit of its kind and carries that kind.

Two units are the same only when their name is the same: bits are not bytes, a rate per
direction is not a rate over both, STREAM bytes are not bus bytes.
1 MB = 10^6 B, 1 MiB = 2^20 B (IEC 80000-13).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable

from msgspec import Struct


class Unit(Struct, frozen=True):
    """One kind of quantity in its base unit."""

    name: str
    """What is counted; unique."""
    symbol: str
    """Of the base unit."""
    prefixes: bool = True
    """Whether decimal (SI) prefixes may precede the symbol in text."""
    whole: bool = False
    """Whether it counts things, without digits after the point."""


SECONDS = Unit("time", "s")
STREAM_BYTES_PER_SECOND = Unit("stream bytes per second", "B/s")
BUS_BYTES_PER_SECOND = Unit("bus bytes per second", "B/s")
BYTES_PER_SECOND_ONE_WAY = Unit("payload bytes per second, one direction", "B/s")
BYTES_PER_SECOND_BOTH_WAYS = Unit("payload bytes per second, both directions summed", "B/s")
MESSAGES_PER_SECOND = Unit("messages per second", "msg/s")
FLOPS = Unit("floating-point operations per second", "flop/s")
JOULES_PER_FLOP = Unit("energy per floating-point operation", "J/flop")
HERTZ = Unit("clock cycles per second", "Hz")
MATRIX_BYTES_PER_SECOND = Unit("compulsory matrix and vector bytes per second", "B/s")
INJECTED_BYTES_PER_SECOND = Unit("bytes injected per second and node", "B/s")
OPERATIONS_PER_SECOND = Unit("one-sided operations per second", "op/s")
ATOM_STEPS_PER_SECOND = Unit("steps of one atom per second", "atom-step/s")
PARTICLE_STEPS_PER_SECOND = Unit("steps of one particle per second", "particle-step/s")
CELL_ITERATIONS_PER_SECOND = Unit("iterations of one cell per second", "cell-iteration/s")
CELL_UPDATES_PER_SECOND = Unit("time steps of one cell per second", "cell-step/s")
APPLICATIONS_PER_SECOND = Unit("applications of H to a band per second", "H psi/s")
CELL_MILLISECONDS_PER_SECOND = Unit("simulated milliseconds of one cell per second", "cell-ms/s")
QUARTETS_PER_SECOND = Unit("integrals over four functions per second", "quartet/s")
SITE_UPDATES_PER_SECOND = Unit("conditional likelihoods of a site at a node per second", "update/s")
COUNTED_BYTES_PER_SECOND = Unit("bytes per second, as the program counts what it must move", "B/s")
ALIGNMENT_CELLS_PER_SECOND = Unit("cells of an alignment per second", "cell/s")
QUERIES_PER_SECOND = Unit("searches for the neighbors of a point per second", "query/s")
READS_PER_SECOND = Unit("reads of an assembly per second", "read/s")
WORDS_PER_SECOND = Unit("words of reads that are counted per second", "word/s")
ELEMENT_UPDATES_PER_SECOND = Unit("time steps of one element per second", "element-step/s")
PAIRS_PER_SECOND = Unit("pairs of particles that are evaluated per second", "pair/s")
INCREMENTS_PER_SECOND = Unit("atomic increments per second", "increment/s")
RUNS_PER_SECOND = Unit("runs of a program per second", "run/s")
SHARE = Unit("share", "", prefixes=False)
RATIO = Unit("ratio", "x", prefixes=False)
BYTES = Unit("bytes", "B")
MESSAGES = Unit("messages", "msg", whole=True)

# What a link is sold as: raw bits or bytes, never the payload that a program sees.
LINK_BITS_ONE_WAY = Unit("link bits per second, one direction", "bit/s")
LINK_BITS_BOTH_WAYS = Unit("link bits per second, both directions summed", "bit/s")
LINK_BITS_UNSTATED = Unit("link bits per second, direction not stated", "bit/s")
LINK_BYTES_ONE_WAY = Unit("link bytes per second, one direction", "B/s")
LINK_BYTES_BOTH_WAYS = Unit("link bytes per second, both directions summed", "B/s")
LINK_BYTES_UNSTATED = Unit("link bytes per second, direction not stated", "B/s")

ALL_UNITS = (
    SECONDS,
    STREAM_BYTES_PER_SECOND,
    BUS_BYTES_PER_SECOND,
    BYTES_PER_SECOND_ONE_WAY,
    BYTES_PER_SECOND_BOTH_WAYS,
    MESSAGES_PER_SECOND,
    FLOPS,
    JOULES_PER_FLOP,
    HERTZ,
    MATRIX_BYTES_PER_SECOND,
    INJECTED_BYTES_PER_SECOND,
    OPERATIONS_PER_SECOND,
    ATOM_STEPS_PER_SECOND,
    PARTICLE_STEPS_PER_SECOND,
    CELL_ITERATIONS_PER_SECOND,
    CELL_UPDATES_PER_SECOND,
    APPLICATIONS_PER_SECOND,
    CELL_MILLISECONDS_PER_SECOND,
    QUARTETS_PER_SECOND,
    SITE_UPDATES_PER_SECOND,
    COUNTED_BYTES_PER_SECOND,
    ALIGNMENT_CELLS_PER_SECOND,
    QUERIES_PER_SECOND,
    READS_PER_SECOND,
    WORDS_PER_SECOND,
    ELEMENT_UPDATES_PER_SECOND,
    PAIRS_PER_SECOND,
    INCREMENTS_PER_SECOND,
    RUNS_PER_SECOND,
    SHARE,
    RATIO,
    BYTES,
    MESSAGES,
    LINK_BITS_ONE_WAY,
    LINK_BITS_BOTH_WAYS,
    LINK_BITS_UNSTATED,
    LINK_BYTES_ONE_WAY,
    LINK_BYTES_BOTH_WAYS,
    LINK_BYTES_UNSTATED,
)

UNBOUNDED = sys.float_info.max
"""Stands for infinity in every interval and precision: JSON has no infinity (RFC 8259, section 6).

One launch says nothing about spread, so its interval is `[0, UNBOUNDED]` (log scale) or
`[-UNBOUNDED, UNBOUNDED]` (linear scale). Ask `is_unbounded` before printing a bound.
"""

_DECIMAL = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_FRACTIONS = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
_BINARY = {"": 1, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
_BINARY_STEPS = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))
_SI = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"^\s*(\d{1,19}(?:\.\d{1,9})?)\s*([KMGT]?I?)B?\s*$", re.IGNORECASE)


def is_unbounded(bound: float) -> bool:
    """Whether a bound or precision stands for infinity."""
    return abs(bound) >= UNBOUNDED


NO_BOUND = "no bound"
# Two launches that lie far apart make intervals over many powers of ten, which bound nothing.
_FAR = 1e4
# A row of more zeros than this nobody counts.
_MOST_PLACES = 15
_DIGITS = 3
_PERCENT = "%"
_LEAST_IN_COLUMN, _MOST_IN_COLUMN = 0.00995, 99_950


def scale_for(value: float, unit: Unit) -> tuple[float, str]:
    """The factor and printed symbol that make `value` (in base units) easy to read."""
    if not unit.prefixes or value == 0:
        return 1.0, unit.symbol
    steps = _FRACTIONS if unit == SECONDS and abs(value) < 1 else _DECIMAL
    for factor, prefix in steps:
        if abs(value) >= factor * 0.9995:
            return factor, prefix + unit.symbol
    factor, prefix = steps[-1]
    return factor, prefix + unit.symbol


class UnitScale(Struct, frozen=True):
    """One unit for several values: that of a column, or of a row."""

    factor: float
    """What a value in base units is divided by."""
    symbol: str
    """Of the unit, as printed."""

    def number(self, value: float) -> str:
        """`value` (in base units) without its unit: `18.2`; of a share with one decimal."""
        if self.symbol == _PERCENT:
            return f"{value / self.factor:.1f}"
        return _significant(value / self.factor, _DIGITS)

    def text(self, value: float) -> str:
        """`value` (in base units) with its unit: `0.819 µs`."""
        return f"{self.number(value)} {self.symbol}".strip()

    def suits(self, sizes: Collection[float]) -> bool:
        """Whether none of `sizes` (in base units, above zero) is far too small or too large."""
        least, most = _LEAST_IN_COLUMN * self.factor, _MOST_IN_COLUMN * self.factor
        return not sizes or (min(sizes) >= least and max(sizes) < most)

    def interval(self, low: float, high: float, like: float) -> str:
        """`[low, high]` without the unit, where both are bounded; `like` is the value between."""
        bounds = tuple(bound_text(bound, like, self.number(bound)) for bound in (low, high))
        return NO_BOUND if set(bounds) == {NO_BOUND} else f"[{bounds[0]}, {bounds[1]}]"


def common_scale(values: Iterable[float], unit: Unit) -> UnitScale | None:
    """The unit in which all `values` (in base units) have at most five digits before the point and
    two zeros behind it; of several the one that suits their middle. None where there is none.
    """
    if unit == SHARE:
        return UnitScale(0.01, _PERCENT)
    sizes = sorted(abs(value) for value in values if value)
    if not sizes or not unit.prefixes:
        return UnitScale(1.0, unit.symbol)
    middle = UnitScale(*scale_for(sizes[len(sizes) // 2], unit))
    return next((one for one in (middle, *_scales(unit)) if one.suits(sizes)), None)


def named_scale(symbol: str, values: Iterable[float], unit: Unit) -> UnitScale | None:
    """The unit of that symbol (`µs`), where all `values` (in base units) suit it as in
    `common_scale`. None where they do not, or it is no unit of this quantity.
    """
    sizes = [abs(value) for value in values if value]
    return next((one for one in _scales(unit) if one.symbol == symbol and one.suits(sizes)), None)


def _scales(unit: Unit) -> tuple[UnitScale, ...]:
    if not unit.prefixes:
        return (UnitScale(1.0, unit.symbol),)
    steps = _FRACTIONS if unit == SECONDS else _DECIMAL
    return tuple(UnitScale(factor, prefix + unit.symbol) for factor, prefix in steps)


def format_value(value: float, unit: Unit, digits: int = 3) -> str:
    """`value` in base units as a person reads it: `18.2 GB/s`, `104 ns`, `41 %`."""
    if unit == SHARE:
        return f"{100 * value:.{max(digits - 2, 0)}f} %"
    if unit.whole and value == int(value):
        return f"{value:.0f} {unit.symbol}"
    factor, symbol = scale_for(value, unit)
    return f"{_significant(value / factor, digits)} {symbol}".strip()


def format_interval(low: float, high: float, like: float, unit: Unit, digits: int = 3) -> str:
    """`[low, high]` on the scale that `like` is printed on; words where a bound is unbounded."""
    if is_unbounded(low) or is_unbounded(high):
        return "interval unknown"
    if unit == SHARE:
        return f"[{100 * low:.1f}, {100 * high:.1f}]"
    factor, _ = scale_for(like, unit)
    bounds = tuple(
        bound_text(bound, like, _significant(bound / factor, digits)) for bound in (low, high)
    )
    return "no bound" if bounds == (NO_BOUND, NO_BOUND) else f"[{bounds[0]}, {bounds[1]}]"


def bound_text(bound: float, like: float, written: str) -> str:
    """A bound as written; where it lies far beyond what it is a bound of, that it is none."""
    if like == 0 or bound == 0:
        return written
    times = abs(bound / like)
    return NO_BOUND if times > _FAR or times < 1 / _FAR else written


def _significant(value: float, digits: int) -> str:
    """That many significant digits, whole ones never cut: 9.90, 0.0123, 1234, 1.00e+16."""
    if value == 0:
        return "0"
    written = f"{value:.{digits - 1}e}"
    exponent = int(written.partition("e")[2])
    if abs(exponent) > _MOST_PLACES:
        return written
    return f"{value:.{max(digits - 1 - exponent, 0)}f}"


def parse_bytes(text: str) -> int:
    """A size such as `8`, `64k`, `1KiB`, `2.5MB` in bytes.

    Raises ValueError when the text is no size, is not a whole number of bytes, or exceeds 2^63.
    """
    found = _SIZE.match(text)
    if not found:
        raise ValueError(f"{text!r} is not a size in bytes")
    number, prefix = found.group(1), found.group(2).upper()
    if prefix == "I":
        raise ValueError(f"{text!r} is not a size in bytes")
    factor = _BINARY.get(prefix) or _SI[prefix]
    exact = float(number) * factor if "." in number else int(number) * factor
    if exact != int(exact) or exact >= 2**63:
        raise ValueError(f"{text!r} is not a whole number of bytes below 2^63")
    return int(exact)


def format_bytes(count: int) -> str:
    """A size in the largest binary prefix that gives an exact number of at most four digits:
    `64 KiB`, `1000 B`; where none does, with one decimal: `77.1 GiB`.
    """
    for factor, prefix in _BINARY_STEPS:
        if count >= factor and count % factor == 0 and count // factor < 10_000:
            return f"{count // factor} {prefix}"
    for factor, prefix in _BINARY_STEPS:
        # What would be printed as 1024.0 is 1.0 of the next prefix.
        if count / factor >= 1 - 0.05 / 1024:
            return f"{count / factor:.1f} {prefix}"
    return f"{count} B"
