"""Slurm by its own commands: jobs that are submitted, and what becomes of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from machmeter.model.errors import MachineLacksError

_TIMEOUT_SECONDS = 30
# A busy controller takes a job late, and all the same.
_SUBMIT_SECONDS = 120
_JOB = re.compile(r"[0-9]+")
# As Slurm prints what is left of a limit (squeue(1), %L): days-hours:minutes:seconds.
_LEFT = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)")
# As sbatch takes a limit (sbatch(1), --time), where that is more than minutes.
_LIMIT = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?")
# State, what is left, nodes, and why it waits.
_DESCRIBED = re.compile(r"([A-Z_]+)\|([^|]*)\|([^|]*)\|(.*)")
_DAY, _HOUR, _MINUTE = 86_400, 3600, 60
ENDED = frozenset(
    ("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY")
) | {"PREEMPTED", "TIMEOUT"}
"""States of jobs that start no more (squeue(1), "Job state codes")."""


class Job(Struct, frozen=True):
    """A job, as Slurm describes it."""

    number: str
    """Its number."""
    state: str
    """As Slurm calls it: `PENDING`, `RUNNING`, ...; empty where Slurm knows it no more."""
    reason: str = ""
    """Why it waits, as Slurm calls it."""
    hosts: str = ""
    """Its nodes, as Slurm writes them: `n[1-4]`."""
    left_seconds: float | None = None
    """What its time limit leaves it, seconds; null where it has none."""

    @property
    def has_ended(self) -> bool:
        """Whether it starts no more."""
        return not self.state or self.state in ENDED


class SilentSlurmError(MachineLacksError):
    """Slurm's controller does not answer now, and may again later."""


def submit_script(script: Path, environment: Mapping[str, str]) -> str:
    """Submit a script as it stands, whatever variables of sbatch say, and return the number of its
    job.

    Raises MachineLacksError where there is no Slurm here, it refuses, with its own words, or does
    not answer: then there may be a job all the same.
    """
    # They would count more than what the script says (sbatch(1), "Input environment variables").
    plain = {name: value for name, value in environment.items() if name[:7] != "SBATCH_"}
    try:
        answer = answer_of(("sbatch", "--parsable", str(script)), plain, _SUBMIT_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise MachineLacksError(
            f"sbatch has not answered for {_SUBMIT_SECONDS} s: the job may have been submitted",
            "look for it with `squeue --me` before you submit it again",
        ) from error
    except FileNotFoundError as error:
        raise MachineLacksError(
            "this machine has no sbatch: jobs of Slurm are submitted by it",
            "run this on a login node of the cluster",
        ) from error
    except (OSError, subprocess.SubprocessError) as error:
        raise MachineLacksError(
            f"Slurm takes no such job: {_said(error)}",
            "name what the site wants, for example --sbatch=--partition=NAME or "
            "--sbatch=--account=NAME; `--dry-run` lists what there is",
        ) from error
    # The cluster's name may follow.
    number = answer.strip().split(";")[0]
    if not is_job_number(number):
        raise MachineLacksError(
            f"sbatch says no job's number: {answer[:200]!r}", "look for it with `squeue --me`"
        )
    return number


def is_job_number(text: str) -> bool:
    """Whether that can be the number of a job."""
    return _JOB.fullmatch(text) is not None


def job_named(
    number: str, environment: Mapping[str, str], seconds: float = _TIMEOUT_SECONDS
) -> Job:
    """What Slurm says of a job; of one that it does not know any more the state is empty.

    Raises SilentSlurmError where Slurm does not answer, MachineLacksError where there is none here.
    """
    words = ("squeue", "--noheader", "--states=all", f"--jobs={number}", "--format=%T|%L|%N|%r")
    try:
        answer = answer_of(words, environment, seconds)
    except subprocess.CalledProcessError as error:
        if "Invalid job id" in (error.stderr or ""):
            return Job(number, "")
        raise _no_answer(error) from error
    except FileNotFoundError as error:
        raise MachineLacksError(
            "this machine has no squeue: jobs of Slurm are followed by it",
            "run this on a login node of the cluster",
        ) from error
    except (OSError, subprocess.SubprocessError) as error:
        raise _no_answer(error) from error
    if not answer.strip():
        return Job(number, "")
    # A site's own squeue may say something before.
    fields = next(filter(None, map(_DESCRIBED.fullmatch, answer.splitlines())), None)
    if fields is None:
        raise SilentSlurmError(
            f"squeue says of job {number} what is not read here: {answer.strip()[:200]!a}",
            "have the path name Slurm's own squeue first",
        )
    state, left, hosts, reason = fields.groups()
    return Job(number, state, "" if reason == "None" else reason, hosts, seconds_left(left))


def cancel(number: str, environment: Mapping[str, str]) -> None:
    """End a job. Raises MachineLacksError where Slurm does not answer."""
    try:
        answer_of(("scancel", number), environment)
    except (OSError, subprocess.SubprocessError) as error:
        raise _no_answer(error) from error


def seconds_left(text: str) -> float | None:
    """What is left of a limit, as `squeue` prints it; None where there is none, or none is said."""
    found = _LEFT.fullmatch(text.strip())
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return float(days * _DAY + hours * _HOUR + minutes * _MINUTE + seconds)


def limit_seconds(text: str) -> float | None:
    """A limit as `sbatch --time` takes it, seconds; None where it is none."""
    found = _LIMIT.fullmatch(text.strip())
    if found is None:
        return None
    days, first, second, third = found.groups()
    parts = [int(part) for part in (first, second, third) if part is not None]
    if days is not None:
        hours, minutes, seconds = (*parts, 0, 0)[:3]
        return float(int(days) * _DAY + hours * _HOUR + minutes * _MINUTE + seconds)
    if len(parts) == 3:
        return float(parts[0] * _HOUR + parts[1] * _MINUTE + parts[2])
    return float(parts[0] * _MINUTE + (parts[1] if len(parts) == 2 else 0))


def answer_of(
    words: Sequence[str],
    environment: Mapping[str, str],
    seconds: float = _TIMEOUT_SECONDS,
    *,
    errors_too: bool = False,
) -> str:
    """What a command of Slurm prints, with errors_too what it says of errors, too. Raises OSError,
    or SubprocessError where it fails."""
    return subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if errors_too else subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=seconds,
        check=True,
        env=dict(environment),
    ).stdout


def _no_answer(error: Exception) -> SilentSlurmError:
    return SilentSlurmError(
        f"Slurm does not answer: {_said(error)}", "try again when its controller is there"
    )


def _said(error: Exception) -> str:
    said = getattr(error, "stderr", None) or str(error)
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    return " ".join(text.split())[:300]
