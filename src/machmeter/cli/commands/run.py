"""`machmeter run`: measure this machine."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec.structs import replace

from machmeter.cli.commands.jobs.submitting import (
    WITH_SUBMIT,
    nodes_to_submit,
    refuse_without_submit,
    submit_request,
    submit_resumed,
    wishes_of,
)
from machmeter.cli.options.batch import MaxNodeHours, RequestFile, SbatchOptions, Submit, Yes
from machmeter.cli.options.common import (
    AsJson,
    CompilerFlags,
    CompilerName,
    DryRun,
    HostNames,
    HwlocXml,
    MachineName,
    MpiNames,
    OnTwin,
    PageOutput,
    ParameterSettings,
    RemoteShellProgram,
    RunOutput,
    WhatNames,
    WithChange,
)
from machmeter.cli.options.completion import complete_run
from machmeter.cli.options.run_options import with_layout_options
from machmeter.model.errors import ExitCode, MachmeterError, UsageError
from machmeter.model.layout_fields import OptionGroup

if TYPE_CHECKING:
    from machmeter.api.context import Context
    from machmeter.api.loading import Run
    from machmeter.api.reports import WrittenReport
    from machmeter.model.machine import Machine
    from machmeter.model.results.run import Baseline, Request, RunHeader, RunResult

_NOT_OF_JOBS = ("against", "hosts", "name", "report", "hwloc_xml", "remote_shell")
_WITH_REQUEST = ("request_file", "hosts", "output", "trust", "report", "as_json")
_WITH_RESUME = ("resume", "trust", "report", "as_json", "fail_on")
_NO_RESULT = "no results: the budget ended, or every launch failed, before the first one"
_NO_RESULT_REMEDY = "give more time with --budget; check the machine with `machmeter doctor`"
_FAILED_REMEDY = "the first caveat below says how launches ended, and which files hold their output"


class RunFailOn(StrEnum):
    """What makes an A/B run end with exit code 1."""

    REGRESSION = "regression"
    UNDECIDED = "undecided"


@with_layout_options(after="max_launches")
def run(  # noqa: PLR0913, PLR0917 - the options of the command
    context: typer.Context,
    names: WhatNames = None,
    settings: ParameterSettings = None,
    dry_run: DryRun = False,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="continue an interrupted run (folder, ID or last)",
            autocompletion=complete_run,
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="measuring time: 90s, 5min  [default: the study's own]",
            rich_help_panel=OptionGroup.PRECISION,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="keep every layout, even beyond the budget",
            rich_help_panel=OptionGroup.PRECISION,
        ),
    ] = False,
    fresh_sizes: Annotated[
        bool,
        typer.Option(
            "--fresh-sizes",
            help="choose sizes again, not as earlier runs",
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = False,
    precision: Annotated[
        str,
        typer.Option(
            metavar="PERCENT",
            help="target half-width of the 95 % interval",
            rich_help_panel=OptionGroup.PRECISION,
        ),
    ] = "2%",
    min_launches: Annotated[
        int,
        typer.Option(
            metavar="N", help="launches per layout, at least", rich_help_panel=OptionGroup.PRECISION
        ),
    ] = 10,
    max_launches: Annotated[
        int,
        typer.Option(
            metavar="N", help="launches per layout, at most", rich_help_panel=OptionGroup.PRECISION
        ),
    ] = 100,
    mpi: MpiNames = None,
    compiler: CompilerName = "",
    flags: CompilerFlags = "",
    against: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="test against RUN; what is not given is inherited",
            autocompletion=complete_run,
            rich_help_panel=OptionGroup.AB,
        ),
    ] = None,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild",
            help="kernels from today's sources",
            rich_help_panel=OptionGroup.AB,
        ),
    ] = False,
    unpaired: Annotated[
        bool,
        typer.Option(
            "--unpaired",
            help="also results that RUN lacks",
            rich_help_panel=OptionGroup.AB,
        ),
    ] = False,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="RUN may be another user's (--against, --resume)",
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = False,
    fail_on: Annotated[
        RunFailOn | None,
        typer.Option(
            metavar="WHAT",
            help="regression or undecided: exit code 1 if found",
            rich_help_panel=OptionGroup.AB,
        ),
    ] = None,
    hosts: HostNames = "",
    remote_shell: RemoteShellProgram = "",
    on: OnTwin = "",
    changes: WithChange = None,
    name: MachineName = "",
    hwloc_xml: HwlocXml = None,
    submit: Submit = False,
    sbatch: SbatchOptions = None,
    yes: Yes = False,
    max_node_hours: MaxNodeHours = None,
    request_file: RequestFile = None,
    output: RunOutput = None,
    report: PageOutput = None,
    as_json: AsJson = False,
    **layout: Any,
) -> None:
    """Measure this machine.

    Without names: the study quick, two minutes.

    Examples:

    ```text
    machmeter run                               # this machine in two minutes
    machmeter run scalemp --budget 8min         # one study, with more time
    machmeter run memory.stream --threads 1,2   # one benchmark, two layouts
    machmeter run network.latency --set size=8,1KiB,1MiB --precision 1%
    machmeter run network --mpi mpich --mpi openmpi   # two MPI libraries
    machmeter run louhi --submit --nodes 4      # as a Slurm job of 4 nodes
    machmeter run louhi --hosts slurm           # the nodes of this Slurm job
    machmeter run louhi --on louhi              # on a model of another machine
    machmeter run --against last --flags=-O2    # A/B test against the last run
    machmeter run --dry-run                     # what would be launched
    machmeter run --resume last                 # continue after an interruption
    ```
    """
    from machmeter.api.loading import find_run
    from machmeter.api.measuring import resume as resume_run
    from machmeter.cli.context import measuring_context
    from machmeter.store.run_folder import check_target

    end_on_termination()
    if report:
        check_target(report)
    _refuse_empty_names(resume, against)
    if not submit:
        refuse_without_submit(wishes_of(context.params))
    with measuring_context(quiet=as_json) as listening:
        if submit and resume is not None:
            _refuse_options(context, "resume", ("resume", *WITH_SUBMIT, "dry_run", "as_json"))
            submit_resumed(resume, wishes_of(context.params), listening)
            measured = None
        elif request_file is not None:
            _refuse_options(context, "request", _WITH_REQUEST)
            measured = _measured_in_job(context.params, listening)
        elif resume is None:
            measured = _start(context, listening)
        else:
            _refuse_options(context, "resume", _WITH_RESUME)
            if fail_on:
                _refuse_without_baseline(find_run(resume, listening).header())
            measured = resume_run(resume, trust=trust, context=listening)
    if measured is None:
        raise typer.Exit(ExitCode.DONE)
    raise typer.Exit(finish(measured, report, as_json=as_json, fail_on=fail_on))


def finish(
    run: Run, also: Path | None, *, as_json: bool, fail_on: RunFailOn | None = None
) -> ExitCode:
    """Print the result, and write the page into the run's folder and to `also`.

    A page that cannot be written is a warning and hides no results.
    """
    from machmeter.cli.consoles import text_console
    from machmeter.cli.output import print_json, warn
    from machmeter.model.results.caveat import CaveatKind
    from machmeter.report.terminal.run import print_run
    from machmeter.report.terminal.summary import MOST_LATER, print_page

    if not run.result.estimates and not run.result.disturbed:
        said = any(one.kind is CaveatKind.FAILED_LAUNCHES for one in run.result.caveats)
        warn(MachmeterError(_NO_RESULT, _FAILED_REMEDY if said else _NO_RESULT_REMEDY))
    try:
        if as_json:
            print_json(run.result)
        else:
            print_run(run.result, text_console(), record=run.folder, later=MOST_LATER)
        # What was measured is read while the page is made.
        sys.stdout.flush()
    except OSError:
        # Nobody reads on, or what takes the output is full: the page is wanted all the same.
        _write_pages(run, also)
        raise
    written, failed = _write_pages(run, also)
    if written and not as_json:
        print_page(text_console(), written[-1].path, written[-1].normal)
    return failed or exit_code_for(run.result, fail_on)


def _start(context: typer.Context, listening: Context) -> Run | None:
    """Measure what the options request; with `--dry-run` print the plan instead.

    The values of a context are converted by `path_type`, not by an option's annotation.
    """
    from machmeter.api.loading import find_run
    from machmeter.api.measuring import this_machine
    from machmeter.api.requests import baseline, inherit
    from machmeter.cli.options.hosts import hosts_of
    from machmeter.cli.options.run_options import options_of, request_of
    from machmeter.cli.options.twins import twin_of

    _refuse_options_without_against(context)
    params, given = context.params, _given(context)
    if params["submit"]:
        _refuse_with_submit(given)
        nodes = nodes_to_submit(params["nodes"], wishes_of(params), listening)
        params = {**params, "nodes": nodes}
    twin = twin_of(params, given)
    hosts = hosts_of(params["hosts"], params["remote_shell"])
    options, against = options_of(params, hosts), params["against"]
    if params["submit"]:
        request = request_of(options, twin, params["on"], context=listening)
        submit_request(request, params["output"], wishes_of(params), listening)
        return None
    if against is not None:
        header = find_run(against, listening).header()
        if header.baseline is not None:
            listening.notify(
                f"the baseline is the candidate of A/B run {header.id}; for what that was compared "
                f"with: --against {header.baseline.run}"
            )
        if given & {"settings"} and not given & {"names"}:
            options = replace(options, names=header.request.names)
        if "mpi" not in given:
            # Inherited below: no other one is looked for.
            options = replace(options, mpi=(header.request.mpi.split(",")[0],))
    changes = params["changes"] or ()
    request = request_of(options, twin, params["on"], changes, listening)
    if twin is not None:
        return _planned_or_measured(request, None, None, params, listening)
    machine = this_machine(params["name"], hwloc_xml=params["hwloc_xml"])
    old = None
    if against is not None:
        request = inherit(request, header, given)
        old = baseline(
            against,
            request,
            machine,
            rebuild=params["rebuild"],
            unpaired=params["unpaired"],
            trust=params["trust"],
            context=listening,
        )
    return _planned_or_measured(request, machine, old, params, listening)


def _planned_or_measured(
    request: Request,
    machine: Machine | None,
    old: Baseline | None,
    params: Mapping[str, Any],
    listening: Context,
) -> Run | None:
    """The run; with `--dry-run` its plan is printed instead."""
    from machmeter.api.measuring import measure, plan
    from machmeter.api.requests import chooses_mpi
    from machmeter.cli.options.run_options import command_to_repeat
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.plan import print_plan

    if params["dry_run"]:
        planned = plan(request, machine=machine, baseline=old, context=listening)
        print_json(planned) if params["as_json"] else print_plan(planned)
        return None
    # Of a baseline's run what is left out is as in that.
    named = params["mpi"] or old is not None or request.origin.is_quoted
    mpi = "" if named or not chooses_mpi(request.study) else request.mpi
    return measure(
        request,
        machine=machine,
        baseline=old,
        folder=params["output"],
        command=command_to_repeat(sys.argv, "run", mpi),
        context=listening,
    )


def exit_code_for(result: RunResult, fail_on: RunFailOn | None = None) -> ExitCode:
    """1 where a launch failed or there is no result, save where an exploration is decided all the
    same, and where `fail_on` says so."""
    from machmeter.api.measuring import decides_nothing, has_regression, is_clean
    from machmeter.api.programs.deciding import is_answered

    failed = not (is_clean(result) or is_answered(result))
    failed = failed or (fail_on is not None and has_regression(result))
    failed = failed or (fail_on is RunFailOn.UNDECIDED and decides_nothing(result))
    return ExitCode.SOMETHING_FAILED if failed else ExitCode.DONE


def _write_pages(run: Run, also: Path | None) -> tuple[list[WrittenReport], ExitCode]:
    """The page in the run's folder and at `also`; one that cannot be written is a warning."""
    from machmeter.api.reports import report
    from machmeter.cli.context import command_context
    from machmeter.cli.output import warn

    written, code = [], ExitCode.DONE
    for path in (None, *([also] if also else [])):
        try:
            written.append(report(run, path=path, context=command_context()))
        except MachmeterError as error:
            warn(error)
            # What was measured was not wrongly requested.
            wrong = error.exit_code is ExitCode.WRONG_USAGE
            code = ExitCode.MACHINE_LACKS if wrong else error.exit_code
    return written, code


def _refuse_empty_names(resume: str | None, against: str | None) -> None:
    """What a script left empty names no run, and does not mean that none was named."""
    for option, name in (("--resume", resume), ("--against", against)):
        if name is not None and not name.strip():
            raise UsageError(f"{option}: the name of the run is empty", "name a run, or `last`")


def _refuse_without_baseline(header: RunHeader) -> None:
    if header.baseline is None:
        raise UsageError(
            f"--fail-on needs an A/B run, and run {header.id} has no baseline",
            "leave out --fail-on, or measure with --against RUN",
        )


def _refuse_options(context: typer.Context, option: str, among: Sequence[str]) -> None:
    """A run continues with what it was requested to measure: other options would be ignored."""
    given = [
        parameter.opts[0] if parameter.param_type_name == "option" else "names"
        for parameter in context.command.params
        if parameter.name not in among and _is_given(context, parameter.name or "")
    ]
    if given:
        raise UsageError(
            f"--{option} measures what was requested before, and takes no {', '.join(given)}",
            "leave it out, or start a new run",
        )


def _refuse_options_without_against(context: typer.Context) -> None:
    needing = {
        "rebuild": "--rebuild",
        "unpaired": "--unpaired",
        "trust": "--trust",
        "fail_on": "--fail-on",
    }
    given = _given(context)
    alone = [option for name, option in needing.items() if name in given]
    if alone and "against" not in given:
        raise UsageError(f"{' and '.join(alone)} needs a baseline", "add --against RUN")


def _refuse_with_submit(given: AbstractSet[str]) -> None:
    """What is of this machine says nothing of the nodes of a job; a page is written there."""
    named = [f"--{one.replace('_', '-')}" for one in _NOT_OF_JOBS if one in given]
    if "on" in given:
        raise UsageError(
            "a model needs no job", "leave out --submit: its results are computed here"
        )
    if named:
        raise UsageError(
            f"a job takes no {', '.join(named)}", "leave it out; the page is in the run's folder"
        )


def _measured_in_job(params: Mapping[str, Any], listening: Context) -> Run:
    """The run of a job, as far as it came; what ends it too early is raised when its page is
    written."""
    from machmeter.api.jobs.requested import measure_requested
    from machmeter.api.loading import load
    from machmeter.cli.options.hosts import hosts_of
    from machmeter.store.run_folder import holds_run

    folder = params["output"]
    if folder is None:
        raise UsageError("--request needs the folder of its run", "name it with --output")
    hosts = hosts_of(params["hosts"], "")
    try:
        return measure_requested(
            params["request_file"],
            folder,
            hosts,
            command=tuple(sys.argv),
            trust=params["trust"],
            context=listening,
        )
    except MachmeterError:
        if holds_run(folder):
            _write_pages(load(folder, context=listening), params["report"])
        raise


def _given(context: typer.Context) -> frozenset[str]:
    """Names of the parameters that stand on the command line."""
    names = (parameter.name or "" for parameter in context.command.params)
    return frozenset(name for name in names if _is_given(context, name))


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    typed = source is not None and source.name == "COMMANDLINE"
    return typed and context.params[name] not in (None, [], ())


def end_on_termination() -> None:
    """Let a batch system's SIGTERM, and the SIGHUP of a terminal that is closed, end a run as an
    interrupt from the keyboard does; where SIGHUP is ignored (nohup), it stays so."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, interrupt)
