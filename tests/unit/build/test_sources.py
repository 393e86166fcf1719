"""Which native sources a benchmark is made of: its hash changes with these and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.reference import REFERENCE
from machmeter.build.sources import SIMULATION, NativeSources, native_sources, read_sources
from machmeter.model.errors import MachineLacksError
from machmeter.model.program import SIMULATOR


def kernel(name: str, *includes: str, runtime: str = "Node") -> str:
    lines = [f'#include "{one}"' for one in includes]
    return "\n".join((*lines, f'const Register{runtime}Benchmark made({{"{name}", {{}}, &run}});'))


def tree(root: Path) -> Path:
    for name, text in {
        "CMakeLists.txt": "project(x)",
        "core/clock.hpp": "int b;",
        "core/clock.cpp": '#include "core/clock.hpp"\n#include "core/made.hpp"',
        "core/made.hpp.in": "int m;",
        "core/only_headers.hpp": "int h;",
        "main/node.cpp": '#include "core/clock.hpp"',
        "memory/arrays.hpp": '#include "core/clock.hpp"\n#include <vector>',
        "memory/stream.cpp": kernel("memory.stream", "memory/arrays.hpp"),
        "memory/pages.cpp": kernel("memory.pages", "core/only_headers.hpp"),
        "network/latency.cpp": kernel("network.latency", runtime="Mpi"),
        "tests/test_clock.cpp": kernel("tests.none"),
        "README.md": "words",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def changed(before: NativeSources, after: NativeSources) -> set[str]:
    """The benchmarks, and `shared`, whose hash is another one."""
    names = {n for n, one in after.kernels.items() if before.kernels[n].hash != one.hash}
    return names | ({"shared"} if before.shared != after.shared else set())


def test_the_same_sources_in_another_folder_have_the_same_hashes(tmp_path: Path) -> None:
    assert read_sources(tree(tmp_path / "a")) == read_sources(tree(tmp_path / "b ü"))


@pytest.mark.parametrize(
    ("file", "affected"),
    [
        ("memory/stream.cpp", {"memory.stream"}),
        ("memory/arrays.hpp", {"memory.stream"}),
        ("core/only_headers.hpp", {"memory.pages"}),
        ("network/latency.cpp", {"network.latency"}),
        ("core/clock.hpp", {"shared"}),
        ("core/clock.cpp", {"shared"}),
        ("core/made.hpp.in", {"shared"}),
        ("main/node.cpp", {"shared"}),
        ("CMakeLists.txt", {"shared"}),
        ("tests/test_clock.cpp", set()),
        ("README.md", set()),
    ],
)
def test_a_change_changes_the_hashes_of_what_includes_it(
    tmp_path: Path, file: str, affected: set[str]
) -> None:
    root = tree(tmp_path)
    before = read_sources(root)
    path = root / file
    path.write_text(path.read_text() + "\nint more;")
    assert changed(before, read_sources(root)) == affected


def test_moving_text_from_one_file_to_the_next_changes_the_hash(tmp_path: Path) -> None:
    hashes = set()
    for name, (first, second) in enumerate((("ab", "c"), ("a", "bc"))):
        root = tree(tmp_path / str(name))
        (root / "core/1.cpp").write_text(first)
        (root / "core/2.cpp").write_text(second)
        hashes.add(read_sources(root).shared)
    assert len(hashes) == 2


def test_a_program_holds_its_own_benchmarks_and_no_others(tmp_path: Path) -> None:
    sources = read_sources(tree(tmp_path))
    assert set(sources.of_program("machmeter-node")) == {"memory.stream", "memory.pages"}
    (one,) = sources.of_program("machmeter-node", {"memory.stream"}).values()
    assert one.source == "memory/stream.cpp"
    with pytest.raises(MachineLacksError, match=r"machmeter-node have no benchmark network\.lat"):
        sources.of_program("machmeter-node", {"network.latency"})


def test_missing_sources_are_told(tmp_path: Path) -> None:
    with pytest.raises(MachineLacksError, match="sources are missing"):
        read_sources(tmp_path)


def test_every_benchmark_is_registered_by_one_file_for_its_program() -> None:
    found = read_sources().kernels
    declared = {one.name: one.program.name for one in (*BENCHMARKS, REFERENCE)}
    declared[SIMULATION] = SIMULATOR
    assert {name: one.program for name, one in found.items()} == declared
    assert len({one.source for one in found.values()}) == len(found)
    assert all((native_sources() / one.source).is_file() for one in found.values())
