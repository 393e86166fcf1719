"""Compiling into the cache: once for each toolchain, wholly or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.build.compiler import Compiler
from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import _key, build_programs
from machmeter.model.benchmark import Executable
from machmeter.model.errors import MachineLacksError
from tests.support.made_up_tools import tool

GCC = Compiler("/usr/bin/g++", "g++ 12")
MPICH = MpiInstall("mpich", "/mpi", "/mpi/bin/mpicxx", "/mpi/bin/mpiexec", "5.0.2")


def test_every_part_of_the_toolchain_is_part_of_the_key() -> None:
    keys = [
        _key(GCC, None, "avx2", "code", {}),
        _key(Compiler(GCC.path, "g++ 13"), None, "avx2", "code", {}),
        _key(Compiler("/opt/g++", GCC.version), None, "avx2", "code", {}),
        _key(GCC, None, "avx512", "code", {}),
        _key(GCC, None, "avx2", "other", {}),
        _key(GCC, None, "avx2", "code", {"CXXFLAGS": "-O1"}),
        _key(GCC, None, "avx2", "code", {"CPPFLAGS": "-O1"}),
        _key(GCC, None, "avx2", "code", {"LDFLAGS": "-O1"}),
        _key(GCC, MPICH, "avx2", "code", {}),
        _key(GCC, None, "avx2", "code", {}, ("-O1",)),
        _key(GCC, None, "avx2", "code", {}, ("-O1", "-g")),
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == _key(GCC, None, "avx2", "code", {"UNRELATED": "1"})


def test_a_compiler_that_fails_is_told_with_its_words_and_leaves_nothing(tmp_path: Path) -> None:
    broken = tool(tmp_path / "bin", "g++", "echo 'internal compiler error: made up' >&2; exit 1")
    cache = tmp_path / "cache"
    with pytest.raises(MachineLacksError) as caught:
        build_programs(cache, Compiler(str(broken), "broken 1"), None, "avx2", dict(os.environ))
    error = caught.value
    assert "compiling the native programs failed" in error.message
    assert "broken" in error.details or "compiler" in error.details
    assert "--compiler" in error.remedy
    assert [path for path in (cache / "build").iterdir() if path.is_dir()] == []


def test_what_the_cache_has_is_not_compiled_again(tmp_path: Path) -> None:
    broken = Compiler(str(tool(tmp_path / "bin", "g++", "exit 1")), "broken 1")
    with pytest.raises(MachineLacksError):
        build_programs(tmp_path, broken, None, "avx2", dict(os.environ))
    (lock,) = (tmp_path / "build").glob("*.lock")
    folder = lock.with_suffix("")
    folder.mkdir()
    for name in ("machmeter-node", "machmeter-bind"):
        (folder / name).write_text("")
    programs = build_programs(tmp_path, broken, None, "avx2", dict(os.environ))
    assert programs.path(Executable.NODE) == str(folder / "machmeter-node")
    assert programs.bind == str(folder / "machmeter-bind")
    assert not programs.has_mpi


def test_a_cache_that_cannot_be_written_is_told_with_the_variable_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineLacksError) as caught:
        build_programs(tmp_path / "file", GCC, None, "avx2", dict(os.environ))
    assert str(tmp_path / "file") in caught.value.message
    assert caught.value.remedy
