"""A program is started by the MPI that it is linked with, and by no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.launch import mpi_of_program
from machmeter.launch.mpi_of_program import LinkedMpi, launcher_of, linked_mpi, may_have_threads
from tests.support.made_up.tools import tool

OPEN_MPI, MPICH = "mpiexec (Open MPI) 5.0.11", "HYDRA build details:\n    Version:      5.0.2"


def prefix(folder: Path, version: str) -> Path:
    tool(folder / "bin", "mpiexec", f"echo '{version}'")
    (folder / "lib").mkdir()
    return folder


def on_path(*folders: Path) -> dict[str, str]:
    return {"PATH": ":".join(str(folder / "bin") for folder in folders) + ":/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("libmpi.so.40", "openmpi"),
        ("libmpi.so.12", "mpich"),
        ("libmpich.so.12", "mpich"),
        ("libmpi_cray.so.12", "mpich"),
        ("libmpi_gnu_123.so.12", "mpich"),
        # As links of them lead.
        ("libmpi.so.40.30.4", "openmpi"),
        ("libmpi.so.12.5.1", "mpich"),
        ("libmpi_cxx_helper.so.1", ""),
        ("libmpi.so.400", ""),
        ("libm.so.6", ""),
    ],
)
def test_the_family_is_told_by_the_name_that_a_program_asks_for(
    name: str, family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF and more")
    names = {"libc.so.6": "/lib/libc.so.6", name: f"/opt/lib/{name}"}
    monkeypatch.setattr(mpi_of_program, "linked_libraries", lambda *_: names)
    found = linked_mpi(str(program), {})
    assert found == (LinkedMpi(family, f"/opt/lib/{name}") if family else None)


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("libgomp.so.1", True),
        ("libomp.so.5", True),
        ("libiomp5.so", True),
        ("libopenblas.so.0", True),
        ("libmkl_intel_thread.so.2", True),
        ("libmpi.so.40", False),
        ("libcompat.so.1", False),
    ],
)
def test_threads_come_with_a_library_of_threads(
    name: str, has: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF and more")
    monkeypatch.setattr(mpi_of_program, "linked_libraries", lambda *_: {name: f"/lib/{name}"})
    assert may_have_threads(str(program), {}) is has
    assert may_have_threads(str(tool(tmp_path, "script", "exit 0")), {})


def test_of_a_script_nothing_is_known(tmp_path: Path) -> None:
    script = tool(tmp_path, "script", "exit 0")
    assert linked_mpi(str(script), {}) is None
    assert linked_mpi(str(tmp_path / "none"), {}) is None


def test_the_mpi_whose_folder_holds_the_library_comes_before_the_path(tmp_path: Path) -> None:
    own, other = prefix(tmp_path / "own", OPEN_MPI), prefix(tmp_path / "other", OPEN_MPI)
    linked = LinkedMpi("openmpi", str(own / "lib" / "libmpi.so.40"))
    found = launcher_of(linked, on_path(other))
    assert found is not None
    assert (found.prefix, found.family) == (str(own), "openmpi")
    lost = launcher_of(LinkedMpi("openmpi", ""), on_path(other))
    assert lost is not None
    assert lost.prefix == str(other)


def test_an_mpi_of_another_family_starts_nothing(tmp_path: Path) -> None:
    other = prefix(tmp_path / "other", MPICH)
    environment = {"PATH": str(other / "bin")}
    assert launcher_of(LinkedMpi("openmpi", ""), environment) is None
    unknown = launcher_of(None, environment)
    assert unknown is not None
    assert unknown.family == "mpich"
