"""Submit a run as a job: its request, its script, and what it would cost."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from machmeter import __version__
from machmeter.api.context import Context
from machmeter.api.jobs.folder import (
    LOG,
    REQUEST,
    SCRIPT,
    SUBMISSION,
    refuse_living_job,
    submission_in,
    submitted_folder,
)
from machmeter.launch.batch.cluster import Cluster, Partition, cluster_seen, partitions
from machmeter.launch.batch.script import allocation_of, is_option, script_of
from machmeter.launch.batch.slurm import cancel, limit_seconds, submit_script
from machmeter.model.errors import MachineLacksError, MachmeterError, UsageError
from machmeter.model.plan.submission import Allocation, Submission
from machmeter.model.results.run import Request, RunState
from machmeter.model.written.text import check_text
from machmeter.run.measuring.start import new_run_id, refuse_output
from machmeter.store.files import make_folder, read_json, write_durably, write_json
from machmeter.store.remembered_runs import remember_folders, runs_home
from machmeter.store.run_folder import RunFolder, holds_run
from machmeter.text.numbers import count_text, duration_text
from machmeter.text.runs import allocation_text

# A line of a script that Slurm reads cannot have them in a path.
_UNQUOTABLE = frozenset("\"'\\\n\r")


class PlannedJob(Struct, frozen=True):
    """A job that would measure: what `run --submit --dry-run --json` prints."""

    folder: str
    """Of the run."""
    allocation: Allocation
    """What it would take."""
    script: str
    """What would be submitted; `sbatch` takes it as it is."""
    request: Request
    """What would be measured, of a new run."""


class Submitted(Struct, frozen=True):
    """A job that was submitted: what `run --submit --json` prints."""

    folder: str
    """Of the run."""
    submission: Submission
    """The job."""


def cluster(context: Context | None = None) -> Cluster:
    """What Slurm offers this user: partitions, accounts, and the MPI types of `srun`.

    Args:
        context: The environment, which says how to reach Slurm.
    """
    return cluster_seen((context or Context()).environment)


def plan_job(
    request: Request,
    *,
    folder: Path | None = None,
    options: Sequence[str] = (),
    context: Context | None = None,
) -> PlannedJob:
    """The job that a request would be measured in; nothing is written.

    Args:
        request: What to measure, without hosts; its layouts say on how many nodes.
        folder: Of the run, which the nodes of the job see too; None is one among this user's runs.
        options: Further options of sbatch, each `--name=value`.
        context: Folders and listeners.

    Raises:
        UsageError: Hosts are named, the folder holds a run, its job waits or runs, it has a name
            that no script can name, or an option is none.
        MachineLacksError: Slurm does not say whether an earlier job of the folder has ended.
    """
    context = context or Context()
    if request.layout_options.hosts or request.twin is not None:
        raise UsageError(
            "a job has hosts of its own, and a model needs none",
            "leave --hosts and --on out; --nodes says on how many nodes",
        )
    path = (folder or runs_home(context.data) / new_run_id(socket.gethostname())).absolute()
    refuse_output(path)
    refuse_living_job(path, context.environment)
    nodes = max(request.layout_options.nodes, default=1)
    allocation = allocation_of(nodes, request.precision.budget_seconds, options)
    _warn_of_partition(allocation, context)
    return PlannedJob(str(path), allocation, script_in(path, allocation), request)


def write_job(job: PlannedJob) -> Path:
    """Write what a job needs into the folder of its run, and return the path of its script, which
    `sbatch` takes as it is.

    Args:
        job: As `plan_job` makes it.

    Raises:
        MachineLacksError: The folder cannot be written.
    """
    folder = make_folder(Path(job.folder))
    write_json(folder / REQUEST, job.request)
    write_durably(folder / SCRIPT, job.script.encode())
    return folder / SCRIPT


def submit(job: PlannedJob, *, context: Context | None = None) -> Submitted:
    """Write what a job needs into the folder of its run, and submit it.

    Args:
        job: As `plan_job` makes it.
        context: Folders and listeners.

    Raises:
        UsageError: A job of this run waits or runs.
        MachineLacksError: The folder cannot be written, Slurm refuses the job or does not answer;
            what was written stays.
    """
    context = context or Context()
    refuse_living_job(Path(job.folder), context.environment)
    script = write_job(job)
    remember_folders(context.data, [script.parent])
    number = submit_script(script, context.environment)
    moment, host = datetime.now(UTC).isoformat(), socket.gethostname()
    submission = Submission(number, job.allocation, moment, host, __version__)
    try:
        write_json(script.with_name(SUBMISSION), submission)
    except MachmeterError:
        # Nobody could follow it.
        cancel(number, context.environment)
        raise
    return Submitted(job.folder, submission)


def plan_again(
    run: str | Path, *, options: Sequence[str] = (), context: Context | None = None
) -> PlannedJob:
    """The job that would continue a run which an earlier one began; nothing is written.

    Args:
        run: The folder of that run, its ID, or `last`: the last one submitted.
        options: As of `plan_job`, in the place of those before; empty keeps them.
        context: Folders and listeners.

    Raises:
        UsageError: The run was no job, has ended, or its job waits or runs.
        MachineLacksError: Slurm does not answer.
    """
    context = context or Context()
    folder = submitted_folder(run, context).absolute()
    before = submission_in(folder)
    if before is None:
        raise UsageError(
            f"the run in {folder} was not submitted", "continue it where it began, with --resume"
        )
    if holds_run(folder) and RunFolder(folder).state().state is RunState.FINISHED:
        raise UsageError(f"the run in {folder} has ended", "start a new one")
    refuse_living_job(folder, context.environment)
    request = read_json(folder / REQUEST, Request)
    kept = options or before.allocation.options
    allocation = allocation_of(before.allocation.nodes, request.precision.budget_seconds, kept)
    _warn_of_partition(allocation, context)
    return PlannedJob(str(folder), allocation, script_in(folder, allocation), request)


def nodes_up(options: Sequence[str] = (), *, context: Context | None = None) -> int:
    """How many nodes a job can have: those of its partition that have a job or could start one.

    Args:
        options: As of `plan_job`; they may name the partition.
        context: Folders and listeners.

    Raises:
        MachineLacksError: Slurm does not say, or none is up.
    """
    context = context or Context()
    open_ones = [one for one in partitions_of(options, context) if one.state == "up"]
    found = max(open_ones, key=lambda one: one.nodes_up, default=None)
    if found is None or not found.nodes_up:
        raise MachineLacksError(
            "Slurm names no node that is up in the partition of the job",
            "name another one (--sbatch=--partition=NAME), or a number of --nodes",
        )
    if down := found.nodes - found.nodes_up:
        context.notify(f"{down} of {found.nodes} nodes are down or drained, and not measured")
    return found.nodes_up


def partitions_of(options: Sequence[str], context: Context) -> list[Partition]:
    """Those that options of sbatch name, of which the job gets one, else the default one; none
    where Slurm does not say."""
    named = [one.partition("=")[2] for one in options if is_option(one, "partition")]
    every = partitions(context.environment)
    return [one for one in every if (one.name in named[-1].split(",") if named else one.is_default)]


def _warn_of_partition(allocation: Allocation, context: Context) -> None:
    """Warn of what Slurm would let wait without end, where it says what its partition has."""
    found = partitions_of(allocation.options, context)
    # Of several the job takes one that has what it needs.
    for one in found if len(found) == 1 else ():
        limit, lacking = limit_seconds(one.limit), []
        if allocation.nodes > one.nodes:
            lacking.append(count_text(one.nodes, "node", "nodes"))
        if limit is not None and allocation.seconds > limit:
            lacking.append(f"a limit of {duration_text(limit)}")
        if lacking:
            context.warn(
                MachmeterError(
                    f"the job may take {allocation_text(allocation)}; partition {one.name} has "
                    f"{' and '.join(lacking)}",
                    "name another one (--sbatch=--partition=NAME), fewer --nodes or less time "
                    "(--budget, --sbatch=--time=MINUTES)",
                )
            )


def script_in(folder: Path, allocation: Allocation, command: str = "run") -> str:
    """The script of a job whose request is in a folder. Raises UsageError where no script can name
    that folder."""
    if _UNQUOTABLE & set(check_text(str(folder))):
        raise UsageError(
            f"a job's script cannot name the folder {str(folder)!r}",
            "name another one with --output",
        )
    # As Slurm reads it, `%` stands for something.
    log = Path(str(folder).replace("%", "%%")) / LOG
    words = (sys.executable, "-m", "machmeter", command, "--request", str(folder / REQUEST))
    of_run = ("--hosts", "slurm", "--output", str(folder)) if command == "run" else ()
    return script_of(allocation, log, (*words, *of_run))
