"""The libraries that decide how fast a program is, by what they are for. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import PurePosixPath


class LibraryKind(StrEnum):
    """What a library is for."""

    MPI = "MPI"
    BLAS = "BLAS"
    LAPACK = "LAPACK"
    FFT = "FFT"
    OPENMP = "OpenMP"


_NAMES = {
    LibraryKind.MPI: re.compile(r"libmpi(?!_gtl)"),
    LibraryKind.BLAS: re.compile(r"lib(blas|openblas|scipy_openblas|mkl|atlas|blis|flexiblas|sci)"),
    LibraryKind.LAPACK: re.compile(r"liblapack"),
    LibraryKind.FFT: re.compile(r"libfftw"),
    LibraryKind.OPENMP: re.compile(r"lib(gomp|i?omp5?)\b"),
}


# A library under the plain name of the interface is in a folder of its maker's name.
_OF_MAKER = re.compile(r"openblas|atlas|blis|mkl|flexiblas|armpl|essl|nvpl|aocl|libsci", re.I)
# What the kernel adds to the path of a file that was replaced meanwhile (proc(5)).
_DELETED = " (deleted)"
_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 - nothing is written there
# The folder of a launch.
_OF_LAUNCH = re.compile(r"/launches/\d+\.files/")


def libraries_by_kind(paths: Iterable[str]) -> dict[LibraryKind, tuple[str, ...]]:
    """The libraries among `paths`, for each kind that there is, those with the shortest names
    first: `libmpi.so.40` before `libmpi_mpifh.so.40`."""
    ordered = sorted(set(paths), key=lambda path: (len(PurePosixPath(path).name), path))
    found = {
        kind: tuple(path for path in ordered if pattern.match(PurePosixPath(path).name))
        for kind, pattern in _NAMES.items()
    }
    return {kind: files for kind, files in found.items() if files}


def is_reference_blas(path: str) -> bool:
    """Whether a library is the BLAS of Netlib, which states what others compute faster: it has the
    plain name, and is in a folder of that name or in one of all libraries."""
    file = PurePosixPath(path)
    plain = file.name.startswith(("libblas.so", "librefblas.so"))
    return plain and not _OF_MAKER.match(file.parent.name)


def library_changes(first: Iterable[str], now: Iterable[str]) -> tuple[str, ...]:
    """Which kinds of libraries one launch has from other files than the first one, for people.

    A sample may miss libraries that are loaded late: kinds that either launch lacks, and those of
    which any file is the same, are as they were.
    """
    before: Mapping[LibraryKind, tuple[str, ...]] = libraries_by_kind(first)
    return tuple(
        f"{kind}: {files[0]} was loaded, and {before[kind][0]} in the first accepted launch"
        for kind, files in libraries_by_kind(now).items()
        if kind in before and not set(map(_same, files)) & set(map(_same, before[kind]))
    )


def _same(path: str) -> str:
    """What two launches have in common of a library: its path, of one that a program unpacks for
    each launch its name."""
    path = path.removesuffix(_DELETED)
    unpacked = path.startswith(_TEMPORARY) or _OF_LAUNCH.search(path)
    return PurePosixPath(path).name if unpacked else path
