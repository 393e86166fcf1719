"""Where commands find runs, caches and the folder a person means."""

from __future__ import annotations

import os
from pathlib import Path

from machmeter.model.errors import UsageError
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
    as_path = Path(name)
    if (as_path / "run.json").is_file():
        return RunFolder.open(as_path)
    runs = data_folder() / "runs"
    known = sorted(entry.name for entry in runs.iterdir()) if runs.is_dir() else []
    if name == "last" and known:
        return RunFolder.open(runs / known[-1])
    matching = [run for run in known if run.startswith(name)]
    if len(matching) == 1 or name in matching:
        return RunFolder.open(runs / (name if name in matching else matching[0]))
    if matching:
        raise UsageError(f"{name!r} means more than one run", f"one of: {', '.join(matching)}")
    raise UsageError(f"there is no run {name!r}", "`machmeter runs` lists the runs")
