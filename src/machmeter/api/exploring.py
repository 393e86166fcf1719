"""What to measure of any program: its layouts."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from machmeter.api.context import Context
from machmeter.api.requests import MAX_LAUNCHES
from machmeter.build.mpi import EMBEDDED, inspect_prefix, named_prefix
from machmeter.launch.mpi_of_program import LinkedMpi, launcher_of, linked_mpi, may_have_threads
from machmeter.model.errors import UsageError
from machmeter.model.plan.command import Command
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import DEFAULT_MPI, Precision, Request
from machmeter.model.text import check_text
from machmeter.studies.explore import BUDGET_SECONDS, NAME, explore_study

_LEAST_LAUNCHES = 2
_MOST_WORDS, _MOST_CHARACTERS = 1000, 20_000


def explore_request(
    *words: str,
    ranks: Sequence[int] = (),
    threads: Sequence[int] = (),
    mpi: str = "",
    launches: int = 10,
    budget_seconds: float = BUDGET_SECONDS,
    folder: Path | None = None,
    context: Context | None = None,
) -> Request:
    """Measure the wall time of a program under every split of the cores into ranks and threads.

    A program has ranks where it is linked with an MPI, or where ranks or an MPI are named. Layouts
    are launched in turn, equally often; the launcher's own is one of them.

    Args:
        words: The program and its arguments.
        ranks: Rank counts; empty is powers of two up to one on every core.
        threads: Threads of each rank; empty is powers of two up to all cores, or 1 where the
            program is linked with no library that has threads.
        mpi: What starts the ranks: `mpich`, `openmpi` or a prefix; empty is the MPI that the
            program is linked with, else the first on the PATH.
        launches: Launches of each layout.
        budget_seconds: Measuring time, and the longest that one launch may take, seconds.
        folder: Where the program is started; None is this folder.
        context: Folders and environment.

    Raises:
        UsageError: There is no such program, it is linked with another MPI than the named one, or
            a number has no meaning.
        MachineLacksError: There is no MPI that starts it.
    """
    context = context or Context()
    command = _command(words, folder or Path.cwd(), budget_seconds, context.environment)
    if not _LEAST_LAUNCHES <= launches <= MAX_LAUNCHES:
        raise UsageError(
            f"{launches} launches of each layout mean nothing",
            f"use {_LEAST_LAUNCHES} to {MAX_LAUNCHES}: an interval takes two",
        )
    linked = linked_mpi(command.words[0], context.environment)
    of_ranks = bool(linked or ranks or mpi)
    if not threads and not may_have_threads(command.words[0], context.environment):
        context.notify(
            f"{words[0]} is linked with no library of threads: one thread (--threads measures more)"
        )
        threads = (1,)
    return Request(
        names=(NAME,),
        study=explore_study(command, of_ranks=of_ranks),
        layout_options=LayoutOptions(rank_counts=tuple(ranks), threads=tuple(threads)),
        precision=Precision(
            least_launches=launches, most_launches=launches, budget_seconds=budget_seconds
        ),
        mpi=_started_by(linked, mpi, context.environment) if of_ranks else DEFAULT_MPI,
        compiler="",
        force=True,
    )


def _command(
    words: Sequence[str], folder: Path, limit_seconds: float, environment: Mapping[str, str]
) -> Command:
    if not words or not words[0]:
        raise UsageError("no program was named", "machmeter explore -- PROGRAM [ARGUMENT]...")
    if len(words) > _MOST_WORDS or sum(map(len, words)) > _MOST_CHARACTERS:
        raise UsageError(
            "the command line of the program is too long",
            f"put it into a script: at most {_MOST_WORDS} words, {_MOST_CHARACTERS} characters",
        )
    for word in words:
        check_text(word)
    name = words[0]
    in_folder = folder / name
    found = (
        shutil.which(str(in_folder))
        if "/" in name
        else shutil.which(name, path=environment.get("PATH"))
    )
    if found is None:
        there = in_folder.is_file()
        raise UsageError(
            f"{name} cannot be started" if there else f"there is no program {name}",
            f"make it executable: chmod +x {shlex.quote(name)}"
            if there
            else "name its path, such as ./solver, or put its folder on the PATH",
        )
    return Command((str(Path(found).absolute()), *words[1:]), str(folder), limit_seconds)


def _started_by(linked: LinkedMpi | None, mpi: str, environment: Mapping[str, str]) -> str:
    """The MPI that starts the program, as `--mpi` names it."""
    if mpi:
        _refuse_other_family(linked, mpi, environment)
        return mpi
    found = launcher_of(linked, environment)
    if found is not None:
        return found.prefix
    return linked.family if linked else DEFAULT_MPI


def _refuse_other_family(
    linked: LinkedMpi | None, mpi: str, environment: Mapping[str, str]
) -> None:
    """Its ranks would each believe to be alone, and give the right answer several times."""
    if linked is None:
        return
    family = (
        mpi
        if mpi in EMBEDDED
        else inspect_prefix(named_prefix(mpi), environment, to_compile=False).family
    )
    if family != linked.family:
        raise UsageError(
            f"the program is linked with {linked.family} ({linked.file or 'not found'}), and "
            f"--mpi {mpi} is {family}: it would start copies of one rank",
            f"name an MPI of {linked.family}, or compile the program with {mpi}",
        )
