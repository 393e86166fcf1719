"""Compile one source file, or take the object that the same compilation made before.

CMake starts this before the compiler (CMAKE_CXX_COMPILER_LAUNCHER), once for each file, as a script
that needs nothing but the standard library: `python -I -S cached_compile.py SETTING ... --
COMMAND`. An object is kept under a hash of the compiler, the flags, the file and what it includes
of the native sources, so that a changed kernel costs its own file, and programs share what they
have in common. Paths of the sources, the build and the cache do not count: a cache can be copied.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_FORMAT = b"1"
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_OF_LIBRARY = re.compile(rb"(?:mpi|shmem)\w*\.h")
# They put paths into the object, or write or read more files than one.
_NOT_CACHED = re.compile(
    r"-g.*|--?coverage|-f(profile|auto-profile|plugin|dump|save).*|-save-temps.*"
)
_WITH_VALUE = ("-o", "-c", "-MT", "-MF", "-MQ")
# Precompiled headers are large, and made once in a build.
_AS_LANGUAGE = "-x"
_UNFOLLOWED = os.O_NOFOLLOW | os.O_CLOEXEC


class LauncherSettings(NamedTuple):
    """What the build says of all its compilations, each `name=value` on the command line."""

    objects: str
    """Folder of the kept objects."""
    cache: str
    """Folder of all that is kept, the objects among it."""
    compiler: str
    """Hash of the compiler, its version and the processor."""
    linked: str
    """The library of communication with its version, of which only files depend that include it."""
    plain: str
    """The compiler of files that do not include the library, where its wrapper compiles the
    others; empty where there is no wrapper."""
    sources: str
    """Folder of the native sources."""
    build: str
    """Folder of the build."""


class Compilation(NamedTuple):
    """One file to compile."""

    compiler: str
    """Path of the compiler."""
    flags: tuple[str, ...]
    """All words but the compiler, the file, the object and the list of dependencies."""
    source: Path
    """The file."""
    target: Path
    """Its object."""
    included: tuple[Path, ...] = ()
    """Files that are included before its first line."""


def parse(command: list[str]) -> Compilation | None:
    """What a compiler's command line compiles; None where it does anything else."""
    values: dict[str, str] = {}
    flags: list[str] = []
    words = iter(command[1:])
    for word in words:
        if word in _WITH_VALUE:
            values[word] = next(words, "")
        elif word not in ("-MD", "-MMD"):
            flags.append(word)
    if not values.get("-c") or not values.get("-o") or any(map(_NOT_CACHED.fullmatch, flags)):
        return None
    if _AS_LANGUAGE in flags:
        return None
    included = tuple(Path(name) for flag, name in pairwise(flags) if flag == "-include")
    return Compilation(command[0], tuple(flags), Path(values["-c"]), Path(values["-o"]), included)


def sources_of(files: Iterable[Path], roots: tuple[Path, ...]) -> dict[str, bytes] | None:
    """The files and what they include, by name below `roots`; None if one is elsewhere."""
    found: dict[str, bytes] = {}
    waiting = [file.resolve() for file in files]
    while waiting:
        path = waiting.pop()
        root = next((root for root in roots if path.is_relative_to(root)), None)
        if root is None:
            return None
        name = str(path.relative_to(root))
        if name in found:
            continue
        found[name] = path.read_bytes()
        for own in own_includes(found[name]):
            places = (path.parent, *roots)
            header = next((place / own for place in places if (place / own).is_file()), None)
            if header is None:
                return None
            waiting.append(header.resolve())
    return found


def key_of(
    one: Compilation, sources: dict[str, bytes], settings: LauncherSettings, *, uses_library: bool
) -> str:
    """The name of the object: equal for compilations that make the same one."""
    digest = hashlib.sha256(_FORMAT)
    words = (
        settings.compiler,
        settings.linked if uses_library else "",
        one.compiler,
        *(_without_places(flag, settings) for flag in one.flags),
    )
    for word in words:
        digest.update(word.encode() + b"\0")
    for name in sorted(sources):
        # What CMake writes includes by whole paths.
        text = sources[name].replace(settings.sources.encode(), b"@")
        digest.update(f"{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:32]


def includes_library(sources: dict[str, bytes]) -> bool:
    """Whether a file includes a header of MPI or OpenSHMEM."""
    return any(
        _OF_LIBRARY.fullmatch(system)
        for text in sources.values()
        for _, system in _INCLUDE.findall(text)
    )


def compile_cached(command: list[str], settings: LauncherSettings) -> int:
    """The exit code of the compilation, or 0 with the object from the cache in its place."""
    one = parse(command)
    build = Path(settings.build).resolve()
    roots: tuple[Path, ...] = (Path(settings.sources).resolve(), build / "generated")
    if one and one.included:
        roots = (*roots, build)
    sources = sources_of((one.source, *one.included), roots) if one else None
    if one is None or sources is None:
        return subprocess.call(command)
    uses_library = includes_library(sources)
    if settings.plain and not uses_library:
        # A library's wrapper compiles only what includes the library.
        one = one._replace(compiler=settings.plain)
    key = key_of(one, sources, settings, uses_library=uses_library)
    kept = Path(settings.objects) / f"{key}.o"
    if _taken(kept, one.target):
        return 0
    with _only_one(kept):
        if _taken(kept, one.target):
            return 0
        code = subprocess.call([one.compiler, *command[1:]])
        if code == 0:
            _keep(one.target, kept)
        return code


def remove_oldest(objects: Path, most_bytes: int) -> None:
    """Remove what was used longest ago beyond `most_bytes` in all, as far as that can be done.

    Other builds may write and remove files of the folder at the same time.
    """
    kept = []
    with contextlib.suppress(OSError):
        for file in objects.iterdir():
            with contextlib.suppress(FileNotFoundError):
                found = file.stat()
                kept.append((found.st_mtime, found.st_size, file))
    left = sum(size for _, size, _ in kept)
    for _, size, file in sorted(kept):
        if left <= most_bytes:
            return
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
        left -= size


def own_includes(text: bytes) -> Iterator[str]:
    """The names that a text includes in quotes."""
    return (own.decode(errors="replace") for own, _ in _INCLUDE.findall(text) if own)


def _without_places(flag: str, settings: LauncherSettings) -> str:
    # The build is within the cache, and names are replaced from the innermost outward.
    for place in (settings.build, settings.sources, settings.cache):
        flag = flag.replace(place, "@")
    return flag


def _taken(kept: Path, target: Path) -> bool:
    try:
        # Opening a pipe waits, unless it is not to.
        descriptor = os.open(kept, os.O_RDONLY | _UNFOLLOWED | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not _is_whole_and_ours(os.fstat(descriptor)):
                return False
            with target.open("wb") as copy:
                shutil.copyfileobj(file, copy)
            # What was used last is removed last.
            os.utime(descriptor)
    except OSError:
        return False
    return True


def _is_whole_and_ours(found: os.stat_result) -> bool:
    """Whether an object is one that nobody else can have made or changed: any other is compiled."""
    written_by_others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ours = found.st_uid in (os.geteuid(), 0) and not written_by_others
    return ours and stat.S_ISREG(found.st_mode) and found.st_size > 0


@contextlib.contextmanager
def _only_one(kept: Path) -> Iterator[None]:
    """Wait while another build makes the same object; not where no lock can be had."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            kept.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            lock = kept.with_suffix(".lock")
            # A pipe that nobody reads would never open.
            how = os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | _UNFOLLOWED
            descriptor = os.open(lock, how, 0o600)
            fcntl.flock(stack.enter_context(os.fdopen(descriptor, "w")), fcntl.LOCK_EX)
            stack.callback(lock.unlink, missing_ok=True)
        yield


def _keep(target: Path, kept: Path) -> None:
    """Whole or not at all; a cache that takes no more costs only time."""
    with contextlib.suppress(OSError):
        kept.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=kept.parent, suffix=".unfinished")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(target.read_bytes())
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(kept)
        except OSError:
            Path(name).unlink()


def _settings(words: list[str]) -> LauncherSettings:
    values = dict(word.split("=", 1) for word in words)
    return LauncherSettings(**values)


if __name__ == "__main__":
    _at = sys.argv.index("--")
    sys.exit(compile_cached(sys.argv[_at + 1 :], _settings(sys.argv[1:_at])))
