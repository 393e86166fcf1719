"""How many leading samples of a launch belong to its warm-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 5
LEAST_SAMPLES = 20


def mser5_cut(samples: Sequence[float]) -> int:
    """Number of leading samples to drop: a multiple of 5, at most half of them.

    MSER-5 chooses the cut that minimizes the squared standard error of the mean over batches of
    five that remain (White, Simulation 69, 1997; White, Cobb, Spratt, Winter Simulation Conference
    2000). Fewer than 20 samples are too few to tell: 0. The first of equal minima counts.
    """
    if len(samples) < LEAST_SAMPLES:
        return 0
    import numpy as np

    batches = len(samples) // BATCH
    means = np.asarray(samples[: batches * BATCH], dtype=float).reshape(batches, BATCH).mean(axis=1)
    return BATCH * int(np.argmin(_squared_standard_errors(means)[: batches // 2 + 1]))


def _squared_standard_errors(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """MSER statistic of `means[d:]` for every d; centered first, so that squares do not cancel."""
    import numpy as np

    centered = means - np.median(means)
    left = np.arange(len(means), 0, -1)
    sums = np.cumsum(centered[::-1])[::-1]
    squares = np.cumsum((centered**2)[::-1])[::-1]
    return np.maximum(squares - sums**2 / left, 0.0) / left**2
