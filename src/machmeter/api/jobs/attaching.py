"""Follow the job of a run until it ends, from wherever its folder is seen."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from pathlib import Path

from machmeter.api.context import Context
from machmeter.api.jobs.folder import LOG, submission_in, submitted_folder
from machmeter.api.jobs.submitting import Submitted
from machmeter.api.loading import Run, indexed
from machmeter.launch.batch.slurm import Job, SilentSlurmError, job_named
from machmeter.model.errors import MachineLacksError, MachmeterError, UsageError
from machmeter.model.plan.submission import Submission
from machmeter.model.results.run import RunState
from machmeter.model.written.text import shell_text
from machmeter.run.measuring.progress import RunProgress
from machmeter.store.run_folder import RunFolder, holds_run
from machmeter.text.numbers import duration_text

_PAUSE_SECONDS = 1.0
# Of a controller that restarts; longer ones are for a person to look into.
_SILENCE_SECONDS = 600.0
_TAIL_BYTES = 2000


def attach(run: str | Path = "last", *, context: Context | None = None) -> Run:
    """Follow the job of a run to its end: progress again, wherever it was lost.

    Args:
        run: The folder of a run that was submitted, its ID, or `last`: the last one submitted.
        context: Listeners, which get the job's state, and of progress while it measures.

    Raises:
        UsageError: There is no such run, or it was not submitted.
        MachineLacksError: There is no Slurm here, or it has not answered for minutes.
        MachmeterError: The job has ended, and the run has not.
    """
    context = context or Context()
    folder = submitted_folder(run, context)
    submission = submission_in(folder)
    if submission is None:
        raise UsageError(
            f"the run in {folder} was not submitted", "`machmeter show` shows what it measured"
        )
    if (job := _follow(folder, submission, context)) is None:
        return indexed(RunFolder(folder), context)
    _refuse_unseen(folder, job)
    log = folder / LOG.replace("%j", submission.job)
    again = shell_text(("machmeter", "run", "--resume", str(folder), "--submit"))
    raise MachmeterError(
        f"job {submission.job} has ended, and its run has not",
        f"continue it with `{again}`; what the job printed: {log}",
        details=_tail(log),
    )


def attach_preparation(submitted: Submitted, *, context: Context | None = None) -> None:
    """Follow a job that compiles, to its end.

    Args:
        submitted: As `submit` returns it.
        context: Listeners.

    Raises:
        MachineLacksError: It failed; with what it printed.
    """
    folder, number = Path(submitted.folder), submitted.submission.job
    job = _follow(folder, submitted.submission, context or Context())
    if job is not None:
        _refuse_unseen(folder, job)
    if job is not None and job.state not in {"COMPLETED", ""}:
        log = folder / LOG.replace("%j", number)
        raise MachineLacksError(
            f"job {number} compiled nothing: {job.state.lower()}",
            f"what it printed: {log}",
            details=_tail(log),
        )


def _follow(folder: Path, submission: Submission, context: Context) -> Job | None:
    """The job when it has ended; None as soon as its run has. Its state and the progress of the run
    are reported until then.

    Raises MachineLacksError where there is no Slurm here, or it does not answer for minutes.
    """
    reported = ""
    heard, silent = time.monotonic(), False
    seconds: dict[int, float] = {}
    while not _is_finished(folder):
        try:
            job = job_named(submission.job, context.environment)
        except SilentSlurmError as error:
            # A controller may be away for minutes; the job goes on without it.
            if time.monotonic() - heard > _SILENCE_SECONDS:
                again = shell_text(("machmeter", "attach", str(folder)))
                raise MachineLacksError(
                    f"{error.message}; it has not for {duration_text(_SILENCE_SECONDS)}",
                    f"job {submission.job} goes on without it: `{again}` follows it again",
                ) from error
            if not silent:
                context.warn(error)
            silent = True
            time.sleep(_PAUSE_SECONDS)
            continue
        heard, silent = time.monotonic(), False
        if job.has_ended:
            # It may have finished since it was looked at.
            return None if _is_finished(folder) else job
        if (text := _state_text(job)) != reported:
            context.notify(text)
            reported = text
        if job.hosts and holds_run(folder):
            _report_progress(RunFolder(folder), seconds, context)
        time.sleep(_PAUSE_SECONDS)
    return None


def _refuse_unseen(folder: Path, job: Job) -> None:
    """Raise MachineLacksError where a job ended by itself, and nothing that it printed is here."""
    log = folder / LOG.replace("%j", job.number)
    # A file system of several hosts looks again at a folder whose files are listed.
    ended = job.state in {"COMPLETED", "FAILED"} and not holds_run(folder)
    if ended and log not in folder.iterdir():
        raise MachineLacksError(
            f"job {job.number} ({job.state.lower()}) wrote nothing into {folder}: its nodes do not "
            "see that folder, or may not write there",
            "name one that login and compute nodes share: --output FOLDER for a run, "
            "MACHMETER_CACHE for the cache",
        )


def _is_finished(folder: Path) -> bool:
    # A job that writes for the first time may have begun a file.
    with suppress(MachmeterError):
        return holds_run(folder) and RunFolder(folder).state().state is RunState.FINISHED
    return False


def _state_text(job: Job) -> str:
    where = f" on {job.hosts}" if job.hosts else ""
    why = f" ({job.reason})" if job.reason and not job.hosts else ""
    return f"job {job.number} is {job.state.lower()}{where}{why}"


def _report_progress(run: RunFolder, seconds: dict[int, float], context: Context) -> None:
    """From the files of the run, as far as they are seen here; seconds: of launches seen before,
    to which later ones are added: a run that waited between two jobs took no time."""
    # The job writes while this reads.
    with suppress(MachmeterError):
        header, launches = run.header(), run.launch_numbers()
        for number in launches:
            if number not in seconds and (outcome := run.outcome(number)):
                seconds[number] = outcome.wall_seconds
        elapsed = max(run.state().wall_seconds, sum(seconds.values()))
        left = max(0.0, header.request.precision.budget_seconds - elapsed)
        what = run.launch(launches[-1]).spec.name if launches else ""
        context.on_progress(RunProgress("measuring", what, len(seconds), math.inf, elapsed, left))


def _tail(log: Path) -> str:
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return file.read(_TAIL_BYTES).decode(errors="replace")
    return ""
