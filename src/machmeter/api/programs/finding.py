"""Which program is meant: one that is described, or one in a folder or on the PATH."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from machmeter.apps.builtin import app_file, app_names
from machmeter.machine.software import cpu_features, read_cpuinfo
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.plan.description import Description
from machmeter.model.written.text import check_text

DESCRIPTION_ENDING = ".toml"


def description_file(word: str) -> Path | None:
    """The description that a word names: a file of the user's, or an application that comes with
    machmeter; None where it names neither."""
    if word.endswith(DESCRIPTION_ENDING):
        return Path(word)
    return app_file(word) if word in app_names() else None


def program_path(name: str, folder: Path, environment: Mapping[str, str]) -> str:
    """The absolute path of a program as a person names it, in a folder or on the PATH.

    Raises UsageError where there is none, or it cannot be started.
    """
    found = _found(name, folder, environment)
    if not found:
        # A word that is too long for a name is no file, which a path raises for.
        there = os.path.isfile(folder / name)  # noqa: PTH113
        raise UsageError(
            f"{name} cannot be started" if there else f"there is no program {name}",
            f"make it executable: chmod +x {shlex.quote(name)}"
            if there
            else "name its path, such as ./solver, put its folder on the PATH, or name an "
            f"application that comes with machmeter: {', '.join(app_names())}",
        )
    return found


def described_program(
    description: Description, folder: Path, environment: Mapping[str, str]
) -> str:
    """The absolute path of the program of a description in `folder`.

    Raises MachineLacksError where it is not installed and the description says what installs it,
    or what it needs is missing, else UsageError as `program_path` does.
    """
    found = installed_program(description, folder, environment)
    if found:
        return found
    ways = description.provided.commands
    missing = _missing(description, folder, environment)
    if ways and not missing:
        missing = " or ".join(_names(description))
    if missing:
        raise MachineLacksError(
            f"{description.title} is not installed: there is no program {missing} on the PATH",
            f"install it: {' or '.join(ways)}" if ways else "put its folder on the PATH",
        )
    return program_path(description.command[0], folder, environment)


def installed_program(
    description: Description, folder: Path, environment: Mapping[str, str]
) -> str:
    """As `described_program`; empty where there is none, or what it needs is missing."""
    if _missing(description, folder, environment):
        return ""
    paths = (_found(name, folder, environment) for name in _names(description))
    return next(filter(None, paths), "")


def _missing(description: Description, folder: Path, environment: Mapping[str, str]) -> str:
    """What it needs and is not there, the first of them; empty where nothing is missing."""
    needed = (one for one in description.needs if not _found(one, folder, environment))
    return next(needed, "")


def _names(description: Description) -> tuple[str, ...]:
    """The programs that the CPU can run, the best one first."""
    features = cpu_features(read_cpuinfo()) if description.variants else ()
    fitting = (
        one.program for one in description.variants if not one.feature or one.feature in features
    )
    return *fitting, description.command[0]


def _found(name: str, folder: Path, environment: Mapping[str, str]) -> str:
    found = (
        shutil.which(str(folder / name))
        if "/" in name
        else shutil.which(name, path=environment.get("PATH"))
    )
    return check_text(str(Path(found).absolute())) if found else ""
