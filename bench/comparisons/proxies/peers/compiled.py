"""Compile a program that calls a library, by the compiler of an MPI and with the flags of kernels.

Such a program includes headers of a proxy, so that both have one problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from bench.context import Bench
from machmeter.build.mpi import mpi_environment, resolve_mpi
from machmeter.build.process import run_tool
from machmeter.build.sources import native_sources

# As native/CMakeLists.txt has them.
_FLAGS = (
    *("-std=c++20", "-O3", "-DNDEBUG", "-march=native", "-fno-math-errno"),
    *("-falign-functions=64", "-fopenmp"),
)
_LIMIT_SECONDS = 120.0


class LibraryPeer(Struct, frozen=True):
    """A library, and the program that calls it.

    source: in the folder of this file; package: of Debian; flags: of the compiler, for the library.
    """

    library: str
    source: str
    package: str
    flags: tuple[str, ...]


def compile_peer(bench: Bench, peer: LibraryPeer, folder: Path) -> str:
    """The path of the program in `folder`, compiled with the MPI of `--hpcc-mpi`.

    Raises MachineLacksError where that MPI or the library is missing.
    """
    mpi = resolve_mpi(bench.options.hpcc_mpi, bench.cache, bench.environment)
    source = Path(__file__).with_name(peer.source)
    program = folder / source.stem
    command: Sequence[str] = (
        *(mpi.mpicxx, *_FLAGS, f"-I{native_sources()}", str(source)),
        *(*peer.flags, "-o", str(program)),
    )
    run_tool(
        command,
        doing=f"compiling a program with {peer.library}",
        remedy=f"Debian: apt install {peer.package}; it needs the MPI of --hpcc-mpi",
        timeout=_LIMIT_SECONDS,
        environment=mpi_environment(bench.environment, mpi.prefix),
    )
    return str(program)
