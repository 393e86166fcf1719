"""One job at a time measures in the folder of a run, on whatever nodes.

Kept by a file that only one can make (open(2), O_EXCL), which names the job: a lock of the kernel
(flock) may be one of its node alone on a file system that nodes share. A job that was killed
leaves the file; Slurm knows whether it lives.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.api.context import Context
from machmeter.api.jobs.folder import job_in_time, job_of
from machmeter.launch.batch.slurm import is_job_number
from machmeter.model.errors import MachmeterError, UsageError, storage_error
from machmeter.model.written.text import shell_text
from machmeter.store.files import make_folder, read_json

LOCK = "measuring-job.json"


class MeasuringJob(Struct, frozen=True):
    """The job that measures in a folder, as `measuring-job.json` there names it."""

    job: str
    """Its number."""
    host: str
    """Its first host."""


@contextmanager
def alone_in(folder: Path, context: Context) -> Iterator[None]:
    """Have no other job measure in a folder while the block runs; nothing where no job is around
    this process.

    Raises UsageError where another job measures there, MachmeterError where the file names none,
    MachineLacksError where it cannot be written, or Slurm does not say whether that job lives.
    """
    own = MeasuringJob(job_of(context.environment), socket.gethostname())
    if not own.job:
        yield
        return
    path = make_folder(folder) / LOCK
    while not _made(path, own):
        _remove_dead(path, own, context.environment)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _made(path: Path, own: MeasuringJob) -> bool:
    try:
        with path.open("xb") as file:
            file.write(msgspec.json.encode(own))
    except FileExistsError:
        return False
    except OSError as error:
        raise storage_error(error, path) from error
    return True


def _remove_dead(path: Path, own: MeasuringJob, environment: Mapping[str, str]) -> None:
    """Of a job that has ended, or of this one before it was begun again."""
    holder = _holder(path)
    if holder.job != own.job and not job_in_time(holder.job, environment).has_ended:
        raise _measured_by(holder, path.parent)
    # Two jobs may find it at once: what one of them takes away may be what the other has made.
    taken = path.with_name(f".{LOCK}.{own.job}")
    with suppress(FileNotFoundError):
        path.rename(taken)
        now = _holder(taken)
        if now != holder:
            os.link(taken, path)
        taken.unlink()
        if now != holder:
            raise _measured_by(now, path.parent)


def _holder(path: Path) -> MeasuringJob:
    with suppress(MachmeterError):
        found = read_json(path, MeasuringJob)
        if is_job_number(found.job):
            return found
    raise MachmeterError(
        f"{path} names no job",
        f"where no job measures in this folder: `{shell_text(('rm', str(path)))}`",
    )


def _measured_by(other: MeasuringJob, folder: Path) -> UsageError:
    attach = shell_text(("machmeter", "attach", str(folder)))
    return UsageError(
        f"job {other.job} on {other.host} measures in {folder}",
        f"follow it with `{attach}`, or end it with `scancel {other.job}`",
    )
