"""Inside a job: measure what a file requests, and continue what an earlier job began."""

from __future__ import annotations

import os
import socket
from datetime import UTC, datetime
from pathlib import Path

from machmeter import __version__
from machmeter.api.context import Context
from machmeter.api.jobs.alone import alone_in
from machmeter.api.jobs.folder import SUBMISSION, job_of, submission_in
from machmeter.api.jobs.time_left import seconds_left
from machmeter.api.loading import Run
from machmeter.api.measuring import measure, on_hosts, resume
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import (
    MachmeterError,
    RunInterruptedError,
    UsageError,
)
from machmeter.model.plan.submission import Allocation, Submission
from machmeter.model.results.run import Request
from machmeter.model.written.text import shell_text
from machmeter.run.programs.trust import refuse_unsound_flags
from machmeter.store.files import make_folder, read_json, write_json
from machmeter.store.run_folder import holds_run


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
    _refuse_another_users(file, trust=trust)
    refuse_unsound_flags(str(file), request)
    return request


def _refuse_another_users(file: Path, *, trust: bool) -> None:
    if not trust and file.stat().st_uid not in (os.geteuid(), 0):
        raise UsageError(
            f"{file} is another user's, and it names what is compiled, loaded and started",
            "if you trust it, add --trust",
        )


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
    left = seconds_left(context)
    with alone_in(folder, context):
        _keep_number(folder, hosts, left, context)
        try:
            if holds_run(folder):
                # A node knows no run by its folder, as a login node does: the owner of its file
                # says whose it is.
                _refuse_another_users(folder / "run.json", trust=trust)
                return resume(folder, hosts=hosts, trust=True, context=context)
            return measure(request, folder=folder, command=command, context=context)
        except RunInterruptedError as error:
            if not job_of(context.environment):
                raise
            again = shell_text(("machmeter", "run", "--resume", str(folder), "--submit"))
            raise MachmeterError(error.message, f"continue it with `{again}`") from error


def _keep_number(folder: Path, hosts: Hosts, left: float | None, context: Context) -> None:
    """Write which job measures, of a script that a person submitted."""
    number, before = job_of(context.environment), submission_in(folder)
    if not number or (before is not None and before.job == number):
        return
    moment = datetime.now(UTC).isoformat()
    allocation = Allocation(len(hosts.names), left or 0.0)
    submission = Submission(number, allocation, moment, socket.gethostname(), __version__)
    make_folder(folder)
    write_json(folder / SUBMISSION, submission)
