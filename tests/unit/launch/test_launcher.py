"""Which program and which MPI a launch gets, of several."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.programs import MPI_PROGRAM, SHMEM_PROGRAM
from machmeter.build.mpi import MpiInstall
from machmeter.launch.launcher import ProgramLauncher
from machmeter.launch.launchers.hosts import Hosts
from machmeter.launch.ready import ReadyProgram
from machmeter.model.device import Device, NamedDevice
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.variant import Variant
from tests.unit.launch.test_command import RECORD, launch_of, network_spec


def program(folder: Path, name: str, family: str, file: str = "machmeter-mpi") -> ReadyProgram:
    """A program of that MPI; a wrapper that does nothing, since the command says it all."""
    mpi = MpiInstall(family, f"/{name}", f"/{name}/c", f"/{name}/run", "5")
    ready = ReadyProgram(str(folder / name / file), mpi)
    wrapper = Path(ready.wrapper)
    wrapper.parent.mkdir()
    wrapper.write_text("#!/bin/sh\nexit 0\n")
    wrapper.chmod(0o755)
    return ready


def command_of(launcher: ProgramLauncher, variant: Variant) -> tuple[str, ...]:
    spec = replace(network_spec(Layout(ranks_per_node=2)), variant=variant)
    attempt = launcher.start(launch_of(spec), RECORD, 5.0)
    assert attempt.result.exit_code == 0
    return attempt.command


def test_a_launch_gets_what_was_made_ready_for_its_variant(tmp_path: Path) -> None:
    first = program(tmp_path, "first", "mpich")
    second = program(tmp_path, "second", "openmpi")
    tools = {"": first, "mpich": first, "/usr": second, "baseline@mpich": second}
    launcher = ProgramLauncher({(name, MPI_PROGRAM.name): one for name, one in tools.items()}, {})
    of_baseline = Variant("mpich").as_baseline()
    variants = (Variant(), "first"), (Variant("mpich"), "first"), (Variant("/usr"), "second")
    for variant, name in (*variants, (of_baseline, "second")):
        command = command_of(launcher, variant)
        assert f"/{name}/run" in command
        assert command[0] == str(tmp_path / name / "machmeter-bind")
    with pytest.raises(MachineLacksError, match=r"openmpi; .* mpich, /usr, baseline@mpich"):
        command_of(launcher, Variant("openmpi"))


def test_ranks_take_the_devices_of_their_side_and_those_that_the_environment_names_elsewhere(
    tmp_path: Path,
) -> None:
    """Of several nodes the environment names those of the others; a number is of this node."""
    one, other = (NamedDevice(f"cuda:{n}", f"cuda:GPU-{n}", Device("cuda", "")) for n in (0, 1))
    mpich = program(tmp_path, "mpich", "mpich")
    ready = {(name, MPI_PROGRAM.name): mpich for name in ("", "baseline@")}
    environment = {"MACHMETER_DEVICE": "1,cuda:GPU-9"}
    launcher = ProgramLauncher(ready, environment, devices={False: (one,), True: (other,)})

    def named(variant: Variant, nodes: int = 1) -> str:
        layout = Layout(nodes=nodes, ranks_per_node=2)
        spec = replace(network_spec(layout), variant=variant)
        return launcher.devices_of_ranks(spec).select

    assert named(Variant()) == "cuda:GPU-0"
    assert named(Variant().as_baseline()) == "cuda:GPU-1"
    assert named(Variant(), nodes=2) == "cuda:GPU-0,cuda:GPU-9"


def test_programs_of_openshmem_have_a_launcher_of_their_own(tmp_path: Path) -> None:
    mpich = program(tmp_path, "mpich", "mpich")
    shmem = program(tmp_path, "shmem", "openmpi", "machmeter-shmem")
    spec = replace(network_spec(Layout(ranks_per_node=2)), program=SHMEM_PROGRAM.name)
    without = ProgramLauncher({("", MPI_PROGRAM.name): mpich}, {})
    with pytest.raises(MachineLacksError, match="needs OpenSHMEM"):
        without.start(launch_of(spec), RECORD, 5.0)
    launcher = ProgramLauncher({("", MPI_PROGRAM.name): mpich, ("", SHMEM_PROGRAM.name): shmem}, {})
    command = launcher.start(launch_of(spec), RECORD, 5.0).command
    assert "/shmem/run" in command
    assert str(tmp_path / "shmem" / "machmeter-shmem") in command


def test_a_host_of_a_launch_on_two_is_lost_where_another_one_starts(tmp_path: Path) -> None:
    mpich = program(tmp_path, "mpich", "mpich")
    Path(mpich.wrapper).write_text('#!/bin/sh\ncase "$*" in *n2*) exit 1;; esac\n')
    hosts = Hosts(("n1", "n2", "n3", "n4"))
    launcher = ProgramLauncher({("", MPI_PROGRAM.name): mpich}, {}, hosts=hosts)
    spec = network_spec(Layout(nodes=2, ranks_per_node=2))
    attempt = launcher.start(launch_of(spec), tmp_path / "00001.jsonl", 5.0)
    assert [one.name for one in attempt.lost_hosts] == ["n2"]
