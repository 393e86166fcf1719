"""The files of a job in the folder of its run.

request.json   what is measured (Request)
job.sh         the script
job.json       the job that it was last submitted as (Submission)
job-N.log      what job N printed
measuring-job.json   the job that measures now (`api.jobs.alone`)
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from machmeter.api.context import Context
from machmeter.api.loading import find_run
from machmeter.launch.batch.slurm import Job, SilentSlurmError, is_job_number, job_named
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.plan.submission import Submission
from machmeter.model.written.text import shell_text
from machmeter.store.files import read_json
from machmeter.store.remembered_runs import remembered_folders, runs_home

_PATIENCE_SECONDS, _PAUSE_SECONDS = 60.0, 3.0
REQUEST, SCRIPT, SUBMISSION = "request.json", "job.sh", "job.json"
LOG = "job-%j.log"


def submission_in(folder: Path) -> Submission | None:
    """The job that the run in a folder was last submitted as; None where it was not.

    Raises MachmeterError where the file that says so is damaged.
    """
    path = folder / SUBMISSION
    if not holds_job(folder):
        return None
    submission = read_json(path, Submission)
    if not is_job_number(submission.job):
        raise MachmeterError(
            f"{path} names no job: {submission.job!a}",
            f"look for it with `squeue --me`; without one: `{shell_text(('rm', str(path)))}`",
        )
    return submission


def holds_job(folder: Path) -> bool:
    """Whether a run was submitted in a folder; no for what is no folder's name or may not be
    entered."""
    try:
        return (folder / SUBMISSION).is_file()
    except OSError:
        return False


def job_of(environment: Mapping[str, str]) -> str:
    """The number of the job around this process; empty where there is none, or none is said."""
    number = environment.get("SLURM_JOB_ID", "")
    return number if is_job_number(number) else ""


def job_in_time(number: str, environment: Mapping[str, str]) -> Job:
    """As `job_named`, of a controller that may be away for a minute."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return job_named(number, environment)
        except SilentSlurmError:
            if time.monotonic() >= end:
                raise
        time.sleep(_PAUSE_SECONDS)


def living_job(folder: Path, environment: Mapping[str, str]) -> Job | None:
    """The job of the run in a folder that waits or runs; None where none does.

    Raises MachineLacksError where Slurm does not answer.
    """
    submitted = submission_in(folder)
    job = job_named(submitted.job, environment) if submitted else None
    return None if job is None or job.has_ended else job


def refuse_living_job(folder: Path, environment: Mapping[str, str]) -> None:
    """Raise UsageError where a job of the run in a folder waits or runs, MachmeterError as
    `living_job` and `submission_in`."""
    if job := living_job(folder, environment):
        attach = shell_text(("machmeter", "attach", str(folder)))
        raise UsageError(
            f"job {job.number} ({job.state.lower()}) of this run is still there",
            f"follow it with `{attach}`, or end it with `scancel {job.number}`",
        )


def submitted_folder(run: str | Path, context: Context) -> Path:
    """The folder of a run that was submitted, by folder, ID or `last`: the last one submitted.

    Raises UsageError where there is no such run; damaged ones are a warning where others are there.
    """
    if str(run) != "last":
        path = Path(run)
        return path if holds_job(path) else find_run(run, context).path
    times = {}
    for folder in _job_folders(context):
        try:
            if submission := submission_in(folder):
                times[submission.submitted] = folder
        except MachmeterError as error:
            context.warn(error)
    if not times:
        raise UsageError("no run was submitted", "submit one: `machmeter run STUDY --submit`")
    return times[max(times)]


def _job_folders(context: Context) -> Iterator[Path]:
    home = runs_home(context.data)
    try:
        inside = tuple(home.iterdir()) if home.is_dir() else ()
    except OSError as error:
        raise MachmeterError(
            f"cannot read the runs in {home}: {error.strerror}", "check the folder's permissions"
        ) from error
    yield from filter(holds_job, dict.fromkeys((*inside, *remembered_folders(context.data))))
