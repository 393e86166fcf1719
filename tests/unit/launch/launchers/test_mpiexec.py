"""What an mpiexec is told of hosts."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from machmeter.build.mpi import MpiInstall
from machmeter.launch.command import launcher_for
from machmeter.launch.launchers.hosts import THIS_HOST, Hosts
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout

MPICH = MpiInstall("mpich", "/m", "/m/bin/mpicxx", "/m/bin/mpiexec", "5.0.2")
OPENMPI_5 = MpiInstall("openmpi", "/o", "/o/bin/mpicxx", "/o/bin/mpiexec", "5.0.11")
OPENMPI_4 = MpiInstall("openmpi", "/usr", "/usr/bin/mpicxx", "/usr/bin/mpiexec", "4.1.4")
ALL = (MPICH, OPENMPI_4, OPENMPI_5)
FOUR_HOSTS = Hosts(("n1", "n2", "n3", "n4"), "/bin/agent ü")
TWO_NODES = Layout(nodes=2, ranks_per_node=3)


def command_of(
    mpi: MpiInstall, layout: Layout, hosts: Hosts, variables: Iterable[str]
) -> tuple[str, ...]:
    """All of it but the program itself."""
    words = launcher_for(layout, hosts).command(mpi, layout, hosts, variables)
    assert words[0] == mpi.mpiexec
    assert words[-2:] == ("-n", str(layout.ranks))
    return words[1:-2]


def option(words: tuple[str, ...], name: str) -> str:
    return words[words.index(name) + 1]


@pytest.mark.parametrize("mpi", ALL, ids=lambda mpi: mpi.version)
@pytest.mark.parametrize("hosts", [THIS_HOST, FOUR_HOSTS, Hosts(("n1", "n2"), launcher="slurm")])
def test_a_layout_of_one_node_stays_on_this_machine(mpi: MpiInstall, hosts: Hosts) -> None:
    words = command_of(mpi, Layout(ranks_per_node=2), hosts, ())
    assert not any("n1" in word or "agent" in word or "slurm" in word for word in words)


def test_hydra_gets_as_many_hosts_as_nodes_and_their_ranks() -> None:
    words = command_of(MPICH, TWO_NODES, FOUR_HOSTS, ())
    assert (option(words, "-hosts"), option(words, "-ppn")) == ("n1,n2", "3")
    assert option(words, "-bind-to") == "none"
    # Its ssh launcher would hand the agent options of ssh.
    assert option(words, "-launcher") == "rsh"
    assert option(words, "-launcher-exec") == "/bin/agent ü"


def test_without_an_agent_it_is_ssh() -> None:
    hosts = Hosts(FOUR_HOSTS.names)
    assert option(command_of(MPICH, TWO_NODES, hosts, ()), "-launcher") == "ssh"
    for mpi in (OPENMPI_4, OPENMPI_5):
        assert not any("agent" in word for word in command_of(mpi, TWO_NODES, hosts, ()))


@pytest.mark.parametrize(
    ("mpi", "agent"),
    [(OPENMPI_4, ("--mca", "plm_rsh_agent")), (OPENMPI_5, ("--prtemca", "plm_ssh_agent"))],
)
def test_open_mpi_gets_slots_and_the_agent_by_its_version(
    mpi: MpiInstall, agent: tuple[str, str]
) -> None:
    words = command_of(mpi, TWO_NODES, FOUR_HOSTS, ())
    assert option(words, "--host") == "n1:3,n2:3"
    assert option(words, "--map-by") == "slot:OVERSUBSCRIBE"
    assert option(words, "--bind-to") == "none"
    place = words.index(agent[0])
    assert words[place + 1 : place + 3] == (agent[1], "/bin/agent ü")


def test_open_mpi_hands_on_what_steers_the_libraries_below_it() -> None:
    variables = ("UCX_TLS", "PATH", "FI_PROVIDER", "OMPI_MCA_btl", "HOME", "LD_LIBRARY_PATH")
    words = command_of(OPENMPI_5, TWO_NODES, FOUR_HOSTS, variables)
    given = [words[place + 1] for place, word in enumerate(words) if word == "-x"]
    assert given == ["FI_PROVIDER", "LD_LIBRARY_PATH", "UCX_TLS"]
    assert "-x" not in command_of(OPENMPI_5, Layout(ranks_per_node=2), FOUR_HOSTS, variables)


def test_in_a_slurm_job_its_own_launcher_starts_them() -> None:
    hosts = Hosts(("n1", "n2"), "/bin/agent", launcher="slurm")
    words = command_of(MPICH, TWO_NODES, hosts, ())
    assert (option(words, "-launcher"), option(words, "-hosts")) == ("slurm", "n1,n2")
    assert "-launcher-exec" not in words
    words = command_of(OPENMPI_5, TWO_NODES, hosts, ())
    assert option(words, "--host") == "n1:3,n2:3"
    assert "/bin/agent" not in words


@pytest.mark.parametrize("mpi", ALL, ids=lambda mpi: mpi.version)
def test_too_few_hosts_are_told_with_the_remedy(mpi: MpiInstall) -> None:
    for hosts in (THIS_HOST, Hosts(("n1",))):
        with pytest.raises(
            MachineLacksError, match=f"2 nodes; hosts named: {len(hosts.names)}"
        ) as told:
            command_of(mpi, TWO_NODES, hosts, ())
        assert "--hosts" in told.value.remedy
