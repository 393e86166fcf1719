"""What `--submit` does: print what a job would take, have a person agree, submit it."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from msgspec import Struct

from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.layout_fields import ALL_NODES

if TYPE_CHECKING:
    from machmeter.api.context import Context
    from machmeter.api.jobs.submitting import PlannedJob, Submitted
    from machmeter.model.plan.submission import Allocation
    from machmeter.model.results.run import Request


WITH_SUBMIT = ("submit", "sbatch", "yes", "max_node_hours")


class Wishes(Struct, frozen=True):
    """How a person wants a job submitted."""

    options: Sequence[str] = ()
    """Options of sbatch."""
    yes: bool = False
    """Whether nobody has to agree."""
    max_node_hours: float | None = None
    """What it may take at most; null is whatever it does."""
    dry_run: bool = False
    """Whether the script is printed, and nothing is submitted."""
    as_json: bool = False
    """Whether what is printed is JSON."""


def wishes_of(params: Mapping[str, Any]) -> Wishes:
    """Those on a command line, by the names of its parameters."""
    return Wishes(
        tuple(params["sbatch"] or ()),
        params["yes"],
        params["max_node_hours"],
        params["dry_run"],
        params["as_json"],
    )


def nodes_to_submit(nodes: str, wishes: Wishes, listening: Context) -> str:
    """The value of `--nodes` for a job: of `all` the number of those that it can have. Raises
    MachineLacksError as `nodes_up`."""
    from machmeter.api.jobs.submitting import nodes_up

    if nodes.strip() != ALL_NODES:
        return nodes
    return str(nodes_up(wishes.options, context=listening))


def submit_request(
    request: Request, folder: Path | None, wishes: Wishes, listening: Context
) -> None:
    """Submit a new run. Raises MachmeterError as `plan_job` and `submit`, UsageError where it is
    too much, or nobody is there to agree."""
    from machmeter.api.jobs.submitting import plan_job, submit
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.jobs import print_submitted

    job = plan_job(request, folder=folder, options=wishes.options, context=listening)
    if wishes.dry_run:
        _write_only(job, wishes, listening)
        return
    _consent(job.allocation, wishes)
    submitted = submit(job, context=listening)
    print_json(submitted) if wishes.as_json else print_submitted(submitted)


def submit_preparation(request: Request, wishes: Wishes, listening: Context) -> None:
    """Fetch here, compile in small jobs, and wait for them. Raises MachmeterError as `fetch`,
    `submit` and `attach_preparation`: where one job fails, when all have ended."""
    from machmeter.api.jobs.preparing import (
        PlannedPreparation,
        PlannedPreparations,
        SubmittedPreparations,
        node_time,
        plan_preparations,
    )
    from machmeter.api.jobs.submitting import cluster, write_job
    from machmeter.api.measuring import fetch
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.jobs import print_planned_jobs, print_prepared_by_jobs

    jobs = plan_preparations(request, options=wishes.options, context=listening)
    if wishes.dry_run:
        for job in jobs:
            write_job(job)
        if wishes.as_json:
            planned = (PlannedPreparation(one.folder, one.allocation, one.script) for one in jobs)
            print_json(PlannedPreparations(tuple(planned)))
        else:
            print_planned_jobs(jobs, cluster(listening))
        return
    _consent(node_time(jobs), wishes)
    fetch(request, context=listening)
    done = _prepared(jobs, listening)
    print_json(SubmittedPreparations(done)) if wishes.as_json else print_prepared_by_jobs(done)


def _prepared(jobs: Sequence[PlannedJob], listening: Context) -> tuple[Submitted, ...]:
    """Those jobs, which have compiled: one that fails leaves the others to their end."""
    from machmeter.api.jobs.attaching import attach_preparation
    from machmeter.api.jobs.submitting import submit

    failed: list[MachmeterError] = []
    submitted, done = [], []
    for job in jobs:
        try:
            submitted.append(submit(job, context=listening))
        except MachmeterError as error:
            failed.append(error)
    for one in submitted:
        try:
            attach_preparation(one, context=listening)
            done.append(one)
        except MachmeterError as error:
            failed.append(error)
    for other in failed[1:]:
        listening.warn(other)
    if failed:
        raise failed[0]
    return tuple(done)


def submit_resumed(run: str, wishes: Wishes, listening: Context) -> None:
    """Submit a job that continues a run. Raises MachmeterError as `plan_again` and `submit`."""
    from machmeter.api.jobs.submitting import plan_again, submit
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.jobs import print_submitted

    job = plan_again(run, options=wishes.options, context=listening)
    if wishes.dry_run:
        _write_only(job, wishes, listening)
        return
    _consent(job.allocation, wishes)
    submitted = submit(job, context=listening)
    print_json(submitted) if wishes.as_json else print_submitted(submitted)


def _write_only(job: PlannedJob, wishes: Wishes, listening: Context) -> None:
    """Have a person submit it, with what there is to choose from."""
    from machmeter.api.jobs.submitting import cluster, write_job
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.jobs import print_planned_jobs

    write_job(job)
    print_json(job) if wishes.as_json else print_planned_jobs((job,), cluster(listening))


def refuse_without_submit(wishes: Wishes) -> None:
    """Raise UsageError for options of jobs; where none is submitted they would be ignored."""
    given = {
        "--sbatch": bool(wishes.options),
        "--yes": wishes.yes,
        "--max-node-hours": wishes.max_node_hours is not None,
    }
    alone = [name for name, is_given in given.items() if is_given]
    if alone:
        raise UsageError(f"{' and '.join(alone)} is for a job that is submitted", "add --submit")


def _consent(allocation: Allocation, wishes: Wishes) -> None:
    """Print what a job takes, and have a person agree."""
    from machmeter.cli.consoles import error_console
    from machmeter.text.runs import allocation_text

    text, hours = allocation_text(allocation), allocation.node_hours
    if wishes.max_node_hours is not None and math.isnan(wishes.max_node_hours):
        raise UsageError("--max-node-hours: nan is no number of hours", "write one, such as 0.5")
    if wishes.max_node_hours is not None and hours > wishes.max_node_hours:
        raise UsageError(
            f"the job may take {text}: more than --max-node-hours {wishes.max_node_hours:g}",
            "take fewer --nodes, a shorter --budget or --sbatch=--time=MINUTES",
        )
    error_console().print(f"the job may take {text}", style="dim", markup=False, soft_wrap=True)
    if wishes.yes or wishes.max_node_hours is not None:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"nobody is there to say whether the job may take {text}",
            "add --yes, or --max-node-hours HOURS",
        )
    if not typer.confirm("submit it?", err=True):
        raise typer.Abort
