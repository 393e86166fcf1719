"""Runs of one machine differ by more than their launches: then that is the interval."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines, standing_of
from machmeter.model.layout import Layout
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import Basis, ComparedResult, RelativeStanding
from machmeter.text.comparison import DRIFTED, standing_text
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import machine

PAIR = Layout(ranks_per_node=2)


def latency(value: float, library: str = "") -> Estimate:
    one = made_up("network.latency", {"size": 8}, PAIR, "latency", value, 0.001)
    return replace(one, mpi_library=library)


def runs(*values: float, library: str = "") -> list[MachineResults]:
    return [machine(f"r{n}", latency(1e-6 * one, library)) for n, one in enumerate(values)]


def compared(new: float, others: list[MachineResults]) -> ComparedResult:
    found = compare_machines(
        machine("a", latency(1e-6)), machine("b", latency(1e-6 * new)), others=others
    )
    (result,) = found.results
    (group,) = found.groups
    assert group.standing is result.standing
    return result


def test_a_difference_as_between_equal_runs_is_none() -> None:
    noisy = runs(1.0, 1.04, 0.97, 1.06, 0.95)
    assert standing_of(compared(1.05, [])) is RelativeStanding.WORSE
    assert standing_of(compared(1.05, noisy)) is RelativeStanding.INCONCLUSIVE
    assert standing_of(compared(2.0, noisy)) is RelativeStanding.WORSE


def test_where_runs_agree_launches_decide() -> None:
    calm = runs(1.0, 1.0, 1.0, 1.0)
    assert compared(1.05, calm) == compared(1.05, [])


@pytest.mark.parametrize(
    "others", [runs(1.0, 1.2), runs(1.0, 1.2, 0.8, library="MPICH 5.0.2")], ids=["two", "library"]
)
def test_too_few_runs_and_those_of_another_library_say_nothing(
    others: list[MachineResults],
) -> None:
    assert compared(1.05, others).by == compared(1.05, []).by


def test_the_interval_is_that_of_two_runs_of_many() -> None:
    values = (1.0, 1.05, 0.96, 1.02)
    logs = list(map(math.log, values))
    mean = math.fsum(logs) / 4
    deviation = math.sqrt(math.fsum((one - mean) ** 2 for one in logs) / 3)
    ratio = compared(1.05, runs(*values)).by[Basis.AS_MEASURED]
    assert ratio.degrees == 3
    half = 3.182446305 * math.sqrt(2) * deviation
    assert math.log(ratio.high / ratio.ratio) == pytest.approx(half, rel=1e-6)


def test_a_wider_interval_is_never_the_more_significant_one() -> None:
    """Of few launches the tails are heavier than of many runs."""
    among_others = runs(*(math.exp(0.02 * (-1) ** number) for number in range(20)))
    for new in (1.05, 1.1, 1.2, 2.0):
        alone, among = compared(new, []), compared(new, among_others)
        one, other = (result.by[Basis.AS_MEASURED] for result in (alone, among))
        assert other.high / other.low > one.high / one.low
        assert other.p_value >= one.p_value
        assert other.degrees <= one.degrees


def test_what_drifts_in_both_of_a_pair_is_in_no_ratio() -> None:
    drift = Caveat(CaveatKind.DRIFT, "slower at the end")
    old, new = (
        replace(machine(name, latency(1e-6 * by), runs=("one",)), caveats=(drift,))
        for name, by in (("one@a", 1.0), ("one@b", 1.5))
    )
    found = compare_machines(old, new)
    assert found.paired
    assert standing_of(found.results[0]) is RelativeStanding.WORSE


def test_a_run_that_drifted_makes_no_verdict() -> None:
    drift = Caveat(CaveatKind.DRIFT, "slower at the end")
    old = replace(machine("a", latency(1e-6)), caveats=(drift,))
    worse, same = (
        compare_machines(old, machine("b", latency(1e-6 * new))).results[0] for new in (1.5, 1.0)
    )
    assert standing_of(worse) is RelativeStanding.INCONCLUSIVE
    assert standing_text(worse) == DRIFTED
    assert standing_of(same) is RelativeStanding.SAME
