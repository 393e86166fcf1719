"""Precision of a run: its distribution, and its curve from the launches made and beyond."""

from __future__ import annotations

import math
from functools import cache
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.analysis.stats.estimates import interval_of
from machmeter.analysis.stats.precision import half_width_after, precision_reached
from machmeter.model.benchmark import Formula
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.results.run import Precision
from machmeter.model.units import SHARE
from tests.support.fake_launcher import filled_estimates, small_spec

TARGET = Precision(half_width=0.02)


@cache
def of_launches(count: int) -> Estimate:
    return filled_estimates(small_spec(), count)[0]


def estimate_of(values: list[float], formula: Formula = Formula.TIME) -> Estimate:
    like = of_launches(len(values))
    interval = interval_of(values, formula)
    logarithmic = formula is Formula.TIME
    return replace(
        like,
        launch_values=tuple(values),
        launches=len(values),
        precision=interval.precision,
        resolved=True,
        reached=interval.precision <= TARGET.half_width,
        scale=Scale.LOG if logarithmic else Scale.LINEAR,
    )


@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=30))
def test_all_launches_made_give_the_precision_of_the_interval(values: list[float]) -> None:
    for formula in (Formula.TIME, Formula.OVERHEAD):
        one = estimate_of(values, formula)
        found = half_width_after(one, 1.0)
        assert found is not None
        assert found == pytest.approx(one.precision, rel=1e-9, abs=1e-12)


def test_a_share_of_the_launches_is_what_the_first_of_them_give() -> None:
    values = [1.0, 1.1, 0.9, 1.05, 3.0, 0.2, 1.7, 0.6]
    half = half_width_after(estimate_of(values), 0.5)
    assert half == pytest.approx(estimate_of(values[:4]).precision)
    assert half_width_after(estimate_of(values), 0.25) is None


def test_the_extrapolation_is_what_more_launches_give() -> None:
    """Drawn from one distribution, as the model assumes: four times the launches, on average."""
    random = np.random.default_rng(3)
    predicted, found = [], []
    for _ in range(200):
        values = list(np.exp(random.normal(0, 0.1, 80)))
        predicted.append(half_width_after(estimate_of(values[:20]), 4.0) or math.nan)
        found.append(estimate_of(values).precision)
    assert median(predicted) == pytest.approx(median(found), rel=0.05)


def test_results_are_counted_once_and_shares_apart() -> None:
    spread = [1.0, 1.3, 0.8, 1.1, 0.9, 1.2]
    narrow = [1.0, 1.001, 0.999, 1.0, 1.001, 0.999]
    share = replace(estimate_of(spread, Formula.OVERHEAD), unit=SHARE, precision=0.03)
    upper_bound = replace(estimate_of(spread), resolved=False)
    reached = precision_reached(
        [estimate_of(spread), estimate_of(narrow), share, upper_bound], TARGET, 60.0
    )
    assert reached is not None
    assert (reached.results, reached.reached, reached.shares) == (2, 1, 1)
    assert sum(one.results for one in reached.bins) == 2
    assert reached.bins[0].results == 1
    assert reached.shares_median == 0.03
    assert precision_reached([upper_bound], TARGET, 60.0) is None


def test_the_curve_falls_over_time_until_the_target() -> None:
    random = np.random.default_rng(5)
    several = [estimate_of(list(np.exp(random.normal(0, 0.2, 16)))) for _ in range(40)]
    reached = precision_reached(several, TARGET, 100.0)
    assert reached is not None
    made = [step for step in reached.curve if not step.extrapolated]
    more = [step for step in reached.curve if step.extrapolated]
    assert made[-1].seconds == 100.0
    assert made[-1].half_width == pytest.approx(reached.median)
    assert [s.half_width for s in more] == sorted((s.half_width for s in more), reverse=True)
    assert more[-1].half_width <= TARGET.half_width < more[-2].half_width


def test_who_took_the_most_launches_needs_more_than_time() -> None:
    spread = [1.0, 1.3, 0.8, 1.1, 0.9, 1.2]
    few = precision_reached([estimate_of(spread)], replace(TARGET, most_launches=6), 60.0)
    many = precision_reached([estimate_of(spread)], replace(TARGET, most_launches=7), 60.0)
    assert few is not None
    assert many is not None
    assert (few.most_launches, many.most_launches) == (1, 0)


def test_the_curve_is_of_the_same_results_throughout() -> None:
    """Quiet results of few launches do not make it fall where they join."""
    random = np.random.default_rng(7)
    noisy = [estimate_of(list(np.exp(random.normal(0, 0.4, 20)))) for _ in range(4)]
    quiet = [estimate_of(list(np.exp(random.normal(0, 0.01, 3)))) for _ in range(4)]
    both = precision_reached([*noisy, *quiet], TARGET, 100.0)
    alone = precision_reached(noisy, TARGET, 100.0)
    assert both is not None
    assert alone is not None
    made = [step for step in both.curve if not step.extrapolated]
    assert made == [step for step in alone.curve if not step.extrapolated]
