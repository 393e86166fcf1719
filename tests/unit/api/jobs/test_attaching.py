"""A job is followed until it or its run has ended, or Slurm is silent for too long."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.jobs.attaching import attach
from machmeter.model.errors import MachineLacksError, MachmeterError
from machmeter.model.plan.submission import Allocation, Submission
from machmeter.model.results.run import RunState
from machmeter.run.measuring.progress import RunProgress
from machmeter.store.files import write_json
from machmeter.store.run_folder import RunFolder, StateFile
from tests.support.processes.native_programs import executable


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("machmeter.api.jobs.attaching._PAUSE_SECONDS", 0.01)


@pytest.fixture
def submitted(finished_run: RunFolder, tmp_path: Path) -> RunFolder:
    """A run that job 12 measures."""
    shutil.copytree(finished_run.path, tmp_path / "run")
    submission = Submission("12", Allocation(1, 600.0), "2026-11-30T09:00:00+00:00", "login", "1")
    write_json(tmp_path / "run" / "job.json", submission)
    return RunFolder(tmp_path / "run")


def with_squeue(folder: Path, script: str) -> Context:
    (folder / "tools").mkdir()
    executable(folder / "tools" / "squeue", script)
    environment = {"PATH": f"{folder}/tools:/usr/bin:/bin"}
    return Context(environment=environment, data=folder / "data", cache=folder / "cache")


def test_a_run_that_has_finished_needs_no_answer_of_slurm(
    submitted: RunFolder, tmp_path: Path
) -> None:
    asked = f"touch {tmp_path}/asked; echo 'RUNNING|9:00|n1|None'"
    run = attach(submitted.path, context=with_squeue(tmp_path, asked))
    assert run.folder == submitted.path
    assert not (tmp_path / "asked").exists()


def test_a_run_that_finishes_ends_following_before_its_job_has(
    submitted: RunFolder, tmp_path: Path
) -> None:
    state = submitted.path / "state.json"
    state.rename(tmp_path / "state.json")
    finishing = f"echo 'RUNNING|9:00|n1|None'; mv {tmp_path}/state.json {state}"
    assert attach(submitted.path, context=with_squeue(tmp_path, finishing)).folder


def test_without_slurm_a_job_cannot_be_followed(submitted: RunFolder, tmp_path: Path) -> None:
    submitted.write_state(StateFile(RunState.RUNNING))
    context = Context(environment={"PATH": str(tmp_path)}, data=tmp_path, cache=tmp_path)
    with pytest.raises(MachineLacksError, match="has no squeue"):
        attach(submitted.path, context=context)


def test_a_controller_that_stays_away_ends_following(
    submitted: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("machmeter.api.jobs.attaching._SILENCE_SECONDS", 0.1)
    submitted.write_state(StateFile(RunState.RUNNING))
    warned: list[MachmeterError] = []
    context = replace(with_squeue(tmp_path, "exit 1"), warn=warned.append)
    with pytest.raises(MachineLacksError, match="does not answer") as ended:
        attach(submitted.path, context=context)
    assert f"machmeter attach {submitted.path}" in ended.value.remedy
    assert len(warned) == 1


def test_time_between_two_jobs_of_a_run_is_no_time_of_it(
    submitted: RunFolder, tmp_path: Path
) -> None:
    submitted.write_state(StateFile(RunState.RUNNING, 1.0))
    took = sum(one.wall_seconds for one in submitted.outcomes())
    done = len(submitted.launch_numbers())
    seen: list[RunProgress] = []
    once = f"mkdir {tmp_path}/asked && echo 'RUNNING|9:00|n1|None' || echo 'FAILED|9:00|n1|None'"
    context = replace(with_squeue(tmp_path, once), on_progress=seen.append)
    with pytest.raises(MachmeterError, match="its run has not"):
        attach(submitted.path, context=context)
    assert [(one.elapsed, one.launches_done) for one in seen] == [(max(1.0, took), done)]


def test_a_folder_that_nodes_do_not_see_is_said(submitted: RunFolder, tmp_path: Path) -> None:
    (submitted.path / "run.json").unlink()
    failing = with_squeue(tmp_path, "echo 'FAILED|9:00|n1|JobLaunchFailure'")
    with pytest.raises(MachineLacksError, match="do not see") as told:
        attach(submitted.path, context=failing)
    assert "--output" in told.value.remedy
    (submitted.path / "job-12.log").write_text("what it said")
    with pytest.raises(MachmeterError, match="its run has not") as ended:
        attach(submitted.path, context=failing)
    assert ended.value.details == "what it said"
