"""What a source printed, in the words of an estimate: its number, its unit, how it is known."""

from __future__ import annotations

import re
from collections.abc import Mapping

# What `Estimate.words` call the number as printed, its unit, and how the source qualifies it.
NUMBER, UNIT, QUALIFIER = "printed", "printed_unit", "qualifier"
# Digits after the point as printed; the page; the formula of what is not printed itself.
DECIMALS, PAGE, DERIVED = "decimals", "page", "derived_from"
# Where a number comes from, unless it is `printed`.
PRECISION, PRINTED, READ_OFF = "precision", "printed", "read off a plot"
AS_PRINTED = "as printed"

_COUNTED = ("codes", "cores", "tasks", "ranks", "threads", "nodes", "reads", "links")
_WITHOUT_UNIT = ("count", "score", "share")
# What says how near a number is stands before it; what else is said of it, behind.
_BEFORE = (
    *("about", "at least", "at most", "below", "estimated", "less than", "more than", "nearly"),
    *("over", "peak", "under", "up to", "~"),
)


def printed_text(words: Mapping[str, str]) -> str:
    """`43.37 µs`, `about 45 GB/s`, `2.2x`; empty where the words are of nothing printed."""
    if not words.get(NUMBER):
        return ""
    before, _ = _qualifiers(words)
    return f"{before} {with_unit(words[NUMBER], words.get(UNIT, ''))}".strip()


def known_text(words: Mapping[str, str]) -> str:
    """How a printed figure is known: `as printed`, `derived: a / b`, `read off a plot`.

    What the source says of it that does not stand before its number stands here.
    """
    further = known_further(words)
    return f"{known_briefly(words)}: {further}" if further else known_briefly(words)


def known_briefly(words: Mapping[str, str]) -> str:
    """How a printed figure is known, in at most three words, without what more is said of it."""
    if words.get(DERIVED):
        return "derived"
    return READ_OFF if words.get(PRECISION) == READ_OFF else AS_PRINTED


def known_further(words: Mapping[str, str]) -> str:
    """From what a figure is derived, and what else its source says of it; mostly empty."""
    _, behind = _qualifiers(words)
    return "; ".join(said for said in (words.get(DERIVED, ""), behind) if said)


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
    return f"{number} {re.sub('^us', 'µs', unit)}"


def _qualifiers(words: Mapping[str, str]) -> tuple[str, str]:
    """What stands before the number (`about`), and what has no room there."""
    qualifier = words.get(QUALIFIER, "")
    first, _, rest = qualifier.partition(", ")
    return (first, rest) if first in _BEFORE else ("", qualifier)
