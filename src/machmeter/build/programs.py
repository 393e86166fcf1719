"""Compile the native programs for this machine, once for each toolchain, into the cache."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.build.compiler import Compiler
from machmeter.build.mpi import MpiInstall, mpi_environment
from machmeter.build.process import run_tool
from machmeter.build.progress import NINJA_STATUS, BuildListener, BuildWatch, ignore_build
from machmeter.build.shmem import ShmemInstall
from machmeter.build.sources import native_sources, source_hash
from machmeter.model.benchmark import Executable
from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.store.locks import exclusive

_FLAGS = ("CXXFLAGS", "CPPFLAGS", "LDFLAGS")
_REMEDY = "see the compiler's words above; another compiler can be named with --compiler"


class Programs(Struct, frozen=True):
    """The compiled programs: their folder, and the sources they were made from.

    has_mpi: there is one among them of which a launcher starts several processes.
    """

    folder: str
    source_hash: str
    has_mpi: bool

    def path(self, executable: Executable) -> str:
        """The path of a native program."""
        return str(Path(self.folder) / executable.value)

    @property
    def bind(self) -> str:
        """The path of the binding wrapper."""
        return str(Path(self.folder) / "machmeter-bind")


def build_programs(  # noqa: PLR0913 - a toolchain, and what is made with it
    cache: Path,
    compiler: Compiler,
    mpi: MpiInstall | None,
    cpu_features: str,
    environment: Mapping[str, str],
    *,
    of_node: bool = True,
    flags: tuple[str, ...] = (),
    listener: BuildListener = ignore_build,
) -> Programs:
    """The programs for this toolchain, compiled when the cache lacks them.

    cpu_features: what `-march=native` depends on, so that a shared home serves unlike nodes.
    flags: of the compiler, after all others (`build.compiler.parse_flags`).
    of_node: with those that need no MPI; without them where another toolchain has them already.
    listener: is told of each step of compiling.
    Raises MachineLacksError when the compiler fails or the cache cannot be written.
    """
    recipe = _Recipe(
        compiler=compiler.path,
        options=(
            f"-DMACHMETER_MPI={'ON' if mpi else 'OFF'}",
            *((f"-DMPI_CXX_COMPILER={mpi.mpicxx}",) if mpi else ()),
            *_extra(flags),
        ),
        names=(
            "machmeter-bind",
            *(("machmeter-node",) if of_node else ()),
            *(("machmeter-mpi",) if mpi else ()),
        ),
        settings=_settings(mpi, environment),
    )
    code = _source_hash()
    digest = _key(compiler, mpi, cpu_features, code, environment, flags)
    key = f"{'' if of_node else 'ranks-'}{digest}"
    return _built(cache / "build" / key, recipe, Programs("", code, mpi is not None), listener)


def build_shmem_programs(
    cache: Path,
    compiler: Compiler,
    shmem: ShmemInstall,
    cpu_features: str,
    environment: Mapping[str, str],
    flags: tuple[str, ...] = (),
    listener: BuildListener = ignore_build,
) -> Programs:
    """`machmeter-shmem` and the binding wrapper, compiled when the cache lacks them.

    A toolchain of its own: the OpenSHMEM of a machine seldom belongs to the MPI that is measured.
    Raises MachineLacksError when the compiler fails or the cache cannot be written.
    """
    # The wrapper of Open MPI's OpenSHMEM takes this compiler in place of the one it was made with.
    settings = _settings(shmem.as_mpi, environment) | {"OSHMEM_CXX": compiler.path}
    recipe = _Recipe(
        compiler=shmem.oshcxx,
        options=("-DMACHMETER_MPI=OFF", "-DMACHMETER_SHMEM=ON", *_extra(flags)),
        names=("machmeter-shmem", "machmeter-bind"),
        settings=settings,
    )
    code = _source_hash()
    key = f"shmem-{_key(compiler, shmem.as_mpi, cpu_features, code, environment, flags)}"
    programs = Programs("", code, has_mpi=True)
    return _built(cache / "build" / key, recipe, programs, listener)


class _Recipe(Struct, frozen=True):
    """How programs are compiled: by which compiler, with which options of CMake, in which
    environment; names: the programs that are wanted, which are targets of the build too."""

    compiler: str
    options: tuple[str, ...]
    names: tuple[str, ...]
    settings: dict[str, str]


def _extra(flags: tuple[str, ...]) -> tuple[str, ...]:
    return (f"-DMACHMETER_EXTRA_FLAGS={';'.join(flags)}",) if flags else ()


def _source_hash() -> str:
    sources = native_sources()
    if not (sources / "CMakeLists.txt").is_file():
        raise MachineLacksError(
            f"the native sources are missing from {sources}", "install machmeter again"
        )
    return source_hash(sources)


def _built(folder: Path, recipe: _Recipe, programs: Programs, listener: BuildListener) -> Programs:
    if not _complete(folder, recipe):
        with exclusive(folder.with_name(folder.name + ".lock")):
            if not _complete(folder, recipe):
                _build(folder, programs.source_hash, recipe, listener)
    return replace(programs, folder=str(folder))


def _settings(mpi: MpiInstall | None, environment: Mapping[str, str]) -> dict[str, str]:
    settings = mpi_environment(environment, mpi.prefix) if mpi else dict(environment)
    # Half the compilers of the field read these and would mix another MPI's headers in.
    for variable in ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"):
        if mpi and mpi.embedded:
            settings.pop(variable, None)
    return settings


def _key(
    compiler: Compiler,
    mpi: MpiInstall | None,
    cpu_features: str,
    code: str,
    environment: Mapping[str, str],
    flags: tuple[str, ...] = (),
) -> str:
    parts = [
        compiler.path,
        compiler.version,
        *(environment.get(name, "") for name in _FLAGS),
        platform.machine(),
        cpu_features,
        code,
        *((mpi.prefix, mpi.version) if mpi else ("no MPI",)),
        *flags,
    ]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return f"{mpi.family if mpi else 'node'}-{digest}"


def _complete(folder: Path, recipe: _Recipe) -> bool:
    return all((folder / name).is_file() for name in recipe.names)


def _tool(name: str, environment: Mapping[str, str]) -> str:
    beside_python = Path(sys.executable).parent / name
    if beside_python.is_file():
        return str(beside_python)
    found = shutil.which(name, path=environment.get("PATH"))
    if not found:
        raise MachineLacksError(f"this machine has no {name}", f"`pip install {name}`")
    return found


def _build(folder: Path, code: str, recipe: _Recipe, listener: BuildListener) -> None:
    # Under the lock nobody else builds this one: what lies there was left by a build that died.
    for dead in folder.parent.glob(f"{folder.name}.*.building"):
        shutil.rmtree(dead, ignore_errors=True)
    work = folder.with_name(f"{folder.name}.{os.getpid()}.building")
    cmake = _tool("cmake", recipe.settings)
    configure = [
        *(cmake, "-S", str(native_sources()), "-B", str(work), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={_tool('ninja', recipe.settings)}",
        f"-DCMAKE_CXX_COMPILER={recipe.compiler}",
        f"-DMACHMETER_SOURCE_HASH={code}",
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
                environment={**recipe.settings, "NINJA_STATUS": NINJA_STATUS},
                listener=watch,
            )
        _install(work, folder, recipe)
    except OSError as error:
        raise storage_error(error, folder) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _install(work: Path, folder: Path, recipe: _Recipe) -> None:
    """Move the programs, and only them, to their place in one step."""
    ready = work / "ready"
    ready.mkdir()
    for name in recipe.names:
        (work / name).replace(ready / name)
    shutil.rmtree(folder, ignore_errors=True)
    ready.replace(folder)
