"""How long a run inside a job may measure: what the job's limit leaves it."""

from __future__ import annotations

import time
from collections.abc import Mapping

from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.jobs.folder import job_in_time, job_of
from machmeter.launch.batch.script import reserve_seconds
from machmeter.model.errors import MachineLacksError
from machmeter.model.results.run import Request

# What writing pages may take at the end of a job, of what is left of it.
_RESERVE_SHARE = 0.1
_LEAST_BUDGET = 5.0


def seconds_left(context: Context) -> float | None:
    """What the job around this process has left, seconds; None where no job is, it has no limit, or
    nothing says what is left.

    Raises MachineLacksError where the job has ended: a launch would begin another one.
    """
    number = job_of(context.environment)
    if not number:
        return None
    try:
        job = job_in_time(number, context.environment)
    except MachineLacksError as error:
        context.warn(error)
        return _seconds_to_end(context.environment)
    if job.has_ended:
        raise MachineLacksError(
            f"job {number}, which SLURM_JOB_ID names, has ended",
            "start machmeter inside a job (salloc or sbatch), or submit it: "
            "`machmeter run STUDY --submit`",
        )
    return job.left_seconds


def _seconds_to_end(environment: Mapping[str, str]) -> float | None:
    """By the job's variables; None where they say nothing, or this host's clock is not theirs."""
    start, end = (environment.get(f"SLURM_JOB_{name}_TIME", "") for name in ("START", "END"))
    now = time.time()
    if not end.isdecimal() or (start.isdecimal() and not int(start) <= now <= int(end)):
        return None
    return int(end) - now


def seconds_to_measure(left: float) -> float:
    """What of the time that a job has left is for measuring, seconds.

    Raises MachineLacksError where that is too little for anything.
    """
    most = left - max(reserve_seconds(left), _RESERVE_SHARE * left)
    if most < _LEAST_BUDGET:
        raise MachineLacksError(
            f"the job has {left:.0f} s left: too little to measure and to write pages",
            "submit it with a longer limit: --sbatch=--time=MINUTES",
        )
    return most


def seconds_in_job(request: Request, context: Context) -> float | None:
    """How long a run on hosts that are named may measure, seconds; None: as long as it wants, also
    on this machine alone, which may be a login node.

    Raises MachineLacksError as `seconds_to_measure`.
    """
    left = seconds_left(context) if request.layout_options.hosts else None
    return None if left is None else seconds_to_measure(left)


def within_job(request: Request, context: Context) -> Request:
    """The request with a budget that ends before the job around this process does, which is said.

    Raises MachineLacksError as `seconds_to_measure`.
    """
    seconds = seconds_in_job(request, context)
    if seconds is None or seconds >= request.precision.budget_seconds:
        return request
    context.notify(f"what the job has left allows a budget of {seconds:.0f} s")
    return replace(request, precision=replace(request.precision, budget_seconds=seconds))
