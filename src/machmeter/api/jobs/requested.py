"""Inside a job: measure what a file requests, and continue what an earlier job began."""

from __future__ import annotations

import os
import socket
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from machmeter import __version__
from machmeter.api.context import Context
from machmeter.api.jobs.folder import SUBMISSION, job_of, refuse_other_job, submission_in
from machmeter.api.loading import Run
from machmeter.api.measuring import measure, on_hosts, resume
from machmeter.launch.batch.slurm import job_named
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.plan.submission import Allocation, Submission
from machmeter.model.results.run import Request
from machmeter.run.programs.trust import refuse_unsound_flags
from machmeter.store.files import make_folder, read_json, write_json
from machmeter.store.run_folder import holds_run

# What writing pages may take at the end of a job, of what is left of it.
_RESERVE_SHARE, _LEAST_RESERVE = 0.1, 20.0
_LEAST_BUDGET = 5.0


def read_request(file: Path, *, trust: bool = False) -> Request:
    """What a file requests, as `submit` writes it.

    Args:
        file: Names what is compiled and started, and has to be this user's.
        trust: Whether it may be another user's.

    Raises:
        UsageError: It is another user's, or names what is none.
        MachmeterError: It cannot be read, or is no request.
    """
    request = read_json(file, Request)
    if not trust and file.stat().st_uid not in (os.geteuid(), 0):
        raise UsageError(
            f"{file} is another user's, and it names what is compiled, loaded and started",
            "if you trust it, add --trust",
        )
    refuse_unsound_flags(str(file), request)
    return request


def measure_requested(
    file: Path,
    folder: Path,
    hosts: Hosts,
    *,
    command: tuple[str, ...] = ("machmeter.api.jobs.measure_requested",),
    trust: bool = False,
    context: Context | None = None,
) -> Run:
    """Measure what a file requests, on these hosts, within what the job around it has left.

    Args:
        file: As of `read_request`.
        folder: Of the run; one that a job began before is continued, on other hosts too.
        hosts: Those of the job.
        command: What is recorded as having started the run.
        trust: As of `read_request`.
        context: Folders and listeners.

    Raises:
        UsageError: As `read_request` and `resume`; another job measures in this folder.
        MachineLacksError: The job has no time left; as in `measure`.
        MachmeterError: As in `measure`.
    """
    context = context or Context()
    request = on_hosts(read_request(file, trust=trust), hosts)
    refuse_other_job(folder, context.environment)
    _keep_number(folder, hosts, context)
    if holds_run(folder):
        return resume(folder, hosts=hosts, trust=True, context=context)
    request = within_job(request, context)
    return measure(request, folder=folder, command=command, context=context)


def _keep_number(folder: Path, hosts: Hosts, context: Context) -> None:
    """Write which job measures, of a script that a person submitted."""
    number, before = job_of(context.environment), submission_in(folder)
    if not number or (before is not None and before.job == number):
        return
    left = job_named(number, context.environment).left_seconds or 0.0
    moment = datetime.now(UTC).isoformat()
    allocation = Allocation(len(hosts.names), left)
    submission = Submission(number, allocation, moment, socket.gethostname(), __version__)
    make_folder(folder)
    write_json(folder / SUBMISSION, submission)


def within_job(request: Request, context: Context) -> Request:
    """The request with a budget that the job around this process has left.

    Raises MachineLacksError where that is too little for anything.
    """
    number = job_of(context.environment)
    left = job_named(number, context.environment).left_seconds if number else None
    if left is None:
        return request
    most = left - max(_LEAST_RESERVE, _RESERVE_SHARE * left)
    if most < _LEAST_BUDGET:
        raise MachineLacksError(
            f"job {number} has {left:.0f} s left: too little to measure and to write pages",
            "submit it with a longer limit: --sbatch=--time=MINUTES",
        )
    if most >= request.precision.budget_seconds:
        return request
    context.notify(f"job {number} has {left:.0f} s left: the budget is {most:.0f} s")
    return replace(request, precision=replace(request.precision, budget_seconds=most))
