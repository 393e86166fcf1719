"""Fetch a wheel from PyPI into a folder of the cache, once, whole or not at all."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from machmeter.build.process import raise_if_ended, run_tool
from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.store.locks import exclusive

_PATIENCE_SECONDS = 600


def fetch_wheel(
    requirement: str,
    prefix: Path,
    *,
    holds: str,
    remedy: str,
    environment: Mapping[str, str],
    keeping: tuple[str, ...] = ("*",),
) -> Path:
    """`prefix`, into which `requirement` (`name==version`) is installed when it is not there yet.

    holds: the folder or file, below the prefix, by which one installation is distinguished from
    another layout of pip; keeping: names of the files to keep, as patterns: all others are removed.
    Raises MachineLacksError when it cannot be fetched, does not hold that, or the cache cannot be
    written.
    """
    if prefix.is_dir():
        return prefix
    with exclusive(prefix.with_name(f"{requirement.partition('==')[0]}.lock"), raise_if_ended):
        if prefix.is_dir():
            return prefix
        unfinished = prefix.with_name(prefix.name + ".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        try:
            run_tool(
                [*installer(requirement, environment), "--prefix", str(unfinished), requirement],
                doing=f"fetching {requirement} from PyPI",
                remedy=remedy,
                timeout=_PATIENCE_SECONDS,
                environment=environment,
            )
            # pip on Debian puts `local` below the prefix.
            made = unfinished if (unfinished / holds).exists() else unfinished / "local"
            if not (made / holds).exists():
                raise MachineLacksError(f"{requirement} was fetched and holds no {holds}", remedy)
            _remove_all_but(keeping, made)
            made.replace(prefix)
        except OSError as error:
            raise storage_error(error, prefix) from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return prefix


def _remove_all_but(keeping: tuple[str, ...], folder: Path) -> None:
    for path in folder.rglob("*"):
        if not path.is_dir() and not any(path.match(pattern) for pattern in keeping):
            path.unlink()


def installer(requirement: str, environment: Mapping[str, str]) -> list[str]:
    """The command that installs a wheel, without its dependencies, into the prefix named after it.

    Raises MachineLacksError where this Python has neither pip nor uv.
    """
    uv = shutil.which("uv", path=environment.get("PATH"))
    if importlib.util.find_spec("pip") is not None:
        return [
            sys.executable,
            # -P: what lies in the working folder is not imported.
            *("-P", "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-installed"),
            *("--disable-pip-version-check", "--no-warn-script-location"),
        ]
    if uv:
        return [uv, "pip", "install", "--quiet", "--no-deps", "--python", sys.executable]
    raise MachineLacksError(
        f"fetching {requirement} needs pip or uv, and this Python has neither",
        f"run `{sys.executable} -m ensurepip`",
    )
