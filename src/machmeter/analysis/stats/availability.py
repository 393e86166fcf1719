"""Host availability: two lines through the time of a message with work inside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

# Residuals beyond so many standard deviations count by their size, not by its square (Huber).
_HUBER_DEVIATIONS = 1.345
_DEVIATIONS_OF_MAD = 1.4826
_LEAST_SCALE = 1e-6

_Array = NDArray[np.float64]


class AvailabilityFit(Struct, frozen=True):
    """The two lines, in seconds: `total = max(level, work + overhead)`."""

    level: float
    """The time of the message while the work hides behind it."""
    overhead: float
    """What the message takes from the processor, whatever the work."""

    @property
    def knee(self) -> float:
        """Seconds of work up to which it hides behind the message (0 or less: it never does)."""
        return self.level - self.overhead

    @property
    def availability(self) -> float:
        """The share of the message's time that is left for work, not clamped: 1 - overhead/level,
        which is where the lines meet, over the level.
        """
        return 1 - self.overhead / self.level


def fit_availability(
    total: Sequence[float], work: Sequence[float], base: Sequence[float]
) -> AvailabilityFit:
    """Fit level and overhead to samples in seconds, of equal length: `total[i]` is a message with
    `work[i]` inside it, `base[i]` one without work, taken at the same moment.

    Availability is that of Doerfler and Brightwell (EuroPVM/MPI 2006): 1 - overhead / base, where
    overhead is the total less the work once the work no longer hides. They read both off at the
    first work whose total leaves the base by half; here both lines are fitted to all samples by
    Huber's loss (Annals of Mathematical Statistics 35, 1964; 1.345 deviations, estimated by the
    median absolute deviation), so that neither one disturbed sample nor the choice of one work
    decides. Deviations are taken relative to the time itself. `base` fixes the level by itself:
    where work never hides, no total is on it, and the overhead may exceed it.

    Raises ValueError when lengths differ, a base is not above zero in the middle of all, or no work
    is as long as the message, so that no total can be on the second line.
    """
    if not len(total) == len(work) == len(base):
        raise ValueError(
            f"series taken together differ in length (total: {len(total)}, work: {len(work)}, "
            f"base: {len(base)})"
        )
    totals, works, bases = (np.asarray(series, dtype=float) for series in (total, work, base))
    level = float(np.median(bases)) if len(bases) else 0.0
    if not level > 0:
        raise ValueError("the message alone takes no time: the clock cannot resolve it")
    rises = works >= level
    if not rises.any():
        raise ValueError(
            "no work was as long as the message alone: the overhead cannot be estimated"
        )
    overhead = float(np.median((totals - works)[rises]))
    return _fitted(totals, works, bases, np.array([level, overhead]))


def _fitted(totals: _Array, works: _Array, bases: _Array, start: _Array) -> AvailabilityFit:
    expected = np.maximum(start[0], works + start[1])
    unit = start[0]

    def residuals(lines: _Array) -> _Array:
        level, overhead = lines * unit
        off_totals = (totals - np.maximum(level, works + overhead)) / expected
        off_bases = (bases - level) / start[0]
        return np.concatenate((off_totals, off_bases))

    off = residuals(start / unit)
    deviation = _DEVIATIONS_OF_MAD * float(np.median(np.abs(off - np.median(off))))
    scale = _HUBER_DEVIATIONS * max(deviation, _LEAST_SCALE)
    from scipy.optimize import least_squares

    found = least_squares(residuals, start / unit, loss="huber", f_scale=scale)
    level, overhead = found.x * unit
    return AvailabilityFit(float(level), float(overhead))
