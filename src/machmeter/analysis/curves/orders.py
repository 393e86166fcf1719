"""How the time of a factorization grows with the order of its matrix.

t(n) = a n^3 + b n^2 + c n with no coefficient below zero, by least squares on relative errors
(Lawson, Hanson, Solving Least Squares Problems, 1974, chapter 23). Intervals are those of launches
drawn again, with the ends of an expanded percentile interval, which is wider where launches are few
(Hesterberg, The American Statistician 69, 2015, section 3.3). What the law leaves of the times
changes its sign by chance in each draw (wild bootstrap: Wu, Annals of Statistics 14, 1986).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from machmeter.analysis.stats.student import student_quantile
from machmeter.model.interval import Interval
from machmeter.model.units import UNBOUNDED

Floats = NDArray[np.float64]
LEAST_ORDERS = 3
_DRAWS = 1000
_SEED = 20160523
# Of a time, whatever is left of it: a time is above zero.
_LEAST_SHARE = 0.01


class OrderLaw(Struct, frozen=True):
    """What the law says beyond the orders that were measured."""

    rate: Interval
    """Of ever larger orders: 2 / (3 a), operations a second."""
    half_order: Interval
    """The order that has half that rate."""
    misfit: float
    """Root mean square of the relative errors at the orders."""


def order_law(orders: Sequence[int], launches: Sequence[Sequence[float]]) -> OrderLaw:
    """The law of `launches[order][launch]`, seconds; operations are those that HPL counts.

    Launches that all orders have as many of are drawn together: they measured all of them.

    Raises ValueError where there are fewer orders than coefficients, or a time is not above zero.
    """
    draws = _draws(orders, launches)
    means = _means(launches)
    misfit = means / _times(orders, draws[0]) - 1
    return OrderLaw(
        _interval(draws, launches, lambda c: min(2 / (3 * c[0]), UNBOUNDED) if c[0] else UNBOUNDED),
        _interval(draws, launches, _half_order),
        math.sqrt(float(np.mean(misfit**2))),
    )


def foretold_seconds(
    order: int, orders: Sequence[int], launches: Sequence[Sequence[float]]
) -> Interval:
    """What the law of other orders says of this one. Raises ValueError as `order_law` does."""
    draws = _draws(orders, launches)
    return _interval(draws, launches, lambda c: float(_times([order], c)[0]))


def _half_order(coefficients: Floats) -> float:
    """Where (2/3 n^3 + 3/2 n^2) / t(n) = 1 / (3 a): a n^2 + (4.5 a - b) n - c = 0; 0 where every
    order has more."""
    a, b, c = (float(one) for one in coefficients)
    if a == 0:
        return UNBOUNDED
    middle = b - 4.5 * a
    return max(0.0, (middle + math.sqrt(middle**2 + 4 * a * c)) / (2 * a))


def _interval(
    draws: Floats, launches: Sequence[Sequence[float]], function: Callable[[Floats], float]
) -> Interval:
    fewest = min(len(of) for of in launches)
    if fewest < 2:
        return Interval(function(draws[0]))
    from scipy.special import ndtr

    quantile = student_quantile(fewest - 1) * math.sqrt(fewest / (fewest - 1))
    tail = float(ndtr(-quantile))
    found = np.asarray([function(one) for one in draws[1:]])
    low, high = np.quantile(found, [tail, 1 - tail])
    return Interval(function(draws[0]), float(low), float(high))


def _draws(orders: Sequence[int], launches: Sequence[Sequence[float]]) -> Floats:
    """Coefficients of the law of all launches, then of launches drawn again."""
    if len(orders) < LEAST_ORDERS:
        raise ValueError(f"the law of orders needs {LEAST_ORDERS} of them, got {len(orders)}")
    if not all(of and min(of) > 0 for of in launches):
        raise ValueError("each order needs times above zero")
    means = _means(launches)
    center = _fit(orders, means)
    fitted = _times(orders, center)
    left = means / fitted - 1
    freedom = len(orders) - int(np.count_nonzero(center))
    # Where the law passes through every order nothing is left.
    left *= math.sqrt(len(orders) / freedom) if freedom else 0.0
    base = fitted if freedom else means
    if min(map(len, launches)) < 2:
        return center[np.newaxis]
    random = np.random.default_rng(_SEED)
    signs = random.choice([-1.0, 1.0], (_DRAWS, len(orders)))
    drawn = np.maximum(base * (1 + signs * left), _LEAST_SHARE * base)
    drawn *= _drawn_means(launches, random) / means
    return np.asarray([center, *(_fit(orders, one) for one in drawn)])


def _drawn_means(launches: Sequence[Sequence[float]], random: np.random.Generator) -> Floats:
    """`[draw, order]`."""
    counts = [len(of) for of in launches]
    if len(set(counts)) == 1:
        drawn = random.integers(0, counts[0], (_DRAWS, counts[0]))
        return np.asarray(np.asarray(launches, dtype=float).T[drawn].mean(axis=1))
    means = [random.choice(np.asarray(of), (_DRAWS, len(of))).mean(axis=1) for of in launches]
    return np.stack(means, axis=-1)


def _means(launches: Sequence[Sequence[float]]) -> Floats:
    return np.asarray([math.fsum(of) / len(of) for of in launches])


def _terms(orders: Sequence[int]) -> Floats:
    places = np.asarray(orders, dtype=float)
    return np.stack((places**3, places**2, places), axis=-1)


def _times(orders: Sequence[int], coefficients: Floats) -> Floats:
    return np.asarray(_terms(orders) @ coefficients)


def _fit(orders: Sequence[int], means: Floats) -> Floats:
    from scipy.optimize import nnls

    relative = _terms(orders) / means[:, np.newaxis]
    scale = relative.max(axis=0)
    return np.asarray(nnls(relative / scale, np.ones(len(orders)))[0] / scale)
