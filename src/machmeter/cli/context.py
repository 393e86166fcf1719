"""Where commands find runs, caches and the folder a person means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from machmeter.cli.output import warn
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.store.paths import cache_home, data_home
from machmeter.store.remembered_runs import known_runs, runs_home
from machmeter.store.run_folder import RunFolder, holds_run


def cache_folder() -> Path:
    """The cache of this user."""
    return cache_home(os.environ)


def data_folder() -> Path:
    """The runs and index of this user."""
    return data_home(os.environ)


def find_run(name: str) -> RunFolder:
    """The run that `name` means: a folder, the id of a run (or how it begins), or `last`.

    Raises UsageError when there is none, or more than one.
    """
    if holds_run(Path(name)):
        return RunFolder(Path(name))
    known = _known_by_id()
    if name == "last" and known:
        return known[max(known)]
    matching = [name] if name in known else _beginning(known, name)
    if len(matching) == 1:
        return known[matching[0]]
    if matching:
        named = ", ".join(matching[:8])
        raise UsageError(f"{name!r} means more than one run", f"one of: {named}")
    raise UsageError(f"there is no run {name!r}", _remedy_without(name))


def _remedy_without(name: str) -> str:
    """What to do about a name that no run has; published machines are no runs."""
    from machmeter.published.load import machine_names

    if name in machine_names():
        return f"`machmeter show machine {name}` shows the published machine of that name"
    return "`machmeter runs` lists the runs"


def run_id(folder: RunFolder) -> str:
    """The id of a run: its folder's name, except where a person named the folder."""
    if folder.path.parent == runs_home(data_folder()).resolve():
        return folder.path.name
    return folder.header().id


def _known_by_id() -> dict[str, RunFolder]:
    """Every run by its id; one whose id cannot be read is told of and left out."""
    known = {}
    for folder in known_runs(data_folder()):
        try:
            known[run_id(folder)] = folder
        except MachmeterError as error:
            warn(error)
    return known


def _beginning(known: Iterable[str], name: str) -> Sequence[str]:
    return [run for run in known if name and run.startswith(name)]
