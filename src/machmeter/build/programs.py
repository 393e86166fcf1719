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

from machmeter.build.compiler import Compiler
from machmeter.build.locks import exclusive
from machmeter.build.mpi import MpiInstall, mpi_environment
from machmeter.build.process import run_tool
from machmeter.build.sources import native_sources, source_hash
from machmeter.model.benchmark import Executable
from machmeter.model.errors import MachineLacksError, storage_error

_FLAGS = ("CXXFLAGS", "CPPFLAGS", "LDFLAGS")
_REMEDY = "see the compiler's words above; another compiler can be named with --compiler"


class Programs(Struct, frozen=True):
    """The compiled programs: their folder, and the sources they were made from."""

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


def build_programs(
    cache: Path,
    compiler: Compiler,
    mpi: MpiInstall | None,
    cpu_features: str,
    environment: Mapping[str, str],
) -> Programs:
    """The programs for this toolchain, compiled when the cache lacks them.

    cpu_features: what `-march=native` depends on, so that a shared home serves unlike nodes.
    Raises MachineLacksError when the compiler fails or the cache cannot be written.
    """
    sources = native_sources()
    if not (sources / "CMakeLists.txt").is_file():
        raise MachineLacksError(
            f"the native sources are missing from {sources}", "install machmeter again"
        )
    code = source_hash(sources)
    folder = cache / "build" / _key(compiler, mpi, cpu_features, code, environment)
    programs = Programs(str(folder), code, mpi is not None)
    if _complete(folder, mpi):
        return programs
    with exclusive(folder.with_name(folder.name + ".lock")):
        if not _complete(folder, mpi):
            _build(sources, folder, code, compiler, mpi, environment)
    return programs


def _key(
    compiler: Compiler,
    mpi: MpiInstall | None,
    cpu_features: str,
    code: str,
    environment: Mapping[str, str],
) -> str:
    parts = [
        compiler.path,
        compiler.version,
        *(environment.get(name, "") for name in _FLAGS),
        platform.machine(),
        cpu_features,
        code,
        *((mpi.prefix, mpi.version) if mpi else ("no MPI",)),
    ]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return f"{mpi.family if mpi else 'node'}-{digest}"


def _complete(folder: Path, mpi: MpiInstall | None) -> bool:
    names = ["machmeter-node", "machmeter-bind", *(["machmeter-mpi"] if mpi else [])]
    return all((folder / name).is_file() for name in names)


def _tool(name: str, environment: Mapping[str, str]) -> str:
    beside_python = Path(sys.executable).parent / name
    if beside_python.is_file():
        return str(beside_python)
    found = shutil.which(name, path=environment.get("PATH"))
    if not found:
        raise MachineLacksError(f"this machine has no {name}", f"`pip install {name}`")
    return found


def _build(
    sources: Path,
    folder: Path,
    code: str,
    compiler: Compiler,
    mpi: MpiInstall | None,
    environment: Mapping[str, str],
) -> None:
    # Under the lock nobody else builds this one: what lies there was left by a build that died.
    for dead in folder.parent.glob(f"{folder.name}.*.building"):
        shutil.rmtree(dead, ignore_errors=True)
    work = folder.with_name(f"{folder.name}.{os.getpid()}.building")
    settings = mpi_environment(environment, mpi.prefix) if mpi else dict(environment)
    # Half the compilers of the field read these and would mix another MPI's headers in.
    for variable in ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"):
        if mpi and mpi.embedded:
            settings.pop(variable, None)
    configure = [
        *(_tool("cmake", environment), "-S", str(sources), "-B", str(work), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={_tool('ninja', environment)}",
        f"-DCMAKE_CXX_COMPILER={compiler.path}",
        f"-DMACHMETER_SOURCE_HASH={code}",
        f"-DMACHMETER_MPI={'ON' if mpi else 'OFF'}",
        *([f"-DMPI_CXX_COMPILER={mpi.mpicxx}"] if mpi else []),
    ]
    try:
        for command in (configure, [_tool("cmake", environment), "--build", str(work)]):
            run_tool(
                command,
                doing="compiling the native programs",
                remedy=_REMEDY,
                timeout=900,
                environment=settings,
            )
        _install(work, folder)
    except OSError as error:
        raise storage_error(error, folder) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _install(work: Path, folder: Path) -> None:
    """Move the programs, and only them, to their place in one step."""
    ready = work / "ready"
    ready.mkdir()
    for name in ("machmeter-node", "machmeter-bind", "machmeter-mpi"):
        if (work / name).is_file():
            (work / name).replace(ready / name)
    shutil.rmtree(folder, ignore_errors=True)
    ready.replace(folder)
