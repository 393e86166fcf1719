"""Counts, times and ratios as a person reads them."""

from __future__ import annotations

import math
from datetime import datetime
from typing import NamedTuple

from machmeter.model.units import (
    NO_BOUND,
    UNBOUNDED,
    Unit,
    bound_text,
    format_interval,
    format_value,
    is_unbounded,
)
from machmeter.text.plain import plain

NOTHING = "–"
"""In a cell that has nothing to show."""
NO_INTERVAL = "no CI"
"""Beside a value that was printed without one."""


def count_text(count: int, one: str, many: str) -> str:
    """`1 launch`, `12 launches`."""
    return f"{count:,} {one if count == 1 else many}"


def duration_text(seconds: float) -> str:
    """Seconds as a person reads a wall time: `48 s`, `2 min 11 s`, `1 h 4 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def time_text(iso: str) -> str:
    """An ISO 8601 time as `2026-11-20 10:00 UTC`; anything else as it is."""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return plain(iso, 40)
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".strip()


class ValueText(NamedTuple):
    """A value as people read it, and apart from it its 95 % interval."""

    value: str
    """With its unit."""
    interval: str = ""
    """`[1.85, 2.00]`; empty where there is none."""

    def __str__(self) -> str:
        return f"{self.value} {self.interval}".rstrip()


def ratio_parts(ratio: float, low: float = 0.0, high: float = UNBOUNDED) -> ValueText:
    """A ratio and its interval, as `ratio_text` has them."""
    if math.isnan(ratio):
        return ValueText(NOTHING)
    value = f"{ratio_number(ratio)}x"
    if is_unbounded(high):
        return ValueText(value)
    ends = [bound_text(end, ratio, ratio_number(end, ratio)) for end in (low, high)]
    return ValueText(value, NO_BOUND if set(ends) == {NO_BOUND} else f"[{', '.join(ends)}]")


def ratio_text(ratio: float, low: float = 0.0, high: float = UNBOUNDED) -> str:
    """`1.92x [1.85, 2.00]`, `14.4x`: a ratio with its 95 % interval, where `high` bounds it.

    A dash where there is no ratio (NaN). A bound that is beyond 10,000 times the ratio, or below as
    small a part of it, is said to be none.
    """
    return str(ratio_parts(ratio, low, high))


def ratio_number(ratio: float, like: float = 0.0) -> str:
    """Two decimals around 1, elsewhere three significant digits: `1.92`, `14.4`, `0.0412`.

    like: another ratio whose number of decimals it takes, as the ends of an interval do.
    """
    like = like or ratio
    if 0 < like < 0.1:
        return f"{ratio:.3g}"
    return f"{ratio:,.{2 if like < 10 else 1 if like < 100 else 0}f}"


def half_width_text(share: float) -> str:
    """A relative half width with the digits that count: `2 %`, `7.3 %`, `14 %`, `above 1,000 %`."""
    percent = 100 * share
    if percent > 1000:
        return "above 1,000 %"
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.2g} %"


def points_parts(
    points: float, low: float = -UNBOUNDED, high: float = UNBOUNDED, unit: str = "points"
) -> ValueText:
    """`+4.1 points` and `[+3.2, +5.0]`: a difference of two shares (1 = 100 points)."""
    interval = "" if is_unbounded(high) else f"[{100 * low:+.1f}, {100 * high:+.1f}]"
    return ValueText(f"{100 * points:+.1f} {unit}", interval)


def points_text(points: float, low: float = -UNBOUNDED, high: float = UNBOUNDED) -> str:
    """`+4.1 points [+3.2, +5.0]`, as `points_parts`."""
    return str(points_parts(points, low, high))


def share_text(share: float, low: float = 0.0, high: float = UNBOUNDED) -> str:
    """`89.8 % [87.2, 92.1]`: a share of one with its interval, where `high` bounds it."""
    value = f"{100 * share:.1f} %"
    if is_unbounded(high) or low == high:
        return value
    return f"{value} [{100 * low:.1f}, {100 * high:.1f}]"


def interval_text(low: float, high: float, value: float, unit: Unit) -> str:
    """`[18.0, 18.4]`, on the scale that `value` is printed on; a dash where nothing bounds it."""
    if is_unbounded(low) or is_unbounded(high) or low == value == high:
        return NOTHING
    return format_interval(low, high, value, unit)


def quantity_text(value: float, low: float, high: float, unit: Unit) -> str:
    """`18.2 GB/s [18.0, 18.4]`: a value with its 95 % interval, where there is one."""
    interval = interval_text(low, high, value, unit)
    return format_value(value, unit) + f" {interval}" * (interval != NOTHING)
