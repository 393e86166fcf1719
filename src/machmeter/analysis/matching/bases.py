"""By what a result of many cores is taken: as measured, per node, core, watt, currency unit."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec.structs import replace

from machmeter.analysis.matching.layouts import Reach
from machmeter.analysis.matching.operands import Operand, is_extensive
from machmeter.analysis.stats.comparison import MARGIN, compare_estimates, verdict_of
from machmeter.analysis.stats.student import bounded_exp, student_quantile, two_sided_p
from machmeter.model.benchmark import Direction
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import Basis
from machmeter.model.units import UNBOUNDED

# What is not known is no number, which JSON prints as null.
_NO_RATIO = Comparison(
    math.nan, -UNBOUNDED, UNBOUNDED, False, 0.0, math.nan, ComparisonVerdict.INCONCLUSIVE
)


def has_interval(estimate: Estimate) -> bool:
    """Whether a result was measured often enough to have an interval."""
    return estimate.launches > 1 and estimate.is_bounded


def ratio_of(a: Operand, b: Operand, paired: bool) -> Comparison:
    """How much better `b` is than `a`, above 1 is better.

    Where one of them has no interval the ratio has none either, and its verdict is INCONCLUSIVE; to
    an upper bound, or what is zero or below, there is none: it is no number then.
    """
    if has_interval(a.estimate) and has_interval(b.estimate):
        return compare_estimates(b.estimate, a.estimate, paired)
    here, there = a.estimate.value, b.estimate.value
    if here <= 0 or there <= 0 or not (a.estimate.resolved and b.estimate.resolved):
        return _NO_RATIO
    higher = a.estimate.direction is Direction.HIGHER
    return replace(_NO_RATIO, ratio=there / here if higher else here / there)


def by_basis(
    a: Operand, b: Operand, measured: Comparison, reach: Reach = Reach.SAME
) -> dict[Basis, Comparison]:
    """`measured` on every basis that is known of both and changes it.

    Only what all cores do together is divided (`is_extensive`); by nodes and cores of the layouts,
    by power and price where both are of the whole machine.
    """
    found = {Basis.AS_MEASURED: measured}
    open_reach = reach is Reach.OPEN or math.isnan(measured.ratio)
    if open_reach or not is_extensive(a.estimate):
        return found
    for basis, factor in _factors(a, b).items():
        if factor != 1:
            found[basis] = _scaled(measured, factor)
    return found


def _factors(a: Operand, b: Operand) -> Mapping[Basis, float]:
    factors = {
        Basis.NODE: a.nodes / b.nodes,
        Basis.CORE: a.cores / b.cores,
    }
    if a.is_whole and b.is_whole:
        here, there = a.machine.parts, b.machine.parts
        if here.watts > 0 and there.watts > 0:
            factors[Basis.WATT] = here.watts / there.watts
        same_currency = bool(here.currency) and here.currency == there.currency
        if here.price > 0 and there.price > 0 and same_currency:
            factors[Basis.PRICE] = here.price / there.price
    return factors


def _scaled(measured: Comparison, factor: float) -> Comparison:
    """The ratio times an exact number, with what that makes of verdict and p value."""
    ratio = measured.ratio * factor
    if not measured.is_bounded or measured.low <= 0:
        return replace(measured, ratio=ratio)
    center = math.log(ratio)
    half = math.log(measured.high / measured.ratio)
    error = half / student_quantile(measured.degrees)
    return replace(
        measured,
        ratio=ratio,
        low=bounded_exp(center - half),
        high=bounded_exp(center + half),
        p_value=two_sided_p(center, error, measured.degrees),
        verdict=verdict_of(center - half, center + half, math.log1p(MARGIN)),
    )
