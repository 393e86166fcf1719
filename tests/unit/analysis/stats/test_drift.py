import math

import numpy as np
import pytest

from machmeter.analysis.stats.drift import drifted, reference_drift
from machmeter.model.units import UNBOUNDED

STEADY = [1.00, 1.01, 0.99, 1.00]


def times(factor: float, spread: float = 0.01, count: int = 5, seed: int = 0) -> list[float]:
    values: list[float] = (
        factor * np.random.default_rng(seed).lognormal(0, spread, count)
    ).tolist()
    return values


def test_slower_at_the_end_is_above_one() -> None:
    found = reference_drift("cache", STEADY, [2.0, 2.02, 1.98, 2.0])
    assert found.part == "cache"
    assert found.end_seconds / found.start_seconds == pytest.approx(found.ratio)
    assert found.start_seconds == pytest.approx(1.0, rel=1e-3)
    assert math.isclose(found.ratio, 2.0, rel_tol=1e-3)
    assert found.low < found.ratio < found.high
    assert drifted(found)


def test_a_real_but_small_drift_does_not_matter() -> None:
    found = reference_drift("cache", [1.0, 1.0001, 0.9999], [1.01, 1.0101, 1.0099])
    assert found.low > 1
    assert not drifted(found)
    assert drifted(found, margin=0.005)


def test_a_large_but_unproven_drift_is_not_claimed() -> None:
    found = reference_drift("memory", [1.0, 2.0, 0.5], [1.3, 2.5, 0.7])
    assert found.ratio > 1.2
    assert not drifted(found)


def test_faster_at_the_end_is_drift_too() -> None:
    assert drifted(reference_drift("memory", STEADY, times(0.8)))


def test_one_launch_cannot_tell() -> None:
    found = reference_drift("memory", [1.0], [1.5])
    assert math.isclose(found.ratio, 1.5)
    assert (found.low, found.high) == (0.0, UNBOUNDED)
    assert not drifted(found)


def test_runs_on_one_machine_have_the_same_reference() -> None:
    def differs(a: list[float], b: list[float]) -> bool:
        return drifted(reference_drift("of two runs", a, b))

    false_alarms = [differs(times(1.0, seed=2 * i), times(1.0, seed=2 * i + 1)) for i in range(100)]
    assert sum(false_alarms) <= 8
    assert differs(times(1.0, seed=1), times(1.2, seed=2))


def test_rubbish_is_refused() -> None:
    with pytest.raises(ValueError, match="no value at the start"):
        reference_drift("cache", [], [1.0])
    with pytest.raises(ValueError, match="no value at the end"):
        reference_drift("cache", [1.0], [])
    with pytest.raises(ValueError, match="at the end: value 0 is 0"):
        reference_drift("cache", [1.0], [0.0])
