"""A run from its first launch to its last: rounds, resume, giving up, time."""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.launch.launcher import Attempt
from machmeter.launch.process import ProcessResult
from machmeter.model.errors import MachineLacksError, MachmeterError
from machmeter.model.plan.launch import FEWEST_LAUNCHES, Launch, LaunchOutcome, Verdict
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import RunState
from machmeter.run.measuring import session as session_module
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import RunProgress, ignore_progress
from machmeter.run.measuring.session import Session
from machmeter.run.planning.plan import (
    REFERENCE_END,
    REFERENCE_LAUNCHES,
    REFERENCE_START,
    make_plan,
)
from machmeter.run.planning.sizing import NO_SIZES, SIZING_LAUNCHES
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    AUTO,
    LAUNCH_SECONDS,
    MIB,
    PRECISION,
    STUDY,
    FakeLauncher,
    FakeTime,
    a_session,
    crash,
    good,
    new_folder,
    record_lines,
    run_to_end,
    small_spec,
    synthetic_machine,
)


def accepted(folder: RunFolder) -> list[LaunchOutcome]:
    return [o for o in folder.outcomes() if o.verdict is Verdict.ACCEPTED]


def test_a_run_sizes_then_measures_in_rounds_between_reference_launches(tmp_path: Path) -> None:
    launcher = FakeLauncher()
    folder = run_to_end(new_folder(tmp_path / "run", AUTO), launcher)
    names = [launch.spec.name for launch in launcher.started]
    plan = folder.plan()
    assert plan is not None
    assert plan.sizes["memory.latency"] > 8 * MIB
    points = [spec.name for spec in plan.specs if spec.of_points]
    assert names[:SIZING_LAUNCHES] == ["sizing"] * SIZING_LAUNCHES
    assert names[SIZING_LAUNCHES:][:REFERENCE_LAUNCHES] == [REFERENCE_START] * REFERENCE_LAUNCHES
    assert names[-REFERENCE_LAUNCHES:] == [REFERENCE_END] * REFERENCE_LAUNCHES
    for number in range(1, PRECISION.least_launches + 1):
        in_round = [launch.spec.name for launch in launcher.started if launch.round == number]
        assert sorted(in_round) == sorted(points)
    assert folder.state().state is RunState.FINISHED
    assert collect(folder).estimates


def test_the_order_within_rounds_differs_and_is_drawn_from_the_seed(tmp_path: Path) -> None:
    started = []
    for name in ("one", "two"):
        launcher = FakeLauncher()
        run_to_end(new_folder(tmp_path / name), launcher)
        started.append([(launch.spec.name, launch.seed) for launch in launcher.started])
    assert started[0] == started[1]
    assert len({seed for _, seed in started[0]}) == len(started[0])


def whole_run(path: Path) -> tuple[int, Counter[str]]:
    folder = run_to_end(new_folder(path), FakeLauncher())
    return len(folder.launch_numbers()), Counter(o.spec for o in accepted(folder))


class Killed(BaseException):
    """Stands for kill -9: nothing of ours runs after it."""


def killed_at(turn: int, *, after_record: bool) -> FakeLauncher:
    """Ends like kill -9 in launch `turn`, before or after its record is whole."""

    def behave(launch: Launch, record: Path) -> int:
        if len(launcher.started) == turn:
            if after_record:
                good(launch, record)
            else:
                crash(launch, record)
            raise Killed
        return good(launch, record)

    launcher = FakeLauncher(behave)
    return launcher


@pytest.mark.parametrize("after_record", [False, True])
@pytest.mark.parametrize("turn", [1, 4, 9, 11, 14, 24, 27])
def test_a_killed_run_goes_on_with_nothing_lost_and_nothing_measured_twice(
    tmp_path: Path, turn: int, after_record: bool
) -> None:
    launches, by_spec = whole_run(tmp_path / "uninterrupted")
    folder = new_folder(tmp_path / "run")
    with pytest.raises(Killed):
        run_to_end(folder, killed_at(turn, after_record=after_record))
    before = {o.launch: o for o in folder.outcomes()}
    second = FakeLauncher()
    run_to_end(RunFolder.open(folder.path), second)
    after = {o.launch: o for o in folder.outcomes()}
    assert {number: after[number] for number in before} == before
    assert len(after) == launches + (not after_record)
    assert Counter(o.spec for o in accepted(folder)) == by_spec
    assert min((launch.number for launch in second.started), default=turn + 1) == turn + 1
    settled = after[turn]
    assert (settled.verdict is Verdict.ACCEPTED) == after_record
    assert settled.interrupted != after_record
    rounds = Counter((o.round, o.spec) for o in accepted(folder) if o.round)
    assert set(rounds.values()) == {1}
    complete = Counter(o.round for o in accepted(folder) if o.round)
    assert len({complete[n] for n in range(1, PRECISION.least_launches + 1)}) == 1
    assert collect(folder).state is RunState.FINISHED


def test_a_run_killed_again_and_again_in_one_spec_does_not_give_it_up(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    for _ in range(4):
        with pytest.raises(Killed):
            run_to_end(folder, killed_at(1, after_record=False))
    launcher = FakeLauncher()
    run_to_end(folder, launcher)
    assert Counter(o.spec for o in accepted(folder))[REFERENCE_START] == REFERENCE_LAUNCHES


def test_a_finished_run_launches_nothing_more(tmp_path: Path) -> None:
    folder = run_to_end(new_folder(tmp_path / "run"), FakeLauncher())
    again = FakeLauncher()
    run_to_end(folder, again)
    assert again.started == []


@pytest.mark.parametrize("turn", [9, 12, 15, 24, 26])
def test_what_an_interrupted_run_measured_can_be_reported(tmp_path: Path, turn: int) -> None:
    folder = new_folder(tmp_path / "run")
    with pytest.raises(Killed):
        run_to_end(folder, killed_at(turn, after_record=False))
    result = collect(folder)
    assert len(result.outcomes) == turn - 1


def test_a_spec_whose_launches_fail_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    def behave(launch: Launch, record: Path) -> int:
        return (crash if launch.spec.benchmark == "network.latency" else good)(launch, record)

    launcher = FakeLauncher(behave)
    folder = run_to_end(new_folder(tmp_path / "run"), launcher)
    plan = folder.plan()
    assert plan is not None
    for spec in plan.specs:
        failing = spec.benchmark == "network.latency"
        kept = sum(o.spec == spec.name for o in accepted(folder))
        assert len(launcher.of(spec)) == (3 if failing else kept)
        assert kept >= (0 if failing else 3)
    result = collect(folder)
    assert all(e.point.benchmark != "network.latency" for e in result.estimates)
    assert any("signal 11" in caveat.text for caveat in result.caveats)
    assert any(caveat.text.startswith("given up: network.latency") for caveat in result.caveats)


def test_a_launch_that_ran_elsewhere_is_rejected_with_both_printed(tmp_path: Path) -> None:
    def behave(launch: Launch, record: Path) -> int:
        record.write_bytes(b"".join(record_lines(launch, cpu_shift=1)))
        return 0

    folder = new_folder(tmp_path / "run")
    session = a_session(folder, FakeLauncher(behave))
    outcome = session.launch(small_spec())
    assert outcome.verdict is Verdict.REJECTED
    assert "requested CPUs 0, allowed CPUs 1" in outcome.reasons[0]
    assert session.launches(small_spec()) == 0


def test_what_is_asked_of_a_launch_is_on_disk_before_it_starts(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    seen = []

    def behave(launch: Launch, record: Path) -> int:
        seen.append((folder.launch(launch.number), folder.outcome(launch.number)))
        return good(launch, record)

    launcher = FakeLauncher(behave)
    a_session(folder, launcher).launch(small_spec())
    assert seen == [(launcher.started[0], None)]


@pytest.mark.parametrize("budget", [1.0, 20.0, 40.0])
def test_the_time_is_kept_after_the_first_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: float
) -> None:
    clock = FakeTime()
    monkeypatch.setattr(session_module, "time", clock)
    precision = replace(PRECISION, budget_seconds=budget, least_launches=20, most_launches=20)
    launcher = FakeLauncher(passing=clock.passes)
    folder = run_to_end(new_folder(tmp_path / "run", precision=precision), launcher, precision)
    plan = folder.plan()
    assert plan is not None
    specs = [spec for spec in plan.specs if spec.of_points]
    first = 2 * REFERENCE_LAUNCHES + FEWEST_LAUNCHES * len(specs)
    assert budget - 2 < clock.now <= max(budget, first * LAUNCH_SECONDS)
    assert all(len(launcher.of(spec)) >= FEWEST_LAUNCHES for spec in specs)
    assert Counter(o.spec for o in accepted(folder))[REFERENCE_END] == REFERENCE_LAUNCHES


def test_of_what_fills_the_memory_one_launch_is_made_whatever_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeTime()
    monkeypatch.setattr(session_module, "time", clock)
    precision = replace(PRECISION, budget_seconds=1.0, least_launches=20, most_launches=20)
    launcher = FakeLauncher(passing=clock.passes)
    folder = new_folder(tmp_path / "run", precision=precision)
    plan = make_plan(STUDY, folder.header().machine, LayoutOptions(), precision, NO_SIZES)
    once = next(spec for spec in plan.specs if spec.of_points)
    specs = tuple(replace(one, fewest_launches=1) if one == once else one for one in plan.specs)
    folder.write_plan(replace(plan, specs=specs))
    folder = run_to_end(folder, launcher, precision)
    counts = {spec.name: len(launcher.of(spec)) for spec in specs if spec.of_points}
    assert counts.pop(once.name) == 1
    assert set(counts.values()) == {FEWEST_LAUNCHES}


def test_the_time_of_a_killed_sitting_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeTime()
    monkeypatch.setattr(session_module, "time", clock)
    precision = replace(PRECISION, budget_seconds=30.0, least_launches=50, most_launches=50)
    folder = new_folder(tmp_path / "run", precision=precision)

    def behave(launch: Launch, record: Path) -> int:
        if launch.number == 30:
            # kill -9 leaves the state as it was when the sitting began.
            raise Killed
        return good(launch, record)

    state = None
    try:
        run_to_end(folder, FakeLauncher(behave, clock.passes), precision)
    except Killed:
        state = folder.state()
    assert state is not None
    folder.write_state(replace(state, state=RunState.RUNNING, wall_seconds=0.0))
    run_to_end(folder, FakeLauncher(passing=clock.passes), precision)
    assert clock.now <= 30.0
    assert folder.state().wall_seconds == pytest.approx(clock.now)


def test_progress_counts_up_and_says_what_runs(tmp_path: Path) -> None:
    told: list[RunProgress] = []
    folder = new_folder(tmp_path / "run")
    topology = synthetic_machine().topology
    session = Session(folder, FakeLauncher(), topology, PRECISION, told.append)
    spec = small_spec()
    for _ in range(3):
        session.notify("measuring", spec.name, (spec,), 60.0)
        session.launch(spec)
    session.notify("measuring", spec.name, (spec,), 60.0)
    assert [progress.launches_done for progress in told] == [0, 1, 2, 3]
    assert told[-1].left == 0
    assert all(progress.left <= 60 for progress in told)


def told_with_a_clock(
    folder: RunFolder, clock: FakeTime, budget: float, least: int
) -> list[tuple[float, RunProgress]]:
    precision = replace(PRECISION, budget_seconds=budget, least_launches=least, most_launches=least)
    told: list[tuple[float, RunProgress]] = []
    measure(
        folder,
        FakeLauncher(passing=clock.passes),
        precision,
        lambda sizes: make_plan(STUDY, synthetic_machine(), LayoutOptions(), precision, sizes),
        lambda progress: told.append((clock.now, progress)),
    )
    return told


def test_the_time_left_only_falls_while_variance_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeTime()
    monkeypatch.setattr(session_module, "time", clock)
    precision = replace(PRECISION, budget_seconds=60.0, least_launches=3, most_launches=500)
    folder = new_folder(tmp_path / "run", precision=precision)
    told: list[RunProgress] = []
    measure(
        folder,
        FakeLauncher(passing=clock.passes),
        precision,
        lambda sizes: make_plan(STUDY, synthetic_machine(), LayoutOptions(), precision, sizes),
        told.append,
    )
    early = [progress.left for progress in told if progress.at_most]
    assert len(early) > 3
    for before, after in pairwise(early):
        assert after < before + 2 * LAUNCH_SECONDS
    assert early[0] > early[-1] > 50
    assert not told[-1].at_most


@pytest.mark.parametrize("budget", [1.0, 20.0, 40.0])
def test_the_time_left_that_is_told_is_true_though_the_budget_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: float
) -> None:
    clock = FakeTime()
    monkeypatch.setattr(session_module, "time", clock)
    precision = replace(PRECISION, budget_seconds=budget)
    folder = new_folder(tmp_path / "run", precision=precision)
    told = told_with_a_clock(folder, clock, budget, 50)
    # From the second launch on it is known how long launches take here.
    for then, progress in told[1:]:
        assert progress.left == pytest.approx(clock.now - then, rel=0.3, abs=3 * LAUNCH_SECONDS)
    beyond = [progress.over for _, progress in told if progress.over]
    assert bool(beyond) == (budget == 1.0)
    assert all(over <= clock.now - budget + LAUNCH_SECONDS for over in beyond)


def test_what_a_killed_launch_left_is_gone_once_the_run_goes_on(tmp_path: Path) -> None:
    def killed(launch: Launch, record: Path) -> int:
        if launch.number < 2:
            return good(launch, record)
        crash(launch, record)
        record.with_suffix(".files").mkdir()
        (record.with_suffix(".files") / "out").write_text("x")
        for name in (f"{record.name}.rank.0", f".{record.stem}.launch.json.77.partial"):
            record.with_name(name).write_text("{")
        raise KeyboardInterrupt

    folder = new_folder(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        run_to_end(folder, FakeLauncher(killed))
    kept = folder.record_path(1).with_suffix(".files")
    kept.mkdir()
    assert len(list((folder.path / "launches").glob("*00002*"))) == 5
    run_to_end(folder, FakeLauncher())
    left = {path.name for path in (folder.path / "launches").glob("*00002*")}
    assert left == {"00002.launch.json", "00002.outcome.json"}
    assert kept.exists(), "what a launch that ended keeps"


def test_a_resumed_run_removes_what_the_killed_one_was_writing(tmp_path: Path) -> None:
    folder = run_to_end(new_folder(tmp_path / "run"), FakeLauncher())
    left = [
        folder.path / ".state.json.77.partial",
        folder.path / "launches/.00099.launch.json.7.partial",
    ]
    for one in left:
        one.touch()
    run_to_end(folder, FakeLauncher())
    assert not any(one.exists() for one in left)


def test_a_run_with_impossible_samples_is_not_resumed(tmp_path: Path) -> None:
    folder = run_to_end(new_folder(tmp_path / "run"), FakeLauncher())
    record = folder.record_path(2)
    damaged = re.sub(rb'("series":\{"[a-z]+":\[)[^,]+', rb"\g<1>5e-324", record.read_bytes())
    record.write_bytes(damaged)
    with pytest.raises(MachmeterError, match=r"launch 2 of the run in .*5e-324"):
        run_to_end(folder, FakeLauncher())


@pytest.mark.parametrize(
    ("code", "said", "told"),
    [
        (3, "machmeter-mpi: rank 0: this MPI cannot; use another one", "use another one"),
        (3, "", "exit code 3"),
        (os.EX_IOERR, "machmeter-node: cannot write record 1: File too large", "disk is full"),
        (os.EX_IOERR, "", "disk is full"),
    ],
)
def test_what_a_program_lacks_ends_the_run_in_its_words(
    code: int, said: str, told: str, tmp_path: Path
) -> None:
    class Lacking(FakeLauncher):
        def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
            return Attempt(("program",), ProcessResult(code, 0.1, False, f"{said}\n"))

    folder = new_folder(tmp_path / "run")
    session = Session(folder, Lacking(), synthetic_machine().topology, PRECISION, ignore_progress)
    with pytest.raises(MachineLacksError, match=told) as caught:
        session.launch(small_spec())
    assert ("disk is full" in caught.value.message) == (told == "disk is full")
    assert "--resume" in caught.value.remedy
