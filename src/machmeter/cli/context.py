"""Where commands find runs, caches and the folder a person means."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from machmeter.model.errors import UsageError
from machmeter.store.known_runs import known_runs, runs_home
from machmeter.store.paths import cache_home, data_home
from machmeter.store.run_folder import RunFolder


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
    if (Path(name) / "run.json").is_file():
        return RunFolder.open(Path(name))
    known = {run_id(folder): folder for folder in known_runs(data_folder())}
    if name == "last" and known:
        return known[max(known)]
    matching = [known[name]] if name in known else _beginning(known, name)
    if len(matching) == 1:
        return matching[0]
    if matching:
        named = ", ".join(run_id(folder) for folder in matching[:8])
        raise UsageError(f"{name!r} means more than one run", f"one of: {named}")
    raise UsageError(f"there is no run {name!r}", "`machmeter runs` lists the runs")


def run_id(folder: RunFolder) -> str:
    """The id of a run: its folder's name, except where a person named the folder."""
    if folder.path.parent == runs_home(data_folder()).resolve():
        return folder.path.name
    return folder.header().id


def _beginning(known: dict[str, RunFolder], name: str) -> Sequence[RunFolder]:
    return [folder for run, folder in known.items() if name and run.startswith(name)]
