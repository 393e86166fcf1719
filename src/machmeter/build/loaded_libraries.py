"""How libraries get into a process: preloaded, found before others, or by variables of their own.

An MPI's own files, an allocator, an OpenMP runtime and whatever else is loaded are settings in one
list, from which the environment is made in one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field

from machmeter.model.errors import MachineLacksError

# What ends a path in these variables (ld.so(8)).
_ENDS_A_PRELOAD = " :"
_ENDS_A_FOLDER = ":;"


class LibrarySetting(Struct, frozen=True):
    """What the environment of a process must say for one library."""

    preload: str = ""
    """The library that is loaded before all others (empty: none is)."""
    folder: str = ""
    """Where libraries are looked for first (empty: as usual)."""
    variables: dict[str, str] = field(default_factory=dict)
    """Variables that the library itself reads."""


def preloaded(path: str) -> LibrarySetting:
    """A library that is loaded before all others.

    Raises MachineLacksError for a path that LD_PRELOAD cannot hold.
    """
    if any(character in path for character in _ENDS_A_PRELOAD):
        raise MachineLacksError(
            f"{path} cannot be preloaded: its path contains a space or a colon",
            "install the library in a folder without either",
        )
    return LibrarySetting(preload=path)


def found_in(folder: Path) -> LibrarySetting:
    """Libraries of a folder, which are found before those of the same name elsewhere.

    Raises MachineLacksError for a path that LD_LIBRARY_PATH cannot hold.
    """
    if any(character in str(folder) for character in _ENDS_A_FOLDER):
        raise MachineLacksError(
            f"{folder} cannot be searched for libraries: its path contains a colon or a semicolon",
            "set MACHMETER_CACHE to a folder without either",
        )
    return LibrarySetting(folder=str(folder))


def library_environment(
    settings: Iterable[LibrarySetting], caller: Mapping[str, str]
) -> dict[str, str]:
    """The variables that all settings come to together, in their order.

    caller: the environment that they are added to, whose LD_LIBRARY_PATH comes last.
    """
    every = list(settings)
    made = {name: text for one in every for name, text in one.variables.items()}
    folders = [one.folder for one in every if one.folder]
    if folders:
        others = caller.get("LD_LIBRARY_PATH", "")
        made["LD_LIBRARY_PATH"] = ":".join(filter(None, (*folders, others)))
    preloads = [one.preload for one in every if one.preload]
    if preloads:
        made["LD_PRELOAD"] = ":".join(preloads)
    return made
