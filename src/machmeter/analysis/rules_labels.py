"""Values of parameters and layouts, and ratios, in the words of a finding."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.benchmark import Value
from machmeter.model.estimate import Comparison, ComparisonVerdict, Estimate
from machmeter.model.units import format_bytes, format_value, is_unbounded

_COUNTED = {
    "threads": "thread",
    "threads_per_rank": "thread",
    "inner_threads": "inner thread",
    "derivatives": "derivative",
}
_AS_LINKED = ("openmp", "allocator")


def label_of(name: str, value: Value) -> str:
    """A value of parameter or layout field `name`: `8 threads`, `2 MiB`, `4 x 2`, `dynamic`."""
    if name in _COUNTED:
        return f"{value} {_COUNTED[name]}{'s' * (value != 1)}"
    if name in ("size", "page_bytes") and isinstance(value, int):
        return format_bytes(value)
    if name == "chunk":
        return f"chunks of {value}" if value else "no chunk size"
    if name in _AS_LINKED:
        return str(value) or "as linked"
    if name == "wait_policy":
        return f"{value} wait"
    return str(value)


def is_bound(comparison: Comparison) -> bool:
    """Whether only one end of the interval is known, and decides."""
    different = comparison.verdict in (ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER)
    return different and is_unbounded(comparison.high) == (comparison.low > 0)


def ratio_text(comparison: Comparison) -> str:
    """`1.92x [1.85, 2.00]`, `at least 7.00x`; above 1 is better; empty where it means nothing."""
    if is_bound(comparison):
        most = is_unbounded(comparison.high)
        return f"at {'least' if most else 'most'} {times(comparison.ratio)}x"
    if is_unbounded(comparison.high) or comparison.low <= 0:
        return ""
    low, high = (times(bound, comparison.ratio) for bound in (comparison.low, comparison.high))
    return f"{times(comparison.ratio)}x [{low}, {high}]"


def percent_text(comparison: Comparison) -> str:
    """`46 % [45, 47]`; empty where a ratio means nothing."""
    if is_unbounded(comparison.high):
        return ""
    bounds = (percent(bound, comparison.ratio) for bound in (comparison.low, comparison.high))
    return f"{percent(comparison.ratio)} % [{', '.join(bounds)}]"


def times(ratio: float, like: float = 0.0) -> str:
    """A ratio with the digits that count: 0.49, 1.92, 17.3, 451; with those of `like` if given."""
    scale = like or ratio
    return f"{ratio:.{2 if scale < 10 else 1 if scale < 100 else 0}f}"


def percent(share: float, like: float = 0.0) -> str:
    """A share in percent: 97, 8.4; with the digits of `like` if given."""
    return f"{100 * share:.{0 if (like or share) >= 0.1 else 1}f}"


def figure(estimate: Estimate) -> str:
    """The value; of an overhead that could not be resolved its upper bound."""
    if estimate.resolved:
        return format_value(estimate.value, estimate.unit)
    if is_unbounded(estimate.high):
        return "unknown"
    return f"< {format_value(estimate.high, estimate.unit)}"


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
