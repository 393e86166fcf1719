"""What becomes of a pair whose first half a killed sitting measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.model.layout import WaitPolicy
from machmeter.model.plan.launch import Launch, LaunchSpec, Verdict
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.run import Precision
from machmeter.run.measuring import session as session_module
from machmeter.run.measuring.progress import RunProgress
from machmeter.run.measuring.start import measure_run
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    LAUNCH_SECONDS,
    PRECISION,
    FakeLauncher,
    FakeTime,
    crash,
    good,
)
from tests.support.made_up.ab_runs import ASKED, ByRole, asking, measured, slower_by, two_sided

STUDY = Study("small", "", "", (Experiment("memory.latency", {"size": (8192, 16384)}),))


class Killed(BaseException):
    """What ends a sitting between two launches."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    made = FakeTime()
    monkeypatch.setattr(session_module, "time", made)
    return made


def launcher(clock: FakeTime, kill_in_round: int = 0) -> ByRole:
    """Kills the run before the second launch of that round."""
    begun: list[int] = []

    def behave(launch: Launch, record: Path) -> int:
        if launch.round == kill_in_round > 0:
            begun.append(launch.number)
            if len(begun) == 2:
                raise Killed
        old = launch.spec.variant.is_baseline
        return slower_by(1.5, launch, record) if old else good(launch, record)

    return ByRole(*(FakeLauncher(behave, clock.passes) for _ in range(2)))


def killed_and_resumed(path: Path, precision: Precision, clock: FakeTime) -> RunFolder:
    folder = two_sided(path, replace(asking(STUDY), precision=precision))
    with pytest.raises(Killed):
        measured(folder, launcher(clock, kill_in_round=2))
    return measured(RunFolder.open(folder.path), launcher(clock))


def rounds_by_pair(folder: RunFolder) -> list[tuple[set[int], set[int]]]:
    """Rounds that count, of the candidate and of the old one, for every pair of the plan."""
    plan = folder.plan()
    assert plan is not None
    counted = [o for o in folder.outcomes() if o.verdict is Verdict.ACCEPTED]

    def rounds(name: str) -> set[int]:
        return {outcome.round for outcome in counted if outcome.spec == name}

    old: list[LaunchSpec] = [spec for spec in plan.specs if spec.variant.is_baseline]
    return [(rounds(spec.group), rounds(spec.name)) for spec in old]


def test_as_many_whole_pairs_are_measured_as_without_the_kill(
    tmp_path: Path, clock: FakeTime
) -> None:
    always = replace(PRECISION, least_launches=3, most_launches=3)
    pairs = rounds_by_pair(killed_and_resumed(tmp_path / "run", always, clock))
    assert [len(new & old) for new, old in pairs] == [3] * len(pairs)
    halves = [new ^ old for new, old in pairs if new != old]
    assert halves == [{2}], "the half is there, and nothing was launched alone afterwards"


def test_the_first_two_pairs_are_made_up_though_the_time_is_over(
    tmp_path: Path, clock: FakeTime
) -> None:
    short = replace(PRECISION, budget_seconds=2.0)
    pairs = rounds_by_pair(killed_and_resumed(tmp_path / "run", short, clock))
    assert [len(new & old) for new, old in pairs] == [2] * len(pairs)


def test_a_side_whose_partner_never_works_is_measured_as_often_as_asked(
    tmp_path: Path, clock: FakeTime
) -> None:
    precision = replace(PRECISION, least_launches=4, most_launches=4)
    folder = two_sided(tmp_path / "run", replace(asking(STUDY), precision=precision))
    sides = ByRole(FakeLauncher(good, clock.passes), FakeLauncher(crash, clock.passes))
    for new, old in rounds_by_pair(measured(folder, sides)):
        assert (len(new), old) == (4, set())


def test_launches_that_failed_are_not_told_as_still_to_come(
    tmp_path: Path, clock: FakeTime
) -> None:
    """The first rounds are made whatever the time, and no further ones for what failed in them."""
    short = replace(PRECISION, budget_seconds=1.0)
    alike = LayoutOptions(wait_policies=(WaitPolicy.ACTIVE, WaitPolicy.PASSIVE))
    asked = replace(ASKED, precision=short, layout_options=alike)
    folder = two_sided(tmp_path / "run", asked)
    sides = ByRole(FakeLauncher(good, clock.passes), FakeLauncher(crash, clock.passes))
    told: list[tuple[float, RunProgress]] = []
    measure_run(folder, sides, lambda progress: told.append((clock.now, progress)))
    then, last = [one for one in told if one[1].phase == "measuring"][-1]
    assert last.left == pytest.approx(clock.now - then, abs=2 * LAUNCH_SECONDS)
