"""A run does without the launches of another MPI library, whether it is gone or it fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.cli.commands.run import exit_code_for
from machmeter.launch.launcher import Attempt
from machmeter.model.errors import ExitCode, MachineLacksError
from machmeter.model.plan.launch import Launch, Verdict
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.run import Plan, RunResult, RunState
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.planning.other_library import LIBRARY_LAUNCHES
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import Sizes
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    PRECISION,
    STUDY,
    Behavior,
    FakeLauncher,
    crash,
    good,
    new_folder,
    synthetic_machine,
)

OTHER = "openmpi"
SPEC = f"network.latency of {OTHER}"


def measured(folder: RunFolder, launcher: FakeLauncher) -> RunResult:
    """The result of a run on a machine that has another MPI library, at least as it began."""
    machine = synthetic_machine()
    machine = replace(machine, software=replace(machine.software, other_mpi=OTHER))

    def planner(sizes: Sizes) -> Plan:
        return make_plan(STUDY, machine, LayoutOptions(), PRECISION, sizes)

    measure(folder, launcher, PRECISION, planner, ignore_progress)
    return collect(folder)


def of_library(launches: list[Launch]) -> list[Launch]:
    return [launch for launch in launches if launch.spec.of_other_library]


class WithoutLibrary(FakeLauncher):
    """A machine whose other MPI library is gone."""

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        if launch.spec.of_other_library:
            raise MachineLacksError(f"this machine has no {OTHER}", "install it")
        return super().start(launch, record, limit_seconds)


def interrupted_at(number: int) -> Behavior:
    """Whoever runs it leaves during the launch of that number of the other library."""

    def behave(launch: Launch, record: Path) -> int:
        count = seen.append(launch.number) or len(seen) if launch.spec.of_other_library else 0
        if count == number:
            raise KeyboardInterrupt
        return good(launch, record)

    seen: list[int] = []
    return behave


@pytest.mark.parametrize("number", range(1, LIBRARY_LAUNCHES + 1))
def test_a_run_is_resumed_where_the_other_library_is_gone(tmp_path: Path, number: int) -> None:
    folder = new_folder(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        measured(folder, FakeLauncher(interrupted_at(number)))
    launcher = WithoutLibrary()
    result = measured(folder, launcher)
    assert result.state is RunState.FINISHED
    assert launcher.started
    assert not of_library(launcher.started)
    kept = [one.verdict for one in folder.outcomes() if one.spec == SPEC]
    assert kept.count(Verdict.ACCEPTED) == number - 1
    assert {one.point.benchmark for one in result.estimates} == {
        experiment.benchmark for experiment in STUDY.experiments
    }
    assert exit_code_for(result) is ExitCode.DONE


def test_launches_of_the_other_library_that_fail_change_nothing_else(tmp_path: Path) -> None:
    def failing(launch: Launch, record: Path) -> int:
        return (crash if launch.spec.of_other_library else good)(launch, record)

    folder, launcher = new_folder(tmp_path / "fails"), FakeLauncher(failing)
    result = measured(folder, launcher)
    whole = measured(new_folder(tmp_path / "whole"), FakeLauncher())
    assert of_library(launcher.started)
    failed = {one.spec for one in folder.outcomes() if one.verdict is not Verdict.ACCEPTED}
    assert failed == {SPEC}
    assert exit_code_for(result) is exit_code_for(whole) is ExitCode.DONE
    assert [one.question for one in result.findings] == [one.question for one in whole.findings]
    assert [one.point for one in result.estimates] == [one.point for one in whole.estimates]
    more = [one for one in result.caveats if one not in whole.caveats]
    assert [one.kind for one in more] == [CaveatKind.NOT_MEASURED]
    assert more[0].text.startswith(f"{SPEC}, for comparison: ")
