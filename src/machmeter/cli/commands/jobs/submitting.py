"""What `--submit` does: print what a job would take, have a person agree, submit it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from msgspec import Struct

from machmeter.model.errors import UsageError

if TYPE_CHECKING:
    from machmeter.api.context import Context
    from machmeter.model.plan.submission import Allocation
    from machmeter.model.results.run import Request


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


def submit_request(
    request: Request, folder: Path | None, wishes: Wishes, listening: Context
) -> None:
    """Submit a new run. Raises MachmeterError as `plan_job` and `submit`, UsageError where it is
    too much, or nobody is there to agree."""
    from machmeter.api.jobs.submitting import cluster, plan_job, submit
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.jobs import print_planned_job, print_submitted

    job = plan_job(request, folder=folder, options=wishes.options, context=listening)
    if wishes.dry_run:
        if wishes.as_json:
            print_json(job)
        else:
            print_planned_job(job, cluster(listening))
        return
    _consent(job.allocation, wishes)
    submitted = submit(job, context=listening)
    print_json(submitted) if wishes.as_json else print_submitted(submitted)


def submit_resumed(run: str, wishes: Wishes, listening: Context) -> None:
    """Submit a job that continues a run. Raises MachmeterError as `plan_again` and `submit`."""
    from machmeter.api.jobs.submitting import plan_again, submit
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.jobs import print_submitted

    job = plan_again(run, options=wishes.options, context=listening)
    if wishes.dry_run:
        sys.stdout.write(job.script)
        return
    _consent(job.allocation, wishes)
    submitted = submit(job, context=listening)
    print_json(submitted) if wishes.as_json else print_submitted(submitted)


def _consent(allocation: Allocation, wishes: Wishes) -> None:
    """Print what a job takes, and have a person agree."""
    from machmeter.cli.consoles import error_console
    from machmeter.text.runs import allocation_text

    text, hours = allocation_text(allocation), allocation.node_hours
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
