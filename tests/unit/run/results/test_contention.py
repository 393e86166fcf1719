"""One caveat for other programs; estimates of launches that they disturbed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.layout.assign import assign
from machmeter.model.plan.launch import Launch, LaunchOutcome, Verdict
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.run import Plan
from machmeter.run.measuring.tally import Tally
from machmeter.run.results.contention import among_others_caveats, with_contention
from machmeter.run.results.disturbed import LaunchAsSeen, disturbed_estimates
from machmeter.store.records import parse_record
from tests.support.fake_launcher import PRECISION, record_lines, small_spec, synthetic_machine

SPEC = small_spec("small", 8192, 16384)
PLAN = Plan((SPEC,), PRECISION)
FEW = Caveat(CaveatKind.FEW_LAUNCHES, "too few launches", "more time")
NOISE = Caveat(CaveatKind.NOISE, "OS noise")
DRIFT = Caveat(CaveatKind.DRIFT, "drifted")


def outcome(number: int, share: float | None = None) -> LaunchOutcome:
    verdict = Verdict.ACCEPTED if share is None else Verdict.CONTENDED
    made = LaunchOutcome(number, SPEC.name, verdict, (), (), 0, "", 1.0, share_of_others=share)
    return replace(made, disturbed=share is not None)


def test_what_others_explain_is_said_once() -> None:
    outcomes = [outcome(1), outcome(2, 0.2), outcome(3, 0.4)]
    *kept, (one) = with_contention((FEW, NOISE, DRIFT), outcomes)
    assert kept == [DRIFT]
    assert one.kind is CaveatKind.FEW_LAUNCHES
    assert "used 30 % of the CPUs in 2 of 3 launches: too few launches" in one.text
    assert FEW.remedy not in one.remedy


def test_a_rare_disturbance_explains_nothing_else() -> None:
    outcomes = [outcome(1, 0.2), *map(outcome, range(2, 20))]
    *kept, one = with_contention((FEW, NOISE), outcomes)
    assert kept == [FEW, NOISE]
    assert one.kind is CaveatKind.NOISE


def test_what_an_output_says_of_itself_is_not_of_others() -> None:
    invalid = replace(outcome(1, 0.0), disturbed=False)
    interrupted = replace(outcome(2, 0.5), interrupted=True)
    assert with_contention((FEW,), [invalid, interrupted]) == (FEW,)


def test_disturbances_of_a_device_are_said_apart() -> None:
    reasons = ("power brake of the device (hw_power_brake_slowdown) at 1 of 2 points",)
    slowed = replace(outcome(1, 0.0), reasons=reasons, device_disturbed=True)
    *kept, one = with_contention((FEW,), [slowed, outcome(2)])
    assert kept == [FEW], "nothing of it is explained by others on CPUs"
    assert one.kind is CaveatKind.NOISE
    assert f"disturbed in 1 of 2 launches, which do not count: {reasons[0]}" in one.text
    both = with_contention((FEW,), [slowed, outcome(2, 0.2)])
    assert both[0] == one
    assert "used 20 % of the CPUs in 1 of 2 launches: too few" in both[1].text


def test_without_contention_caveats_stay() -> None:
    assert with_contention((FEW, NOISE), [outcome(1)]) == (FEW, NOISE)
    assert among_others_caveats(False) == []


def seen(number: int, share: float) -> LaunchAsSeen:
    launch = Launch(number, SPEC, number, assign(SPEC.layout, synthetic_machine().topology))
    return LaunchAsSeen(SPEC, outcome(number, share), parse_record(b"".join(record_lines(launch))))


def test_the_least_disturbed_launches_that_are_whole_are_taken() -> None:
    launches = [seen(number, share) for number, share in enumerate((0.5, 0.2, 0.3, 0.4, 0.9), 1)]
    cut = replace(launches[1].record, closing=None)
    launches[1] = launches[1]._replace(record=cut)
    found = disturbed_estimates(PLAN, Tally(PRECISION), launches, ())
    assert {one.launch_numbers for one in found} == {(1, 3, 4)}
    assert {int(one.point.get("size")) for one in found} == {8192, 16384}


def test_points_that_may_not_be_used_are_not() -> None:
    bad = SPEC.points[0].key
    launches = [seen(number, 0.3) for number in (1, 2)]
    launches = [
        one._replace(outcome=replace(one.outcome, dropped_points={bad: "wrong"}))
        for one in launches
    ]
    found = disturbed_estimates(PLAN, Tally(PRECISION), launches, ())
    assert {one.point.key for one in found} == {SPEC.points[1].key}


@pytest.mark.parametrize(("accepted", "shown"), [(1, True), (2, False)])
def test_two_others_are_a_result(accepted: int, shown: bool) -> None:
    tally = Tally(PRECISION)
    for number in range(10, 10 + accepted):
        one = seen(number, 0.0)
        tally.add(SPEC, outcome(number), one.record)
    assert bool(disturbed_estimates(PLAN, tally, [seen(1, 0.2)], ())) is shown
