"""Student's t on a few numbers: the one interval that machmeter prints.

Source: Student, "The probable error of a mean", Biometrika 6 (1908); for means of computer
timings over launches: Georges, Buytaert, Eeckhout, OOPSLA 2007, and Kalibera, Jones, ISMM 2013.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from machmeter.model.units import UNBOUNDED

CONFIDENCE = 0.95
# Two bounds that are as far from 1 still have a ratio.
_FARTHEST = math.log(1e150)
# Of 1 to 30 degrees of freedom, as scipy gives them: to import it takes 0.4 s.
_QUANTILES = (
    12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934,
    2.5705818356363146, 2.4469118511449786, 2.364624251592784, 2.306004135204166,
    2.262157162798205, 2.228138851986274, 2.200985160091639, 2.1788128296672284,
    2.1603686564627913, 2.144786687917804, 2.131449545559776, 2.1199052992212546,
    2.1098155778333156, 2.1009220402410382, 2.0930240544083087, 2.085963447265864,
    2.0796138447276795, 2.0738730679040254, 2.0686576104190486, 2.0638985616280245,
    2.0595385527532972, 2.0555294386428735, 2.0518305164802846, 2.0484071417952454,
    2.045229642132703, 2.0422724563012378,
)  # fmt: skip


def student_quantile(degrees: float) -> float:
    """Half width of the central 95 % of Student's t. Raises ValueError unless degrees > 0."""
    if not degrees > 0:
        raise ValueError(f"Student's t needs degrees of freedom above 0, got {degrees}")
    if degrees in range(1, len(_QUANTILES) + 1):
        return _QUANTILES[int(degrees) - 1]
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


def two_sided_p(difference: float, standard_error: float, degrees: float) -> float:
    """Probability of a difference this far from 0, or farther, where there is none."""
    if standard_error == 0:
        return 1.0 if difference == 0 else 0.0
    from scipy.special import stdtr

    return float(2 * stdtr(degrees, -abs(difference) / standard_error))


def mean_and_half_width(values: Sequence[float]) -> tuple[float, float]:
    """Mean and half width of its 95 % interval, in the unit of `values`.

    The half width of one value is UNBOUNDED. Raises ValueError when there is no value.
    """
    if not values:
        raise ValueError("a mean needs at least one value, got none")
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return mean, UNBOUNDED
    return mean, student_quantile(len(values) - 1) * math.sqrt(variance_of_mean(values))


def variance_of_mean(values: Sequence[float]) -> float:
    """Squared standard error of the mean, in the squared unit of `values` (two values or more)."""
    if min(values) == max(values):
        return 0.0
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return squares / (len(values) - 1) / len(values)


def bounded_exp(exponent: float) -> float:
    """`exp(exponent)`; so far from 1 that a bound says nothing, 0 or UNBOUNDED."""
    if abs(exponent) <= _FARTHEST:
        return math.exp(exponent)
    return UNBOUNDED if exponent > 0 else 0.0


def bounded_expm1(exponent: float) -> float:
    """`exp(exponent) - 1`; UNBOUNDED so far above 1 that a bound says nothing."""
    return math.expm1(exponent) if exponent <= _FARTHEST else UNBOUNDED


def checked_logs(values: Sequence[float], what: str) -> tuple[float, ...]:
    """Natural logs of positive finite numbers. Raises ValueError, naming `what`, for others."""
    for position, value in enumerate(values):
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{what}: value {position} is {value}; logs need positive numbers")
    return tuple(math.log(value) for value in values)
