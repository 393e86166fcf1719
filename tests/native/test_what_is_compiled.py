"""A run compiles what it needs and nothing twice: counted in objects that the cache gains."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.build import programs, sources
from machmeter.build.programs import build_program
from tests.support.paths import ROOT
from tests.support.processes.native_programs import build_tools

LATENCY, REFERENCE = "memory.latency", "machine.reference"
# All of core/, the hashes, main, the kernel, the wrapper.
OF_ONE_KERNEL = 5
# Its own file, and the hashes.
OF_ANOTHER = 2
# Nothing is timed.
QUICKLY = ("-O0",)


class Builds:
    """Builds from a copy of the native sources into a cache of their own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.take(folder / "native", folder / "cache")
        shutil.copytree(
            ROOT / "native", self.native, ignore=shutil.ignore_patterns("tests", "shmem", "network")
        )

    def take(self, native: Path, cache: Path) -> None:
        self.native, self.cache = native, cache
        for module in (programs, sources):
            self._monkeypatch.setattr(module, "native_sources", lambda: native)

    def build(self, *benchmarks: str) -> tuple[str, int]:
        """The folder of the program, and how many objects were compiled for it."""
        before = self._objects()
        path = build_program(
            self.cache,
            NODE_PROGRAM,
            build_tools(),
            os.environ,
            benchmarks=benchmarks,
            flags=QUICKLY,
        )
        return Path(path).parent.name, self._objects() - before

    def _objects(self) -> int:
        return len(list(self.cache.glob("objects/*.o")))


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Builds:
    return Builds(tmp_path, monkeypatch)


@pytest.mark.full
def test_only_what_is_needed_is_compiled_and_nothing_twice(builds: Builds, tmp_path: Path) -> None:
    of_one, compiled = builds.build(REFERENCE)
    assert compiled == OF_ONE_KERNEL
    of_two, compiled = builds.build(REFERENCE, LATENCY)
    assert compiled == OF_ANOTHER
    # A build that holds more serves.
    assert builds.build(LATENCY) == (of_two, 0)
    kernel = builds.native / "memory" / "latency" / "latency.cpp"
    original = kernel.read_text()
    kernel.write_text(f"{original}\n// changed\n")
    assert builds.build(REFERENCE) == (of_one, 0)
    edited, compiled = builds.build(REFERENCE, LATENCY)
    assert compiled == OF_ANOTHER
    assert edited not in (of_one, of_two)
    kernel.write_text(original)
    assert builds.build(LATENCY) == (of_two, 0)
    builds.take(builds.native.rename(tmp_path / "moved"), builds.cache.rename(tmp_path / "copied"))
    assert builds.build(LATENCY) == (of_two, 0)
    shutil.rmtree(builds.cache / "build")
    assert builds.build(REFERENCE, LATENCY) == (of_two, 0)
