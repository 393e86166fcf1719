"""The two lines of host availability are found again, disturbed or not."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.analysis.stats.availability import fit_availability

SHARES = (0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)

Samples = tuple[list[float], list[float], list[float]]


def samples_of(
    level: float, overhead: float, *, noise: float = 0.0, spikes: float = 0.0, seed: int = 0
) -> Samples:
    """16 passes over the works of a message with these two lines, in random order."""
    rng = random.Random(seed)
    total, work, base = [], [], []

    def disturbed(seconds: float) -> float:
        spike = 20.0 * level if rng.random() < spikes else 0.0
        return seconds * (1 + rng.gauss(0, noise)) + spike

    for _ in range(16):
        for share in rng.sample(SHARES, len(SHARES)):
            seconds = share * level
            work.append(disturbed(seconds))
            total.append(disturbed(max(level, seconds + overhead)))
            base.append(disturbed(level))
    return total, work, base


@given(st.floats(1e-7, 1.0), st.floats(0.0, 0.95))
def test_the_lines_are_found_where_nothing_disturbs(level: float, share: float) -> None:
    fit = fit_availability(*samples_of(level, share * level))
    assert math.isclose(fit.level, level, rel_tol=1e-6)
    assert math.isclose(fit.overhead, share * level, rel_tol=1e-6, abs_tol=1e-6 * level)
    assert math.isclose(fit.availability, 1 - share, abs_tol=1e-6)
    assert math.isclose(fit.knee, level - fit.overhead, abs_tol=1e-6 * level)


@pytest.mark.parametrize("overhead", [0.0, 0.2e-6, 0.5e-6, 0.9e-6])
@pytest.mark.parametrize("seed", range(5))
def test_noise_and_spikes_move_it_little(overhead: float, seed: int) -> None:
    fit = fit_availability(*samples_of(1e-6, overhead, noise=0.03, spikes=0.08, seed=seed))
    assert abs(fit.availability - (1 - overhead / 1e-6)) < 0.05


def test_it_is_not_clamped() -> None:
    # Work inside the message makes both slower: the overhead exceeds the message alone.
    assert math.isclose(fit_availability(*samples_of(1.0, 1.5)).availability, -0.5, abs_tol=1e-6)
    # Work inside the message makes it faster than both one after another allow.
    _, work, base = samples_of(1.0, 0.0)
    faster = [max(1.0, seconds - 0.25) for seconds in work]
    assert fit_availability(faster, work, base).availability > 1.05


def test_the_order_of_samples_does_not_matter() -> None:
    total, work, base = samples_of(2e-5, 6e-6, noise=0.02)
    order = random.Random(3).sample(range(len(total)), len(total))
    turned = fit_availability(*([series[i] for i in order] for series in (total, work, base)))
    fit = fit_availability(total, work, base)
    assert math.isclose(turned.availability, fit.availability, rel_tol=1e-6)


def test_series_taken_together_have_one_length() -> None:
    with pytest.raises(ValueError, match="total: 2, work: 2, base: 1"):
        fit_availability([1.0, 1.0], [1.0, 1.0], [1.0])


@pytest.mark.parametrize("base", [[], [0.0, 0.0, 1.0]])
def test_a_message_that_takes_no_time_has_no_availability(base: list[float]) -> None:
    with pytest.raises(ValueError, match="takes no time"):
        fit_availability([1.0] * len(base), [1.0] * len(base), base)


def test_without_long_work_the_overhead_cannot_be_told() -> None:
    with pytest.raises(ValueError, match="no work was as long"):
        fit_availability([1.0] * 4, [0.5] * 4, [1.0] * 4)
