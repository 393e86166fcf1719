"""Quantiles of Student's t."""

from __future__ import annotations

import pytest
from scipy.special import stdtrit

from machmeter.analysis.stats.student import student_quantile


@pytest.mark.parametrize("degrees", [*range(1, 60), 0.5, 2.5, 30.5, 1e6])
def test_quantiles_are_those_of_scipy(degrees: float) -> None:
    assert student_quantile(degrees) == pytest.approx(stdtrit(degrees, 0.975), rel=1e-14)
