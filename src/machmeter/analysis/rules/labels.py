"""Values of parameters and layouts, and ratios, in the words of a finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from machmeter.analysis.stats.comparison import Difference
from machmeter.model.benchmark import Value
from machmeter.model.layout import ProgressMode
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed_text import printed_text
from machmeter.model.units import format_bytes, format_interval, format_value, is_unbounded

MOST_LISTED = 6
_COUNTED = {
    "threads": "thread",
    "threads_per_rank": "thread",
    "inner_threads": "inner thread",
    "derivatives": "derivative",
    "ranks": "rank",
    "ranks_per_node": "rank on each node",
    "nodes": "node",
    "outstanding": "operation",
}
_PLURALS = {"ranks_per_node": "ranks on each node"}


def label_of(name: str, value: Value) -> str:
    """A value of parameter or layout field `name`: `8 threads`, `2 MiB`, `4 x 2`, `dynamic`."""
    if name in _COUNTED:
        many = _PLURALS.get(name, f"{_COUNTED[name]}s")
        return f"{value} {_COUNTED[name] if value == 1 else many}"
    return _WRITTEN[name](value) if name in _WRITTEN else str(value)


def _bytes(value: Value) -> str:
    return format_bytes(value) if isinstance(value, int) else value


_WRITTEN: Mapping[str, Callable[[Value], str]] = {
    "size": _bytes,
    "page_bytes": _bytes,
    "chunk": lambda value: f"chunks of {value}" if value else "no chunk size",
    "openmp": lambda value: str(value) or "as linked",
    "allocator": lambda value: str(value) or "as linked",
    "wait_policy": lambda value: f"{value} wait",
    "mpi": lambda value: str(value) or "the MPI library",
    # Of one-sided communication a window is no number, but how it was made.
    "window": lambda value: f"{value} in flight" if isinstance(value, int) else value,
    "package": lambda value: "all packages" if value == -1 else f"package {value}",
    "progress": lambda value: "the library alone" if value == ProgressMode.LIBRARY else str(value),
}


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


def points_text(between: Difference) -> str:
    """`+20.0 points [19.5, 20.5]`: how much better a share is; without interval if it has none."""
    said = f"{points(between.value)} points"
    if is_unbounded(between.high):
        return said
    return f"{said} [{100 * between.low:.1f}, {100 * between.high:.1f}]"


def points(difference: float) -> str:
    """A difference of shares in points: `+20.0`, `-1.5`."""
    return f"{100 * difference:+.1f}"


def times(ratio: float, like: float = 0.0) -> str:
    """A ratio with the digits that count: 0.49, 1.92, 17.3, 451; with those of `like` if given."""
    scale = like or ratio
    return f"{ratio:.{2 if scale < 10 else 1 if scale < 100 else 0}f}"


def percent(share: float, like: float = 0.0) -> str:
    """A share in percent: 97, 8.4; with the digits of `like` if given."""
    return f"{100 * share:.{0 if (like or share) >= 0.1 else 1}f}"


def figure(estimate: Estimate) -> str:
    """The value, as others printed it where they did; of an overhead that could not be resolved its
    upper bound.
    """
    if estimate.printed and estimate.as_printed:
        return printed_text(estimate.printed)
    if estimate.resolved:
        return format_value(estimate.value, estimate.unit)
    if is_unbounded(estimate.high):
        return "unknown"
    return f"< {format_value(estimate.high, estimate.unit)}"


def figure_with_interval(estimate: Estimate) -> str:
    """The value and its interval, where it has one: `87 % [85.1, 88.9]`."""
    if not estimate.resolved or is_unbounded(estimate.low) or is_unbounded(estimate.high):
        return figure(estimate)
    interval = format_interval(estimate.low, estimate.high, estimate.value, estimate.unit)
    return f"{figure(estimate)} {interval}"


def cases_listed(labels: Sequence[str], cases: int, each: str) -> str:
    """Labels of some cases in words; `all 12 cases` where they are combinations of several names
    in `each`, and too many to read."""
    if len(labels) == cases > MOST_LISTED and "," in each:
        return f"all {cases} cases"
    return listed(labels)


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
