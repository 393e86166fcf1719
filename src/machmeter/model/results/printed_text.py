"""A number as its source prints it: its digits, its unit, how it is known, what contradicts it."""

from __future__ import annotations

import re

from machmeter.model.origin import Origin
from machmeter.model.results.printed import HowKnown, Printed

AS_PRINTED = "as printed"
_COUNTED = ("codes", "cores", "tasks", "ranks", "threads", "nodes", "reads", "links")
_WITHOUT_UNIT = ("count", "score", "share")
# What says how near a number is stands before it; what else is said of it, behind.
_BEFORE = (
    *("about", "at least", "at most", "below", "estimated", "less than", "more than", "nearly"),
    *("over", "peak", "under", "up to", "~"),
)


def printed_text(printed: Printed) -> str:
    """`43.37 µs`, `about 45 GB/s`, `2.2x`."""
    before, _ = _qualifiers(printed)
    return f"{before} {with_unit(printed.number, printed.unit)}".strip()


def origin_text(printed: Printed) -> str:
    """How a printed number is known: `as printed`, `derived: a / b`, `read off a plot`.

    What the source says of it that does not stand before its number stands here.
    """
    further = origin_details(printed)
    return f"{origin_briefly(printed)}: {further}" if further else origin_briefly(printed)


def origin_briefly(printed: Printed) -> str:
    """How a printed number is known, in at most three words, without what more is said of it."""
    if printed.derived_from:
        return "derived"
    return AS_PRINTED if printed.how_known is HowKnown.PRINTED else printed.how_known.value


def origin_details(printed: Printed) -> str:
    """From what a number is derived, and what else its source says of it; mostly empty."""
    _, behind = _qualifiers(printed)
    return "; ".join(part for part in (printed.derived_from, behind) if part)


def with_unit(number: str, unit: str) -> str:
    """A printed number with its unit; counts, scores and shares are numbers alone.

    What is counted one by one is `1 code`, `8 codes`.
    """
    if unit == "x":
        return f"{number}x"
    if unit in _WITHOUT_UNIT:
        return number
    if number == "1" and unit in _COUNTED:
        return f"1 {unit.removesuffix('s')}"
    return f"{number} {unit_as_text(unit)}"


def unit_as_text(unit: str) -> str:
    """A unit as a person reads it: `us` is `µs`."""
    return re.sub("^us", "µs", unit)


def flagged_text(origin: Origin) -> str:
    """What a result with a flag is called: only a publication contradicts its own numbers."""
    return "flagged" if origin is Origin.IMPORTED else "contradicted"


def _qualifiers(printed: Printed) -> tuple[str, str]:
    """What stands before the number (`about`), and what has no place there."""
    first, _, rest = printed.qualifier.partition(", ")
    return (first, rest) if first in _BEFORE else ("", printed.qualifier)
