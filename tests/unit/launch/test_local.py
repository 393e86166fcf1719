"""Which programs and which MPI a launch gets, of several."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import Programs
from machmeter.launch.local import LocalLauncher
from machmeter.launch.toolset import Toolset
from machmeter.model.benchmark import Executable
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.plan.variant import Variant
from tests.unit.launch.test_command import RECORD, launch_of, network_spec


def toolset(folder: Path, name: str, family: str) -> Toolset:
    """Programs of that MPI; `true` stands for what starts them, since the command tells all."""
    programs = Programs(str(folder / name), "0" * 16, True)
    bind = Path(programs.bind)
    bind.parent.mkdir()
    bind.write_text("#!/bin/sh\nexit 0\n")
    bind.chmod(0o755)
    return Toolset(programs, MpiInstall(family, f"/{name}", f"/{name}/c", f"/{name}/run", "5"))


def command_of(launcher: LocalLauncher, variant: Variant) -> tuple[str, ...]:
    spec = replace(network_spec(Layout(ranks_per_node=2)), variant=variant)
    attempt = launcher.start(launch_of(spec), RECORD, 5.0)
    assert attempt.result.exit_code == 0
    return attempt.command


def test_a_launch_gets_what_was_made_ready_for_its_variant(tmp_path: Path) -> None:
    first = toolset(tmp_path, "first", "mpich")
    second = toolset(tmp_path, "second", "openmpi")
    tools = {"": first, "mpich": first, "/usr": second, "baseline@mpich": second}
    launcher = LocalLauncher({(name, Executable.MPI): one for name, one in tools.items()}, {})
    of_baseline = Variant("mpich").as_baseline()
    variants = (Variant(), "first"), (Variant("mpich"), "first"), (Variant("/usr"), "second")
    for variant, name in (*variants, (of_baseline, "second")):
        command = command_of(launcher, variant)
        assert f"/{name}/run" in command
        assert command[0] == str(tmp_path / name / "machmeter-bind")
    with pytest.raises(MachineLacksError, match=r"for openmpi; .*: mpich, /usr, baseline@mpich"):
        command_of(launcher, Variant("openmpi"))


def test_programs_of_openshmem_have_a_launcher_of_their_own(tmp_path: Path) -> None:
    mpich, shmem = toolset(tmp_path, "mpich", "mpich"), toolset(tmp_path, "shmem", "openmpi")
    spec = replace(network_spec(Layout(ranks_per_node=2)), executable=Executable.SHMEM)
    without = LocalLauncher({("", Executable.MPI): mpich}, {})
    with pytest.raises(MachineLacksError, match="needs OpenSHMEM"):
        without.start(launch_of(spec), RECORD, 5.0)
    launcher = LocalLauncher({("", Executable.MPI): mpich, ("", Executable.SHMEM): shmem}, {})
    command = launcher.start(launch_of(spec), RECORD, 5.0).command
    assert "/shmem/run" in command
    assert str(tmp_path / "shmem" / "machmeter-shmem") in command
