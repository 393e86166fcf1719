"""On which hosts ranks are started, and what tells an mpiexec so."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from machmeter.build.mpi import MpiInstall
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout

# Libraries below MPI that their own variables steer; Open MPI hands only its own to other hosts.
_STEERING = ("FI_", "UCX_", "PSM2_", "PSM3_", "LD_LIBRARY_PATH", "MALLOC_", "GLIBC_TUNABLES")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")


class Hosts(Struct, frozen=True):
    """Hosts by name, this machine's first (none: this machine alone).

    agent: what starts a process on another one in the place of ssh, called `agent HOST COMMAND...`
    with words for a shell, as ssh is; by_slurm: they are of the Slurm job around us, whose own
    srun starts processes on them.
    """

    names: tuple[str, ...] = ()
    agent: str = ""
    by_slurm: bool = False


THIS_HOST = Hosts()


def is_host_name(text: str) -> bool:
    """Whether that can be the name of a host (RFC 1123, section 2.1, and what clusters add)."""
    return _NAME.fullmatch(text) is not None


def placing_options(
    mpi: MpiInstall, layout: Layout, hosts: Hosts, variables: Iterable[str]
) -> tuple[str, ...]:
    """Options of mpiexec that put ranks on their hosts in blocks: rank r on node r // R, where R is
    the number of ranks on a node. Its own binding is off: the wrapper binds.

    A layout of one node stays on this machine. variables: names in the environment.
    Raises MachineLacksError where fewer hosts were named than the layout has nodes.
    """
    names = _names(layout, hosts)
    if mpi.family == "openmpi":
        return (
            *("--allow-run-as-root", "--bind-to", "none"),
            *_open_mpi(mpi, layout, names, hosts, variables),
        )
    if not names:
        return ("-launcher", "fork", "-hosts", "localhost", "-bind-to", "none")
    each = ("-hosts", ",".join(names), "-ppn", str(layout.ranks_per_node), "-bind-to", "none")
    if hosts.by_slurm:
        return ("-launcher", "slurm", *each)
    # Before ssh hydra puts options of ssh, before rsh none.
    started = ("rsh", "-launcher-exec", hosts.agent) if hosts.agent else ("ssh",)
    return ("-launcher", *started, *each)


def _names(layout: Layout, hosts: Hosts) -> tuple[str, ...]:
    if layout.nodes == 1:
        return ()
    if len(hosts.names) < layout.nodes:
        raise MachineLacksError(
            f"{layout.nodes} nodes were asked for, and {len(hosts.names)} hosts were named",
            "name as many with --hosts n1,n2, or --hosts slurm inside a Slurm job",
        )
    return hosts.names[: layout.nodes]


def _open_mpi(
    mpi: MpiInstall, layout: Layout, names: tuple[str, ...], hosts: Hosts, variables: Iterable[str]
) -> tuple[str, ...]:
    if not names:
        return ("--map-by", ":OVERSUBSCRIBE")
    slots = ",".join(f"{name}:{layout.ranks_per_node}" for name in names)
    # From version 5 on, PRRTE starts the processes, and has settings of its own.
    new = mpi.version.partition(".")[0] not in ("1", "2", "3", "4")
    agent = ("--prtemca", "plm_ssh_agent") if new else ("--mca", "plm_rsh_agent")
    given = sorted(name for name in variables if name.startswith(_STEERING))
    return (
        *("--host", slots, "--map-by", "slot:OVERSUBSCRIBE"),
        *((*agent, hosts.agent) if hosts.agent and not hosts.by_slurm else ()),
        *(word for name in given for word in ("-x", name)),
    )
