"""The OpenMP runtime, allocator and BLAS of one launch, as settings of its libraries."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from machmeter.benchmarks.catalogue import known
from machmeter.benchmarks.compute import OPENBLAS
from machmeter.build.loaded_libraries import LibrarySetting, found_in, preloaded
from machmeter.build.process import run_tool
from machmeter.layout.libraries import can_serve, openmp_runtime_named
from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.model.plan.launch import LaunchSpec
from machmeter.store.cache_trust import make_closed, refuse_untrusted

# Names that programs ask for: compiled by GCC, by clang (of distributions, of LLVM), by Intel.
_NAMES = ("libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so")
_NEEDED = re.compile(r"\s*(?P<name>\S+) => (?P<file>\S+)")
_OTHERS = "see `machmeter doctor` for those that this machine has"


class Libraries(Struct, frozen=True):
    """What can take the place of the libraries that programs are linked with."""

    cache: Path
    """Where folders of links are made."""
    openmp_runtimes: Mapping[str, str] = field(default_factory=dict)
    """Path by name, as in `model.machine.Software`."""
    allocators: Mapping[str, str] = field(default_factory=dict)
    """Path by name, as in `model.machine.Software`."""
    blas: Mapping[str, str] = field(default_factory=dict)
    """Path by name, as in `model.machine.Software`."""


def library_settings(
    spec: LaunchSpec, linked: str, libraries: Libraries
) -> tuple[LibrarySetting, ...]:
    """What gives a program, linked with the runtime `linked`, what its layout and points name.

    Empty where they name nothing, or what programs have anyhow: the linked runtime, glibc.
    Raises MachineLacksError when this machine lacks it, when it cannot serve that program, or when
    the cache cannot be written.
    """
    layout = spec.layout
    settings = []
    # Without it those points say so, and points of other libraries are measured.
    declared = known(spec.benchmark)
    blas = libraries.blas.get(OPENBLAS, "") if declared and declared.loads_blas else ""
    if blas and any(point.get("library") == OPENBLAS for point in spec.points):
        settings.append(LibrarySetting(variables={"MACHMETER_OPENBLAS": blas}))
    if layout.openmp not in ("", linked):
        library = _serving(layout.openmp, linked, libraries)
        settings.append(_under_every_name(library, libraries.cache))
    if layout.allocator:
        path = _known(layout.allocator, libraries.allocators, "allocator")
        if layout.allocator != "glibc":
            settings.append(preloaded(path))
    return tuple(settings)


def linked_runtime(program: str, environment: Mapping[str, str]) -> str:
    """The OpenMP runtime that a program asks for: `libgomp`, `libomp`, `libiomp5`, or empty.

    Known by the name it asks for, not by the file that it would get. Raises MachineLacksError when
        `ldd` fails.
    """
    names = linked_libraries(program, environment)
    return next((runtime for runtime in map(openmp_runtime_named, names) if runtime), "")


def linked_libraries(program: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The files of the libraries that a program would get, by the names it asks for; of one that is
    not found the file is empty. Raises MachineLacksError when `ldd` fails, as of a script.
    """
    output = run_tool(
        ["ldd", program],
        doing=f"asking which libraries {program} is linked with",
        remedy="ldd belongs to the C library: install it (Debian: libc-bin)",
        timeout=60,
        environment=environment,
        answers=True,
    )
    found = filter(None, map(_NEEDED.match, output.splitlines()))
    return {one["name"]: one["file"] if one["file"].startswith("/") else "" for one in found}


def _serving(runtime: str, linked: str, libraries: Libraries) -> Path:
    path = Path(_known(runtime, libraries.openmp_runtimes, "OpenMP runtime"))
    if can_serve(runtime, linked):
        return path
    if not linked:
        raise MachineLacksError(
            f"{runtime} cannot serve programs that ask for no OpenMP runtime they share",
            "name a compiler that links its runtime as a shared library, with --compiler",
        )
    raise MachineLacksError(
        f"{runtime} cannot serve programs compiled for {linked}: it lacks their entry points",
        "compile with GCC (--compiler g++): its programs run on every runtime",
    )


def _known(name: str, paths: Mapping[str, str], what: str) -> str:
    path = paths.get(name, "")
    if not path:
        raise MachineLacksError(f"this machine has no {what} {name}", f"install it, or {_OTHERS}")
    if not Path(path).is_file():
        raise MachineLacksError(
            f"the {what} {name} is not where it was found, in {path}",
            "install it again, or start a new run, which looks for it again",
        )
    return path


def _under_every_name(library: Path, cache: Path) -> LibrarySetting:
    """A folder in which every name that programs ask for leads to `library`, wherever that is."""
    digest = hashlib.sha256(os.fsencode(library)).hexdigest()[:16]
    folder = cache / "openmp" / f"{openmp_runtime_named(library.name)}-{digest}"
    setting = found_in(folder)
    refuse_untrusted((folder,), cache, os.environ)
    try:
        make_closed(folder)
        for name in _NAMES:
            link = folder / name
            if not link.is_symlink() or link.readlink() != library:
                _replace_link(link, library)
    except OSError as error:
        raise storage_error(error, folder) from error
    return setting


def _replace_link(link: Path, target: Path) -> None:
    """In one step, for another run may look at it now."""
    made = link.with_name(f"{link.name}.{secrets.token_hex(4)}")
    made.symlink_to(target)
    made.replace(link)
