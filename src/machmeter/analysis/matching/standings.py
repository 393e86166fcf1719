"""How the second of two machines compares with the first in a result, tested or as printed."""

from __future__ import annotations

import math

from msgspec.structs import replace

from machmeter.analysis.matching.bases import has_interval
from machmeter.analysis.stats.comparison import MARGIN, MARGIN_OF_SHARES
from machmeter.model.benchmark import Direction
from machmeter.model.origin import Origin
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import Basis, ComparedResult, RelativeStanding

_TESTED = {
    ComparisonVerdict.FASTER: RelativeStanding.BETTER,
    ComparisonVerdict.SLOWER: RelativeStanding.WORSE,
    ComparisonVerdict.SAME: RelativeStanding.SAME,
    ComparisonVerdict.INCONCLUSIVE: RelativeStanding.INCONCLUSIVE,
}


def with_standings(result: ComparedResult) -> ComparedResult:
    """The result with how the second machine compares with the first, on each basis too.

    Tested where both have an interval. Where one has none it is better or worse as printed if its
    value is outside the interval of the other, and the same where all of that interval is within
    2 % of it (2 points of a share); on another basis both are scaled by the same factor. Values of
    which neither has an interval are taken as exact. What was measured in one launch resolves
    nothing, and nobody printed it.
    """
    if not result.as_printed:
        by = {basis: _TESTED[one.verdict] for basis, one in result.by.items()}
        return replace(result, standing=_TESTED[result.verdict], standings=by)
    by = {basis: _as_printed(result, basis) for basis in result.by}
    return replace(result, standing=_as_printed(result, Basis.AS_MEASURED), standings=by)


def has_no_ratio(result: ComparedResult) -> bool:
    """Whether no ratio can be taken: a side is an upper bound, is zero or below, or its interval
    reaches zero."""
    if result.points is not None:
        return False
    found = result.by[Basis.AS_MEASURED]
    if result.as_printed:
        return math.isnan(found.ratio)
    return found.degrees == 0 and not found.is_bounded


def is_of_one_launch(result: ComparedResult) -> bool:
    """Whether a side was measured here, and not often enough for an interval."""
    return any(not (has_interval(one) or one.origin.is_quoted) for one in (result.a, result.b))


def _as_printed(result: ComparedResult, basis: str) -> RelativeStanding:
    if is_of_one_launch(result):
        return RelativeStanding.INCONCLUSIVE
    if result.points is not None:
        low, high = _points(result.a, result.b)
        margin = MARGIN_OF_SHARES
    else:
        if any(one.value <= 0 and not has_interval(one) for one in (result.a, result.b)):
            return RelativeStanding.INCONCLUSIVE
        factor = 1.0
        if basis != Basis.AS_MEASURED:
            factor = result.by[basis].ratio / result.by[Basis.AS_MEASURED].ratio
        low, high = (_log(end * factor) for end in _ratios(result.a, result.b))
        margin = math.log1p(MARGIN)
    if max(abs(low), abs(high)) <= margin:
        return RelativeStanding.SAME_AS_PRINTED
    if low > 0:
        return RelativeStanding.BETTER_AS_PRINTED
    return RelativeStanding.WORSE_AS_PRINTED if high < 0 else RelativeStanding.INCONCLUSIVE


def _ends(one: Estimate) -> tuple[float, float]:
    banded = one.origin is Origin.SIMULATED and one.is_bounded
    return (one.low, one.high) if banded or has_interval(one) else (one.value, one.value)


def _ratios(a: Estimate, b: Estimate) -> tuple[float, float]:
    """From where to where the ratio may be, above 1 is better for `b`.

    To what is zero or below it is beyond every number.
    """
    over, under = (b, a) if a.direction is Direction.HIGHER else (a, b)
    (least, most), (smallest, largest) = _ends(over), _ends(under)
    if largest <= 0:
        return math.inf, math.inf
    return max(least, 0.0) / largest, most / smallest if smallest > 0 else math.inf


def _points(a: Estimate, b: Estimate) -> tuple[float, float]:
    """From where to where the difference of two shares may be, above 0 is better for `b`."""
    better, other = (b, a) if a.direction is Direction.HIGHER else (a, b)
    (least, most), (smallest, largest) = _ends(better), _ends(other)
    return least - largest, most - smallest


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0 else -math.inf
