"""Intervals of laws hold the truth as often as they say, and a law that does not hold is told."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from machmeter.analysis.scaling.fit import launch_logs, scaling_of
from machmeter.analysis.scaling.intervals import Fitted, fitted, logs_of
from machmeter.analysis.scaling.laws import AMDAHL, UNIVERSAL, Law
from machmeter.analysis.scaling.limits import limit_by_law, parameters_of, points_at
from machmeter.analysis.scaling.series import Series
from machmeter.model.results.scaling import LawName, Problem
from machmeter.model.units import is_unbounded
from tests.support.made_up.scaling import amdahl, series, universal

REPETITIONS = 200
COUNTS = (1, 2, 4, 8, 16, 32)
TRUTH = {AMDAHL: (0.05,), UNIVERSAL: (0.03, 0.0005)}
RATES = {AMDAHL: amdahl(*TRUTH[AMDAHL]), UNIVERSAL: universal(*TRUTH[UNIVERSAL])}
# 200 draws of 95 % lie within these with a probability of 99.9 %.
LEAST, MOST = 0.89, 0.99


class Drawn(NamedTuple):
    """A law fitted to one draw of launches."""

    made: Fitted
    series: Series


@cache
def repeated(law: Law, launches: int, paired: bool) -> tuple[Drawn, ...]:
    found = []
    for seed in range(REPETITIONS):
        drawn = series(COUNTS, RATES[law], noise=0.02, launches=launches, seed=seed, paired=paired)
        made = fitted(law, COUNTS, launch_logs(drawn), Problem.FIXED)
        assert made is not None
        found.append(Drawn(made, drawn))
    return tuple(found)


@pytest.mark.parametrize(("launches", "paired"), [(10, True), (10, False), (1, True)])
@pytest.mark.parametrize("law", [AMDAHL, UNIVERSAL])
def test_intervals_of_parameters_and_predictions_hold_the_truth(
    law: Law, launches: int, paired: bool
) -> None:
    draws = repeated(law, launches, paired)
    for position, value in enumerate(TRUTH[law]):
        found = [parameters_of(one.made)[position].value for one in draws]
        assert LEAST <= np.mean([p.low <= value <= p.high for p in found]) <= MOST
    far = 2 * COUNTS[-1]
    said = [points_at(one.made, one.series, np.array([float(far)]))[0].value for one in draws]
    assert LEAST <= np.mean([p.low <= 1 / RATES[law](far) <= p.high for p in said]) <= MOST


def test_the_interval_of_the_useful_limit_holds_the_truth() -> None:
    share = TRUTH[AMDAHL][0]
    # As algebra has it for a gain of 1.5.
    limit = 0.5 * (1 - share) / (share * 0.5)
    found = [limit_by_law(one.made, one.series, 1.5) for one in repeated(AMDAHL, 10, True)]
    assert LEAST <= np.mean([one.low <= limit <= one.high for one in found]) <= MOST


@pytest.mark.parametrize("paired", [True, False])
def test_a_law_that_holds_is_rarely_said_not_to(paired: bool) -> None:
    draws = repeated(AMDAHL, 10, paired)
    assert np.mean([not one.made.holds for one in draws]) < 0.11


def test_a_law_that_does_not_hold_is_told_and_its_interval_is_that_of_the_misfit() -> None:
    drawn = series(COUNTS, universal(0.05, 0.004), noise=0.01)
    laws = {law.law: law for law in scaling_of(drawn, {}).laws}
    wrong, right = laws[LawName.AMDAHL], laws[LawName.UNIVERSAL]
    assert not wrong.holds
    assert right.holds
    assert right.weight > 0.99
    share = wrong.parameters[0].value
    assert share.high - share.low > 0.1 * abs(share.value)


def test_one_launch_a_count_leaves_it_open_whether_a_law_holds() -> None:
    law = scaling_of(series(COUNTS, amdahl(0.1)), {}).laws[0]
    assert law.misfit_p == -1
    assert law.holds


def test_drift_common_to_a_round_widens_no_shape() -> None:
    rounds = tuple(range(10))
    draw = np.random.default_rng(4)
    drift = draw.normal(0, 0.2, len(rounds))
    logs = [list(np.log(amdahl(0.05)(n)) + drift + draw.normal(0, 0.002, 10)) for n in (1, 2, 4, 8)]
    together = logs_of(logs, [rounds] * 4)
    apart = logs_of(logs, [tuple(r + 100 * k for r in rounds) for k in range(4)])
    shares = []
    for one in (together, apart):
        made = fitted(AMDAHL, (1, 2, 4, 8), one, Problem.FIXED)
        assert made is not None
        share = parameters_of(made)[0].value
        assert share.low <= 0.05 <= share.high
        shares.append(share.high - share.low)
    assert shares[0] < shares[1] / 10


def test_without_any_scatter_a_law_that_fits_is_not_refused() -> None:
    flat = series(COUNTS, amdahl(0.1), noise=1e-13)
    logs = launch_logs(flat)
    assert logs.scattered
    law = next(x for x in scaling_of(flat, {}).laws if x.law is LawName.AMDAHL)
    assert law.parameters[0].value.value == pytest.approx(0.1)
    assert not is_unbounded(law.parameters[0].value.high)
