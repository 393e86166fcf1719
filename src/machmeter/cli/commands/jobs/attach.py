"""`machmeter attach`: follow a run that is a job."""

from __future__ import annotations

import typer

from machmeter.cli.commands.run import end_on_termination, finish
from machmeter.cli.options.common import AsJson, PageOutput, RunArgument


def attach(run: RunArgument = "last", report: PageOutput = None, as_json: AsJson = False) -> None:
    """Follow a run that is a job.

    Until its job has ended; an interrupt ends following alone.

    Examples:

    ```text
    machmeter attach                   # the run that was submitted last
    machmeter attach /work/runs/louhi  # the one in this folder
    ```
    """
    from machmeter.api.jobs.attaching import attach as follow
    from machmeter.cli.context import measuring_context

    end_on_termination()
    with measuring_context(quiet=as_json) as listening:
        measured = follow(run, context=listening)
    raise typer.Exit(finish(measured, report, as_json=as_json))
