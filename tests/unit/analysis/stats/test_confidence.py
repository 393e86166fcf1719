"""How sure an answer is, and how many launches would decide it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.analysis.stats.confidence import (
    LEAST_LAUNCHES,
    LIKELY_P,
    MOST_COUNTED,
    BoundMargin,
    Doubt,
    DoubtKind,
    grade,
    grade_decided,
    is_worth_making,
    launches_to_decide,
)
from machmeter.analysis.stats.student import student_quantile, two_sided_p
from machmeter.model.results.finding import Confidence
from machmeter.model.units import UNBOUNDED

USUAL = BoundMargin(1.0, 0.9, 1.1, 0.0, 19.0, 1e-9, 20, True)
"""A value of 1 with an interval of 0.1 either way, and a bound at 0."""


@pytest.mark.parametrize(
    ("one", "confidence", "doubts"),
    [
        (USUAL, Confidence.SURE, ()),
        (replace(USUAL, p_value=0.01), Confidence.SURE, ()),
        (
            replace(USUAL, p_value=0.02),
            Confidence.LIKELY,
            (Doubt(DoubtKind.CHANCE, p_value=0.02),),
        ),
        (
            replace(USUAL, p_value=0.051),
            Confidence.OPEN,
            (Doubt(DoubtKind.CHANCE, p_value=0.051),),
        ),
        (
            replace(USUAL, launches=9),
            Confidence.LIKELY,
            (Doubt(DoubtKind.FEW_LAUNCHES, launches=9),),
        ),
        (replace(USUAL, bound=0.895), Confidence.LIKELY, (Doubt(DoubtKind.NEAR_BOUND),)),
        (replace(USUAL, reached=False), Confidence.SURE, ()),
        (
            replace(USUAL, reached=False, bound=0.85),
            Confidence.LIKELY,
            (Doubt(DoubtKind.PRECISION),),
        ),
    ],
)
def test_a_grade_has_the_same_meaning_everywhere(
    one: BoundMargin, confidence: Confidence, doubts: tuple[Doubt, ...]
) -> None:
    assert grade(one) == (confidence, doubts)


def test_the_side_of_the_bound_does_not_matter() -> None:
    below = replace(USUAL, value=-1.0, low=-1.1, high=-0.9)
    assert below.to_bound == pytest.approx(USUAL.to_bound) == pytest.approx(0.9)
    assert grade(below) == grade(USUAL)


def test_what_intervals_decided_is_likely_at_least() -> None:
    assert grade_decided(replace(USUAL, p_value=0.2))[0] is Confidence.LIKELY


def _open(distance: float, spread: float, launches: int, times: float = 1.0) -> BoundMargin:
    error = spread / math.sqrt(launches)
    half = student_quantile(launches - 1) * error
    p_value = min(1.0, times * two_sided_p(distance, error, launches - 1))
    ends = (distance, distance - half, distance + half, 0.0)
    return BoundMargin(*ends, launches - 1.0, p_value, launches, False)


@given(
    st.floats(0.005, 0.5),
    st.floats(0.01, 1.0),
    st.integers(2, 60),
    st.floats(1.0, 20.0),
)
def test_so_many_launches_decide_and_one_fewer_does_not(
    distance: float, spread: float, launches: int, times: float
) -> None:
    one = _open(distance, spread, launches, times)
    needed = launches_to_decide(one)

    def level(count: int) -> float:
        return two_sided_p(distance, spread / math.sqrt(count), count - 1)

    least = max(launches, LEAST_LAUNCHES)
    assert least <= needed <= MOST_COUNTED
    factor = one.p_value / two_sided_p(distance, spread / math.sqrt(launches), launches - 1)
    allowed = LIKELY_P / max(factor, 1.0)
    if needed < MOST_COUNTED:
        assert level(needed) <= allowed * (1 + 1e-6)
    if needed > least:
        assert level(needed - 1) > allowed * (1 - 1e-6)


def test_half_the_distance_takes_four_times_the_launches() -> None:
    near, far = (launches_to_decide(_open(d, 0.5, 10)) for d in (0.01, 0.02))
    assert near / far == pytest.approx(4, rel=0.01)


@pytest.mark.parametrize(
    "one",
    [
        replace(USUAL, launches=1),
        replace(USUAL, degrees=0.0),
        replace(USUAL, high=UNBOUNDED),
        replace(USUAL, low=-UNBOUNDED),
        replace(USUAL, bound=1.0),
    ],
)
def test_without_a_spread_nobody_knows_how_many(one: BoundMargin) -> None:
    assert launches_to_decide(one) == 0


def test_thousands_of_launches_are_no_advice() -> None:
    assert is_worth_making(1200, 12)
    assert not is_worth_making(1201, 12)
    assert is_worth_making(100 * LEAST_LAUNCHES, 1)
