"""The files of a job in the folder of its run.

request.json   what is measured (Request)
job.sh         the script
job.json       the job that it was last submitted as (Submission)
job-N.log      what job N printed
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from machmeter.api.context import Context
from machmeter.api.loading import find_run
from machmeter.launch.batch.slurm import Job, job_named
from machmeter.model.errors import UsageError
from machmeter.model.plan.submission import Submission
from machmeter.store.files import read_json
from machmeter.store.remembered_runs import remembered_folders, runs_home

REQUEST, SCRIPT, SUBMISSION = "request.json", "job.sh", "job.json"
LOG = "job-%j.log"


def submission_in(folder: Path) -> Submission | None:
    """The job that the run in a folder was last submitted as; None where it was not."""
    path = folder / SUBMISSION
    return read_json(path, Submission) if path.is_file() else None


def job_of(environment: Mapping[str, str]) -> str:
    """The number of the job around this process; empty where there is none."""
    return environment.get("SLURM_JOB_ID", "")


def living_job(folder: Path, environment: Mapping[str, str]) -> Job | None:
    """The job of the run in a folder that waits or runs; None where none does.

    Raises MachineLacksError where Slurm does not answer.
    """
    submitted = submission_in(folder)
    job = job_named(submitted.job, environment) if submitted else None
    return None if job is None or job.has_ended else job


def refuse_other_job(folder: Path, environment: Mapping[str, str]) -> None:
    """Raise UsageError where another job than the one around this process has the folder."""
    job = living_job(folder, environment)
    if job is not None and job.number != job_of(environment):
        raise UsageError(
            f"job {job.number} ({job.state.lower()}) measures in {folder}",
            f"follow it with `machmeter attach {folder}`, or end it with `scancel {job.number}`",
        )


def submitted_folder(run: str | Path, context: Context) -> Path:
    """The folder of a run that was submitted, by folder, ID or `last`: the last one submitted.

    Raises UsageError where there is no such run.
    """
    if str(run) != "last":
        path = Path(run)
        return path if (path / SUBMISSION).is_file() else find_run(run, context).path
    found = {one: submission_in(one) for one in _job_folders(context)}
    times = {one.submitted: folder for folder, one in found.items() if one}
    if not times:
        raise UsageError("no run was submitted", "submit one: `machmeter run STUDY --submit`")
    return times[max(times)]


def _job_folders(context: Context) -> Iterator[Path]:
    home = runs_home(context.data)
    inside = home.iterdir() if home.is_dir() else ()
    for folder in (*inside, *remembered_folders(context.data)):
        if (folder / SUBMISSION).is_file():
            yield folder
