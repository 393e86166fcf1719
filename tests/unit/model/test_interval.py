"""Values with their intervals: whether both ends of one are known."""

from __future__ import annotations

import pytest

from machmeter.model.interval import Interval
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.units import UNBOUNDED


@pytest.mark.parametrize(
    ("ends", "bounded"),
    [
        ((0.9, 1.1), True),
        ((1.0, 1.0), True),
        ((0.0, UNBOUNDED), False),
        ((-UNBOUNDED, UNBOUNDED), False),
        ((-UNBOUNDED, 1.1), False),
    ],
)
def test_an_interval_is_bounded_where_both_ends_are_known(
    ends: tuple[float, float], bounded: bool
) -> None:
    assert Interval(1.0, *ends).is_bounded is bounded
    ratio = Comparison(1.0, *ends, True, 9.0, 0.5, ComparisonVerdict.INCONCLUSIVE)
    assert ratio.is_bounded is bounded


def test_a_value_alone_has_no_interval() -> None:
    assert not Interval(1.0).is_bounded
