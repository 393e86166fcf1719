"""Counts, times and ratios as a person reads them."""

from __future__ import annotations

from datetime import datetime

from machmeter.model.units import (
    NO_BOUND,
    bound_text,
)
from machmeter.text.plain import plain

NOTHING = "–"
"""In a cell that has nothing to show."""


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


def ratio_interval(ratio: float, low: float, high: float) -> str:
    """`1.92x [1.85, 2.00]`; bounds that bound nothing are told to be none."""
    below, above = (bound_text(end, ratio, f"{end:.2f}") for end in (low, high))
    known = NO_BOUND if below == above == NO_BOUND else f"[{below}, {above}]"
    return f"{ratio:.2f}x {known}"
