import numpy as np
import pytest

from machmeter.analysis.stats.stopping import MOST_EXPECTED, expected_launches, needs_more
from machmeter.model.benchmark import Formula
from machmeter.model.results.run import Precision
from tests.support.made_up.samples import make_estimate

PRECISE = make_estimate([1.0, 1.001] * 5)
COARSE = make_estimate([1.0, 1.5] * 5)
UNRESOLVED = make_estimate([1e-9, -1e-9] * 5, Formula.OVERHEAD)


def test_never_enough_before_the_least() -> None:
    assert needs_more([PRECISE], 9, 10, 100)
    assert needs_more([], 0, 1, 100)


def test_always_enough_at_the_most() -> None:
    assert not needs_more([COARSE], 100, 10, 100)


def test_every_precision_must_be_reached() -> None:
    assert not needs_more([PRECISE, PRECISE], 10, 10, 100)
    assert needs_more([PRECISE, COARSE], 10, 10, 100)


def test_what_is_not_resolved_is_not_waited_for() -> None:
    assert not needs_more([PRECISE, UNRESOLVED], 10, 10, 100)


def test_what_is_enough_expects_no_more() -> None:
    assert expected_launches(PRECISE) == 10
    assert expected_launches(UNRESOLVED) == 10


def test_one_launch_expects_the_default() -> None:
    assert expected_launches(make_estimate([1.0])) == Precision().least_launches


def test_hopeless_spread_is_capped() -> None:
    assert expected_launches(make_estimate([1.0, 1e9] * 5)) == MOST_EXPECTED


@pytest.mark.parametrize("formula", [Formula.TIME, Formula.OVERHEAD, Formula.WORK_HIDDEN])
def test_as_many_launches_as_expected_reach_the_precision(formula: Formula) -> None:
    values = [0.45, 0.5, 0.55, 0.48, 0.52]
    expected = expected_launches(make_estimate(values, formula))
    spread = float(np.std(values, ddof=1))

    def with_launches(count: int) -> bool:
        half = (count - 1) // 2 + 1
        around = np.concatenate((np.ones(half), -np.ones(half)))
        data = around / np.std(around, ddof=1) * spread + 0.5
        return make_estimate(data.tolist(), formula, least=2).reached

    assert expected > 5
    assert with_launches(int(expected * 1.1) + 2)
    assert not with_launches(int(expected * 0.8))
