"""Descriptions of applications: a new one, and whether one can be used."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.measuring import plan, this_machine
from machmeter.api.programs.described import mpi_of
from machmeter.api.programs.exploring import explore_request
from machmeter.api.programs.finding import described_program, description_file, program_path
from machmeter.apps.builtin import app_file
from machmeter.apps.inputs import check_inputs, given_inputs
from machmeter.apps.new import description_text
from machmeter.apps.read import description_in, read_description
from machmeter.apps.rules import within
from machmeter.apps.sizes import at_size
from machmeter.layout.assign import assign
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding
from machmeter.model.plan.description import Description, InputFile, OutputReadings
from machmeter.model.plan.launch import Launch, Verdict
from machmeter.model.written.text import check_text
from machmeter.run.measuring.judge import judge_attempt
from machmeter.run.measuring.lock import machine_to_ourselves
from machmeter.run.measuring.start import prepare_programs
from machmeter.store.files import write_durably
from machmeter.store.records import read_record
from machmeter.store.run_folder import check_target

_LIMIT_SECONDS = 600.0


class CheckedLaunch(Struct, frozen=True):
    """One launch of a described program."""

    verdict: Verdict
    """What became of it."""
    reasons: tuple[str, ...]
    """Why, for people."""
    seconds: float
    """Wall time, seconds."""
    ranks: int
    """How many were started."""
    read: OutputReadings
    """The numbers in what it wrote."""
    output: str
    """The end of what it printed."""


class CheckedApp(Struct, frozen=True):
    """A description that can be used: what `apps check --json` prints."""

    path: str
    """Of the file."""
    description: Description
    """What it says."""
    program: str
    """Path of the program."""
    mpi: str
    """The MPI that it is linked with, of a script the one that its description names; empty where
    there is neither."""
    inputs: dict[str, str]
    """SHA-256 checksum of each input file that is given, by its path."""
    launch: CheckedLaunch | None = None
    """What one launch came to; null where none was requested."""


class NewApp(Struct, frozen=True):
    """A description that was begun: what `apps new --json` prints."""

    path: str
    """Of the file."""
    description: Description
    """What it says."""


def check_app(
    named: str | Path,
    *,
    launch: bool = False,
    mpi: str = "",
    size: str = "",
    context: Context | None = None,
) -> CheckedApp:
    """Check a description: whether it can be read, its input files, its program.

    Args:
        named: The file (docs/apps.md), or an application that comes with machmeter.
        launch: Whether it is launched once, as if nobody set anything, and its output read.
        mpi: What starts its ranks, as in `explore_request`.
        size: The size of that launch, as in `explore_request`.
        context: Folders, environment and listeners.

    Raises:
        UsageError: It cannot be used.
        MachineLacksError: Something is missing that the launch needs.
    """
    context = context or Context()
    path = description_file(str(named)) or app_file(str(named))
    description = at_size(read_description(path), size)
    folder = path.absolute().parent
    program = described_program(description, folder, context.environment)
    linked = mpi_of(program, description, context.environment)
    return CheckedApp(
        path=str(path),
        description=description,
        program=program,
        mpi=linked.family if linked else "",
        inputs=check_inputs(replace(description, inputs=given_inputs(description)), folder),
        launch=_launch(path, mpi, size, context) if launch else None,
    )


def _launch(path: Path, mpi: str, size: str, context: Context) -> CheckedLaunch:
    request = explore_request(
        str(path), mpi=mpi, size=size, budget_seconds=_LIMIT_SECONDS, launches=2, context=context
    )
    machine = this_machine()
    planned = plan(request, machine=machine, context=context).plan
    specs = [one for one in planned.specs if not one.is_ours]
    spec = next((one for one in specs if one.layout.binding is Binding.DEFAULT), specs[0])
    # The reference kernel comes with the wrapper that starts programs.
    needed = tuple(one for one in planned.specs if one is spec or one.of_reference)
    with machine_to_ourselves(context.cache, "apps-check"):
        ready = prepare_programs(
            request, replace(planned, specs=needed), machine, context.for_builds, context.notify
        )
        launch = Launch(1, spec, 1, assign(spec.layout, machine.topology))
        with tempfile.TemporaryDirectory(prefix="machmeter-") as name:
            written = Path(name) / "00001.jsonl"
            context.notify(f"launching {path.name} once")
            attempt = ready.launcher.start(launch, written, _LIMIT_SECONDS)
            record = read_record(written)
    outcome = judge_attempt(launch, attempt, record, own=request.study.benchmarks)
    return CheckedLaunch(
        verdict=outcome.verdict,
        reasons=outcome.reasons,
        seconds=attempt.result.wall_seconds,
        ranks=spec.layout.ranks,
        read=record.output or OutputReadings(),
        output=attempt.result.output,
    )


def new_app(
    name: str, words: Sequence[str], *, folder: Path | None = None, context: Context | None = None
) -> NewApp:
    """Begin the description `NAME.toml` of a command, with its input files: those of its arguments
    that are files in the folder.

    Args:
        name: Of the description.
        words: The program and its arguments.
        folder: Where the file is written; None is this folder.
        context: Environment.

    Raises:
        UsageError: There is such a file, no such program, or the name cannot be one.
    """
    context = context or Context()
    folder = folder or Path.cwd()
    if not words or not words[0]:
        raise UsageError("no program was named", "machmeter apps new NAME -- PROGRAM [ARGUMENT]...")
    path = folder / f"{check_text(name)}.toml"
    if path.exists():
        raise UsageError(f"{path.name} is there already", "choose another name, or edit the file")
    program_path(words[0], folder, context.environment)
    files = tuple(InputFile(path=word) for word in dict.fromkeys(words[1:]) if _is_in(word, folder))
    bare = Description(name=name, title=name, command=tuple(words), inputs=files)
    text = description_text(name, words, check_inputs(bare, folder))
    description = description_in(text.encode(), path.name)
    check_target(path)
    write_durably(path, text.encode())
    return NewApp(str(path), description)


def _is_in(word: str, folder: Path) -> bool:
    # A word that is too long for a name is no file, which a path raises for.
    return within(word) and os.path.isfile(folder / word)  # noqa: PTH113
