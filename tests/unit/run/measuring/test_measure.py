"""What a run does where launches hang, huge pages are not given, or nothing needs sizing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.launch.launcher import Attempt
from machmeter.model.plan.launch import Launch, Verdict
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.curves import EarlierCache, LastCache
from machmeter.model.results.run import Plan, RunState
from machmeter.run.measuring import session as session_module
from machmeter.run.measuring.measure import knees_of, measure
from machmeter.run.measuring.progress import RunProgress, ignore_progress
from machmeter.run.planning.plan import REFERENCE_START, make_plan
from machmeter.run.planning.sizing import SIZING_LAUNCHES, Sizes, choose_sizes
from machmeter.run.planning.sizing_network import SMALLEST_PROBED
from machmeter.store.run_folder import StateFile
from tests.support.fake_launcher import (
    AUTO,
    LAUNCH_SECONDS,
    MIB,
    PRECISION,
    STUDY,
    FakeLauncher,
    FakeTime,
    a_session,
    good,
    new_folder,
    run_to_end,
    small_spec,
    synthetic_machine,
)

# Of messages, before a run has its plan.
_MESSAGE_SIZING_LAUNCHES = 2


def test_without_automatic_sizes_nothing_is_sized(tmp_path: Path) -> None:
    launcher = FakeLauncher()
    folder = run_to_end(new_folder(tmp_path / "run"), launcher)
    assert launcher.started[0].spec.name == REFERENCE_START
    plan = folder.plan()
    assert plan is not None
    assert (plan.sizes, plan.notes) == ({}, ())


@pytest.mark.parametrize(("study", "times"), [(STUDY, 0), (AUTO, 1)], ids=["sized", "automatic"])
def test_a_run_is_planned_again_only_after_sizing(tmp_path: Path, study: Study, times: int) -> None:
    asked: list[Sizes] = []

    def planner(sizes: Sizes) -> Plan:
        asked.append(sizes)
        return make_plan(study, synthetic_machine(), LayoutOptions(), PRECISION, sizes)

    likely = planner(choose_sizes(synthetic_machine(), ()))
    asked.clear()
    folder = new_folder(tmp_path / "run", study)
    measure(folder, FakeLauncher(), PRECISION, planner, ignore_progress, likely)
    assert len(asked) == times


def test_where_huge_pages_are_not_given_sizes_come_from_base_pages(tmp_path: Path) -> None:
    def behave(launch: Launch, record: Path) -> int:
        good(launch, record)
        record.write_bytes(
            record.read_bytes().replace(b'"page_bytes":2097152', b'"page_bytes":4096')
        )
        return 0

    folder = run_to_end(new_folder(tmp_path / "run", AUTO), FakeLauncher(behave))
    plan = folder.plan()
    assert plan is not None
    assert "(measured" in plan.notes[0]
    sizing = [o.spec for o in folder.outcomes()][: 2 * SIZING_LAUNCHES]
    assert sizing == ["sizing"] * SIZING_LAUNCHES + ["sizing on base pages"] * SIZING_LAUNCHES


def test_a_bandwidth_sweep_ends_where_the_made_up_link_is_flat(tmp_path: Path) -> None:
    """Its launches take the same time whatever the size, so that bandwidth is the same amount."""
    study = Study("sweep", "", "", (Experiment("network.bandwidth"),))
    folder = run_to_end(new_folder(tmp_path / "run", study), FakeLauncher())
    sizing = [o.spec for o in folder.outcomes()][:_MESSAGE_SIZING_LAUNCHES]
    assert sizing == ["sizing of messages"] * _MESSAGE_SIZING_LAUNCHES
    plan = folder.plan()
    assert plan is not None
    assert plan.sizes["network.bandwidth"] == 2 * SMALLEST_PROBED
    assert "beyond messages of 64 KiB" in plan.notes[0]


class HangingLauncher(FakeLauncher):
    """Launches of one benchmark do not end by themselves."""

    def __init__(self, benchmark: str, passing: Callable[[float], None]):
        super().__init__()
        self._benchmark = benchmark
        self._time_passes = passing

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        attempt = super().start(launch, record, limit_seconds)
        seconds, hangs = LAUNCH_SECONDS, launch.spec.benchmark == self._benchmark
        if hangs:
            record.unlink()
            seconds = limit_seconds
        self._time_passes(seconds)
        result = replace(attempt.result, wall_seconds=seconds, timed_out=hangs)
        return replace(attempt, result=result)


@pytest.mark.parametrize("benchmark", ["network.latency", "machine.reference"])
def test_a_program_that_hangs_costs_two_limits_and_does_not_lengthen_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, benchmark: str
) -> None:
    clock = FakeTime()
    monkeypatch.setattr(session_module, "time", clock)
    launcher = HangingLauncher(benchmark, clock.passes)
    folder = run_to_end(new_folder(tmp_path / "run"), launcher)
    hung = [o for o in folder.outcomes() if o.verdict is Verdict.TIMED_OUT]
    assert Counter(o.spec for o in hung).most_common(1)[0][1] == 2
    assert max(launcher.limits) == 30
    launched = sum(o.wall_seconds for o in folder.outcomes())
    assert folder.state().wall_seconds == pytest.approx(launched)
    folder.write_state(StateFile(RunState.RUNNING))
    assert a_session(folder, launcher).spent == pytest.approx(launched)


def test_the_knees_of_a_divided_curve_are_those_of_all_its_working_sets(tmp_path: Path) -> None:
    sizes = [2**power for power in range(14, 28)]
    whole, odd, even = (
        small_spec(name, *part)
        for name, part in (("whole", sizes), ("odd", sizes[1::2]), ("even", sizes[::2]))
    )
    session = a_session(new_folder(tmp_path / "run"), FakeLauncher())
    for number in range(1, 6):
        for spec in (whole, odd, even):
            session.launch(spec, number)
    expected = [knee.size_bytes for knee in knees_of(session.tally, whole)]
    assert expected
    assert [knee.size_bytes for knee in knees_of(session.tally, odd, even)] == expected
    assert [knee.size_bytes for knee in knees_of(session.tally, odd)] != expected


def test_a_curve_of_few_working_sets_has_no_knees(tmp_path: Path) -> None:
    sizes = [2**power for power in range(14, 28)]
    for count, found in ((5, False), (14, True)):
        spec = small_spec("curve", *sizes[-count:])
        session = a_session(new_folder(tmp_path / str(count)), FakeLauncher())
        for _ in range(5):
            session.launch(spec)
        assert bool(knees_of(session.tally, spec)) is found


def test_time_that_an_earlier_sitting_took_is_not_told_as_left_while_sizes_are_sought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeTime()
    monkeypatch.setattr(session_module, "time", clock)
    precision = replace(PRECISION, budget_seconds=60.0, least_launches=50, most_launches=50)
    folder = new_folder(tmp_path / "run", AUTO, precision=precision)
    folder.write_state(StateFile(RunState.INTERRUPTED, 40.0))
    told: list[RunProgress] = []
    machine = synthetic_machine()

    def planner(sizes: Sizes) -> Plan:
        return make_plan(AUTO, machine, LayoutOptions(), precision, sizes)

    measure(folder, FakeLauncher(passing=clock.passes), precision, planner, told.append)
    assert told[1].phase == "sizing"
    assert told[1].left == pytest.approx(clock.now, abs=5 * LAUNCH_SECONDS)
    assert clock.now < 30


def test_fewer_than_five_launches_show_no_levels(tmp_path: Path) -> None:
    spec = small_spec("curve", *(2**power for power in range(14, 28)))
    session = a_session(new_folder(tmp_path / "run"), FakeLauncher())
    found = []
    for _ in range(5):
        session.launch(spec)
        found.append(bool(knees_of(session.tally, spec)))
    assert found == [False] * 4 + [True]


def test_a_run_follows_the_size_that_earlier_runs_settled(tmp_path: Path) -> None:
    settled = LastCache(32 * MIB, 2 * MIB, 2 * MIB, 2 * MIB, 2 * MIB, settled=True)
    machine = synthetic_machine()

    def planner(sizes: Sizes) -> Plan:
        return make_plan(AUTO, machine, LayoutOptions(), PRECISION, sizes)

    folder = new_folder(tmp_path / "run", AUTO)
    earlier = (EarlierCache("first", settled),)
    measure(folder, FakeLauncher(), PRECISION, planner, ignore_progress, earlier=earlier)
    plan = folder.plan()
    assert plan is not None
    assert plan.last_cache is not None
    assert (plan.last_cache.size, plan.last_cache.runs) == (2 * MIB, ("first",))
    assert plan.last_cache.measured == 16 * MIB
    assert "with earlier run first: settled" in plan.notes[0]
