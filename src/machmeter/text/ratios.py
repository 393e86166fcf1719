"""Ratios, shares and differences of shares with their intervals: written one way everywhere."""

from __future__ import annotations

from machmeter.analysis.rules.trial import is_one_sided
from machmeter.analysis.stats.comparison import Difference
from machmeter.model.results.comparison import Comparison
from machmeter.text.numbers import ValueText, points_text, ratio_number, ratio_parts


def times_text(ratio: float, like: float = 0.0) -> str:
    """A ratio with the digits that count: `0.49x`, `1.92x`, `17.3x`, `451x`, `0.00321x`.

    like: another ratio whose digits it takes.
    """
    return f"{ratio_number(ratio, like)}x"


def comparison_parts(comparison: Comparison) -> ValueText:
    """A ratio and its interval, as `comparison_text` has them."""
    if is_one_sided(comparison):
        most = not comparison.is_bounded
        return ValueText(f"at {'least' if most else 'most'} {times_text(comparison.ratio)}")
    return ratio_parts(comparison.ratio, comparison.low, comparison.high)


def comparison_text(comparison: Comparison) -> str:
    """`1.92x [1.85, 2.00]`, `at least 7.00x`; above 1 is better; without an interval the ratio."""
    return str(comparison_parts(comparison))


def bounded_ratio_text(comparison: Comparison) -> str:
    """As `comparison_text`; empty where no interval bounds it."""
    unbounded = not comparison.is_bounded or comparison.low <= 0
    return "" if unbounded and not is_one_sided(comparison) else comparison_text(comparison)


def percent_text(share: float, like: float = 0.0) -> str:
    """A share in percent: `97 %`, `8.4 %`; with the digits of `like` if given."""
    return f"{_percent(share, like or share)} %"


def ratio_as_share_text(comparison: Comparison) -> str:
    """A ratio as a share: `46 % [45, 47]`; empty where it means nothing."""
    if not comparison.is_bounded:
        return ""
    ends = (_percent(end, comparison.ratio) for end in (comparison.low, comparison.high))
    return f"{percent_text(comparison.ratio)} [{', '.join(ends)}]"


def difference_text(between: Difference) -> str:
    """`+20.0 points [+19.5, +20.5]`: how much better a share is."""
    return points_text(between.value, between.low, between.high)


def _percent(share: float, like: float) -> str:
    return f"{100 * share:.{0 if like >= 0.1 else 1}f}"
