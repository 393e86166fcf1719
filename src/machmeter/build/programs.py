"""Compile a native program for this machine, once for each toolchain, into the cache."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from machmeter.build import cached_compile
from machmeter.build.process import run_tool
from machmeter.build.progress import NINJA_STATUS, BuildListener, BuildWatch, ignore_build
from machmeter.build.sources import native_sources, source_hash
from machmeter.build.toolchains import TOOLCHAINS, BuildTools, CMakeSettings
from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.model.program import Program
from machmeter.store.locks import exclusive

# What compilers take from the environment.
_FLAGS = ("CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH")
_MOST_BYTES_OF_OBJECTS = 512 * 2**20
WRAPPER = "machmeter-bind"
_REMEDY = "see the compiler's words above; another compiler can be named with --compiler"


def build_program(
    cache: Path,
    program: Program,
    tools: BuildTools,
    environment: Mapping[str, str],
    *,
    flags: tuple[str, ...] = (),
    listener: BuildListener = ignore_build,
) -> str:
    """The path of the program for these tools, compiled when the cache lacks it.

    The binding wrapper is beside it. flags: of the compiler, after all others
    (`build.compiler.parse_flags`); listener: is notified of each step of compiling.
    Raises MachineLacksError when the compiler fails or the cache cannot be written.
    """
    settings = TOOLCHAINS[program.toolchain](tools, environment)
    names, code = (program.name, WRAPPER), _source_hash()
    digest = _digest(tools, settings, (program.name, *flags), code, environment)
    folder = cache / "build" / f"{settings.family}-{digest}"
    extra = (f"-DMACHMETER_EXTRA_FLAGS={';'.join(flags)}",) if flags else ()
    options = (f"-DMACHMETER_SOURCE_HASH={code}", *extra)
    recipe = _Recipe(settings, options, names, _compiler_digest(tools, environment))
    if not _complete(folder, recipe):
        with exclusive(folder.with_name(folder.name + ".lock")):
            if not _complete(folder, recipe):
                _build(folder, recipe, listener)
    return str(folder / program.name)


class _Recipe(Struct, frozen=True):
    """How a program is compiled; names: it and the wrapper, which are targets of the build too;
    compiler: a digest of it."""

    settings: CMakeSettings
    options: tuple[str, ...]
    names: tuple[str, ...]
    compiler: str


def _source_hash() -> str:
    sources = native_sources()
    if not (sources / "CMakeLists.txt").is_file():
        raise MachineLacksError(
            f"the native sources are missing from {sources}", "install machmeter again"
        )
    return source_hash(sources)


def _digest(
    tools: BuildTools,
    settings: CMakeSettings,
    words: tuple[str, ...],
    code: str,
    environment: Mapping[str, str],
) -> str:
    """Of all that the program depends on; words: its name, and flags."""
    library = tools.shmem or tools.mpi
    parts = [
        _compiler_digest(tools, environment),
        code,
        *((library.prefix, library.version) if library else ()),
        *settings.options,
        *words,
    ]
    return _hashed(parts)


def _compiler_digest(tools: BuildTools, environment: Mapping[str, str]) -> str:
    """Of what compiles, and of the processor that it compiles for."""
    variables = (environment.get(name, "") for name in _FLAGS)
    compiler = tools.compiler
    return _hashed(
        [compiler.path, compiler.version, *variables, platform.machine(), tools.cpu_features]
    )


def _hashed(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _complete(folder: Path, recipe: _Recipe) -> bool:
    return all((folder / name).is_file() for name in recipe.names)


def _tool(name: str, environment: Mapping[str, str]) -> str:
    next_to_python = Path(sys.executable).parent / name
    if next_to_python.is_file():
        return str(next_to_python)
    found = shutil.which(name, path=environment.get("PATH"))
    if not found:
        raise MachineLacksError(f"this machine has no {name}", f"`pip install {name}`")
    return found


def _build(folder: Path, recipe: _Recipe, listener: BuildListener) -> None:
    settings = recipe.settings
    # Under the lock nobody else builds this one: what lies there was left by a build that died.
    for dead in folder.parent.glob(f"{folder.name}.*.building"):
        shutil.rmtree(dead, ignore_errors=True)
    work = folder.with_name(f"{folder.name}.{os.getpid()}.building")
    cmake = _tool("cmake", settings.environment)
    configure = [
        *(cmake, "-S", str(native_sources()), "-B", str(work), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={_tool('ninja', settings.environment)}",
        f"-DCMAKE_CXX_COMPILER={settings.compiler}",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={';'.join(_launcher(folder, work, recipe))}",
        *settings.options,
        *recipe.options,
    ]
    watch = BuildWatch(listener)
    try:
        for command in (configure, [cmake, "--build", str(work), "--target", *recipe.names]):
            run_tool(
                command,
                doing="compiling the native programs",
                remedy=_REMEDY,
                timeout=900,
                environment={**settings.environment, "NINJA_STATUS": NINJA_STATUS},
                listener=watch,
            )
        _install(work, folder, recipe)
        cached_compile.remove_oldest(folder.parent.parent / "objects", _MOST_BYTES_OF_OBJECTS)
    except OSError as error:
        raise storage_error(error, folder) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _launcher(folder: Path, work: Path, recipe: _Recipe) -> list[str]:
    """What starts the compiler: it takes objects from the cache, and keeps them there."""
    cache = folder.parent.parent
    settings = cached_compile.LauncherSettings(
        objects=str(cache / "objects"),
        cache=str(cache),
        compiler=recipe.compiler,
        library=recipe.settings.library,
        plain=recipe.settings.plain,
        sources=str(native_sources()),
        build=str(work),
    )
    settings_words = (f"{name}={value}" for name, value in settings._asdict().items())
    words = [sys.executable, "-I", "-S", str(cached_compile.__file__), *settings_words, "--"]
    # CMake splits its lists at semicolons: without a launcher all is compiled.
    return [] if any(";" in word for word in words) else words


def _install(work: Path, folder: Path, recipe: _Recipe) -> None:
    """Move the programs, and only them, to their place in one step."""
    ready = work / "ready"
    ready.mkdir()
    for name in recipe.names:
        (work / name).replace(ready / name)
    shutil.rmtree(folder, ignore_errors=True)
    ready.replace(folder)
