"""Which OpenSHMEM: what is found, and the words when a part of it is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.benchmarks.programs import SHMEM_PROGRAM
from machmeter.build.compiler import Compiler
from machmeter.build.programs import build_program
from machmeter.build.shmem import ShmemInstall, find_shmem
from machmeter.build.toolchains import BuildTools
from machmeter.model.errors import MachineLacksError
from tests.support.made_up.builds import made_build
from tests.support.made_up.tools import tool

GCC = Compiler("/usr/bin/g++", "g++ 12")
SAYS_VERSION = "echo 'oshrun (OpenRTE) 4.1.4'"


def shmem_in(folder: Path, compiler: str = "oshc++", script: str = "exit 0") -> Path:
    tool(folder / "bin", compiler, script)
    tool(folder / "bin", "oshrun", SAYS_VERSION)
    return folder


def path_of(*folders: Path) -> dict[str, str]:
    return {"PATH": os.pathsep.join(str(folder / "bin") for folder in folders)}


@pytest.mark.parametrize("compiler", ["oshc++", "oshcxx", "oshCC"])
def test_it_is_found_in_its_prefix_and_on_the_path(tmp_path: Path, compiler: str) -> None:
    site = shmem_in(tmp_path / "site ü", compiler)
    for found in (find_shmem(path_of(site)), find_shmem({"PATH": "/nowhere"}, str(site))):
        assert found == ShmemInstall(
            str(site), str(site / "bin" / compiler), str(site / "bin" / "oshrun"), "4.1.4"
        )


def test_a_prefix_wins_over_the_path_and_the_path_goes_in_turn(tmp_path: Path) -> None:
    one, other = shmem_in(tmp_path / "one"), shmem_in(tmp_path / "other")
    assert find_shmem(path_of(one, other)).prefix == str(one)
    assert find_shmem(path_of(one), str(other)).prefix == str(other)


@pytest.mark.parametrize("prefix", ["", "missing"])
def test_none_is_told_with_how_to_get_one(tmp_path: Path, prefix: str) -> None:
    with pytest.raises(MachineLacksError, match="no OpenSHMEM compiler") as caught:
        find_shmem({"PATH": str(tmp_path)}, prefix and str(tmp_path / prefix))
    assert "apt install libopenmpi-dev" in caught.value.remedy
    assert prefix in caught.value.message


def test_a_compiler_without_its_launcher_is_told(tmp_path: Path) -> None:
    tool(tmp_path / "one" / "bin", "oshc++", "exit 0")
    launcher_elsewhere = shmem_in(tmp_path / "other")
    with pytest.raises(MachineLacksError, match=r"oshrun is missing") as caught:
        find_shmem(path_of(tmp_path / "one", launcher_elsewhere))
    assert "openmpi-bin" in caught.value.remedy


def test_a_compiler_without_its_headers_is_told_with_its_words(tmp_path: Path) -> None:
    site = shmem_in(tmp_path, script="echo 'fatal error: shmem.h: No such file' >&2; exit 1")
    with pytest.raises(MachineLacksError, match=r"looking for shmem\.h") as caught:
        find_shmem(path_of(site))
    assert "No such file" in caught.value.details
    assert "libopenmpi-dev" in caught.value.remedy


def test_it_is_started_as_open_mpi_is(tmp_path: Path) -> None:
    mpi = find_shmem(path_of(shmem_in(tmp_path))).as_mpi
    assert (mpi.family, mpi.mpiexec) == ("openmpi", str(tmp_path / "bin" / "oshrun"))


def test_its_programs_lie_apart_from_those_of_the_same_mpi(tmp_path: Path) -> None:
    shmem = ShmemInstall(str(tmp_path), str(tmp_path / "missing-oshc++"), "oshrun", "4.1.4")
    tools = BuildTools(GCC, "avx2", shmem=shmem)
    with pytest.raises(MachineLacksError) as caught:
        build_program(tmp_path / "cache", SHMEM_PROGRAM, tools, dict(os.environ))
    assert "compiling the native programs failed" in caught.value.message
    (lock,) = (tmp_path / "cache" / "build").glob("*.lock")
    folder = lock.with_suffix("")
    assert folder.name.startswith("shmem-")
    made_build(folder, SHMEM_PROGRAM)
    program = build_program(tmp_path / "cache", SHMEM_PROGRAM, tools, dict(os.environ))
    assert program == str(folder / "machmeter-shmem")
