"""Which runs could not be put into the index, so that they are not read again at every call.

A run is tried again once one of its files changed, or by another version of machmeter. The file can
be lost: then every run is tried once more.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from machmeter import __version__
from machmeter.model.errors import MachmeterError
from machmeter.store.files import read_json, write_json
from machmeter.store.index_rows import path_text
from machmeter.store.run_folder import RunFolder

_FILE = "left-out.json"


def not_left_out(data: Path, folders: Iterable[RunFolder]) -> list[RunFolder]:
    """Of these run folders those that are to be tried: all but what failed as it is now."""
    known = _known(data)
    return [one for one in folders if known.get(path_text(one.path), "") != _stamp(one.path)]


def leave_out(data: Path, folder: RunFolder) -> None:
    """Do not try this run again as it is now; where that cannot be kept it is tried again."""
    kept = {name: stamp for name, stamp in _known(data).items() if Path(name).is_dir()}
    with suppress(MachmeterError):
        write_json(data / _FILE, kept | {path_text(folder.path): _stamp(folder.path)})


def _known(data: Path) -> dict[str, str]:
    try:
        return read_json(data / _FILE, dict[str, str])
    except MachmeterError:
        return {}


def _stamp(folder: Path) -> str:
    """What changes when a file of the run does: a copy that keeps times has its own change time."""
    try:
        changed = [
            entry.stat().st_ctime_ns
            for place in (folder, folder / "launches")
            for entry in os.scandir(place)
        ]
    except OSError:
        return "cannot be looked into"
    return f"{__version__} {len(changed)} {max(changed, default=0)}"
