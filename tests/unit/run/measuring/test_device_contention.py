"""Launches whose device others used, or that its own protection slowed, do not count."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from machmeter.layout.assign import assign
from machmeter.model.device import DeviceDuringPoint, DeviceState
from machmeter.model.plan.launch import Launch, LaunchOutcome, Record, Verdict
from machmeter.run.measuring.device_contention import device_reasons
from machmeter.run.measuring.judge import judge
from machmeter.store.records import parse_record
from tests.support.fake_launcher import record_lines, small_spec, synthetic_machine

SPEC = small_spec("small", 8192, 16384)
LAUNCH = Launch(1, SPEC, 1, assign(SPEC.layout, synthetic_machine().topology))
QUIET = DeviceState(clock_reasons=("sw_power_cap", "gpu_idle"), other_processes=0)


def recorded(before: DeviceState, after: DeviceState = QUIET) -> Record:
    """Two points, of which the second one has these states."""
    record = parse_record(b"".join(record_lines(LAUNCH)))
    states = ((QUIET, QUIET), (before, after))
    return replace(
        record,
        points=tuple(
            replace(point, device_state=DeviceDuringPoint(1.0, None, *pair))
            for point, pair in zip(record.points, states, strict=True)
        ),
    )


def judged(record: Record, *, among_others: bool = False) -> LaunchOutcome:
    return judge(
        LAUNCH,
        record,
        command=(),
        exit_code=0,
        timed_out=False,
        started="",
        wall_seconds=1.0,
        output="",
        among_others=among_others,
    )


def test_power_cap_idleness_and_what_is_unknown_mean_nothing() -> None:
    usual = ("applications_clocks_setting", "sync_boost", "display_clock_setting", "others")
    for state in (QUIET, DeviceState(), replace(QUIET, clock_reasons=usual)):
        outcome = judged(recorded(state))
        assert (outcome.verdict, outcome.reasons) == (Verdict.ACCEPTED, ())
        assert outcome.device_disturbed is UNSET


@pytest.mark.parametrize(
    "reason",
    ["hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"],
)
def test_a_slowdown_before_or_after_one_point_is_enough(reason: str) -> None:
    slow = replace(QUIET, clock_reasons=("sw_power_cap", reason))
    for record in (recorded(slow), recorded(QUIET, slow)):
        outcome = judged(record, among_others=True)
        assert outcome.verdict is Verdict.CONTENDED
        assert outcome.disturbed
        assert outcome.device_disturbed is True
        (said,) = outcome.reasons
        assert said.endswith(f"of the device ({reason}) at 1 of 2 points")


def test_other_processes_disturb_unless_launches_count_among_others() -> None:
    record = recorded(replace(QUIET, other_processes=1), replace(QUIET, other_processes=3))
    outcome = judged(record)
    assert outcome.verdict is Verdict.CONTENDED
    assert outcome.reasons == ("3 other processes on the device at 1 of 2 points",)
    assert judged(record, among_others=True).verdict is Verdict.ACCEPTED


def test_a_record_without_states_says_nothing() -> None:
    assert device_reasons(parse_record(b"".join(record_lines(LAUNCH)))) == ()


def test_a_slowdown_does_not_hide_what_is_worse() -> None:
    record = recorded(replace(QUIET, clock_reasons=("hw_slowdown",)))
    assert record.header is not None
    outcome = judged(replace(record, header=replace(record.header, world_size=7)))
    assert outcome.verdict is Verdict.REJECTED
    assert not outcome.disturbed
    assert outcome.device_disturbed is UNSET
