"""Which run folders there are: those among this user's runs, and those put elsewhere.

Folders put elsewhere (`--output`) are remembered in `folders.txt`, one path a line: a text file and
not the index, because the index must be able to be lost, and one that a person can read and mend.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from machmeter.model.errors import MachmeterError, UsageError
from machmeter.store.files import make_folder, read_bounded, write_durably
from machmeter.store.run_folder import RunFolder, holds_run


def runs_home(data: Path) -> Path:
    """Where runs go by default."""
    return data / "runs"


def run_folders(data: Path) -> tuple[RunFolder, ...]:
    """Every run folder that is there, in order of its name, each once.

    Raises MachmeterError when the folders cannot be listed.
    """
    try:
        inside = _inside(runs_home(data))
        elsewhere = map(_real, remembered_folders(data))
        found = [path for path in dict.fromkeys((*inside, *elsewhere)) if holds_run(path)]
    except OSError as error:
        raise MachmeterError(
            f"cannot read the runs in {data}: {error.strerror}", "check the folder's permissions"
        ) from error
    return tuple(RunFolder(path) for path in sorted(found, key=lambda path: path.name))


def _inside(home: Path) -> list[Path]:
    """What is in the folder of runs, resolved; of a thousand folders only links are followed."""
    if not home.is_dir():
        return []
    here = home.resolve()
    with os.scandir(here) as entries:
        return [
            _real(Path(entry.path)) if entry.is_symlink() else Path(entry.path) for entry in entries
        ]


def _real(path: Path) -> Path:
    """`path` resolved; a link to itself stays: `Path.resolve` would raise."""
    return Path(os.path.realpath(path))


def runs_by_id(data: Path, warn: Callable[[MachmeterError], None]) -> dict[str, RunFolder]:
    """Every run folder that is there by the ID of its run.

    warn: takes what was wrong with a run whose ID cannot be read, which is left out. Raises
    MachmeterError as `run_folders` does.
    """
    home = runs_home(data).resolve()
    found = {}
    for folder in run_folders(data):
        try:
            # A folder among this user's runs is named after its run; others a person named.
            name = folder.path.name if folder.path.parent == home else folder.header().id
        except MachmeterError as error:
            warn(error)
        else:
            found[name] = folder
    return found


def remembered_folders(data: Path) -> tuple[Path, ...]:
    """Run folders elsewhere, as `folders.txt` names them, whether they are still there or not."""
    file = data / "folders.txt"
    if not file.exists():
        return ()
    lines = read_bounded(file).split(b"\n")
    # No folder has a name with a null character.
    return tuple(Path(os.fsdecode(line)) for line in lines if line and b"\0" not in line)


def remember_folders(data: Path, folders: Iterable[Path]) -> None:
    """Remember that there are runs in `folders`; those among this user's runs need no note.

    Raises UsageError for a name with a line break, MachineLacksError when the disk is full.
    """
    home = runs_home(data).resolve()
    known = remembered_folders(data)
    wanted = [folder.resolve() for folder in folders]
    for folder in wanted:
        if "\n" in str(folder):
            raise UsageError(
                f"the folder name {str(folder)!r} has a line break", "choose another folder"
            )
    new = [folder for folder in dict.fromkeys(wanted) if folder.parent != home]
    everything = dict.fromkeys((*known, *new))
    if len(everything) == len(known):
        return
    make_folder(data)
    lines = b"".join(os.fsencode(folder) + b"\n" for folder in everything)
    write_durably(data / "folders.txt", lines)


def runs_below(folder: Path) -> tuple[Path, ...]:
    """`folder` itself where it holds a run, else the run folders directly in it.

    Raises UsageError when there is no such folder or no run in it.
    """
    if holds_run(folder):
        return (folder,)
    try:
        found = tuple(sorted(p for p in folder.iterdir() if holds_run(p)))
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error.strerror}", "name a folder") from error
    if not found:
        raise UsageError(f"there is no run in {folder}", "name a run's folder, or the one above it")
    return found
