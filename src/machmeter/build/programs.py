"""Compile a native program for this machine, once for each toolchain, into the cache."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.build import cached_compile
from machmeter.build.process import raise_if_ended, run_tool
from machmeter.build.progress import NINJA_STATUS, BuildListener, BuildWatch, ignore_build
from machmeter.build.python_tools.python_tool import install_command
from machmeter.build.sources import Kernel, hash_of, native_sources, read_sources
from machmeter.build.toolchains import TOOLCHAINS, BuildTools, CMakeSettings
from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.model.program import Program
from machmeter.store.cache_trust import close_tree, make_closed, refuse_untrusted
from machmeter.store.locks import exclusive

# What compilers take from the environment.
_FLAGS = ("CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH")
_MOST_BYTES_OF_OBJECTS = 512 * 2**20
WRAPPER = "machmeter-bind"
# To remove the folder of a build that ended.
_PATIENCE_SECONDS, _BETWEEN_SECONDS, _LOOKS = 10.0, 0.1, 10
# In the folder of a build: which kernels its program holds.
_HELD = "kernels.json"
_REMEDY = "see the compiler's words above; another compiler can be named with --compiler"


def build_program(
    cache: Path,
    program: Program,
    tools: BuildTools,
    environment: Mapping[str, str],
    *,
    benchmarks: Collection[str] | None = None,
    flags: tuple[str, ...] = (),
    listener: BuildListener = ignore_build,
) -> str:
    """The path of the program for these tools, compiled when the cache lacks it.

    One that holds more benchmarks of the same sources serves too. The binding wrapper is beside
    it. benchmarks: the names of those it must hold (None: all that it can); flags: of the compiler,
    after all others (`build.compiler.parse_flags`); listener: is notified of each step of
    compiling.
    Raises MachineLacksError when the compiler fails or the cache cannot be written, and as
    `refuse_untrusted` does.
    """
    environment = tools.compiler.environment(environment)
    settings = TOOLCHAINS[program.toolchain](tools, environment)
    sources = read_sources()
    recipe = _Recipe(
        settings,
        (f"-DMACHMETER_EXTRA_FLAGS={';'.join(flags)}",) if flags else (),
        (program.name, WRAPPER),
        compiler_digest(tools, environment),
        sources.shared,
        sources.of_program(program.name, benchmarks),
    )
    linked = (settings.linked, *settings.options)
    base = (recipe.compiler, recipe.shared, *linked, program.name, *flags)
    comparable = cache / "build" / f"{settings.family}-{hash_of(base)}"
    folder = Path(f"{comparable}-{hash_of(f'{n} {one.hash}' for n, one in recipe.kernels.items())}")
    kept = _kept(comparable, folder, recipe)
    if kept is None:
        _prepare_cache(cache, folder, environment)
        with exclusive(folder.with_name(folder.name + ".lock"), raise_if_ended):
            kept = _kept(comparable, folder, recipe)
            if kept is None:
                _build(folder, recipe, listener)
    made = kept or folder
    refuse_untrusted((made / name for name in recipe.names), cache, environment)
    return str(made / program.name)


class _Recipe(Struct, frozen=True):
    """How a program is compiled; names: it and the wrapper, which are targets of the build too;
    compiler: a digest of it; shared: hash of the sources that all programs share."""

    settings: CMakeSettings
    options: tuple[str, ...]
    names: tuple[str, ...]
    compiler: str
    shared: str
    kernels: dict[str, Kernel]

    @property
    def hashes(self) -> dict[str, str]:
        """Of the kernels, by benchmark."""
        return {name: one.hash for name, one in self.kernels.items()}


def _kept(comparable: Path, folder: Path, recipe: _Recipe) -> Path | None:
    """The build that serves: of `folder`, or one by the same tools with more kernels than these."""
    others = sorted(comparable.parent.glob(f"{comparable.name}-*/{_HELD}"))
    for place in (folder, *(held.parent for held in others)):
        whole = all((place / name).is_file() for name in recipe.names)
        if whole and recipe.hashes.items() <= _held(place / _HELD).items():
            return place
    return None


def _held(file: Path) -> dict[str, str]:
    """The hashes of the kernels that a build holds, by benchmark; empty where it does not say."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}


def compiler_digest(tools: BuildTools, environment: Mapping[str, str]) -> str:
    """A hash of what compiles, and of the processor that it compiles for."""
    variables = (environment.get(name, "") for name in _FLAGS)
    compiler = tools.compiler
    return hash_of(
        [compiler.path, compiler.version, *variables, platform.machine(), tools.cpu_features]
    )


def _tool(name: str, environment: Mapping[str, str]) -> str:
    next_to_python = Path(sys.executable).parent / name
    if next_to_python.is_file():
        return str(next_to_python)
    found = shutil.which(name, path=environment.get("PATH"))
    if not found:
        raise MachineLacksError(f"this machine has no {name}", f"`{install_command(name)}`")
    return found


def _prepare_cache(cache: Path, folder: Path, environment: Mapping[str, str]) -> None:
    """The folders that a build writes into: others may not write to them."""
    places = (folder.parent, cache / "objects")
    refuse_untrusted(places, cache, environment)
    try:
        for place in places:
            make_closed(place)
    except OSError as error:
        raise storage_error(error, folder) from error


def _build(folder: Path, recipe: _Recipe, listener: BuildListener) -> None:
    settings = recipe.settings
    # Under the lock nobody else builds this one: what lies there was left by a build that died.
    dead = tuple(folder.parent.glob(f"{folder.name}.*.building"))
    for one in dead:
        shutil.rmtree(one, ignore_errors=True)
    work = folder.with_name(f"{folder.name}.{os.getpid()}.building")
    cmake = _tool("cmake", settings.environment)
    launcher = compile_launcher(folder.parent.parent, work, settings, recipe.compiler)
    configure = [
        *(cmake, "-S", str(native_sources()), "-B", str(work), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={_tool('ninja', settings.environment)}",
        f"-DCMAKE_CXX_COMPILER={settings.compiler}",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}",
        *settings.options,
        *settings.places,
        *recipe.options,
        *_of_sources(recipe),
    ]
    watch = BuildWatch(listener)
    looks = _LOOKS
    try:
        # Nobody else enters it before the rights of its files are known.
        work.mkdir(mode=0o700)
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
        looks = 1
    except OSError as error:
        raise storage_error(error, folder) from error
    finally:
        _remove((work, *dead), looks)


def _remove(places: Sequence[Path], looks: int) -> None:
    """Remove what builds worked in. Tools that are being ended, or that outlived a build that died,
    may still write into it, or make it again: at so many looks in a row all has to be away."""
    end = time.monotonic() + _PATIENCE_SECONDS
    gone = 0
    while gone < looks and time.monotonic() < end:
        for place in places:
            shutil.rmtree(place, ignore_errors=True)
        gone = 0 if any(place.exists() for place in places) else gone + 1
        if gone < looks:
            time.sleep(_BETWEEN_SECONDS)


def _of_sources(recipe: _Recipe) -> tuple[str, ...]:
    """What tells CMake which kernels to compile, and the programs what they are made of."""
    hashes = (f"{name}={text}" for name, text in recipe.hashes.items())
    return (
        "-DMACHMETER_JOIN=ON",
        f"-DMACHMETER_KERNELS={';'.join(one.source for one in recipe.kernels.values())}",
        f"-DMACHMETER_KERNEL_HASHES={';'.join(hashes)}",
        f"-DMACHMETER_SOURCE_HASH={recipe.shared}",
    )


def compile_launcher(cache: Path, build: Path, settings: CMakeSettings, compiler: str) -> str:
    """What starts the compiler, as a list of CMake's: it takes objects from the cache, and keeps
    them there. compiler: of `compiler_digest`."""
    words_of = cached_compile.LauncherSettings(
        objects=str(cache / "objects"),
        cache=str(cache),
        compiler=compiler,
        linked=settings.linked,
        plain=settings.plain,
        sources=str(native_sources()),
        build=str(build),
    )
    settings_words = (f"{name}={value}" for name, value in words_of._asdict().items())
    words = [sys.executable, "-I", "-S", str(cached_compile.__file__), *settings_words, "--"]
    # CMake splits its lists at semicolons: without a launcher all is compiled.
    return "" if any(";" in word for word in words) else ";".join(words)


def _install(work: Path, folder: Path, recipe: _Recipe) -> None:
    """Move the programs, with a list of what they hold, to their place in one step."""
    ready = work / "ready"
    ready.mkdir(mode=0o755)
    for name in recipe.names:
        (work / name).replace(ready / name)
    (ready / _HELD).write_bytes(msgspec.json.encode(recipe.hashes))
    close_tree(ready)
    shutil.rmtree(folder, ignore_errors=True)
    ready.replace(folder)
