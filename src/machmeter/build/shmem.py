"""Which OpenSHMEM: the one of a prefix, or the first on the PATH."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from machmeter.build.mpi import MpiInstall, mpi_environment
from machmeter.build.process import run_tool
from machmeter.model.errors import MachineLacksError

_COMPILERS = ("oshc++", "oshcxx", "oshCC")
_REMEDY = (
    "install one (Debian: apt install libopenmpi-dev; a cluster: `module load` its OpenSHMEM), or "
    "put the folder that holds oshc++ and oshrun on the PATH"
)


class ShmemInstall(Struct, frozen=True):
    """An OpenSHMEM library and its two programs."""

    prefix: str
    """Folder of the installation."""
    oshcxx: str
    """Path of its compiler wrapper for C++."""
    oshrun: str
    """Path of its launcher."""
    version: str
    """As its wrapper reports it."""

    @property
    def as_mpi(self) -> MpiInstall:
        """The same, for what starts programs of an MPI: oshrun takes the options of Open MPI's
        mpiexec and tells processes of their places by the same variables."""
        return MpiInstall("openmpi", self.prefix, self.oshcxx, self.oshrun, self.version)


def find_shmem(environment: Mapping[str, str], prefix: str = "") -> ShmemInstall:
    """The OpenSHMEM installed in `prefix`, or (without one) the first on the PATH.

    Raises MachineLacksError when there is none, or when it lacks its headers or its launcher.
    """
    where = str(Path(prefix).expanduser().absolute() / "bin") if prefix else environment.get("PATH")
    named = f"in {prefix}" if prefix else "on the PATH"
    oshcxx = next(filter(None, (shutil.which(name, path=where) for name in _COMPILERS)), None)
    if not oshcxx:
        raise MachineLacksError(
            f"there is no OpenSHMEM compiler {named}: none of {', '.join(_COMPILERS)}", _REMEDY
        )
    # Beside its compiler: another one on the PATH may belong to another OpenSHMEM.
    oshrun = Path(oshcxx).parent / "oshrun"
    if not oshrun.is_file():
        raise MachineLacksError(
            f"the OpenSHMEM of {oshcxx} has no launcher: {oshrun} is missing",
            "Debian: apt install openmpi-bin",
        )
    found = Path(oshcxx).parent.parent
    settings = mpi_environment(environment, str(found))
    _require_headers(oshcxx, settings)
    return ShmemInstall(str(found), oshcxx, str(oshrun), _version(str(oshrun), settings))


def _require_headers(oshcxx: str, environment: Mapping[str, str]) -> None:
    """Distributions pack the compiler wrapper and what it compiles with apart."""
    run_tool(
        [oshcxx, "-x", "c++", "-include", "shmem.h", "-E", "-o", "/dev/null", "/dev/null"],
        doing=f"looking for shmem.h by {oshcxx}",
        remedy=_REMEDY,
        timeout=60,
        environment=environment,
    )


def _version(oshrun: str, environment: Mapping[str, str]) -> str:
    text = run_tool(
        [oshrun, "--version"],
        doing=f"asking {oshrun} for its version",
        remedy="this OpenSHMEM does not start: repair it, or put another one first on the PATH",
        timeout=60,
        environment=environment,
        answers=True,
    )
    version = re.search(r"\d+\.\d+(?:\.\d+)?", text)
    return version.group(0) if version else "unknown"
