"""What compiles programs: a compiler alone, with an MPI, or an OpenSHMEM's compiler wrapper.

A toolchain that is added is a function here, by the name under which programs ask for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from machmeter.build.compiler import Compiler
from machmeter.build.mpi import MpiInstall, mpi_environment
from machmeter.build.shmem import ShmemInstall
from machmeter.model.errors import MachineLacksError

# Half the compilers of the field read these and would mix another MPI's headers in.
_OF_HEADERS = ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH")


class BuildTools(Struct, frozen=True):
    """A compiler and what programs are linked with."""

    compiler: Compiler
    """The C++ compiler."""
    cpu_features: str
    """What `-march=native` depends on, so that a shared home serves unlike nodes."""
    mpi: MpiInstall | None = None
    """The MPI of programs that need one."""
    shmem: ShmemInstall | None = None
    """The OpenSHMEM of programs that need one."""


class CMakeSettings(Struct, frozen=True):
    """How CMake is called for one toolchain."""

    compiler: str
    """The path of the compiler, or of its wrapper."""
    options: tuple[str, ...]
    """Definitions on its command line that are a part of a build's name."""
    environment: dict[str, str]
    """Every variable that it sees."""
    family: str
    """What the build is called by, before its digest."""
    linked: str = ""
    """The library of communication with its version; empty where there is none."""
    plain: str = ""
    """The compiler that a wrapper takes for its own; empty where there is no wrapper."""
    places: tuple[str, ...] = ()
    """Definitions that hold paths of the cache: no part of a build's name, for caches are
    copied."""


def _compiler(tools: BuildTools, environment: Mapping[str, str]) -> CMakeSettings:
    """Programs that are linked with no library of communication."""
    options = ("-DMACHMETER_MPI=OFF",)
    return CMakeSettings(tools.compiler.path, options, dict(environment), "node")


def _mpi(tools: BuildTools, environment: Mapping[str, str]) -> CMakeSettings:
    """Programs of an MPI, by this compiler with that MPI's headers and libraries."""
    mpi = tools.mpi
    if mpi is None:
        raise MachineLacksError("no MPI was named to compile with", "name one with --mpi")
    settings = mpi_environment(environment, mpi.prefix)
    folder = f"-DMACHMETER_MPI_PREFIX={mpi.prefix}"
    library = f"{mpi.family} {mpi.version}"
    if mpi.embedded:
        settings = {name: text for name, text in settings.items() if name not in _OF_HEADERS}
        options = ("-DMACHMETER_MPI=ON", f"-DCMAKE_BUILD_RPATH={_from_program(mpi)}")
        return CMakeSettings(
            tools.compiler.path, options, settings, mpi.family, library, places=(folder,)
        )
    # The answer of a wrapper whose own path has blanks cannot be taken apart.
    blanks = any(map(str.isspace, mpi.prefix))
    options = ("-DMACHMETER_MPI=ON", folder if blanks else f"-DMPI_CXX_COMPILER={mpi.mpicxx}")
    # A site may have several of one version; one from PyPI is the same in every cache.
    library = f"{library} {mpi.prefix}"
    return CMakeSettings(tools.compiler.path, options, settings, mpi.family, library)


def _from_program(mpi: MpiInstall) -> str:
    """The libraries of an embedded MPI as its programs find them (`$ORIGIN`, ld.so(8)): both are
    two folders below the cache, wherever that is."""
    return f"$ORIGIN/../../mpi/{Path(mpi.prefix).name}/lib"


def _shmem(tools: BuildTools, environment: Mapping[str, str]) -> CMakeSettings:
    """Programs of OpenSHMEM, by its compiler wrapper, which takes this compiler for its own."""
    shmem = tools.shmem
    if shmem is None:
        raise MachineLacksError("no OpenSHMEM was found to compile with", "load or install one")
    settings = mpi_environment(environment, shmem.prefix) | {"OSHMEM_CXX": tools.compiler.path}
    options = ("-DMACHMETER_MPI=OFF", "-DMACHMETER_SHMEM=ON")
    return CMakeSettings(
        shmem.oshcxx,
        options,
        settings,
        "shmem",
        linked=f"{shmem.prefix} {shmem.version}",
        plain=tools.compiler.path,
    )


TOOLCHAINS: Mapping[str, Callable[[BuildTools, Mapping[str, str]], CMakeSettings]] = {
    "compiler": _compiler,
    "mpi": _mpi,
    "shmem": _shmem,
}
"""By the name under which a `model.program.Program` asks for it."""
