"""Runs as jobs: what is submitted, and what a job does with a request."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.jobs.attaching import attach
from machmeter.api.jobs.folder import living_job, refuse_other_job, submission_in
from machmeter.api.jobs.requested import read_request, within_job
from machmeter.api.jobs.submitting import plan_again, plan_job, submit
from machmeter.api.requests import request
from machmeter.model.errors import MachineLacksError, MachmeterError, UsageError
from machmeter.model.plan.study import LayoutOptions
from machmeter.store.files import write_json
from tests.support.processes.native_programs import executable

ASKED = request("network.latency", layout=LayoutOptions(nodes=(1, 2)), mpi=("mpich",))


def with_slurm(folder: Path, squeue: str = "exit 1", sbatch: str = "echo 12") -> Context:
    """A context whose Slurm answers in its way."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    executable(tools / "squeue", squeue)
    executable(tools / "sbatch", f'cp "$2" {folder}/taken.sh; {sbatch}')
    environment = {"PATH": f"{tools}:/usr/bin:/bin"}
    return Context(environment=environment, data=folder / "data", cache=folder / "cache")


def test_a_job_has_as_many_nodes_as_its_largest_layout(tmp_path: Path) -> None:
    job = plan_job(ASKED, folder=tmp_path / "run", context=with_slurm(tmp_path))
    assert job.allocation.nodes == 2
    assert not (tmp_path / "run").exists()


def test_what_is_submitted_is_the_script_and_the_request(tmp_path: Path) -> None:
    context = with_slurm(tmp_path)
    job = plan_job(ASKED, folder=tmp_path / "run", context=context)
    submitted = submit(job, context=context)
    assert submitted.submission.job == "12"
    assert submission_in(tmp_path / "run") == submitted.submission
    assert (tmp_path / "taken.sh").read_text() == job.script
    assert read_request(tmp_path / "run" / "request.json") == ASKED


def test_what_slurm_refuses_is_no_submission(tmp_path: Path) -> None:
    context = with_slurm(tmp_path, sbatch="echo 'Invalid account' >&2; exit 1")
    job = plan_job(ASKED, folder=tmp_path / "run", context=context)
    with pytest.raises(MachineLacksError, match="Invalid account"):
        submit(job, context=context)
    assert submission_in(tmp_path / "run") is None


@pytest.mark.parametrize("name", ['a"b', "a\nb", "a\\b"])
def test_a_folder_that_no_script_can_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot name the folder"):
        plan_job(ASKED, folder=tmp_path / name, context=with_slurm(tmp_path))


def test_a_job_has_hosts_of_its_own(tmp_path: Path) -> None:
    hosts = replace(ASKED, layout_options=LayoutOptions(hosts=("n1",)))
    with pytest.raises(UsageError, match="hosts of its own"):
        plan_job(hosts, folder=tmp_path / "run", context=with_slurm(tmp_path))


def submitted_in(folder: Path, context: Context) -> Path:
    submit(plan_job(ASKED, folder=folder / "run", context=context), context=context)
    return folder / "run"


def test_a_folder_is_that_of_one_living_job(tmp_path: Path) -> None:
    running = with_slurm(tmp_path, squeue="echo 'RUNNING|9:00|n1|None'")
    run = submitted_in(tmp_path, running)
    job = living_job(run, running.environment)
    assert job is not None
    assert job.number == "12"
    refuse_other_job(run, {**running.environment, "SLURM_JOB_ID": "12"})
    with pytest.raises(UsageError, match=r"job 12 \(running\) measures in"):
        refuse_other_job(run, {**running.environment, "SLURM_JOB_ID": "13"})
    with pytest.raises(UsageError, match="is still there"):
        plan_again(run, context=running)
    ended = with_slurm(tmp_path, squeue="echo 'FAILED|9:00|n1|None'")
    assert living_job(run, ended.environment) is None
    refuse_other_job(run, {**ended.environment, "SLURM_JOB_ID": "13"})
    again = plan_again("last", options=("--time=9",), context=ended)
    assert (again.folder, again.allocation.nodes, again.allocation.seconds) == (str(run), 2, 540)


def test_a_job_that_ended_without_its_run_is_told_with_what_it_printed(tmp_path: Path) -> None:
    context = with_slurm(tmp_path, squeue="echo 'FAILED|0:00|n1|None'")
    run = submitted_in(tmp_path, context)
    (run / "job-12.log").write_text("no such module\n")
    with pytest.raises(MachmeterError, match="its run has not") as told:
        attach(context=context)
    assert told.value.details == "no such module\n"
    assert "--resume" in told.value.remedy
    assert "--submit" in told.value.remedy


def test_a_run_that_was_not_submitted_is_not_followed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run was submitted"):
        attach(context=with_slurm(tmp_path))


@pytest.mark.parametrize(
    ("left", "seconds"), [("30:00", 110.0), ("1:40", 80.0), ("UNLIMITED", 110.0)]
)
def test_the_budget_is_what_the_job_has_left(left: str, seconds: float, tmp_path: Path) -> None:
    context = with_slurm(tmp_path, squeue=f"echo 'RUNNING|{left}|n1|None'")
    inside = replace(context, environment={**context.environment, "SLURM_JOB_ID": "12"})
    asked = replace(ASKED, precision=replace(ASKED.precision, budget_seconds=110.0))
    assert within_job(asked, inside).precision.budget_seconds == seconds
    assert within_job(asked, context) == asked


def test_a_job_without_time_measures_nothing(tmp_path: Path) -> None:
    context = with_slurm(tmp_path, squeue="echo 'RUNNING|0:15|n1|None'")
    inside = replace(context, environment={**context.environment, "SLURM_JOB_ID": "12"})
    with pytest.raises(MachineLacksError, match="has 15 s left"):
        within_job(ASKED, inside)


def test_a_request_with_flags_that_are_none_is_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "request.json", replace(ASKED, flags=("-O2; rm",)))
    with pytest.raises(UsageError, match="is no flag"):
        read_request(tmp_path / "request.json")
