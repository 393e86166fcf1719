"""How sensitive simulated results are to the parameters of a model, as text."""

from __future__ import annotations

from machmeter.model.point import Point
from machmeter.model.units import format_bytes
from machmeter.text.numbers import NOTHING, count_text

_LEAST = 0.0005
_PAIR = 2
# A space that no line is broken at.
_FIXED = "\u00a0"


def point_title(title: str, point: Point) -> str:
    """`latency, 8 B`; on more than two ranks also how many: `all-to-all, 4 KiB, 256 ranks`."""
    parts = [title, format_bytes(int(point.get("size")))]
    if point.layout.ranks > _PAIR:
        parts.append(count_text(point.layout.ranks, "rank", "ranks"))
    return ", ".join(parts)


def point_heading(title: str, value: str) -> str:
    """`latency, 8 B (1.38 µs)`, its numbers never apart from their units."""
    parts = [part.replace(" ", _FIXED) for part in title.split(", ")]
    return f"{', '.join(parts)} ({value.replace(' ', _FIXED)})"


def change_text(change: float | None) -> str:
    """In percent: `+8.3`; `0` below 0.05; a dash where the parameter cannot have that value."""
    if change is None:
        return NOTHING
    return f"{100 * change:+.1f}" if abs(change) >= _LEAST else "0"


def changes_pair(changes: tuple[float | None, float | None]) -> str:
    """The changes for 0.8 and for 1.2 times the parameter: `-8.3 / +8.3`."""
    texts = [change_text(one) for one in changes]
    return "0" if set(texts) <= {"0"} else f"{_FIXED}/{_FIXED}".join(texts)
