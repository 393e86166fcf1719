"""Means over results that share launches: Student's t where it applies, and coverage elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.analysis.stats.joint_mean import Series, joint_mean
from machmeter.analysis.stats.student import mean_and_half_width, student_quantile


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=12, unique=True))
def test_of_one_result_it_is_students_t(values: list[float]) -> None:
    found = joint_mean([dict(enumerate(values))], [1.0])
    mean, half = mean_and_half_width(values)
    assert found.value == pytest.approx(mean, abs=1e-12)
    assert found.degrees == pytest.approx(len(values) - 1)
    half_found = student_quantile(found.degrees) * math.sqrt(found.variance)
    assert half_found == pytest.approx(half, rel=1e-6, abs=1e-12)


def test_of_results_with_all_rounds_it_is_students_t_on_the_mean_of_each_round() -> None:
    rounds = np.random.default_rng(3).normal(size=(4, 9))
    found = joint_mean([dict(enumerate(row)) for row in rounds.tolist()], [0.25] * 4)
    mean, half = mean_and_half_width(rounds.mean(axis=0).tolist())
    assert found.value == pytest.approx(mean)
    assert found.degrees == pytest.approx(8)
    assert student_quantile(8) * math.sqrt(found.variance) == pytest.approx(half)


def test_what_two_results_have_in_common_does_not_cancel_as_if_they_were_independent() -> None:
    same = {number: float(number % 2) for number in range(10)}
    alone = joint_mean([same], [1.0])
    both = joint_mean([same, same], [0.5, 0.5])
    opposed = joint_mean([same, same], [0.5, -0.5])
    assert both.variance == pytest.approx(alone.variance)
    assert opposed.variance == pytest.approx(0.0)


def test_results_of_few_rounds_leave_few_degrees() -> None:
    rng = np.random.default_rng(1)
    long = dict(enumerate(rng.normal(size=60).tolist()))
    short = dict(enumerate(rng.normal(size=5).tolist()))
    assert joint_mean([long, short], [0.5, 0.5]).degrees < 12


@pytest.mark.parametrize("counts", [(10, 10, 10), (6, 10, 30), (4, 4, 12)])
@pytest.mark.parametrize("of_round", [0.0, 0.1])
def test_its_interval_holds_the_truth_in_95_of_100(
    counts: tuple[int, ...], of_round: float
) -> None:
    """Three layouts of four results: those of a launch vary together, and launches of a round."""
    rng = np.random.default_rng(11)
    repeats, held = 1500, 0
    for _ in range(repeats):
        found = joint_mean(_run(rng, counts, of_round), [1 / 12] * 12)
        held += abs(found.value) <= student_quantile(found.degrees) * math.sqrt(found.variance)
    assert 0.93 <= held / repeats <= 0.98


def _run(rng: np.random.Generator, counts: tuple[int, ...], of_round: float) -> list[Series]:
    rounds = rng.normal(scale=of_round, size=max(counts))
    series: list[Series] = []
    for count in counts:
        launches = rng.normal(scale=0.1, size=count) + rounds[:count]
        for spread in (0.01, 0.02, 0.05, 0.1):
            values = launches + rng.normal(scale=spread, size=count)
            series.append(dict(enumerate(values.tolist())))
    return series


@pytest.mark.parametrize(
    ("series", "weights"),
    [([], []), ([{0: 1.0, 1: 2.0}], []), ([{0: 1.0}], [1.0])],
)
def test_it_refuses_what_has_no_spread(series: list[Series], weights: list[float]) -> None:
    with pytest.raises(ValueError, match=r"series|values"):
        joint_mean(series, weights)
