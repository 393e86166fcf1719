"""Launches that others disturb: waited for, repeated in their place, shown and not used."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from machmeter.api.measuring import is_clean
from machmeter.launch.launcher import Attempt
from machmeter.model.plan.launch import Closing, Header, Launch, LaunchOutcome, Noise, Verdict
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.run import RunHeader
from machmeter.run.measuring import quiet as quiet_module
from machmeter.run.measuring.progress import RunProgress
from machmeter.run.measuring.quiet import LOOK_SECONDS, QuietWatch
from machmeter.run.measuring.session import Session
from machmeter.run.planning.plan import REFERENCE_START
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    PRECISION,
    FakeLauncher,
    good,
    new_folder,
    record_lines,
    run_to_end,
    small_spec,
    synthetic_machine,
)

SECONDS = 2.0
STILL = 0.5


def disturbed(launch: Launch, record: Path, share: float = 0.5) -> int:
    """Write a whole record that says that others took `share` of the time of its CPUs."""
    first, *points, last = record_lines(launch)
    header = msgspec.json.decode(first, type=Header)
    closing = msgspec.json.decode(last, type=Closing)
    cpus = {cpu for place in header.places if place.rank == 0 for cpu in place.cpus}
    before = Noise("made-up-host", (), (), 0.0, 1, 0.1, "b", None, 0.0, 0.0)
    after = replace(before, own_seconds=0.1, busy_seconds=0.1 + share * SECONDS * len(cpus))
    header = replace(header, started="2026-11-21T10:00:01+00:00", noise=(before,))
    closing = replace(closing, ended="2026-11-21T10:00:03+00:00", noise=(after,))
    whole = [msgspec.json.encode(header) + b"\n", *points, msgspec.json.encode(closing) + b"\n"]
    record.write_bytes(b"".join(whole))
    return 0


def now_and_then(which: Callable[[Launch], bool]) -> FakeLauncher:
    def behave(launch: Launch, record: Path) -> int:
        return disturbed(launch, record) if which(launch) else good(launch, record)

    return FakeLauncher(behave)


def of_points(folder: RunFolder) -> list[LaunchOutcome]:
    return [one for one in folder.outcomes() if one.round]


def test_a_disturbed_launch_is_repeated_in_its_place(tmp_path: Path) -> None:
    launcher = now_and_then(lambda launch: launch.number == 13)
    folder = run_to_end(new_folder(tmp_path / "run"), launcher)
    ended = of_points(folder)
    (first,) = (one for one in ended if one.verdict is Verdict.CONTENDED)
    again = next(one for one in ended if one.launch == first.launch + 1)
    assert (again.spec, again.round, again.verdict) == (first.spec, first.round, Verdict.ACCEPTED)
    assert first.share_of_others == pytest.approx(0.5)
    result = collect(folder)
    assert result.disturbed == ()
    assert is_clean(result)


def test_one_caveat_says_how_often_others_disturbed(tmp_path: Path) -> None:
    launcher = now_and_then(lambda launch: launch.number % 3 == 0)
    result = collect(run_to_end(new_folder(tmp_path / "run"), launcher))
    said = [one for one in result.caveats if "other programs used" in one.text]
    count = sum(one.verdict is Verdict.CONTENDED for one in result.outcomes)
    assert len(said) == 1
    assert f"used 50 % of the CPUs in {count} of {len(result.outcomes)} launches" in said[0].text
    kinds = {one.kind for one in result.caveats}
    assert not kinds & {CaveatKind.FAILED_LAUNCHES, CaveatKind.GIVEN_UP}


def test_what_others_disturb_always_is_shown_and_is_no_result(tmp_path: Path) -> None:
    launcher = now_and_then(lambda launch: launch.spec.of_points)
    folder = run_to_end(new_folder(tmp_path / "run"), launcher)
    result = collect(folder)
    assert result.estimates == ()
    assert result.disturbed
    assert {one.launches for one in result.disturbed} == {PRECISION.least_launches}
    assert not any(finding.cases for finding in result.findings)
    assert not is_clean(result)
    counts = Counter(one.spec for one in of_points(folder))
    assert set(counts.values()) == {10}, "ten in a row are given up"
    few = [one for one in result.caveats if one.kind is CaveatKind.FEW_LAUNCHES]
    assert [one.remedy for one in few] == ["measure when they have ended, or on a node of your own"]


def test_the_least_disturbed_launches_are_shown(tmp_path: Path) -> None:
    def behave(launch: Launch, record: Path) -> int:
        share = 0.2 if launch.number % 2 else 0.8
        return disturbed(launch, record, share if launch.spec.of_points else 0.0)

    folder = run_to_end(new_folder(tmp_path / "run"), FakeLauncher(behave))
    shares = {one.launch: one.share_of_others for one in folder.outcomes()}
    result = collect(folder)
    numbers = {number for one in result.disturbed for number in one.launch_numbers}
    assert {shares[number] for number in numbers} == {0.2}


def among_others(folder: RunFolder) -> RunFolder:
    path = folder.path / "run.json"
    header = msgspec.json.decode(path.read_bytes(), type=RunHeader)
    changed = replace(header, request=replace(header.request, among_others=True))
    path.write_bytes(msgspec.json.encode(changed))
    return RunFolder.open(folder.path)


def test_among_others_every_launch_counts(tmp_path: Path) -> None:
    folder = among_others(new_folder(tmp_path / "run"))
    run_to_end(folder, now_and_then(lambda _: True))
    assert {one.verdict for one in folder.outcomes()} == {Verdict.ACCEPTED}
    result = collect(folder)
    assert result.estimates
    assert any(one.kind is CaveatKind.AMONG_OTHERS for one in result.caveats)


class Machine:
    """/proc/stat of two CPUs, of which others use the first one until a moment."""

    def __init__(self, path: Path, until: float) -> None:
        self.path, self.until, self.now, self.busy = path, until, 0.0, 0.0
        self.write()

    def write(self) -> None:
        running = 2 if self.now < self.until else 1
        ticks = round(100 * self.busy)
        self.path.write_text(
            f"cpu {ticks} 0 0 0 0 0 0 0 0 0\ncpu0 {ticks} 0 0 9 0 0 0 0 0 0\n"
            f"cpu1 0 0 0 9 0 0 0 0 0 0\nprocs_running {running}\n"
        )

    def sleep(self, seconds: float) -> None:
        self.busy += max(min(self.until - self.now, seconds), 0.0)
        self.now += seconds
        self.write()

    def monotonic(self) -> float:
        return self.now


def watched(
    monkeypatch: pytest.MonkeyPatch, path: Path, until: float, allowed: float = 100.0
) -> QuietWatch:
    machine = Machine(path / "stat", until)
    monkeypatch.setattr(quiet_module, "time", machine)
    return QuietWatch(allowed, machine.path)


def test_a_launch_waits_until_others_leave_its_cpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []
    waited = watched(monkeypatch, tmp_path, 3.0).wait({0}, seen.append)
    assert waited is not None
    assert waited.seconds == pytest.approx(3.0 + LOOK_SECONDS, abs=LOOK_SECONDS)
    assert waited.busy < 0.1
    assert seen[0] == pytest.approx(1.0)


def test_others_on_other_cpus_cost_one_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = watched(monkeypatch, tmp_path, 3.0).wait({1}, lambda _: None)
    assert waited is not None
    assert (waited.seconds, waited.busy) == (pytest.approx(LOOK_SECONDS), 0.0)


def test_where_nothing_runs_nobody_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited = watched(monkeypatch, tmp_path, 0.0).wait({0, 1}, lambda _: None)
    assert waited is not None
    assert waited.seconds == 0.0


def test_where_others_stay_waits_get_shorter_and_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = watched(monkeypatch, tmp_path, 1e9, allowed=12.0)
    lengths = []
    for _ in range(20):
        waited = watch.wait({0, 1}, lambda _: None)
        lengths.append(waited.seconds if waited else 0.0)
        watch.spend(lengths[-1])
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[1] > lengths[5]
    assert sum(lengths) == pytest.approx(12.0, abs=2 * LOOK_SECONDS)
    assert lengths[-1] == 0.0


@pytest.mark.parametrize("text", ["", "cpu0 1 2 3\nprocs_running 2\n", "procs_running x\n"])
def test_where_the_kernel_does_not_say_nobody_waits(tmp_path: Path, text: str) -> None:
    (tmp_path / "stat").write_text(text)
    watch = QuietWatch(10.0, tmp_path / "stat")
    assert watch.wait({0}, lambda _: None) is None
    assert QuietWatch(10.0, tmp_path / "gone").wait({0}, lambda _: None) is None


def test_a_wait_is_reported_and_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, seen = new_folder(tmp_path / "run"), list[RunProgress]()
    watch = watched(monkeypatch, tmp_path, 1.0)
    topology = synthetic_machine().topology
    session = Session(folder, FakeLauncher(), topology, PRECISION, seen.append, watch)
    spec = small_spec()
    session.notify("measuring", spec.name, (spec,), 10.0)
    outcome = session.launch(spec)
    assert outcome.waited is not None
    assert outcome.waited.seconds > 0.5
    kept = folder.outcome(outcome.launch)
    assert kept is not None
    assert kept.waited == outcome.waited
    assert seen[-1].phase == "waiting for quiet CPUs"


class Killed(BaseException):
    """Stands for kill -9."""


def test_a_resumed_run_does_not_begin_its_reference_again(tmp_path: Path) -> None:
    """Launches hours later say nothing of the start."""

    def behave(launch: Launch, record: Path) -> int:
        if launch.round == 2:
            raise Killed
        of_start = launch.spec.name == REFERENCE_START
        return disturbed(launch, record) if of_start else good(launch, record)

    folder, first, second = new_folder(tmp_path / "run"), FakeLauncher(behave), FakeLauncher()
    with pytest.raises(Killed):
        run_to_end(folder, first)
    assert any(one.spec.name == REFERENCE_START for one in first.started)
    run_to_end(RunFolder.open(folder.path), second)
    assert second.started
    assert not any(one.spec.name == REFERENCE_START for one in second.started)


class Suspended(FakeLauncher):
    """Everything stands still for a while in one launch."""

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        attempt = super().start(launch, record, limit_seconds)
        still = STILL if launch.number == 13 else 0.0
        time.sleep(still)
        return replace(attempt, result=replace(attempt.result, stopped_seconds=still))


def test_a_launch_that_stood_still_is_made_again_and_costs_the_budget_nothing(
    tmp_path: Path,
) -> None:
    begin = time.monotonic()
    folder = run_to_end(new_folder(tmp_path / "run"), Suspended())
    assert folder.state().wall_seconds <= time.monotonic() - begin - STILL
    (stopped,) = (one for one in folder.outcomes() if one.verdict is not Verdict.ACCEPTED)
    assert (stopped.verdict, stopped.stopped_seconds) == (Verdict.CONTENDED, STILL)
    again = next(one for one in folder.outcomes() if one.launch == stopped.launch + 1)
    assert (again.spec, again.verdict) == (stopped.spec, Verdict.ACCEPTED)
    result = collect(folder)
    assert is_clean(result)
    assert not any("other programs" in one.text for one in result.caveats)
    assert sum("stood still" in one.text for one in result.caveats) == 1
