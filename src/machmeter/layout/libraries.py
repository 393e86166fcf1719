"""OpenMP runtimes, allocators and BLAS by the names of their files, and which can replace which.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from machmeter.model.layout import Layout

# Names of files with links followed. Helpers beside a runtime (libomptarget, libgomp-plugin-...),
# and builds for debugging are no runtimes; wheels put a hash into the name (libgomp-a34b3233.so.1).
_OPENMP = {
    "libgomp": re.compile(r"libgomp(-[0-9a-f]{8})?\.so(\.\d+)*"),
    "libomp": re.compile(r"libomp(-[0-9a-f]{8}|-\d+)?\.so(\.\d+)*"),
    "libiomp5": re.compile(r"libiomp5(-[0-9a-f]{8})?\.so(\.\d+)*"),
}
_ALLOCATORS = {
    "glibc": re.compile(r"libc(\.so\.6(\.\d+)*|-2\.\d+\.so)"),
    "jemalloc": re.compile(r"libjemalloc\.so(\.\d+)*"),
    "tcmalloc": re.compile(r"libtcmalloc(_minimal)?\.so(\.\d+)*"),
    "mimalloc": re.compile(r"libmimalloc\.so(\.\d+)*"),
}
# Netlib's own has the version of LAPACK in its name, as ATLAS has; Debian names folders.
_ONE_THREADED_BLAS = re.compile(r".*/((?!atlas/)[^/]+/libblas\.so\.3\.\d+\.\d+|[^/]+-serial/[^/]+)")
OPENMP_RUNTIMES = tuple(_OPENMP)
ALLOCATORS = tuple(_ALLOCATORS)


def openmp_runtime_named(file: str) -> str:
    """The runtime whose library has that file name, links followed; empty when none is known."""
    return _named(_OPENMP, file)


def allocator_named(file: str) -> str:
    """The allocator whose library has that file name, links followed; empty when none is known."""
    return _named(_ALLOCATORS, file)


def is_one_threaded_blas(path: str) -> bool:
    """Whether a BLAS, links followed, is known to have one thread only: the reference
    implementation, and what Debian builds as `openblas-serial` and the like."""
    return _ONE_THREADED_BLAS.fullmatch(path) is not None


def _named(patterns: dict[str, re.Pattern[str]], file: str) -> str:
    return next((name for name, pattern in patterns.items() if pattern.fullmatch(file)), "")


def can_serve(runtime: str, linked: str) -> bool:
    """Whether `runtime` can take the place of the one a program was linked with.

    LLVM's and Intel's have the entry points of each other, for they are of one origin, and those of
    GCC's; GCC's has only its own (LLVM OpenMP runtime reference, "Interoperability").
    """
    return runtime == linked or (runtime != "libgomp" and linked in _OPENMP)


def library_reasons(layout: Layout, libraries: Mapping[str, str]) -> list[str]:
    """Where the libraries observed (file names, by `openmp` and `allocator`) are not as requested.

    Each reason prints both; what the layout does not name may be any.
    """
    reasons = []
    for what, requested, observed, name_of in (
        ("OpenMP runtime", layout.openmp, libraries.get("openmp", ""), openmp_runtime_named),
        ("allocator", layout.allocator, libraries.get("allocator", ""), allocator_named),
    ):
        if requested and name_of(observed) != requested:
            reasons.append(f"{what}: requested {requested}, observed {observed or 'none'}")
    return reasons
