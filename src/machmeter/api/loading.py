"""Runs by name, and the index over them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET, Struct

from machmeter.api.context import Context
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.results.run import RunResult
from machmeter.model.written.choices import nearest
from machmeter.run.history.indexing import (
    add_to_index,
    index_of,
    list_runs,
    renew,
    result_of,
    take_in,
)
from machmeter.run.history.indexing import rebuild as rebuild_from_folders
from machmeter.store.index_rows import RunSummary
from machmeter.store.remembered_runs import remember_folders, runs_below, runs_by_id
from machmeter.store.run_folder import RunFolder, holds_run
from machmeter.text.findings.order import RunFindings, by_importance, one_machine_text


class Run(Struct, frozen=True):
    """A run and where its records are."""

    folder: Path
    """The run's files (docs/record-format.md)."""
    result: RunResult
    """Its request, plan, estimates, findings and warnings."""


RunName = str | Path | Run


class RebuiltIndex(Struct, frozen=True):
    """What rebuilding the index came to."""

    runs: int
    """Runs in the index."""
    index: str
    """Path of the index."""
    problems: tuple[str, ...]
    """Runs that could not be read, each with the reason."""


def load(run: RunName = "last", *, context: Context | None = None) -> Run:
    """The run of that name.

    Args:
        run: Its folder, its ID or a unique prefix of it, or `last`.
        context: Folders and listeners.

    Raises:
        UsageError: There is no such run, or more than one.
        MachmeterError: Its files cannot be read.
    """
    if isinstance(run, Run):
        return run
    context = context or Context()
    folder = find_run(run, context)
    return Run(folder.path, result_of(folder, context.cache))


def runs(machine: str = "", *, context: Context | None = None) -> tuple[RunSummary, ...]:
    """Every run of this user, the oldest first.

    Finished runs that the index lacks are added to it. What cannot be read is a warning.

    Args:
        machine: Only runs of the machine of this name or host name.
        context: Folders and listeners.
    """
    context = context or Context()
    update_index(context)
    every = list_runs(context.data, context.cache, context.warn, context.notify)
    return tuple(run for run in every if not machine or machine in (run.machine, run.host))


def findings(run: RunName = "last", *, context: Context | None = None) -> RunFindings:
    """The answers to a run's questions, decisions first.

    Args:
        run: As in `load`.
        context: Folders and listeners.

    Raises:
        MachmeterError: As in `load`.
    """
    result = load(run, context=context).result
    header = result.header
    said = one_machine_text(result) or UNSET
    return RunFindings(header.id, header.machine.host, by_importance(result), said)


def rebuild_index(folders: Sequence[Path] = (), *, context: Context | None = None) -> RebuiltIndex:
    """Make the index again from the run folders.

    Args:
        folders: Run folders, or folders that hold some, to take in as well, now and in future.
        context: Folders and listeners.

    Raises:
        UsageError: A folder holds no run.
        MachineLacksError: The index cannot be written.
    """
    context = context or Context()
    problems: list[str] = []

    def warn(error: MachmeterError) -> None:
        context.warn(error)
        problems.append(error.message)

    remember_folders(context.data, [run for folder in folders for run in runs_below(folder)])
    count = rebuild_from_folders(context.data, context.cache, warn)
    return RebuiltIndex(count, str(index_of(context.data).path), tuple(problems))


def update_index(context: Context) -> None:
    """Add finished runs that the index lacks; what goes wrong is a warning."""
    take_in(context.data, context.cache, context.warn, context.notify)


def indexed(folder: RunFolder, context: Context) -> Run:
    """The run in `folder`, put into the index; an index that cannot be written is a warning."""
    run = Run(folder.path, result_of(folder, context.cache))
    renew(context.data, context.cache, context.warn, context.notify)
    try:
        add_to_index(index_of(context.data), folder, run.result)
    except MachmeterError as error:
        context.warn(error)
    return run


def find_run(name: RunName, context: Context) -> RunFolder:
    """The folder of the run of that name; raises UsageError as `load` does."""
    if isinstance(name, Run):
        return RunFolder(name.folder)
    if holds_run(Path(name)):
        return RunFolder(Path(name))
    text = str(name)
    by_id = runs_by_id(context.data, context.warn)
    if text == "last" and by_id:
        return by_id[max(by_id)]
    matching = [text] if text in by_id else [one for one in by_id if text and one.startswith(text)]
    if len(matching) == 1:
        return by_id[matching[0]]
    if matching:
        raise UsageError(
            f"{text!r} is the prefix of several runs", f"one of: {', '.join(matching[:8])}"
        )
    from machmeter.published.load import machine_names
    from machmeter.studies.select import STUDIES

    others = []
    whole, at, part = text.partition("@")
    if whole and at and part:
        others.append(f"`machmeter show machine {text}` shows a variant or MPI library of a run")
    if text in machine_names():
        others.append(f"`machmeter show machine {text}` shows the published machine of that name")
    if text in {study.name for study in STUDIES}:
        others.append(f"`machmeter run {text}` runs the study of that name")
    remedy = "; ".join(others) or f"{meant_run(text)}`machmeter runs` lists the runs"
    raise UsageError(f"there is no run {text!r}", remedy)


def meant_run(name: str) -> str:
    """`did you mean last? ` where a run or published machine has nearly that name, else empty."""
    from machmeter.published.load import machine_names

    near = nearest(name, ("last", *machine_names()))
    return f"did you mean {' or '.join(near)}? " if near else ""
