"""Have what a run needs compiled in small jobs: one for each class of nodes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.api.context import Context
from machmeter.api.jobs.submitting import PlannedJob, Submitted, partitions_of, script_in
from machmeter.launch.batch.classes import NodeClass, node_classes
from machmeter.launch.batch.script import allocation_of, is_option
from machmeter.model.plan.submission import Allocation
from machmeter.model.results.run import Request
from machmeter.run.measuring.start import new_run_id
from machmeter.text.numbers import count_text

_COMPILING_SECONDS = 600.0
# Options of sbatch that choose among the nodes of a partition: a person knows which class it is.
_CHOOSING = (
    *("batch", "cluster-constraint", "constraint", "cores-per-socket", "extra-node-info"),
    *("gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task", "gres", "mem", "mincpus"),
    *("nodefile", "nodelist", "prefer", "reservation", "sockets-per-node", "threads-per-core"),
    "tmp",
)


class PlannedPreparation(Struct, frozen=True):
    """A job that would compile."""

    folder: str
    """Of the job; its script is there."""
    allocation: Allocation
    """What it may take."""
    script: str
    """Its script."""


class PlannedPreparations(Struct, frozen=True):
    """Jobs that would compile: what `prepare --submit --dry-run --json` prints."""

    jobs: tuple[PlannedPreparation, ...]
    """One for each class of nodes."""


class SubmittedPreparations(Struct, frozen=True):
    """Jobs that compiled: what `prepare --submit --json` prints."""

    jobs: tuple[Submitted, ...]
    """One for each class of nodes."""


def plan_preparations(
    request: Request, *, options: Sequence[str] = (), context: Context | None = None
) -> tuple[PlannedJob, ...]:
    """Small jobs that compile what a request needs, into the cache, which holds what is fetched.

    One for each class of nodes that is up in the partition of the job, since a program is compiled
    for the CPUs of the node where it is compiled; one alone where options choose among the nodes,
    or Slurm names no classes.

    Args:
        request: As of `plan_job`.
        options: As of `plan_job`.
        context: Folders and listeners; it is notified of the classes.

    Raises:
        UsageError: As `plan_job`.
    """
    context = context or Context()
    classes = _classes_for(options, context)
    ready = [one for one in classes if one.up]
    if len(classes) < 2 or not ready:
        return (_preparation(request, options, context),)
    for one in classes:
        nodes = count_text(len(one.up), "node", "nodes")
        does = f"{nodes} up, compiled for in a job" if one.up else "none is up, not compiled for"
        context.notify(f"nodes {one.nodes}: {one.text}: {does}")
    return tuple(_preparation(request, _only_on(one, classes, options), context) for one in ready)


def node_time(jobs: Sequence[PlannedJob]) -> Allocation:
    """What jobs of one node take together."""
    return Allocation(len(jobs), max(job.allocation.seconds for job in jobs))


def _preparation(request: Request, options: Sequence[str], context: Context) -> PlannedJob:
    folder = (context.cache / "jobs" / new_run_id("prepare")).absolute()
    allocation = allocation_of(1, _COMPILING_SECONDS, options)
    return PlannedJob(str(folder), allocation, script_in(folder, allocation, "prepare"), request)


def _classes_for(options: Sequence[str], context: Context) -> tuple[NodeClass, ...]:
    chosen = any(is_option(option, one) for one in _CHOOSING for option in options)
    excluded = _excluded(options)
    # sbatch takes a file of nodes to exclude, too.
    if chosen or "/" in excluded:
        return ()
    partitions = [one.name for one in partitions_of(options, context)]
    return node_classes(partitions, context.environment, excluded) if partitions else ()


def _excluded(options: Sequence[str]) -> str:
    # The last counts.
    given = [one.partition("=")[2] for one in options if is_option(one, "exclude")]
    return given[-1] if given else ""


def _only_on(
    own: NodeClass, classes: Sequence[NodeClass], options: Sequence[str]
) -> tuple[str, ...]:
    """Options with which a job waits for any node of a class: a list of nodes would wait for all of
    them, one node for that node, and features need not tell classes apart."""
    others = (one.nodes for one in classes if one is not own)
    excluded = ",".join(filter(None, (_excluded(options), *others)))
    kept = (one for one in options if not is_option(one, "exclude"))
    return (*kept, f"--exclude={excluded}")
