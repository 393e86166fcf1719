"""A described program: what launches start, and the MPI that starts its ranks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from machmeter.api.context import Context
from machmeter.api.programs.finding import described_program
from machmeter.apps.builtin import app_names
from machmeter.apps.inputs import identity
from machmeter.apps.placeholders import as_it_is
from machmeter.apps.read import read_description
from machmeter.apps.sizes import at_size
from machmeter.benchmarks.explore import INPUT
from machmeter.build.mpi import EMBEDDED, inspect_prefix, named_prefix
from machmeter.launch.mpi_of_program import LinkedMpi, launcher_of, linked_mpi
from machmeter.launch.prepared_inputs import prepared_inputs
from machmeter.model.errors import UsageError
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description
from machmeter.model.results.run import DEFAULT_MPI
from machmeter.model.written.text import check_text


class DescribedProgram(Struct, frozen=True):
    """What is to run, whoever described it."""

    command: Command
    """What launches start."""
    path: str
    """Of the program."""
    values: dict[str, str]
    """Of the parameters of its benchmark."""


def described_command(
    path: Path,
    named: str,
    limit_seconds: float,
    context: Context,
    *,
    size: str = "",
    keep_files: bool = False,
) -> DescribedProgram:
    """The program of the description in `path`, which a person called `named`, and its input files.

    limit_seconds: of a launch; size: as of `at_size`. Raises as `explore_request` does.
    """
    description = at_size(read_description(path), size)
    executable = described_program(description, path.absolute().parent, context.environment)
    folder, checksums = prepared_inputs(
        description, path.absolute().parent, context.cache, context.environment, context.notify
    )
    command = Command(
        (as_it_is(executable), *description.command[1:]),
        check_text(str(folder)),
        limit_seconds,
        description,
        own_folder=True,
        typed=(named if named in app_names() else str(path.absolute()),),
        keeps_files=keep_files,
    )
    return DescribedProgram(
        command, executable, {INPUT: identity(description, checksums, executable)}
    )


def mpi_of(
    path: str, description: Description | None, environment: Mapping[str, str]
) -> LinkedMpi | None:
    """The MPI that a program is linked with, of a script the one that its description names; None
    where neither is known. path: of the program."""
    named = LinkedMpi(description.mpi, "") if description and description.mpi else None
    return linked_mpi(path, environment) or named


def is_of_ranks(program: DescribedProgram, linked: LinkedMpi | None) -> bool:
    """Whether an MPI starts it: by its description, else by what it is linked with."""
    described = program.command.description
    said = described.ranks if described else None
    return linked is not None if said is None else said


def started_by(linked: LinkedMpi | None, mpi: str, environment: Mapping[str, str]) -> str:
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
