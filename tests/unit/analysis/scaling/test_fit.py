"""Laws weighed against one another, and what may be said beyond what was measured."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.analysis.scaling.fit import scaling_of, times_of
from machmeter.model.results.scaling import LawName, NormalTerm, Problem
from machmeter.model.units import UNBOUNDED, is_unbounded
from tests.support.made_up.scaling import amdahl, gustafson, power, series, universal

COUNTS = (1, 2, 4, 8, 16, 32, 64)


@pytest.mark.parametrize(
    ("rate", "best"),
    [
        (amdahl(0.05), LawName.AMDAHL),
        (universal(0.02, 0.002), LawName.UNIVERSAL),
        (power(0.8), LawName.POWER),
    ],
)
def test_the_law_that_made_the_figures_comes_first(rate: object, best: LawName) -> None:
    found = scaling_of(series(COUNTS, rate, noise=0.01), {})  # type: ignore[arg-type]
    assert found.laws[0].law is best
    assert sum(law.weight for law in found.laws) == pytest.approx(1)
    assert found.laws[0].weight > 0.6
    assert found.laws[0].holds


def test_a_growing_problem_is_asked_of_gustafson_and_not_of_amdahl() -> None:
    found = scaling_of(series(COUNTS, gustafson(0.1), problem=Problem.GROWING, noise=0.01), {})
    names = {law.law for law in found.laws}
    assert LawName.GUSTAFSON in names
    assert LawName.AMDAHL not in names


def test_few_counts_leave_laws_out_and_say_so() -> None:
    two = scaling_of(series((1, 2), amdahl(0.1)), {})
    assert two.laws == ()
    assert any("no law: 2 counts" in note for note in two.notes)
    three = scaling_of(series((1, 2, 4), amdahl(0.1)), {})
    assert {law.law for law in three.laws} == {LawName.AMDAHL, LawName.POWER}
    assert all(law.weight == -1 for law in three.laws)
    assert any("too few counts to weigh" in note for note in three.notes)


def test_beyond_twice_the_largest_count_takes_two_laws_side_by_side() -> None:
    found = scaling_of(series(COUNTS, universal(0.02, 0.002), noise=0.01), {}, to=512)
    said = [law.prediction for law in found.laws if law.prediction]
    assert found.predicted == 512
    assert len(said) >= 2
    values = [point.value.value for point in said]
    assert found.apart == pytest.approx(max(values) / min(values))
    # Amdahl cannot fall: on what follows the universal law it is far off there.
    assert found.apart > 3


def test_one_law_alone_may_speak_of_twice_and_no_further() -> None:
    cost = series((2, 4, 8, 16), power(0.5), problem=Problem.COST, noise=0.01)
    near, far = (scaling_of(cost, {}, to=to) for to in (32, 33))
    assert near.predicted == 32
    assert near.laws[0].prediction is not None
    assert far.predicted == 0
    assert far.laws[0].prediction is None
    assert any("two laws" in note for note in far.notes)


def test_below_what_was_measured_nothing_is_said() -> None:
    found = scaling_of(series((4, 8, 16), amdahl(0.1)), {}, to=2)
    assert found.predicted == 0
    assert any("fewer than" in note for note in found.notes)


def test_what_extra_p_chose_is_fitted_beside_the_others() -> None:
    cost = series((2, 4, 8, 16, 32), lambda n: 3 + 0.2 * n, problem=Problem.COST, noise=0.01)
    found = scaling_of(cost, {}, term=NormalTerm(1.0, 0.0))
    law = next(law for law in found.laws if law.law is LawName.EXTRA_P)
    assert law.formula == "cost = c + a N^1"
    constant, coefficient = (parameter.value for parameter in law.parameters)
    assert constant.low < 3 < constant.high
    assert coefficient.low < 0.2 < coefficient.high
    assert law.holds


def test_amdahl_by_another_name_does_not_count_as_a_second_law() -> None:
    found = scaling_of(series(COUNTS, amdahl(0.05)), {}, term=NormalTerm(-1.0, 0.0))
    assert LawName.EXTRA_P not in {law.law for law in found.laws}
    assert any("which is Amdahl's law" in note for note in found.notes)


def test_times_for_extra_p_fall_where_rates_grow() -> None:
    rates, times = (series((1, 2, 4), amdahl(0.0), rates=rates) for rates in (True, False))
    assert times_of(rates) == pytest.approx(times_of(times))


def test_superlinear_figures_have_a_serial_share_below_zero_and_that_is_noted() -> None:
    found = scaling_of(series((1, 2, 4, 8, 16), power(1.2), noise=0.005), {})
    assert any("below zero" in note for note in found.notes)


def test_a_cost_has_no_useful_limit() -> None:
    found = scaling_of(series((2, 4, 8, 16), power(0.5), problem=Problem.COST), {})
    assert found.limit is None
    assert all(law.limit is None for law in found.laws)


def test_as_printed_a_law_takes_its_interval_from_the_scatter_around_it() -> None:
    found = scaling_of(series((48, 96, 192, 384), power(0.9)), {})
    assert found.as_printed
    assert found.source
    law = next(law for law in found.laws if law.law is LawName.AMDAHL)
    assert not is_unbounded(law.parameters[0].value.high)
    assert law.parameters[0].value.high > law.parameters[0].value.low


@given(
    logs=st.lists(st.floats(min_value=-18, max_value=18), min_size=2, max_size=7),
    problem=st.sampled_from(list(Problem)),
    noise=st.sampled_from([0.0, 1e-12, 0.01, 1.5]),
    to=st.integers(min_value=1, max_value=10**9),
    term=st.sampled_from([None, NormalTerm(0.0, 0.0), NormalTerm(-1.0, 0.0), NormalTerm(2.0, 2.0)]),
)
def test_whatever_is_measured_something_finite_is_said(
    logs: list[float], problem: Problem, noise: float, to: int, term: NormalTerm | None
) -> None:
    counts = tuple(2**n for n in range(1, len(logs) + 1))
    values = {float(c): math.exp(log) for c, log in zip(counts, logs, strict=True)}
    drawn = series(counts, values.__getitem__, problem=problem, noise=noise, launches=3)
    found = scaling_of(drawn, {}, to=to, term=term)
    assert len(found.results) == len(logs)
    for law in found.laws:
        for point in (*law.curve, *([law.prediction] if law.prediction else [])):
            assert 0 <= point.value.low <= point.value.value <= point.value.high
    # The document has neither NaN nor infinity: JSON has no word for them.
    assert b"null" not in msgspec.json.encode([law.curve for law in found.laws])


def test_a_prediction_too_small_for_a_number_is_none() -> None:
    steep = series((1, 2, 4, 8), power(-60.0), rates=True)
    found = scaling_of(steep, {}, to=10**9)
    assert all(law.prediction.value.value > 0 for law in found.laws if law.prediction)
    assert math.isfinite(found.apart)


@pytest.mark.filterwarnings("error")
def test_figures_that_no_law_comes_near_have_a_misfit_beyond_all_bounds() -> None:
    odd = {1: 1e-300, 2: 1e300, 4: 1.0, 8: 1e-300}
    found = scaling_of(series((1, 2, 4, 8), lambda n: odd[int(n)], rates=True), {})
    assert all(law.misfit <= UNBOUNDED for law in found.laws)
    assert any(is_unbounded(law.misfit) for law in found.laws)
