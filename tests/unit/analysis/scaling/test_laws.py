"""Laws of scaling: what is put in comes out, and what follows from it is what algebra says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.analysis.scaling.fit import launch_logs, scaling_of
from machmeter.analysis.scaling.intervals import fitted
from machmeter.analysis.scaling.laws import AMDAHL, UNIVERSAL, Law, fit, normal_form
from machmeter.model.results.scaling import FittedLaw, LawName, NormalTerm, Problem
from machmeter.model.units import is_unbounded
from tests.support.made_up.scaling import Rate, amdahl, gustafson, power, series, universal

COUNTS = (1, 2, 4, 8, 16, 32)
SHARES = st.floats(min_value=1e-4, max_value=0.5)


def law_of(name: LawName, rate: Rate, problem: Problem = Problem.FIXED, **more: float) -> FittedLaw:
    found = scaling_of(series(COUNTS, rate, problem=problem), {}, **more)  # type: ignore[arg-type]
    return next(law for law in found.laws if law.law is name)


@pytest.mark.parametrize(
    ("name", "rate", "problem", "expected"),
    [
        (LawName.AMDAHL, amdahl(0.03), Problem.FIXED, [0.03]),
        (LawName.AMDAHL, amdahl(-0.005), Problem.FIXED, [-0.005]),
        (LawName.UNIVERSAL, universal(0.02, 0.001), Problem.FIXED, [0.02, 0.001]),
        (LawName.POWER, power(0.87), Problem.FIXED, [0.87]),
        (LawName.GUSTAFSON, gustafson(0.12), Problem.GROWING, [0.12]),
        (LawName.POWER, power(0.4), Problem.COST, [0.4]),
    ],
)
def test_a_law_without_noise_is_found_again(
    name: LawName, rate: Rate, problem: Problem, expected: list[float]
) -> None:
    law = law_of(name, rate, problem)
    assert [p.value.value for p in law.parameters] == pytest.approx(expected, abs=1e-7)
    assert law.misfit == pytest.approx(0, abs=1e-9)
    assert law.left_out == pytest.approx(0, abs=1e-6)


@given(share=SHARES, gain=st.floats(min_value=1.05, max_value=1.95))
def test_the_useful_limit_of_amdahl_is_that_of_algebra(share: float, gain: float) -> None:
    # N / (1 + s (N - 1)) doubles from N / 2 by `gain` where N s (gain - 1) = (2 - gain) (1 - s).
    limit = (2 - gain) * (1 - share) / (share * (gain - 1))
    law = law_of(LawName.AMDAHL, amdahl(share), least_gain=gain)
    assert law.limit is not None
    if limit < 2:
        assert law.limit.value == 1
    elif limit > 2 * COUNTS[-1]:
        assert is_unbounded(law.limit.value)
    else:
        assert law.limit.value == pytest.approx(limit, rel=1e-3)


def test_the_power_law_pays_always_or_never() -> None:
    always = law_of(LawName.POWER, power(0.7)).limit
    never = law_of(LawName.POWER, power(0.5)).limit
    assert always is not None
    assert never is not None
    assert is_unbounded(always.value)
    assert never.value == COUNTS[0]


def test_the_universal_law_falls_beyond_its_peak() -> None:
    contention, coherency = 0.02, 0.004
    law = law_of(LawName.UNIVERSAL, universal(contention, coherency))
    peak = max(law.curve, key=lambda point: point.speedup.value)
    assert peak.count == pytest.approx(math.sqrt((1 - contention) / coherency), rel=0.15)
    assert law.curve[-1].speedup.value < peak.speedup.value


@given(
    scale=st.floats(min_value=1e-9, max_value=1e9),
    contention=st.floats(min_value=0, max_value=0.3),
    coherency=st.floats(min_value=0, max_value=0.01),
)
def test_the_unit_of_a_figure_changes_no_law(
    scale: float, contention: float, coherency: float
) -> None:
    law = universal(contention, coherency)
    found = law_of(LawName.UNIVERSAL, lambda n: scale * law(n))
    assert found.parameters[0].value.value == pytest.approx(contention, abs=1e-6)
    assert found.parameters[1].value.value == pytest.approx(coherency, abs=1e-6)


@pytest.mark.parametrize("problem", list(Problem))
def test_a_normal_form_is_fitted_on_logs(problem: Problem) -> None:
    law = normal_form(NormalTerm(0.5, 1.0))
    places = np.array([2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
    logs = law.log_rate(places, np.array([3.0, 0.7]), problem)
    found = fit(law, [2, 4, 8, 16, 32, 64], logs, problem)
    assert found is not None
    assert list(found) == pytest.approx([3.0, 0.7])


def test_a_constant_is_a_normal_form_with_one_coefficient() -> None:
    law = normal_form(NormalTerm(0.0, 0.0))
    assert (len(law.terms), law.parameters) == (1, 3)


@pytest.mark.parametrize("law", [AMDAHL, UNIVERSAL])
def test_no_law_passes_through_every_figure(law: Law) -> None:
    counts = COUNTS[: law.parameters]
    few = series(counts, amdahl(0.1))
    assert fitted(law, counts, launch_logs(few), Problem.FIXED) is None
    counts = COUNTS[: law.parameters + 1]
    enough = series(counts, amdahl(0.1))
    assert fitted(law, counts, launch_logs(enough), Problem.FIXED) is not None


def test_a_law_without_a_value_there_says_nothing_there() -> None:
    # A serial share below zero makes Amdahl's time reach zero.
    found = scaling_of(series((1, 2, 4, 8), amdahl(-0.1)), {}, to=12)
    said = {law.law: law.prediction for law in found.laws}
    assert said[LawName.AMDAHL] is None
    assert said[LawName.POWER] is not None
