"""Inside a job a run ends before the job does: its budget is what the job has left."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api import measuring
from machmeter.api.context import Context
from machmeter.api.jobs.time_left import (
    seconds_in_job,
    seconds_left,
    seconds_to_measure,
    within_job,
)
from machmeter.api.requests import request
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import MachineLacksError, MachmeterError
from machmeter.model.results.run import Request
from tests.support.processes.native_programs import executable

HERE = request("network.latency", mpi=("mpich",))
ASKED = measuring.on_hosts(HERE, Hosts(("n1", "n2")))
AWAY = "echo 'Unable to contact' >&2; exit 1"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("machmeter.api.jobs.folder._PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr("machmeter.api.jobs.folder._PAUSE_SECONDS", 0.02)


def in_job(folder: Path, squeue: str, **more: str) -> Context:
    """A context in a job of a Slurm that answers in its way."""
    executable(folder / "squeue", squeue)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "SLURM_JOB_ID": "12", **more}
    return Context(environment=environment, data=folder / "data", cache=folder / "cache")


def with_left(folder: Path, left: str) -> Context:
    """A context in a job that has so much time, as squeue says it."""
    return in_job(folder, f"echo 'RUNNING|{left}|n[1-2]|None'")


@pytest.mark.parametrize(
    ("left", "budget"), [("30:00", 300.0), ("3:20", 100.0), ("1:55", 32.0), ("UNLIMITED", 300.0)]
)
def test_the_budget_is_what_the_job_has_left(left: str, budget: float, tmp_path: Path) -> None:
    told: list[str] = []
    context = replace(with_left(tmp_path, left), notify=told.append)
    assert within_job(ASKED, context).precision.budget_seconds == budget
    assert [f"a budget of {budget:.0f} s" in one for one in told] == [True] * (budget < 300.0)


def test_a_run_of_this_machine_alone_is_not_the_jobs(tmp_path: Path) -> None:
    assert within_job(HERE, with_left(tmp_path, "1:55")) == HERE


def test_a_job_without_time_measures_nothing(tmp_path: Path) -> None:
    with pytest.raises(MachineLacksError, match="has 78 s left"):
        seconds_to_measure(78.0)
    with pytest.raises(MachineLacksError, match="has 78 s left"):
        measuring.measure(ASKED, context=with_left(tmp_path, "1:18"))


def test_a_run_is_measured_within_what_the_job_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[Request] = []

    def ends(asked: Request, *_: object) -> None:
        planned.append(asked)
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "target_of", ends)
    with pytest.raises(KeyboardInterrupt):
        measuring.measure(ASKED, context=with_left(tmp_path, "1:55"))
    assert [one.precision.budget_seconds for one in planned] == [32.0]


def test_a_controller_that_was_busy_is_asked_again(tmp_path: Path) -> None:
    told = "echo 'RUNNING|9:00|n1|None'"
    busy = f"[ -e {tmp_path}/asked ] && {told} && exit; touch {tmp_path}/asked; exit 1"
    assert seconds_left(in_job(tmp_path, busy)) == 540.0


@pytest.mark.parametrize("squeue", [AWAY, "exit 127"])
def test_a_controller_that_is_away_does_not_end_a_job(squeue: str, tmp_path: Path) -> None:
    warned: list[MachmeterError] = []
    end = str(int(time.time()) + 540)
    knowing = replace(in_job(tmp_path, squeue, SLURM_JOB_END_TIME=end), warn=warned.append)
    assert seconds_left(knowing) == pytest.approx(540, abs=5)
    unknowing = replace(in_job(tmp_path, squeue), warn=warned.append)
    assert seconds_in_job(ASKED, unknowing) is None
    assert ["does not answer" in one.message for one in warned] == [True, True]


@pytest.mark.parametrize("squeue", ["echo 'COMPLETED|0:00|n1|None'", "true"])
def test_in_a_job_that_has_ended_nothing_is_measured(squeue: str, tmp_path: Path) -> None:
    with pytest.raises(MachineLacksError, match=r"job 12.* has ended"):
        within_job(ASKED, in_job(tmp_path, squeue))


@pytest.mark.parametrize("hours", [-5, 5])
def test_a_clock_that_is_hours_off_tells_nothing(hours: int, tmp_path: Path) -> None:
    start = int(time.time()) + 3600 * hours
    times = {"SLURM_JOB_START_TIME": str(start), "SLURM_JOB_END_TIME": str(start + 1800)}
    context = replace(in_job(tmp_path, AWAY, **times), warn=lambda _: None)
    assert within_job(ASKED, context) == ASKED


@pytest.mark.parametrize("number", ["", "--all", "7; rm", "seven"])
def test_what_is_no_number_is_no_job(number: str, tmp_path: Path) -> None:
    context = in_job(tmp_path, f"touch {tmp_path}/asked", SLURM_JOB_ID=number)
    assert seconds_left(context) is None
    assert not (tmp_path / "asked").exists()
