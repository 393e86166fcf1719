"""`machmeter explore`: how should this program run here?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from machmeter.cli.commands.jobs.submitting import (
    Wishes,
    nodes_to_submit,
    refuse_without_submit,
    submit_request,
)
from machmeter.cli.commands.run import end_on_termination, finish
from machmeter.cli.options.batch import MaxNodeHours, SbatchOptions, Submit, Yes
from machmeter.cli.options.common import (
    AsJson,
    DryRun,
    HostNames,
    HwlocXml,
    MachineName,
    PageOutput,
    RemoteShellProgram,
    RunOutput,
)
from machmeter.cli.options.run_options import (
    command_to_repeat,
    layout_of,
    parse_counts,
    parse_seconds,
    with_layout_options,
)
from machmeter.model.errors import ExitCode, MachmeterError, UsageError
from machmeter.model.layout_fields import OptionGroup

_NO_SCRIPT_REMEDY = (
    "measure again with more time (--budget) or with other layouts; the lines above say what the "
    "program's MPI can place"
)
# What any program takes; the others are of our own programs.
_AXES = {
    "nodes": "so many of the hosts  [default: all]",
    "one_machine": "accept hosts that are one machine",
    "binding": "close, spread, none  [default: close]",
    "wait": "idle threads: default, active, passive  [default: default]",
    "smt": "hardware threads used per core",
    "reserve": "cores left idle",
    "modes": "mpi or hybrid, each with +smt, +reserved",
    "oversubscribe": "allow more ranks or threads than cores",
    "allocator": "linked, glibc, jemalloc, tcmalloc, mimalloc  [default: linked]",
}


@with_layout_options(after="threads", helps=_AXES)
def explore(  # noqa: PLR0913, PLR0917 - the options of the command
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- PROGRAM [ARGUMENT]...",
            help="what is to run; or an application by its name or file (.toml), or a proxy",
        ),
    ] = None,
    ranks: Annotated[
        str,
        typer.Option(
            metavar="N[,N]",
            help="MPI ranks  [default: 1 to one on every core]",
            rich_help_panel=OptionGroup.LAYOUT,
        ),
    ] = "",
    threads: Annotated[
        str,
        typer.Option(
            metavar="N[,N]",
            help="threads of each rank  [default: 1 to all cores]",
            rich_help_panel=OptionGroup.LAYOUT,
        ),
    ] = "",
    copies: Annotated[
        str,
        typer.Option(
            metavar="N[,N]",
            help="without MPI: copies side by side, by throughput",
            rich_help_panel=OptionGroup.LAYOUT,
        ),
    ] = "",
    mpi: Annotated[
        str,
        typer.Option(
            metavar="NAME|PREFIX",
            help="mpich, openmpi, a prefix  [default: the linked one]",
            rich_help_panel=OptionGroup.BUILDS,
        ),
    ] = "",
    rate: Annotated[
        str,
        typer.Option(
            metavar="PATTERN",
            help="where its output has its rate: (...) the number",
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = "",
    unit: Annotated[
        str,
        typer.Option(metavar="UNIT", help="its unit: step/s", rich_help_panel=OptionGroup.WHAT),
    ] = "",
    size: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="of a described application: minute  [default: small]",
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = "",
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="keep what launches of a described program write",
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = False,
    launches: Annotated[
        int,
        typer.Option(
            metavar="N", help="launches of each layout", rich_help_panel=OptionGroup.PRECISION
        ),
    ] = 10,
    race: Annotated[
        bool,
        typer.Option(
            "--race/--no-race",
            help="launch what is shown to be slower no more",
            rich_help_panel=OptionGroup.PRECISION,
        ),
    ] = True,
    budget: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="measuring time: 90s, 5min",
            rich_help_panel=OptionGroup.PRECISION,
        ),
    ] = "10min",
    script: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="write a job script for the best layout",
            rich_help_panel=OptionGroup.OUTPUT,
        ),
    ] = None,
    dry_run: DryRun = False,
    hosts: HostNames = "",
    remote_shell: RemoteShellProgram = "",
    name: MachineName = "",
    hwloc_xml: HwlocXml = None,
    submit: Submit = False,
    sbatch: SbatchOptions = None,
    yes: Yes = False,
    max_node_hours: MaxNodeHours = None,
    output: RunOutput = None,
    report: PageOutput = None,
    as_json: AsJson = False,
    **layout: Any,
) -> None:
    """Find the layout in which a program runs fastest here.

    Any program, as it is: its wall time, or the rate that it prints, under ranks x threads and as
    you have it when you set nothing. Layouts are launched in turn, ten times each unless they are
    shown to be slower before. A file describes more: figures of merit, checks of the results
    (docs/apps.md); applications that `machmeter list apps` shows are described already. `{ranks}`
    and `{threads}` in arguments are those of the launch. Continue an interrupted run with
    `machmeter run --resume last`. Preparations of a description that run once run before its plan
    is made, with `--dry-run` too; a line says what runs.

    Exit code 0: the question is decided, even where single launches failed, or every launch counts;
    1: it is not, and some do not; 2: wrong usage, as layouts of which none fits; 3: the machine
    lacks something.

    Examples:

    ```text
    machmeter explore -- ./solver input.nml          # with MPI: ranks too
    machmeter explore --threads 1,2,4 -- ./solver    # these thread counts only
    machmeter explore --script job.sh -- ./solver    # and write a job script
    machmeter explore --hosts slurm -- ./solver      # on all nodes of the job
    machmeter explore --submit --nodes 2 -- ./solver # as a Slurm job
    machmeter explore --ranks 1,2 -- python step.py  # a script that uses MPI
    machmeter explore --copies 1,2,4 -- ./serial     # throughput of copies
    machmeter explore -- ./solver -t {threads}       # threads as an argument
    machmeter explore --rate 'Speed: *([0-9.]+)' --unit step/s -- ./solver
    machmeter explore lj.toml                  # figures, checks, inputs
    machmeter explore hpcc --ranks 1,2         # one that machmeter describes
    machmeter explore hpcc --size minute       # with more work in a launch
    machmeter explore proxies.ring             # a program of machmeter's own
    machmeter explore --dry-run -- ./solver          # what would be launched
    ```
    """
    from machmeter.api.measuring import measure, plan, this_machine
    from machmeter.api.programs.exploring import explore_request
    from machmeter.api.programs.standard_input import refuse_standard_input
    from machmeter.api.programs.trying import write_script
    from machmeter.cli.context import measuring_context
    from machmeter.cli.options.hosts import hosts_of
    from machmeter.cli.output import print_json, warn
    from machmeter.cli.printing.plan import print_plan
    from machmeter.store.run_folder import check_target

    end_on_termination()
    for path in filter(None, (report, script)):
        check_target(path)
    if report and script and report.absolute() == script.absolute():
        raise UsageError(f"{script} cannot be page and script", "name two files")
    refuse_standard_input()
    wishes = Wishes(tuple(sbatch or ()), yes, max_node_hours, dry_run, as_json)
    if not submit:
        refuse_without_submit(wishes)
    if submit and (hosts or name or hwloc_xml or report or script):
        raise UsageError(
            "a job takes no --hosts, --name, --hwloc-xml, --report or --script",
            "leave it out; the page is in the run's folder",
        )
    with measuring_context(quiet=as_json) as listening:
        if submit:
            layout |= {"nodes": nodes_to_submit(layout["nodes"], wishes, listening)}
        request = explore_request(
            *(words or ()),
            layout=layout_of(
                {"ranks": ranks, "threads": threads, **layout}, hosts_of(hosts, remote_shell)
            ),
            copies=parse_counts("--copies", copies),
            mpi=mpi,
            rate=rate,
            unit=unit,
            size=size,
            launches=launches,
            race=race,
            budget_seconds=parse_seconds(budget),
            keep_files=keep,
            context=listening,
        )
        if submit:
            submit_request(request, output, wishes, listening)
            raise typer.Exit
        machine = this_machine(name, hwloc_xml=hwloc_xml)
        if dry_run:
            planned = plan(request, machine=machine, context=listening)
            print_json(planned) if as_json else print_plan(planned)
            raise typer.Exit(ExitCode.DONE)
        of_ranks = all(one.program.has_ranks for one in request.study.benchmarks)
        measured = measure(
            request,
            machine=machine,
            folder=output,
            command=command_to_repeat(
                sys.argv, "explore", request.mpi if of_ranks and not mpi else ""
            ),
            context=listening,
        )
    code = finish(measured, report, as_json=as_json)
    if script and not write_script(measured, script):
        warn(MachmeterError(f"no script in {script}: no layout is advised", _NO_SCRIPT_REMEDY))
        code = max(code, ExitCode.SOMETHING_FAILED)
    raise typer.Exit(code)
