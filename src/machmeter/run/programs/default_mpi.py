"""The MPI that is measured where nobody names one: that of the PATH, where it starts."""

from __future__ import annotations

from typing import NamedTuple

from machmeter.build.mpi import EMBEDDED, inspect_prefix, prefix_on_path
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.results.run import DEFAULT_MPI
from machmeter.model.written.text import check_text
from machmeter.run.programs.compiled import BuildContext
from machmeter.run.programs.mpi_probe import probe_mpi

NAMED = "MACHMETER_MPI"
"""The variable that names the MPI where no option does, as `--mpi` takes it."""


class MpiChoice(NamedTuple):
    """An MPI, and why it is the one."""

    name: str
    """As `--mpi` takes it."""
    why: str
    """The line that says which it is, and how to have another; empty where a person named it."""


def default_mpi(hosts: Hosts, context: BuildContext) -> MpiChoice:
    """The MPI of MACHMETER_MPI; else that of the PATH, which programs of this user's are built
    with, where two ranks of it start as launches do; else the embedded one.

    Raises UsageError where the variable names several.
    """
    if named := check_text(context.environment.get(NAMED, "")):
        if "," in named:
            raise UsageError(f"{NAMED}={named} names several", "name one, and others with --mpi")
        return MpiChoice(named, "")
    try:
        prefix = prefix_on_path(context.environment)
        install = inspect_prefix(prefix, context.environment)
        found = probe_mpi(install, hosts, context)
    except MachmeterError as error:
        embedded = " ".join(EMBEDDED[DEFAULT_MPI].upper().split("=="))
        why = f"MPI: the embedded {embedded}, for {error.message}; --mpi PREFIX for another one"
        return MpiChoice(DEFAULT_MPI, why)
    return MpiChoice(
        str(prefix),
        f"MPI: {found.mpi_library} in {prefix}, as on your PATH; --mpi {DEFAULT_MPI} for the "
        "embedded one",
    )
