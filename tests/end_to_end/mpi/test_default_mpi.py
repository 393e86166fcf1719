"""Which MPI is measured where no option names one; all other tests name MPICH by a variable."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from machmeter.build.mpi import MpiInstall
from tests.support.made_up.tools import tool
from tests.support.processes.machmeter_command import Done, MachmeterCommand, tiny, verdicts


def by_path(command: MachmeterCommand, path: Path | None = None) -> MachmeterCommand:
    """The command without an MPI that is named, with another PATH."""
    searched = {"PATH": str(path)} if path else {}
    return MachmeterCommand(command.cache, command.data, {"MACHMETER_MPI": "", **searched})


def first_line(done: Done) -> str:
    return next(line for line in done.stderr.splitlines() if line.startswith("MPI: "))


def test_the_mpi_of_the_path_is_measured_beside_the_embedded_one(
    command_beside_others: MachmeterCommand, mpich: MpiInstall, tmp_path: Path
) -> None:
    assert Path(mpich.prefix).is_dir(), "an embedded one that is there gets two launches"
    words = (*tiny("network.latency", "size=8"), "--output", tmp_path / "run")
    done = by_path(command_beside_others).run(*words, seconds=580)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Open MPI" in first_line(done)
    run = json.loads(command_beside_others.run("show", tmp_path / "run", "--json").stdout)
    assert "Open MPI" in run["toolchain"]["mpi_library"]
    (estimate,) = run["estimates"]
    assert estimate["mpi_library"].startswith("Open MPI")
    header = run["header"]
    at = header["command"].index("run")
    assert header["command"][at + 1 : at + 3] == ["--mpi", header["request"]["mpi"]]
    start = header["machine"]["software"]["mpi_starts"][""]
    assert start["one_rank"] > 0
    (spec,) = [one for one in run["plan"]["specs"] if one["role"] == "library"]
    assert spec["variant"]["mpi"] == "mpich"
    assert verdicts(tmp_path / "run")[spec["name"]] == ["accepted", "accepted"]


def test_without_an_mpi_on_the_path_the_embedded_one_is(
    command_beside_others: MachmeterCommand, tmp_path: Path
) -> None:
    for folder in os.environ["PATH"].split(":"):
        for one in Path(folder).glob("*"):
            link = tmp_path / one.name
            if not one.name.startswith(("mpi", "ompi")) and not os.path.lexists(link):
                link.symlink_to(one)
    done = by_path(command_beside_others, tmp_path).run("run", "network.latency", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "the PATH has no mpicxx and no mpiexec" in first_line(done)


def test_a_compiler_and_a_launcher_of_two_libraries_are_no_mpi(
    command_beside_others: MachmeterCommand, mpich: MpiInstall, openmpi: MpiInstall, tmp_path: Path
) -> None:
    """As where alternatives of a system were set one by one."""
    own = tmp_path / "bin"
    told = f'export OPAL_PREFIX={openmpi.prefix}\nexec {openmpi.mpicxx} "$@"'
    tool(own, "mpicxx", told)
    tool(own, "mpiexec", f'exec {mpich.mpiexec} "$@"')
    command = by_path(command_beside_others, Path(f"{own}:{os.environ['PATH']}"))
    done = command.run("run", "network.latency", "--dry-run")
    assert done.returncode == 0, done.stderr
    line = first_line(done)
    assert "the embedded MPICH" in line
    assert "worlds" in line or "exit code" in line


@pytest.mark.parametrize("words", [("list",), ("show", "--help"), ("run", "memory.stream")])
def test_nothing_is_started_where_no_mpi_is_measured(
    command_beside_others: MachmeterCommand, tmp_path: Path, words: tuple[str, ...]
) -> None:
    called = tmp_path / "called"
    for name in ("mpicxx", "mpiexec"):
        tool(tmp_path / "bin", name, f"touch {called}; exit 1")
    path = Path(f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    dry = ("--dry-run",) * (words[0] == "run")
    done = by_path(command_beside_others, path).run(*words, *dry)
    assert done.returncode == 0, done.stderr
    assert not called.exists()
