"""The native sources that travel inside the package: which file is which benchmark, and hashes of
what each one is made of.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from msgspec import Struct

from machmeter.build.cached_compile import own_includes
from machmeter.model.errors import MachineLacksError
from machmeter.model.program import SIMULATOR

_SHARED = ("core", "main")
# The program that simulates is one part: whatever it simulates is made of all of it.
SIMULATION = "simulation"
_SIMULATION_SOURCE = "simulate/simulate.cpp"
# A kernel's global that puts it on the list of its program: `RegisterNodeBenchmark name({"...",`.
_REGISTERED = re.compile(r'^const Register(\w+)Benchmark \w+\(\s*\{"([^"]+)"', re.MULTILINE)


class Kernel(Struct, frozen=True):
    """The sources of one benchmark."""

    program: str
    """The program that holds it."""
    source: str
    """Its file, below the folder of the native sources."""
    hash: str
    """Of that file and what it includes, without what all programs share; 16 hex digits."""


class NativeSources(Struct, frozen=True):
    """What programs are compiled from."""

    shared: str
    """Hash of what all programs share: `core/`, `main/`, what these include, and how they are
    built; 16 hex digits."""
    kernels: dict[str, Kernel]
    """By the name of their benchmark."""

    def of_benchmark(self, name: str) -> tuple[str, str]:
        """As `Toolchain.sources` of a record; the first is empty where there is no such kernel."""
        kernel = self.kernels.get(name)
        return kernel.hash if kernel else "", self.shared

    def of_program(
        self, program: str, benchmarks: Collection[str] | None = None
    ) -> dict[str, Kernel]:
        """The kernels of a program, all (None) or those of the named benchmarks, in their order.

        Raises MachineLacksError where the sources have none of such a name.
        """
        known = {name: one for name, one in self.kernels.items() if one.program == program}
        if lacking := set(benchmarks or ()) - set(known):
            raise MachineLacksError(
                f"the native sources of {program} have no benchmark {', '.join(sorted(lacking))}",
                "install machmeter again",
            )
        return {n: one for n, one in known.items() if benchmarks is None or n in benchmarks}


def native_sources() -> Path:
    """The folder of the native sources: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "native"
    return installed if installed.is_dir() else package.parent.parent / "native"


def read_sources(folder: Path | None = None) -> NativeSources:
    """What is in the folder of the native sources (None: machmeter's own).

    Raises MachineLacksError where they are missing.
    """
    folder = folder or native_sources()
    recipe = folder / "CMakeLists.txt"
    if not recipe.is_file():
        raise MachineLacksError(
            f"the native sources are missing from {folder}", "install machmeter again"
        )
    files = _Files(folder)
    shared = set(files.closure("CMakeLists.txt"))
    for room in _SHARED:
        for path in (folder / room).rglob("*"):
            if path.suffix in (".cpp", ".in"):
                shared |= files.closure(path.relative_to(folder).as_posix())
    kernels = {}
    for path in sorted(folder.rglob("*.cpp")):
        source = path.relative_to(folder)
        if source.parts[0] in (*_SHARED, "tests"):
            continue
        name = source.as_posix()
        own = files.closure(name) - shared
        if name == _SIMULATION_SOURCE:
            kernels[SIMULATION] = Kernel(SIMULATOR, name, files.hash(own))
        for runtime, benchmark in _REGISTERED.findall(files.text(name)):
            program = f"machmeter-{runtime.lower()}"
            kernels[benchmark] = Kernel(program, name, files.hash(own))
    return NativeSources(files.hash(shared), kernels)


class _Files:
    """Files below a folder, each read once, by name there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: dict[str, str] = {}
        self._includes: dict[str, tuple[str, ...]] = {}

    def text(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = (self._folder / name).read_text(encoding="utf-8")
        return self._texts[name]

    def closure(self, source: str) -> set[str]:
        """A file and all that it includes, in turn."""
        found: set[str] = set()
        waiting = [source]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._included(name)
        return found

    def hash(self, names: Iterable[str]) -> str:
        return hash_of(
            f"{name}\0{len(self.text(name))}\0{self.text(name)}" for name in sorted(names)
        )

    def _included(self, name: str) -> tuple[str, ...]:
        if name not in self._includes:
            # What CMake generates is no file here; what it is made from is.
            self._includes[name] = tuple(
                own
                for own in own_includes(self.text(name).encode())
                if (self._folder / own).is_file()
            )
        return self._includes[name]


def hash_of(parts: Iterable[str]) -> str:
    """16 hex digits over texts, none of which holds the character 0 at its end."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
