"""Who is ahead: tested where both have an interval, otherwise by where the printed value lies."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.matching.standings import has_no_ratio
from machmeter.api.comparing import Comparisons
from machmeter.cli.output import print_json
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.results.machine_comparison import Basis, ComparedResult, RelativeStanding
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import machine, printed

STATED = "nodes, ranks_per_node, threads_per_rank"
TURNED = {
    RelativeStanding.BETTER_AS_PRINTED: RelativeStanding.WORSE_AS_PRINTED,
    RelativeStanding.WORSE_AS_PRINTED: RelativeStanding.BETTER_AS_PRINTED,
    RelativeStanding.SAME_AS_PRINTED: RelativeStanding.SAME_AS_PRINTED,
    RelativeStanding.INCONCLUSIVE: RelativeStanding.INCONCLUSIVE,
}


def parallel(value: float, low: float, high: float, **changed: object) -> Estimate:
    layout = Layout(threads_per_rank=2)
    one = made_up("threads.sync", {"construct": "parallel"}, layout, "overhead", value)
    return replace(one, low=low, high=high, **changed)


def triad(value: float, threads: int, low: float, high: float) -> Estimate:
    parameters: dict[str, Value] = {"kernel": "triad", "size": 2**26}
    layout = Layout(threads_per_rank=threads)
    one = made_up("memory.stream", parameters, layout, "stream_bandwidth", value)
    return replace(one, low=low, high=high)


def paper(one: Estimate, parts: Parts = Parts()) -> MachineResults:  # noqa: B008 - frozen
    return machine("paper", printed(one, stated=STATED), parts=parts, origin=Origin.PUBLISHED)


def only(a: MachineResults, b: MachineResults) -> ComparedResult:
    (figure,) = compare_machines(a, b).results
    return figure


def test_a_printed_value_below_an_upper_bound_is_not_resolved() -> None:
    bound = parallel(0.818e-6, 0.0, 3.30e-6, resolved=False)
    figure = only(machine("here", bound), paper(parallel(1.89e-6, 0, 0)))
    assert figure.standing is RelativeStanding.INCONCLUSIVE
    assert has_no_ratio(figure)
    beyond = only(machine("here", bound), paper(parallel(3.31e-6, 0, 0)))
    assert beyond.standing is RelativeStanding.WORSE_AS_PRINTED
    assert math.isnan(beyond.by[Basis.AS_MEASURED].ratio)


@pytest.mark.parametrize(
    ("value", "standing"),
    [
        (101.0, RelativeStanding.INCONCLUSIVE),
        (88.0, RelativeStanding.BETTER_AS_PRINTED),
        (370.0, RelativeStanding.WORSE_AS_PRINTED),
    ],
)
def test_ahead_is_only_what_lies_outside_the_measured_interval(
    value: float, standing: RelativeStanding
) -> None:
    figure = only(machine("here", parallel(181.0, 88.9, 369.0)), paper(parallel(value, 0, 0)))
    assert figure.standing is standing
    assert figure.by[Basis.AS_MEASURED].ratio == pytest.approx(181.0 / value)


@pytest.mark.parametrize(
    ("low", "high", "standing"),
    [(0.99, 1.01, RelativeStanding.SAME_AS_PRINTED), (0.9, 1.1, RelativeStanding.INCONCLUSIVE)],
)
def test_the_same_takes_an_interval_that_is_narrow_enough(
    low: float, high: float, standing: RelativeStanding
) -> None:
    figure = only(machine("here", parallel(1.0, low, high)), paper(parallel(1.001, 0, 0)))
    assert figure.standing is standing


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(1.0, 3.0))
def test_whoever_is_named_first_the_standing_is_the_same(
    here: float, there: float, spread: float
) -> None:
    ours = machine("here", parallel(here, here / spread, here * spread))
    theirs = paper(parallel(there, 0, 0))
    assert only(theirs, ours).standing is TURNED[only(ours, theirs).standing]


def test_each_basis_scales_both_and_a_flip_takes_two_that_are_resolved() -> None:
    here = machine("here", triad(6.37e9, 2, 1.90e9, 21.4e9), parts=Parts(1, 2))
    there = paper(triad(95e9, 104, 0, 0), Parts(13, 104))
    found = compare_machines(here, there)
    (figure,) = found.results
    assert figure.standings == {
        Basis.AS_MEASURED: RelativeStanding.BETTER_AS_PRINTED,
        Basis.NODE: RelativeStanding.INCONCLUSIVE,
        Basis.CORE: RelativeStanding.WORSE_AS_PRINTED,
    }
    assert [flip.second for flip in found.flips] == ["per core"]
    wide = machine("here", triad(6.37e9, 2, 1.0e9, 90e9), parts=Parts(1, 2))
    assert compare_machines(wide, there).flips == ()


@pytest.mark.parametrize("low", [0.0, -1e-6])
def test_an_interval_that_ends_at_zero_is_ahead_of_every_printed_time(low: float) -> None:
    nothing = replace(parallel(low / 2, low, 0.0), resolved=False)
    here, there = machine("here", nothing), paper(parallel(5e-6, 0, 0))
    assert only(there, here).standing is RelativeStanding.BETTER_AS_PRINTED
    assert only(here, there).standing is RelativeStanding.WORSE_AS_PRINTED


def test_shares_stand_apart_by_points_outside_the_interval() -> None:
    def hidden(share: float) -> Estimate:
        parameters: dict[str, Value] = {"size": 65536, "side": "send", "work_percent": 100}
        one = made_up("network.overlap", parameters, Layout(ranks_per_node=2), "work_hidden", 0.5)
        return replace(one, value=share, low=share - 0.1, high=share + 0.1)

    ours = machine("here", hidden(0.5))
    assert only(ours, paper(hidden(0.55))).standing is RelativeStanding.INCONCLUSIVE
    assert only(ours, paper(hidden(0.65))).standing is RelativeStanding.BETTER_AS_PRINTED


def test_prices_without_a_currency_are_not_divided() -> None:
    a = machine("a", triad(1e9, 2, 0.9e9, 1.1e9), parts=Parts(1, 2, 0.0, 10))
    b = machine("b", triad(1e9, 2, 0.9e9, 1.1e9), parts=Parts(1, 2, 0.0, 20))
    assert set(only(a, b).by) == {Basis.AS_MEASURED}


def test_json_says_the_standing_and_null_for_what_is_not_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    here, there = machine("here", parallel(1.0, 0.99, 1.01)), paper(parallel(2.0, 0, 0))
    print_json(Comparisons((here, there), (compare_machines(here, there),)))
    document = json.loads(capsys.readouterr().out)
    figure = document["comparisons"][0]["results"][0]
    assert figure["standing"] == figure["standings"]["as measured"] == "worse as printed"
    ratio = figure["by"]["as measured"]
    assert (ratio["low"], ratio["high"], ratio["p_value"]) == (None, None, None)
    assert "wait_policy" in figure["open_b"]
    assert "threads_per_rank" not in figure["open_b"]
    assert figure["open_a"] == []
