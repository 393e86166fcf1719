"""Objects from the cache: made once, and again whenever anything they depend on changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from machmeter.build import cached_compile
from machmeter.build.cached_compile import LauncherSettings, remove_oldest
from tests.support.made_up.tools import tool

# It writes down that it was called, and makes an "object" of its arguments and the file.
COMPILER = """
echo "$0" >> "$LOG"
while [ $# -gt 0 ]; do
  case "$1" in
    -o) out="$2"; shift ;;
    -c) file="$2"; shift ;;
    -DFAIL) echo broken >&2; exit 7 ;;
  esac
  shift
done
cat "$file" > "$out"
"""


class Bench:
    """A folder of native sources with a compiler that counts its calls."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "log"
        self.compiler = tool(folder / "bin", "g++", f"LOG={self.log}\n{COMPILER}")
        self.wrapper = tool(folder / "bin", "oshc++", f"LOG={self.log}\n{COMPILER}")
        self.write("kernel.cpp", '#include "core/one.hpp"\n#include <vector>\nint kernel;\n')
        self.write("core/one.hpp", '#pragma once\n  #  include "core/two.hpp"\n')
        self.write("core/two.hpp", "int two;\n")
        self.write("talk.cpp", "#include <mpi.h>\nint talk;\n")

    def write(self, name: str, text: str) -> None:
        path = self.folder / "native" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def settings(self, build: str = "a", **changed: str) -> dict[str, str]:
        of_folder = {name: str(self.folder / name) for name in ("objects", "native")}
        defaults = LauncherSettings(
            objects=of_folder["objects"],
            cache=str(self.folder),
            compiler="gcc 12",
            linked="mpich 5",
            plain="",
            sources=of_folder["native"],
            build=str(self.folder / "build" / build),
        )
        return {**defaults._asdict(), **changed}

    def compile(
        self,
        *flags: str,
        file: str = "kernel.cpp",
        build: str = "a",
        by: Path | None = None,
        **changed: str,
    ) -> bool:
        """Whether the compiler was called; the object is right in any case."""
        made = self.folder / "build" / build / "kernel.o"
        made.parent.mkdir(parents=True, exist_ok=True)
        made.unlink(missing_ok=True)
        source = self.folder / "native" / file
        before = self.calls()
        done = self.start(
            *(str(by or self.compiler), f"-I{made.parent}/generated", *flags),
            *("-MD", "-MF", "kernel.d", "-o", str(made), "-c", str(source)),
            settings=self.settings(build, **changed),
        )
        assert done.returncode == 0, done.stderr
        assert made.read_text() == source.read_text()
        return self.calls() > before

    def start(self, *command: str, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
        words = [f"{name}={value}" for name, value in settings.items()]
        script = [sys.executable, "-I", "-S", str(cached_compile.__file__)]
        return subprocess.run(
            [*script, *words, "--", *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def calls(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_what_was_compiled_is_not_compiled_again(bench: Bench) -> None:
    assert bench.compile("-O3")
    assert not bench.compile("-O3")


def test_two_builds_at_once_compile_once(bench: Bench) -> None:
    slow = tool(bench.folder / "slow", "g++", f"LOG={bench.log}\nsleep 0.5\n{COMPILER}")
    with ThreadPoolExecutor(2) as pool:
        builds = [pool.submit(bench.compile, build=name, by=slow) for name in "ab"]
        for build in builds:
            build.result()
    assert bench.calls() == 1
    assert not list(bench.folder.glob("objects/*.lock"))


def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(bench: Bench) -> None:
    bench.compile("-O3")
    (kept,) = bench.folder.glob("objects/*.o")
    kept.unlink()
    os.mkfifo(kept.with_suffix(".lock"))
    assert bench.compile("-O3")


def test_another_build_of_the_same_takes_its_object(bench: Bench) -> None:
    assert bench.compile("-O3", build="a")
    assert not bench.compile("-O3", build="b")


def test_a_copied_cache_stays_valid(bench: Bench, tmp_path: Path) -> None:
    assert bench.compile(f"-isystem{bench.folder}/mpi/include")
    copy = tmp_path.with_name(f"{tmp_path.name}-copy")
    shutil.copytree(tmp_path, copy)
    Bench(copy).compile(f"-isystem{copy}/mpi/include", by=bench.compiler)
    assert bench.calls() == 1


@pytest.mark.parametrize("name", ["kernel.cpp", "core/one.hpp", "core/two.hpp"])
def test_a_changed_file_is_compiled_again(bench: Bench, name: str) -> None:
    assert bench.compile()
    bench.write(name, (bench.folder / "native" / name).read_text() + "int more;\n")
    assert bench.compile()
    assert not bench.compile()


def test_a_change_elsewhere_costs_nothing(bench: Bench) -> None:
    assert bench.compile()
    bench.write("core/three.hpp", "int three;\n")
    bench.write("talk.cpp", "int other;\n")
    assert not bench.compile()


def test_a_generated_header_counts_by_its_text(bench: Bench) -> None:
    for build in ("a", "b"):
        header = bench.folder / "build" / build / "generated/core/one.hpp"
        header.parent.mkdir(parents=True)
        header.write_text("int generated;\n")
    (bench.folder / "native/core/one.hpp").unlink()
    assert bench.compile(build="a")
    assert not bench.compile(build="b")
    (bench.folder / "build/b/generated/core/one.hpp").write_text("int changed;\n")
    assert bench.compile(build="b")


def test_a_header_that_comes_first_counts_with_all_that_it_includes(bench: Bench) -> None:
    def compile_after_header(build: str) -> bool:
        header = bench.folder / "build" / build / "tests/first.hpp"
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(f'#include "{bench.folder}/native/standard.hpp"\n')
        return bench.compile("-include", str(header), build=build)

    bench.write("standard.hpp", "int standard;\n")
    assert bench.compile()
    assert compile_after_header("a")
    assert not compile_after_header("b")
    bench.write("standard.hpp", "int changed;\n")
    assert compile_after_header("b")
    assert not compile_after_header("a")


def test_a_precompiled_header_is_not_kept(bench: Bench) -> None:
    assert bench.compile("-x", "c++-header")
    assert bench.compile("-x", "c++-header")


def test_flags_and_compilers_have_objects_of_their_own(bench: Bench) -> None:
    assert bench.compile("-O3")
    assert bench.compile("-O2")
    assert bench.compile("-O3", by=bench.wrapper)
    assert bench.compile("-O3", compiler="gcc 13")


def test_only_what_includes_a_library_depends_on_it(bench: Bench) -> None:
    assert bench.compile(linked="mpich 5")
    assert not bench.compile(linked="openmpi 5")
    assert bench.compile(file="talk.cpp", linked="mpich 5")
    assert bench.compile(file="talk.cpp", linked="openmpi 5")


def test_a_wrapper_compiles_only_what_includes_its_library(bench: Bench) -> None:
    assert bench.compile()
    plain = str(bench.compiler)
    assert not bench.compile(by=bench.wrapper, plain=plain)
    assert bench.compile(file="talk.cpp", by=bench.wrapper, plain=plain)
    assert bench.log.read_text().splitlines()[-1] == str(bench.wrapper)


@pytest.mark.parametrize("flag", ["-g", "-ggdb3", "--coverage", "-fprofile-generate=/tmp"])
def test_objects_with_paths_in_them_are_not_kept(bench: Bench, flag: str) -> None:
    assert bench.compile(flag)
    assert bench.compile(flag)


def test_a_file_that_includes_what_cannot_be_found_is_left_to_the_compiler(bench: Bench) -> None:
    bench.write("core/one.hpp", '#include "absent.hpp"\n')
    assert bench.compile()
    assert bench.compile()


def test_an_error_is_the_compilers(bench: Bench) -> None:
    source = str(bench.folder / "native/kernel.cpp")
    words = (str(bench.compiler), "-DFAIL", "-o", str(bench.folder / "x.o"), "-c", source)
    done = bench.start(*words, settings=bench.settings())
    assert (done.returncode, done.stderr) == (7, "broken\n")
    assert not list(bench.folder.glob("objects/*"))


def test_what_is_no_compilation_is_passed_on(bench: Bench) -> None:
    source = str(bench.folder / "native/kernel.cpp")
    words = (str(bench.compiler), "-o", str(bench.folder / "program"), source)
    bench.start(*words, settings=bench.settings())
    assert bench.calls() == 1
    assert not list(bench.folder.glob("objects/*"))


def test_a_damaged_object_is_made_again(bench: Bench) -> None:
    assert bench.compile()
    (kept,) = (bench.folder / "objects").iterdir()
    kept.write_bytes(b"")
    assert bench.compile()
    assert not bench.compile()


def test_a_cache_that_takes_nothing_costs_only_time(bench: Bench) -> None:
    (bench.folder / "objects").write_text("no folder")
    assert bench.compile()
    assert bench.compile()


def test_the_oldest_objects_go_first(tmp_path: Path) -> None:
    for age, name in enumerate(("new.o", "middle.o", "old.o")):
        path = tmp_path / name
        path.write_bytes(bytes(100))
        os.utime(path, (1e9 - age, 1e9 - age))
    remove_oldest(tmp_path, 250)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["middle.o", "new.o"]
    remove_oldest(tmp_path, 0)
    assert not list(tmp_path.iterdir())
    remove_oldest(tmp_path / "absent", 0)


def test_an_object_that_another_build_takes_away_meanwhile_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old.o").write_bytes(bytes(100))
    gone = tmp_path / "gone.unfinished"
    monkeypatch.setattr(Path, "iterdir", lambda _: iter([gone, tmp_path / "old.o"]))
    remove_oldest(tmp_path, 0)
    monkeypatch.undo()
    assert not list(tmp_path.iterdir())


def objects_of(bench: Bench) -> Path:
    (made,) = bench.folder.glob("objects/*.o")
    return made


@pytest.mark.parametrize("mode", [0o602, 0o620])
def test_an_object_that_others_may_write_is_compiled_again(bench: Bench, mode: int) -> None:
    assert bench.compile()
    objects_of(bench).chmod(mode)
    assert bench.compile()
    assert not bench.compile()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_an_object_of_another_is_compiled_again(bench: Bench) -> None:
    assert bench.compile()
    os.chown(objects_of(bench), 54321, -1)
    assert bench.compile()
    assert not bench.compile()


def test_links_among_the_objects_are_not_followed(bench: Bench) -> None:
    assert bench.compile()
    made, victim = objects_of(bench), bench.folder / "victim"
    moved = made.rename(bench.folder / "moved")
    made.symlink_to(moved)
    victim.write_text("theirs")
    made.with_suffix(".lock").symlink_to(victim)
    assert bench.compile()
    assert not made.is_symlink()
    assert victim.read_text() == "theirs"
