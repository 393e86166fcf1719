"""Results of runs that ended, kept so that they are read and not computed again.

The files of a run stay the truth: a kept result counts only as long as every file of the run, and
of this machmeter, is the one that it was computed from.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from machmeter import __version__
from machmeter.model.errors import MachmeterError
from machmeter.model.results.run import RunResult, RunState
from machmeter.store.cache_trust import make_closed
from machmeter.store.files import LARGEST_JSON, read_regular, replacing
from machmeter.store.run_folder import RunFolder, is_file_of_run

_MOST_KEPT = 100


def known_result(
    folder: RunFolder, cache: Path, compute: Callable[[RunFolder], RunResult]
) -> RunResult:
    """The result of a run: the kept one where it still holds, else computed, and kept.

    A cache that cannot be read or written is as one that is empty. Raises what `compute` raises.
    """
    kept = cache / "results" / f"{_name_of(folder.path)}.msgpack"
    stamp = _stamp(folder.path)
    found = _read(kept, stamp) if stamp else None
    if found is not None:
        return found
    result = compute(folder)
    if stamp and result.state is not RunState.RUNNING and stamp == _stamp(folder.path):
        _write(kept, stamp, result)
    return result


def _name_of(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:24]


def _stamp(folder: Path) -> bytes:
    """Of names, sizes and times of all files of the run and of this machmeter's code; empty where
    they cannot be read: what is wrong with the run is then for `compute` to say."""
    try:
        return _digest(_files_of_run(folder), _CODE)
    except OSError:
        return b""


def _digest(files: Iterable[tuple[str, os.stat_result]], begin: bytes = b"") -> bytes:
    digest = hashlib.sha256(begin)
    for name, status in files:
        digest.update(os.fsencode(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\0"))
    return digest.digest()


def _files_of_run(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    for below, prefix in ((folder, ""), (folder / "launches", "launches/")):
        entries = sorted(os.scandir(below), key=lambda one: one.name) if below.is_dir() else []
        for entry in entries:
            if is_file_of_run(prefix + entry.name):
                yield prefix + entry.name, entry.stat()


def _code_stamp(package: Path) -> bytes:
    """Of the code that computes results, also in a checkout, which changes under one version."""
    files = sorted(_modules_below(str(package)))
    return _digest(files, __version__.encode())


def _modules_below(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    # Every command waits for this; `Path.rglob` takes several times as long.
    for entry in os.scandir(folder):
        if entry.name.endswith(".py"):
            yield entry.path, entry.stat()
        elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
            yield from _modules_below(entry.path)


# Of the code that this process has loaded, and not of what it may be when a long run ends.
_CODE = _code_stamp(Path(__file__).resolve().parent.parent)


def _read(kept: Path, stamp: bytes) -> RunResult | None:
    try:
        content = read_regular(kept, LARGEST_JSON + 1, follow_links=False)
        if len(content) > LARGEST_JSON or content[: len(stamp)] != stamp:
            return None
        return msgspec.msgpack.decode(content[len(stamp) :], type=RunResult)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _write(kept: Path, stamp: bytes, result: RunResult) -> None:
    content = stamp + msgspec.msgpack.encode(result)
    if len(content) > LARGEST_JSON:
        return
    with contextlib.suppress(OSError, MachmeterError):
        make_closed(kept.parent)
        with replacing(kept, 0o644) as file:
            file.write(content)
        _drop_oldest(kept.parent)


def _drop_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.msgpack"), key=lambda one: one.stat().st_mtime_ns)
    for file in files[:-_MOST_KEPT]:
        file.unlink(missing_ok=True)
