"""Fetch a wheel from PyPI into a folder of the cache, once, whole or not at all."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from machmeter.build.process import raise_if_ended
from machmeter.build.pypi.installer import install_wheels
from machmeter.build.pypi.requirements import mark_of
from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.store.cache_trust import close_tree, make_closed, refuse_untrusted
from machmeter.store.locks import exclusive

PREPARE = (
    "run `machmeter prepare` where packages can be fetched, and copy its cache here (the guide, "
    "Without internet)"
)
"""What to do where they cannot."""


def wheel_prefix(folder: Path, requirement: str, environment: Mapping[str, str]) -> Path:
    """Where `requirement` (`name==version`) is installed below `folder`: with its architecture,
    since unlike nodes may share a home, and with what its files are verified by."""
    mark = mark_of((requirement,), environment)
    return folder / f"{requirement.replace('==', '-')}-{platform.machine()}-{mark}"


def fetch_wheel(
    requirement: str,
    folder: Path,
    *,
    holds: str,
    remedy: str,
    environment: Mapping[str, str],
    keeping: tuple[str, ...] = ("*",),
) -> Path:
    """`wheel_prefix` of `requirement` in `folder`, a folder of the cache, installed there when it
    is not yet.

    holds: the folder or file, below the prefix, by which one installation is distinguished from
    another layout of pip; keeping: names of the files to keep, as patterns: all others are removed.
    Raises MachineLacksError when it cannot be fetched, is not the file that is known, does not hold
    that, or the cache cannot be written, and as `refuse_untrusted` does.
    """
    prefix = wheel_prefix(folder, requirement, environment)
    if not prefix.is_dir():
        # Nothing is written into a folder that others may write to either.
        refuse_untrusted((folder,), folder.parent, environment)
        try:
            make_closed(folder)
        except OSError as error:
            raise storage_error(error, prefix) from error
        with exclusive(prefix.with_name(f"{requirement.partition('==')[0]}.lock"), raise_if_ended):
            if not prefix.is_dir():
                _fetch(requirement, prefix, holds, remedy, environment, keeping)
    refuse_untrusted((prefix, *started_files(prefix)), folder.parent, environment)
    return prefix


def started_files(prefix: Path) -> Iterator[Path]:
    """What is started and loaded of an installation first, and the folders that it is in: what
    they load in turn is installed with them."""
    for pattern in ("*", "bin/*", "lib/*"):
        yield from prefix.glob(pattern)


def _fetch(
    requirement: str,
    prefix: Path,
    holds: str,
    remedy: str,
    environment: Mapping[str, str],
    keeping: tuple[str, ...],
) -> None:
    unfinished = prefix.with_name(prefix.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    target = unfinished / "prefix"
    try:
        # Nobody else enters it before the rights of its files are known.
        unfinished.mkdir(mode=0o700)
        target.mkdir(mode=0o755)
        install_wheels(
            (requirement,),
            target,
            ("--prefix", str(target)),
            doing=f"fetching {requirement} from PyPI",
            remedy=remedy,
            environment=environment,
        )
        # pip on Debian puts `local` below the prefix.
        made = target if (target / holds).exists() else target / "local"
        if not (made / holds).exists():
            raise MachineLacksError(f"{requirement} was fetched and holds no {holds}", remedy)
        _remove_all_but(keeping, made)
        close_tree(made)
        made.replace(prefix)
    except OSError as error:
        raise storage_error(error, prefix) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _remove_all_but(keeping: tuple[str, ...], folder: Path) -> None:
    for path in folder.rglob("*"):
        if not path.is_dir() and not any(path.match(pattern) for pattern in keeping):
            path.unlink()
