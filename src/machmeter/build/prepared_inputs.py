"""Input files that a description has made: once, into a folder of the cache."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from machmeter.apps.inputs import check_inputs, check_scripts, given_inputs
from machmeter.apps.placeholders import filled
from machmeter.build.process import raise_if_ended, run_tool
from machmeter.model.errors import storage_error
from machmeter.model.plan.description import Description, Preparation
from machmeter.store.locks import exclusive

_PATIENCE_SECONDS = 600
_DIGITS = 12


def prepared_folder(
    description: Description,
    folder: Path,
    cache: Path,
    environment: Mapping[str, str],
    notify: Callable[[str], None],
) -> Path:
    """The folder with all input files of a description in `folder`.

    That is `folder` itself where no preparation makes any; else one of the cache, made when it is
    not there yet: it is another one where a preparation, its script or an input file that it may
    read has changed.

    notify: takes a line before something slow. Raises UsageError as `check_inputs` does,
    MachineLacksError where a preparation fails or the cache cannot be written.
    """
    if not description.made_once:
        return folder
    made = cache / "inputs" / f"{description.name}-{_digest(description, folder)}"
    if made.is_dir():
        return made
    with exclusive(made.with_name(f"{description.name}.lock"), raise_if_ended):
        if not made.is_dir():
            notify(f"making the input of {description.name}")
            _make(description, folder, made, environment)
    return made


def _make(
    description: Description, folder: Path, made: Path, environment: Mapping[str, str]
) -> None:
    unfinished = made.with_name(made.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        unfinished.mkdir(parents=True)
        for one in given_inputs(description):
            (unfinished / one.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / one.path, unfinished / one.path)
        remedy = _remedy(description)
        values = filled(description.environment.values(), 1, 1, "1")
        environment = {**environment, **dict(zip(description.environment, values, strict=True))}
        for preparation in description.made_once:
            run_tool(
                _started(preparation, description, folder),
                doing=f"making the input of {description.name}",
                remedy=remedy,
                timeout=_PATIENCE_SECONDS,
                environment=environment,
                folder=unfinished,
            )
        check_inputs(description, unfinished)
        unfinished.replace(made)
    except OSError as error:
        raise storage_error(error, made) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _started(preparation: Preparation, description: Description, folder: Path) -> list[str]:
    first, *arguments = preparation.command
    if first in description.scripts:
        # -I: neither the working folder nor the user's own packages are imported.
        return [sys.executable, "-I", str(folder / first), *arguments]
    return [first, *arguments]


def _remedy(description: Description) -> str:
    ways = description.provided.commands
    installed = f"install what it takes: {' or '.join(ways)}; or " if ways else ""
    return f"{installed}correct the preparations of the description"


def _digest(description: Description, folder: Path) -> str:
    bare = replace(description, inputs=given_inputs(description))
    scripts = check_scripts(description, folder)
    content = (description.made_once, scripts, check_inputs(bare, folder))
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()[:_DIGITS]
