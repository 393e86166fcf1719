"""What a program is linked with: which MPI starts it, and whether it may have threads."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from machmeter.build.mpi import MpiInstall, inspect_prefix
from machmeter.launch.libraries import linked_libraries
from machmeter.layout.program_libraries import libraries_by_kind
from machmeter.model.errors import MachineLacksError

_ELF = b"\x7fELF"
# Names that programs ask for: of MPICH and all that are compatible with it, and of Open MPI.
_FAMILIES = {
    "mpich": re.compile(
        r"libmpi(ch)?\.so\.12(\.|$)|libmpi_(cray|gnu|nvidia|aocc|amd|intel)\S*\.so"
    ),
    "openmpi": re.compile(r"libmpi\.so\.(40|80)(\.|$)"),
}


# Libraries that have threads: of OpenMP, of tasks, and of linear algebra with its own.
_OF_THREADS = re.compile(r"lib(gomp|i?omp5?|tbb|openblas|mkl_\S+|blis|hpx\S*)\b\S*\.so")


class LinkedMpi(Struct, frozen=True):
    """The MPI library that a program is linked with."""

    family: str
    """`mpich` or `openmpi`."""
    file: str
    """Of the library; empty where the loader does not find it."""


def family_of(library: str) -> str:
    """`mpich` or `openmpi`, by the path or name of a library; empty for another library."""
    name = Path(library).name
    return next((one for one, pattern in _FAMILIES.items() if pattern.match(name)), "")


def linked_mpi(program: str, environment: Mapping[str, str]) -> LinkedMpi | None:
    """What a program is linked with; None for a script, and for a program without MPI."""
    for name, file_name in (_linked(program, environment) or {}).items():
        if family := family_of(name):
            return LinkedMpi(family, file_name)
    return None


def resolved_libraries(program: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The files of the libraries that a program is linked with, by what they are for (`MPI`,
    `BLAS`), where links lead; empty for a script."""
    linked = filter(None, (_linked(program, environment) or {}).values())
    by_kind = libraries_by_kind(str(Path(file).resolve()) for file in linked)
    return {kind.value: files[0] for kind, files in by_kind.items()}


def may_have_threads(program: str, environment: Mapping[str, str]) -> bool:
    """Whether a program may have a number of threads: of a script it is not known."""
    names = _linked(program, environment)
    return names is None or any(map(_OF_THREADS.match, names))


def _linked(program: str, environment: Mapping[str, str]) -> dict[str, str] | None:
    """As `linked_libraries`; None for a script."""
    try:
        with Path(program).open("rb") as file:
            if file.read(len(_ELF)) != _ELF:
                return None
        return linked_libraries(program, environment)
    except (OSError, MachineLacksError):
        return None


def launcher_of(linked: LinkedMpi | None, environment: Mapping[str, str]) -> MpiInstall | None:
    """The MPI that starts such a program: the one whose folder holds its library, else the first
    on the PATH; of another family it is none. linked: None where it is not known."""
    folders = Path(linked.file).resolve().parents if linked and linked.file else ()
    mpiexec = shutil.which("mpiexec", path=environment.get("PATH"))
    on_path = (Path(mpiexec).parent.parent,) if mpiexec else ()
    for prefix in (*folders, *on_path):
        if (prefix / "bin" / "mpiexec").is_file():
            with contextlib.suppress(MachineLacksError):
                found = inspect_prefix(prefix, environment, to_compile=False)
                if linked is None or found.family == linked.family:
                    return found
    return None
