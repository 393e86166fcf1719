"""Runs as jobs: what is submitted, and what a job does with a request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.jobs.attaching import attach
from machmeter.api.jobs.folder import living_job, submission_in
from machmeter.api.jobs.submitting import nodes_up, plan_again, plan_job, submit
from machmeter.api.requests import request
from machmeter.model.errors import MachineLacksError, MachmeterError, UsageError
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Request
from machmeter.store.files import read_json
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
    assert read_json(tmp_path / "run" / "request.json", Request) == ASKED


def test_what_slurm_refuses_is_no_submission(tmp_path: Path) -> None:
    context = with_slurm(tmp_path, sbatch="echo 'Invalid account' >&2; exit 1")
    job = plan_job(ASKED, folder=tmp_path / "run", context=context)
    with pytest.raises(MachineLacksError, match="Invalid account"):
        submit(job, context=context)
    assert submission_in(tmp_path / "run") is None


@pytest.mark.parametrize("name", ['a"b', "a\nb", "a\\b", "a\udcff"])
def test_a_folder_that_no_script_can_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot name the folder|is not UTF-8"):
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
    with pytest.raises(UsageError, match="is still there"):
        plan_job(ASKED, folder=run, context=running)
    with pytest.raises(UsageError, match="is still there"):
        plan_again(run, context=running)
    ended = with_slurm(tmp_path, squeue="echo 'FAILED|9:00|n1|None'")
    assert living_job(run, ended.environment) is None
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


def test_a_job_is_not_submitted_into_the_folder_of_another_since_it_was_planned(
    tmp_path: Path,
) -> None:
    context = with_slurm(tmp_path, squeue="echo 'PENDING|9:00||Priority'")
    job = plan_job(ASKED, folder=tmp_path / "run", context=context)
    submit(job, context=context)
    with pytest.raises(UsageError, match=r"job 12 \(pending\) of this run is still there"):
        submit(job, context=context)


def damage(run: Path, number: str) -> None:
    text = (run / "job.json").read_text()
    (run / "job.json").write_text(text.replace('"12"', json.dumps(number)))


@pytest.mark.parametrize("number", ["12\0", "--all", "", "1_2"])
def test_a_submission_without_a_number_is_named_and_not_asked_for(
    number: str, tmp_path: Path
) -> None:
    context = with_slurm(tmp_path)
    run = submitted_in(tmp_path / "a b", context)
    damage(run, number)
    with pytest.raises(MachmeterError, match="names no job") as refused:
        attach(run, context=context)
    assert f"rm '{run}/job.json'" in refused.value.remedy


def test_a_damaged_submission_hides_no_other_one(tmp_path: Path) -> None:
    context = with_slurm(tmp_path, squeue="echo 'FAILED|9:00|n1|None'")
    damaged, sound = (submitted_in(tmp_path / name, context) for name in ("later", "a b"))
    warned: list[MachmeterError] = []
    (damaged / "job.json").write_text("{")
    again = plan_again("last", context=replace(context, warn=warned.append))
    assert again.folder == str(sound)
    assert [str(damaged) in one.message for one in warned] == [True]


def test_a_name_that_is_too_long_is_refused_in_words(tmp_path: Path) -> None:
    context = with_slurm(tmp_path)
    long = tmp_path / ("x" * 300)
    with pytest.raises(UsageError, match="there is no run"):
        attach(long, context=context)
    with pytest.raises(MachineLacksError, match="File name too long"):
        submit(plan_job(ASKED, folder=long, context=context), context=context)


def test_runs_that_may_not_be_listed_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data" / "runs").mkdir(parents=True)

    def refuse(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(MachmeterError, match=r"cannot read the runs in .*Permission denied"):
        attach(context=Context(data=tmp_path / "data"))


def test_a_partition_that_is_too_small_is_a_warning(tmp_path: Path) -> None:
    warned: list[MachmeterError] = []
    context = replace(with_slurm(tmp_path), warn=warned.append)
    parts = (
        "cpu*|up|2:00|0/1/0/1|64\\nsmall|up|1:00|0/1/0/1|64\\n"
        "big|up|infinite|0/1/0/1|64\\nbig|up|infinite|0/3/0/3|64\\n"
    )
    executable(tmp_path / "tools" / "sinfo", f"printf '{parts}'")
    plan_job(ASKED, folder=tmp_path / "run", context=context)
    assert [one.message.partition("; ")[2] for one in warned] == [
        "partition cpu has 1 node and a limit of 2 min 0 s"
    ]
    warned.clear()
    plan_job(ASKED, folder=tmp_path / "run", options=("--partition=big",), context=context)
    plan_job(ASKED, folder=tmp_path / "run", options=("--partition=other",), context=context)
    plan_job(ASKED, folder=tmp_path / "run", options=("--partition=cpu,big",), context=context)
    assert warned == []


def test_all_nodes_are_those_of_the_partition_that_are_up(tmp_path: Path) -> None:
    told: list[str] = []
    context = replace(with_slurm(tmp_path), notify=told.append)
    parts = (
        "cpu*|up|2:00|3/4/2/9|64\\ndown|up|1:00|0/0/5/5|64\\nbig|up|infinite|1/0/0/1|64\\n"
        "shut|drain|1:00|0/5/0/5|64\\n"
    )
    executable(tmp_path / "tools" / "sinfo", f"printf '{parts}'")
    assert nodes_up(context=context) == 7
    assert len(told) == 1
    assert nodes_up(("--partition=big",), context=context) == 1
    assert nodes_up(("--partition=down,big",), context=context) == 1
    assert len(told) == 1
    for options in (("--partition=down",), ("--partition=other",), ("--partition=shut",)):
        with pytest.raises(MachineLacksError):
            nodes_up(options, context=context)
