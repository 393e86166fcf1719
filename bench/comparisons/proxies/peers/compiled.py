"""Compare with a library: a program that calls it is compiled by the compiler of an MPI, with
the flags of kernels.

Such a program includes headers of a proxy, so that both have one problem.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from bench.comparisons.proxies.by_ranks import compare_by_ranks
from bench.context import Bench, Outcome
from bench.ours import OurPrograms
from bench.peers import PeerPrograms
from bench.rounds import Contender
from machmeter.build.mpi import mpi_environment, resolve_mpi
from machmeter.build.process import run_tool
from machmeter.build.sources import native_sources
from machmeter.model.errors import MachineLacksError
from machmeter.model.units import Unit

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

    name: str
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
    try:
        run_tool(
            command,
            doing=f"compiling a program with {peer.name}",
            remedy=peer.package,
            timeout=_LIMIT_SECONDS,
            environment=mpi_environment(bench.environment, mpi.prefix),
        )
    except MachineLacksError as error:
        raise MachineLacksError(
            f"{peer.name} is not installed, or no program with it compiles with {mpi.mpicxx}",
            f"Debian: apt install {peer.package}",
            error.details or error.message,
        ) from error
    return str(program)


def compare_with_library(
    bench: Bench,
    outcome: Outcome,
    title: str,
    peer: LibraryPeer,
    ours: Callable[[OurPrograms, int], Contender],
    theirs: Callable[[str, PeerPrograms, int], Contender],
    unit: Unit,
) -> Outcome:
    """`outcome` with rows as `compare_by_ranks` makes them, or why there are none.

    theirs: is given the path of the program that calls the library.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = compile_peer(bench, peer, Path(folder))
        except MachineLacksError as error:
            outcome.skipped.append(f"{error.message} ({error.remedy})")
            return outcome
        return compare_by_ranks(
            bench,
            outcome,
            title,
            peer.name,
            ours,
            partial(theirs, program),
            unit=unit,
            statistic="mean of a launch",
        )
