"""What to measure of any program: its layouts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.programs.described import (
    DescribedProgram,
    described_command,
    is_of_ranks,
    mpi_of,
    started_by,
)
from machmeter.api.programs.finding import description_file, program_path
from machmeter.api.programs.wrappers import is_wrapper, refuse_launcher
from machmeter.api.requests import MAX_LAUNCHES, check_layout, mpi_where_none_is_named
from machmeter.apps.benchmark import benchmark_of
from machmeter.apps.placeholders import as_it_is, as_placeholders
from machmeter.apps.rules import check_description
from machmeter.benchmarks.catalogue import PROXIES
from machmeter.benchmarks.explore import COMMAND, COPIES, FOLDER, PROCESS, RANKS
from machmeter.launch.mpi_of_program import LinkedMpi, may_have_threads
from machmeter.model.benchmark import Benchmark
from machmeter.model.errors import UsageError
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description, Figure
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import DEFAULT_MPI, Precision, Request
from machmeter.model.written.text import check_text
from machmeter.studies.explore import BUDGET_SECONDS, NAME, explore_proxy, explore_study

RATE = "rate"
_LEAST_LAUNCHES = 2
_MOST_WORDS, _MOST_CHARACTERS = 1000, 20_000
_UNIT_NOT_NAMED = "(as printed)"


def explore_request(  # noqa: PLR0913 - the arguments are the options of the command
    *words: str,
    layout: LayoutOptions = LayoutOptions(),  # noqa: B008 - frozen
    copies: tuple[int, ...] = (),
    mpi: str = "",
    rate: str = "",
    unit: str = "",
    size: str = "",
    launches: int = 10,
    race: bool = True,
    budget_seconds: float = BUDGET_SECONDS,
    keep_files: bool = False,
    folder: Path | None = None,
    context: Context | None = None,
) -> Request:
    """Measure a program under every split of the cores into ranks and threads.

    A program has ranks where it is linked with an MPI, or where ranks or an MPI are named. Layouts
    are launched in turn, until they are shown to be slower than another one; the launcher's own is
    one of them. The result is the first
    figure of merit, or the wall time.

    Args:
        words: The program and its arguments, in which `{ranks}`, `{threads}` and `{run}` stand for
            those of the launch; or the file that describes it (`.toml`, docs/apps.md), or the name
            of an application that comes with machmeter (docs/applications.md) or of a proxy
            (docs/proxies.md).
        layout: Layouts beyond those of ranks x threads; its empty fields are: ranks in powers of
            two up to one on every core, threads of each in powers of two up to all cores, or 1
            where the program is linked with no library that has threads, bound close.
        copies: How many copies of a program without MPI run side by side; the result is then their
            throughput. Empty is one process.
        mpi: What starts the ranks: `mpich`, `openmpi` or a prefix; empty is the MPI that the
            program is linked with, else the first on the PATH.
        rate: A regular expression of RE2 with one group: where the program prints its rate, of
            which more is better; empty is none.
        unit: Of that rate.
        size: Of a described application, by the name that its description has for it (`minute`);
            empty is its usual one.
        launches: Launches of each layout.
        race: Whether a layout that is shown to be slower than another one is launched no more.
        budget_seconds: Measuring time, and the longest that one launch may take, seconds.
        keep_files: Whether what launches of a described program write is kept.
        folder: Where a typed program is started; None is this folder. That of a description is the
            folder that has it.
        context: Folders and environment.

    Raises:
        UsageError: There is no such program, it is linked with another MPI than the named one, the
            description or an input file cannot be used, or a number has no meaning.
        MachineLacksError: There is no MPI that starts it, or a described program is not installed.
    """
    context = context or Context()
    environment = context.environment
    check_layout(layout)
    if not _LEAST_LAUNCHES <= launches <= MAX_LAUNCHES:
        raise UsageError(
            f"{launches} launches of each layout mean nothing",
            f"use {_LEAST_LAUNCHES} to {MAX_LAUNCHES}: an interval takes two",
        )
    precision = Precision(
        least_launches=launches,
        most_launches=launches,
        budget_seconds=budget_seconds,
        race=race,
    )
    proxy = next((one for one in PROXIES if words == (one.name,)), None)
    if proxy is not None:
        _refuse_nodes(layout, of_ranks=True)
        if copies or rate or unit or size or keep_files:
            raise UsageError(
                f"{proxy.name} is a program of machmeter's, which has its rate and no files",
                "leave --copies, --rate, --unit, --size and --keep out",
            )
        study = explore_proxy(proxy, layout)
        mpi = mpi or mpi_where_none_is_named(layout, context)
        return Request((proxy.name,), study, layout, precision, mpi=mpi, compiler="")
    _refuse_what_is_ours(layout)
    path = description_file(words[0]) if len(words) == 1 else None
    if path is not None:
        if rate or unit:
            raise UsageError(
                f"{words[0]} has its figures of merit itself",
                "leave --rate and --unit out, or add a figure to the file",
            )
        program = described_command(
            path, words[0], budget_seconds, context, size=size, keep_files=keep_files
        )
    elif size:
        raise UsageError(
            "sizes are of applications that are described, and a command was named",
            "leave --size out, and name its size among its arguments",
        )
    else:
        program = _typed(words, folder or Path.cwd(), budget_seconds, rate, unit, environment)
    linked = mpi_of(program.path, program.command.description, environment)
    if copies:
        program = _copied(program, linked, layout)
        layout = replace(layout, rank_counts=copies)
    of_ranks = is_of_ranks(program, linked) or bool(layout.rank_counts or mpi)
    _refuse_nodes(layout, of_ranks=of_ranks and not copies)
    if layout.modes and not of_ranks:
        raise UsageError(
            "launch modes are of programs with ranks, and this one is linked with no MPI",
            "leave --modes out, or name --ranks for a script that uses MPI",
        )
    benchmark = _benchmark(program, of_ranks=of_ranks)
    _refuse_threads(program, layout)
    return Request(
        names=(NAME,),
        study=explore_study(program.command, benchmark, program.values, layout),
        layout_options=replace(layout, threads=layout.threads or _threads_of(program, context)),
        precision=precision,
        mpi=started_by(linked, mpi, environment) if of_ranks else DEFAULT_MPI,
        compiler="",
        force=True,
    )


def _copied(
    program: DescribedProgram, linked: LinkedMpi | None, layout: LayoutOptions
) -> DescribedProgram:
    if linked or layout.rank_counts:
        raise UsageError(
            "copies are of a program without MPI, which has no ranks of its own",
            "leave --copies out: --ranks 1,2 measures its numbers of ranks",
        )
    if program.command.description is not None:
        raise UsageError(
            "the throughput of copies is in runs of the program, not in a rate that it prints",
            "leave --rate out, and name the command itself in place of its description",
        )
    return replace(program, command=replace(program.command, copies=True))


def _refuse_nodes(layout: LayoutOptions, *, of_ranks: bool) -> None:
    """Several nodes are for ranks."""
    if (layout.hosts or layout.nodes) and not of_ranks:
        raise UsageError(
            "several hosts are for a program with ranks: copies, and programs that are linked with "
            "no MPI, run on one",
            "leave --hosts and --nodes out, or name --ranks for a script that uses MPI",
        )
    for nodes in layout.nodes or (len(layout.hosts) or 1,):
        if layout.rank_counts and all(ranks % nodes for ranks in layout.rank_counts):
            raise UsageError(
                f"no number of --ranks can be shared out evenly over {nodes} nodes",
                f"name multiples of {nodes}, or fewer nodes with --nodes",
            )


def _refuse_what_is_ours(layout: LayoutOptions) -> None:
    """What only programs of machmeter's take from a layout."""
    for name in ("progress", "openmp", "page_bytes"):
        if getattr(layout, name) != getattr(LayoutOptions(), name):
            raise UsageError(
                f"{name.replace('_', ' ')}: no axis of any program",
                "leave it out; it is one of machmeter's own benchmarks",
            )


def _refuse_threads(program: DescribedProgram, layout: LayoutOptions) -> None:
    described = program.command.description
    several = max(layout.threads, default=1) > 1
    if several and described is not None and described.threads is False:
        raise UsageError(
            f"{described.name} has one thread by its description, and --threads names others",
            "leave --threads out, or correct `threads` in the description",
        )


def _benchmark(program: DescribedProgram, *, of_ranks: bool) -> Benchmark:
    description, typed = program.command.description, COMMAND in program.values
    if program.command.copies:
        return COPIES
    if description is None:
        return RANKS if of_ranks else PROCESS
    return benchmark_of(description, of_ranks=of_ranks, typed=typed)


def _threads_of(program: DescribedProgram, context: Context) -> tuple[int, ...]:
    """One where nothing takes a number of threads; empty where something may."""
    described, words = program.command.description, program.command.words
    takes = False
    if described is not None:
        words = (*words, *described.environment.values())
        takes = bool(described.threads or described.thread_arguments)
        if described.threads is False:
            return (1,)
    takes = takes or any("{threads}" in word for word in words)
    if described is None and is_wrapper(words[0]):
        context.notify(
            f"{Path(program.path).name} starts what runs, of which nothing is known before: every "
            "number of threads is tried (--threads names others)"
        )
        return ()
    if takes or may_have_threads(program.path, context.environment):
        return ()
    context.notify(
        f"{Path(program.path).name} is linked with no library of threads: one thread (--threads "
        "measures more)"
    )
    return (1,)


def _typed(
    words: Sequence[str],
    folder: Path,
    limit_seconds: float,
    rate: str,
    unit: str,
    environment: Mapping[str, str],
) -> DescribedProgram:
    if not words or not words[0]:
        raise UsageError("no program was named", "machmeter explore -- PROGRAM [ARGUMENT]...")
    if len(words) > _MOST_WORDS or sum(map(len, words)) > _MOST_CHARACTERS:
        raise UsageError(
            "the command line of the program is too long",
            f"put it into a script: at most {_MOST_WORDS} words, {_MOST_CHARACTERS} characters",
        )
    for word in words:
        check_text(word)
    refuse_launcher(words)
    if unit and not rate:
        raise UsageError("a unit is of a rate, and none was named", "add --rate PATTERN")
    typed = (program_path(words[0], folder, environment), *words[1:])
    started = (as_it_is(typed[0]), *as_placeholders(typed[1:]))
    described = _with_rate(started, rate, unit) if rate else None
    return DescribedProgram(
        Command(started, check_text(str(folder)), limit_seconds, described, typed=typed),
        typed[0],
        {COMMAND: shlex.join(typed), FOLDER: str(folder)},
    )


def _with_rate(words: tuple[str, ...], rate: str, unit: str) -> Description:
    """A description of a typed command that has one figure of merit."""
    name = re.sub(r"[^a-z0-9_-]+", "-", Path(words[0]).name.lower()).strip("-_")[:60]
    description = Description(
        name=name or "program",
        title=Path(words[0]).name,
        command=words,
        figures=(Figure(name=RATE, pattern=rate, unit=unit or _UNIT_NOT_NAMED, better="higher"),),
    )
    try:
        description = msgspec.convert(msgspec.to_builtins(description), Description)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"the command, its rate or its unit cannot be recorded: {error}",
            "make them shorter: put the command into a script",
        ) from error
    check_description(description)
    return description
