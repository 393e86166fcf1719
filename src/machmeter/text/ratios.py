"""Ratios, shares and differences of shares with their intervals: written one way everywhere."""

from __future__ import annotations

from machmeter.analysis.rules.trial import is_one_sided
from machmeter.analysis.stats.comparison import Difference
from machmeter.model.results.comparison import Comparison
from machmeter.model.units import is_unbounded


def times_text(ratio: float, like: float = 0.0) -> str:
    """A ratio with the digits that count: `0.49x`, `1.92x`, `17.3x`, `451x`, `0.00321x`.

    like: another ratio whose digits it takes.
    """
    return f"{_number(ratio, like or ratio)}x"


def ratio_text(comparison: Comparison) -> str:
    """`1.92x [1.85, 2.00]`, `at least 7.00x`; above 1 is better; empty where it means nothing."""
    if is_one_sided(comparison):
        most = is_unbounded(comparison.high)
        return f"at {'least' if most else 'most'} {times_text(comparison.ratio)}"
    if is_unbounded(comparison.high) or comparison.low <= 0:
        return ""
    ends = (_number(end, comparison.ratio) for end in (comparison.low, comparison.high))
    return f"{times_text(comparison.ratio)} [{', '.join(ends)}]"


def percent_text(share: float, like: float = 0.0) -> str:
    """A share in percent: `97 %`, `8.4 %`; with the digits of `like` if given."""
    return f"{_percent(share, like or share)} %"


def share_text(comparison: Comparison) -> str:
    """A ratio as a share: `46 % [45, 47]`; empty where it means nothing."""
    if is_unbounded(comparison.high):
        return ""
    ends = (_percent(end, comparison.ratio) for end in (comparison.low, comparison.high))
    return f"{percent_text(comparison.ratio)} [{', '.join(ends)}]"


def points_text(difference: float) -> str:
    """A difference of shares: `+20.0 points`."""
    return f"{100 * difference:+.1f} points"


def difference_text(between: Difference) -> str:
    """`+20.0 points [19.5, 20.5]`: how much better a share is; without interval if it has none."""
    if is_unbounded(between.high):
        return points_text(between.value)
    return f"{points_text(between.value)} [{100 * between.low:.1f}, {100 * between.high:.1f}]"


def _number(ratio: float, like: float) -> str:
    if 0 < like < 0.1:
        return f"{ratio:.3g}"
    return f"{ratio:,.{2 if like < 10 else 1 if like < 100 else 0}f}"


def _percent(share: float, like: float) -> str:
    return f"{100 * share:.{0 if like >= 0.1 else 1}f}"
