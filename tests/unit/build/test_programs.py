"""Compiling into the cache: once for each toolchain, wholly or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.programs import MPI_PROGRAM, NODE_PROGRAM
from machmeter.build.compiler import Compiler
from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import build_program
from machmeter.build.toolchains import TOOLCHAINS, BuildTools
from machmeter.model.errors import MachineLacksError
from machmeter.model.program import Program
from tests.support.made_up.builds import made_build
from tests.support.made_up.tools import tool

GCC = Compiler("/usr/bin/g++", "g++ 12")
MPICH = MpiInstall("mpich", "/mpi", "/mpi/bin/mpicxx", "/mpi/bin/mpiexec", "5.0.2")


def broken_tools(compiler: Path) -> BuildTools:
    return BuildTools(Compiler(str(compiler), "broken 1"), "avx2")


def lock_of(
    cache: Path,
    tools: BuildTools,
    program: Program = NODE_PROGRAM,
    flags: tuple[str, ...] = (),
    **variables: str,
) -> str:
    """The name of the build that is begun so; no compiler answers."""
    before = set(cache.glob("build/*.lock"))
    with pytest.raises(MachineLacksError):
        build_program(cache, program, tools, {"PATH": os.environ["PATH"], **variables}, flags=flags)
    made = set(cache.glob("build/*.lock")) - before
    return made.pop().name if made else ""


def test_only_an_mpi_of_the_site_is_known_by_its_folder() -> None:
    def library(mpi: MpiInstall) -> str:
        return TOOLCHAINS["mpi"](BuildTools(GCC, "avx2", mpi), {}).linked

    elsewhere = replace(MPICH, prefix="/other")
    assert library(MPICH) != library(elsewhere)
    assert library(replace(MPICH, embedded=True)) == library(replace(elsewhere, embedded=True))
    assert library(MPICH) != library(replace(MPICH, version="4.3"))


def test_a_program_of_an_embedded_mpi_has_one_name_in_every_cache(tmp_path: Path) -> None:
    gcc = Compiler(str(tool(tmp_path / "bin", "g++", "exit 1")), "g++ 12")

    def name(cache: str, library: str, *, embedded: bool = True) -> str:
        prefix = str(tmp_path / cache / "mpi" / library)
        mpi = MpiInstall("mpich", prefix, f"{prefix}/bin/mpicxx", "", "5.0.2", embedded)
        return lock_of(tmp_path / cache, BuildTools(gcc, "avx2", mpi), MPI_PROGRAM)

    one = name("one", "mpich-5.0.2-x86_64-12ab")
    assert one
    assert name("two", "mpich-5.0.2-x86_64-12ab") == one
    assert name("two", "mpich-5.0.2-x86_64-unverified") != one
    site = [name(cache, "mpich", embedded=False) for cache in ("one", "two")]
    assert len({one, *site}) == 3


def test_every_part_of_the_toolchain_is_part_of_the_name(tmp_path: Path) -> None:
    gcc = Compiler(str(tool(tmp_path / "bin", "g++", "exit 1")), "g++ 12")
    other = Compiler(str(tool(tmp_path / "other", "g++", "exit 1")), gcc.version)
    of_gcc = BuildTools(gcc, "avx2")
    names = [
        lock_of(tmp_path, of_gcc),
        lock_of(tmp_path, BuildTools(replace(gcc, version="g++ 13"), "avx2")),
        lock_of(tmp_path, BuildTools(other, "avx2")),
        lock_of(tmp_path, BuildTools(gcc, "avx512")),
        lock_of(tmp_path, of_gcc, CXXFLAGS="-O1"),
        lock_of(tmp_path, of_gcc, CPPFLAGS="-O1"),
        lock_of(tmp_path, of_gcc, LDFLAGS="-O1"),
        lock_of(tmp_path, of_gcc, CPATH="/elsewhere"),
        lock_of(tmp_path, BuildTools(gcc, "avx2", MPICH), MPI_PROGRAM),
        lock_of(tmp_path, of_gcc, flags=("-O1",)),
        lock_of(tmp_path, of_gcc, flags=("-O1", "-g")),
    ]
    assert all(names)
    assert len(set(names)) == len(names)
    assert lock_of(tmp_path, of_gcc, UNRELATED="1") == ""


def test_a_compiler_that_fails_is_told_with_its_words_and_leaves_nothing(tmp_path: Path) -> None:
    broken = tool(tmp_path / "bin", "g++", "echo 'internal compiler error: made up' >&2; exit 1")
    cache = tmp_path / "cache"
    with pytest.raises(MachineLacksError) as caught:
        build_program(cache, NODE_PROGRAM, broken_tools(broken), dict(os.environ))
    error = caught.value
    assert "compiling the native programs failed" in error.message
    assert "broken" in error.details or "compiler" in error.details
    assert "--compiler" in error.remedy
    assert [path for path in (cache / "build").iterdir() if path.is_dir()] == []


def test_what_the_cache_has_is_not_compiled_again(tmp_path: Path) -> None:
    tools = broken_tools(tool(tmp_path / "bin", "g++", "exit 1"))
    with pytest.raises(MachineLacksError):
        build_program(tmp_path, NODE_PROGRAM, tools, dict(os.environ))
    (lock,) = (tmp_path / "build").glob("*.lock")
    folder = lock.with_suffix("")
    made_build(folder, NODE_PROGRAM)
    program = build_program(tmp_path, NODE_PROGRAM, tools, dict(os.environ))
    assert program == str(folder / "machmeter-node")


def test_a_build_of_more_benchmarks_serves_and_one_of_fewer_or_others_does_not(
    tmp_path: Path,
) -> None:
    tools = broken_tools(tool(tmp_path / "bin", "g++", "exit 1"))

    def built(*benchmarks: str, flags: tuple[str, ...] = ()) -> str:
        """The folder of the program; empty where it would have to be compiled."""
        try:
            return Path(
                build_program(
                    tmp_path,
                    NODE_PROGRAM,
                    tools,
                    {"PATH": os.environ["PATH"]},
                    benchmarks=benchmarks,
                    flags=flags,
                )
            ).parent.name
        except MachineLacksError:
            return ""

    assert built("memory.stream") == ""
    (lock,) = (tmp_path / "build").glob("*.lock")
    alike = lock.stem.rpartition("-")[0]
    held = made_build(
        lock.with_name(f"{alike}-of-two"), NODE_PROGRAM, {"memory.stream", "memory.latency"}
    )
    assert built("memory.stream") == held.name
    assert built("memory.stream", "memory.latency") == held.name
    assert built("memory.stream", "threads.sync") == ""
    assert built("memory.stream", flags=("-O1",)) == ""
    (held / "machmeter-bind").unlink()
    assert built("memory.stream") == ""
    (held / "machmeter-bind").write_text("")
    (held / "kernels.json").write_text('{"memory.stream": "0000", "memory.latency": "0000"}')
    assert built("memory.stream") == ""
    (held / "kernels.json").write_text("{")
    assert built("memory.stream") == ""


def test_a_cache_that_cannot_be_written_is_told_with_the_variable_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineLacksError) as caught:
        build_program(tmp_path / "file", NODE_PROGRAM, BuildTools(GCC, "avx2"), dict(os.environ))
    assert str(tmp_path / "file") in caught.value.message
    assert caught.value.remedy


def test_a_program_that_another_may_have_changed_is_refused(tmp_path: Path) -> None:
    tools = broken_tools(tool(tmp_path / "bin", "g++", "exit 1"))
    with pytest.raises(MachineLacksError):
        build_program(tmp_path, NODE_PROGRAM, tools, dict(os.environ))
    (lock,) = (tmp_path / "build").glob("*.lock")
    folder = made_build(lock.with_suffix(""), NODE_PROGRAM)
    assert build_program(tmp_path, NODE_PROGRAM, tools, dict(os.environ))
    for place in (folder / "machmeter-node", folder / "machmeter-bind", folder, tmp_path / "build"):
        mode = place.stat().st_mode
        place.chmod(0o777)
        with pytest.raises(MachineLacksError, match="can be written by every user") as caught:
            build_program(tmp_path, NODE_PROGRAM, tools, dict(os.environ))
        assert f"go-w {place}" in caught.value.remedy
        place.chmod(mode)


def test_nothing_is_compiled_with_objects_that_others_may_write(tmp_path: Path) -> None:
    called = tmp_path / "called"
    tools = broken_tools(tool(tmp_path / "bin", "g++", f"touch '{called}'; exit 1"))
    (tmp_path / "cache" / "objects").mkdir(parents=True)
    (tmp_path / "cache" / "objects").chmod(0o777)
    with pytest.raises(MachineLacksError, match="objects can be written by every user"):
        build_program(tmp_path / "cache", NODE_PROGRAM, tools, dict(os.environ))
    assert not called.exists()


def test_folders_of_builds_are_closed_whatever_the_umask(tmp_path: Path) -> None:
    tools = broken_tools(tool(tmp_path / "bin", "g++", "exit 1"))
    before = os.umask(0)
    try:
        with pytest.raises(MachineLacksError, match="compiling"):
            build_program(tmp_path / "cache", NODE_PROGRAM, tools, dict(os.environ))
    finally:
        os.umask(before)
    made = [tmp_path / "cache", *(tmp_path / "cache").iterdir()]
    assert {path.name for path in made} == {"cache", "build", "objects"}
    assert not [path for path in made if path.stat().st_mode & 0o022]
