"""Libraries of programs that are not ours: what they are for, and whether they changed."""

from __future__ import annotations

import pytest

from machmeter.layout.program_libraries import LibraryKind, libraries_by_kind, library_changes

LIB = "/usr/lib/x86_64-linux-gnu"
MPI = f"{LIB}/libmpi.so.40.30.4"
FORTRAN = f"{LIB}/libmpi_mpifh.so.40.30.0"
OPENBLAS = f"{LIB}/openblas-pthread/libblas.so.3"
REFERENCE = f"{LIB}/blas/libblas.so.3.11.0"
# By one program in two launches.
UNPACKED = [f"{folder}/libblas.so.3" for folder in ("/tmp/_MEI1a", "/tmp/_MEI2b")]  # noqa: S108


def test_libraries_are_known_by_their_file_names() -> None:
    fabric, lapack, gomp = f"{LIB}/libfabric.so.1", f"{LIB}/liblapack.so.3", f"{LIB}/libgomp.so.1"
    assert libraries_by_kind([FORTRAN, MPI, OPENBLAS, fabric, lapack, gomp]) == {
        LibraryKind.MPI: (MPI, FORTRAN),
        LibraryKind.BLAS: (OPENBLAS,),
        LibraryKind.LAPACK: (lapack,),
        LibraryKind.OPENMP: (gomp,),
    }


@pytest.mark.parametrize(
    ("first", "now", "kinds"),
    [
        ((MPI, OPENBLAS), (MPI, OPENBLAS), ()),
        # Loaded after the last sample, or by one rank alone.
        ((MPI, OPENBLAS), (MPI,), ()),
        ((MPI,), (MPI, FORTRAN, OPENBLAS), ()),
        ((MPI, OPENBLAS), (MPI, REFERENCE), ("BLAS",)),
        # The package was replaced while the program ran.
        ((MPI, OPENBLAS), (f"{MPI} (deleted)", OPENBLAS), ()),
        # A program that unpacks itself in each launch.
        ((UNPACKED[0],), (UNPACKED[1],), ()),
        (
            ("/runs/a/launches/00001.files/libblas.so.3",),
            ("/runs/a/launches/00002.files/libblas.so.3",),
            (),
        ),
        ((UNPACKED[0],), (OPENBLAS,), ("BLAS",)),
        ((MPI, OPENBLAS), ("/opt/mpi/lib/libmpi.so.40", REFERENCE), ("MPI", "BLAS")),
    ],
)
def test_another_file_of_the_same_kind_is_a_change(
    first: tuple[str, ...], now: tuple[str, ...], kinds: tuple[str, ...]
) -> None:
    assert tuple(one.partition(":")[0] for one in library_changes(first, now)) == kinds
