"""Input files that a description has made: once, into a folder of the cache."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from machmeter.apps.inputs import check_inputs, check_scripts, given_inputs
from machmeter.apps.placeholders import filled
from machmeter.build.process import raise_if_ended, run_tool
from machmeter.launch.environment import launch_environment
from machmeter.launch.guard import guard_words
from machmeter.model.errors import MachineLacksError, UsageError, storage_error
from machmeter.model.plan.description import Description, Preparation
from machmeter.model.written.text import shell_text
from machmeter.store.cache_trust import close_tree, make_closed, refuse_untrusted
from machmeter.store.files import read_regular
from machmeter.store.locks import exclusive

_PATIENCE_SECONDS = 600
_DIGITS = 12
# Beside the files: the checksum of each.
_CHECKSUMS = ".checksums.json"
_LARGEST_CHECKSUMS = 2**20


class PreparedInputs(NamedTuple):
    """Where all input files of a description are."""

    folder: Path
    """The folder that has them."""
    checksums: dict[str, str]
    """The SHA-256 checksum of each, by its path."""


def prepared_inputs(
    description: Description,
    folder: Path,
    cache: Path,
    environment: Mapping[str, str],
    notify: Callable[[str], None],
) -> PreparedInputs:
    """All input files of a description in `folder`.

    They are in `folder` itself where no preparation makes any; else in one of the cache, made when
    it is not there, or not as it was made: it is another one where a preparation, its tool, its
    script or an input file that it may read has changed.

    notify: takes a line before something slow. Raises UsageError as `check_inputs` does of files
    that are given, MachineLacksError where a preparation fails, makes another file than the
    description names, or the cache cannot be written, and as `refuse_untrusted` does.
    """
    if not description.made_once:
        return PreparedInputs(folder, check_inputs(description, folder))
    digest = _digest(description, folder, environment)
    made = cache / "inputs" / f"{description.name}-{digest}"
    refuse_untrusted((made,), cache, environment)
    checksums = _as_made(description, made)
    if checksums is None:
        try:
            make_closed(made.parent)
        except OSError as error:
            raise storage_error(error, made) from error
        with exclusive(made.with_name(f"{description.name}.lock"), raise_if_ended):
            # Another run may have made them meanwhile.
            checksums = _as_made(description, made)
            if checksums is None:
                started = (_started(one, description, folder) for one in description.made_once)
                notify(
                    f"making the input of {description.name}, which runs "
                    f"{'; '.join(map(shell_text, started))}"
                )
                checksums = _make(description, folder, made, environment)
    return PreparedInputs(made, checksums)


def _make(
    description: Description, folder: Path, made: Path, environment: Mapping[str, str]
) -> dict[str, str]:
    closed = made.with_name(made.name + ".unfinished")
    shutil.rmtree(closed, ignore_errors=True)
    unfinished = closed / "made"
    try:
        # Nobody else enters it before the rights of its files are known.
        closed.mkdir(mode=0o700)
        unfinished.mkdir(mode=0o755)
        for one in given_inputs(description):
            (unfinished / one.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / one.path, unfinished / one.path)
        values = filled(description.environment.values(), 1, 1, "1", description.values)
        # Within a job, tools that know MPI would believe to be its ranks.
        environment = launch_environment(environment, None, ours=False)
        environment |= dict(zip(description.environment, values, strict=True))
        for preparation in description.made_once:
            run_tool(
                _started(preparation, description, folder),
                doing=f"making the input of {description.name}",
                remedy=_remedy(description),
                timeout=_PATIENCE_SECONDS,
                environment=environment,
                folder=unfinished,
                # What went on would write to inputs that were summed, and disturb launches.
                started_by=guard_words(),
            )
        checksums = _checksums(description, unfinished)
        (unfinished / _CHECKSUMS).write_bytes(msgspec.json.encode(checksums))
        close_tree(unfinished)
        shutil.rmtree(made, ignore_errors=True)
        unfinished.replace(made)
        return checksums
    except OSError as error:
        raise storage_error(error, made) from error
    finally:
        shutil.rmtree(closed, ignore_errors=True)


def _checksums(description: Description, unfinished: Path) -> dict[str, str]:
    """Those of all input files. Raises MachineLacksError where one was not made, or is another than
    the description names."""
    try:
        return check_inputs(description, unfinished)
    except UsageError as error:
        message = error.message.replace(f"{unfinished}/", "")
        raise MachineLacksError(
            f"the preparations of {description.name} make other files than it names: {message}",
            f"a tool of another version may; {_remedy(description)}",
        ) from error


def _as_made(description: Description, made: Path) -> dict[str, str] | None:
    """The checksums of all input files; None where they are not there, or not as they were made."""
    try:
        kept = msgspec.json.decode(read_regular(made / _CHECKSUMS, _LARGEST_CHECKSUMS))
        found = check_inputs(description, made)
    except (OSError, msgspec.DecodeError, UsageError):
        return None
    return found if found == kept else None


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


def _digest(description: Description, folder: Path, environment: Mapping[str, str]) -> str:
    bare = replace(description, inputs=given_inputs(description))
    scripts = check_scripts(description, folder)
    tools = [_tool(one, environment) for one in description.made_once]
    values = filled(description.environment.values(), 1, 1, "1", description.values)
    given = check_inputs(bare, folder)
    content = (description.made_once, scripts, given, tools, [*description.environment], values)
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()[:_DIGITS]


def _tool(preparation: Preparation, environment: Mapping[str, str]) -> tuple[str, int, int]:
    """Path, size and time of change of the program: another version may make another file."""
    found = shutil.which(preparation.command[0], path=environment.get("PATH"))
    if not found:
        return "", 0, 0
    status = Path(found).stat()
    return found, status.st_size, int(status.st_mtime)
