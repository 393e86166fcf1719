"""`machmeter prepare`: have what a run needs."""

from __future__ import annotations

import sys
from typing import Any

import typer

from machmeter.cli.commands.jobs.submitting import (
    Wishes,
    refuse_without_submit,
    submit_preparation,
)
from machmeter.cli.commands.run import end_on_termination
from machmeter.cli.options.batch import (
    MaxNodeHours,
    RequestFile,
    SbatchOptions,
    ScriptsOnly,
    Submit,
    Yes,
)
from machmeter.cli.options.common import (
    AsJson,
    CompilerFlags,
    CompilerName,
    MpiNames,
    ParameterSettings,
    WhatNames,
)
from machmeter.cli.options.run_options import with_layout_options
from machmeter.launch.launchers.hosts import THIS_HOST
from machmeter.model.errors import UsageError
from machmeter.model.layout_fields import LAYOUT_OPTIONS


@with_layout_options(after="settings", helps={"openmp": LAYOUT_OPTIONS["openmp"].help})
def prepare(  # noqa: PLR0913, PLR0917 - the options of the command
    context: typer.Context,
    names: WhatNames = None,
    settings: ParameterSettings = None,
    mpi: MpiNames = None,
    compiler: CompilerName = "",
    flags: CompilerFlags = "",
    submit: Submit = False,
    sbatch: SbatchOptions = None,
    yes: Yes = False,
    max_node_hours: MaxNodeHours = None,
    request_file: RequestFile = None,
    dry_run: ScriptsOnly = False,
    as_json: AsJson = False,
    **layout: Any,
) -> None:
    """Fetch and compile what a run needs; measure nothing.

    A run of the same words then needs no internet, also on another machine to which the cache was
    copied, wherever it is there.

    Examples:

    ```text
    machmeter prepare                           # what `machmeter run` needs
    machmeter prepare network --mpi mpich --mpi openmpi
    machmeter prepare louhi --submit            # compile in Slurm jobs
    ```
    """
    from machmeter.api.jobs.requested import read_request
    from machmeter.api.measuring import prepare_cache
    from machmeter.api.requests import chooses_mpi
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import measuring_context
    from machmeter.cli.options.run_options import command_to_repeat, options_of, request_of
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.plan import prepared_line

    end_on_termination()
    wishes = Wishes(tuple(sbatch or ()), yes, max_node_hours, dry_run, as_json)
    if not submit:
        if dry_run:
            raise UsageError("--dry-run prints the jobs that would compile", "add --submit")
        refuse_without_submit(wishes)
    with measuring_context(quiet=as_json) as listening:
        if request_file is not None:
            request = read_request(request_file)
        else:
            request = request_of(options_of(context.params, THIS_HOST), context=listening)
        if submit:
            submit_preparation(request, wishes, listening)
            raise typer.Exit
        prepared = prepare_cache(request, context=listening)
    named = "" if mpi or not chooses_mpi(request.study) else request.mpi
    if as_json:
        print_json(prepared)
    else:
        words = command_to_repeat(sys.argv, "prepare", named)
        line = prepared_line(prepared, words[words.index("prepare") + 1 :])
        text_console().print(line, markup=False, soft_wrap=True)
