"""The hash of the native sources tells every change that changes the programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from machmeter.build.sources import native_sources, source_hash


def tree(root: Path) -> Path:
    for name, text in {
        "CMakeLists.txt": "project(x)",
        "memory/stream.cpp": "int a;",
        "include/machmeter/clock.hpp": "int b;",
        "cmake/find.cmake": "set(c)",
        "tests/test_clock.cpp": "int d;",
        "README.md": "words",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_the_same_sources_in_another_folder_have_the_same_hash(tmp_path: Path) -> None:
    assert source_hash(tree(tmp_path / "a")) == source_hash(tree(tmp_path / "b ü"))


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (lambda root: (root / "memory/stream.cpp").write_text("int aa;"), False),
        (lambda root: (root / "memory/new.hpp").write_text(""), False),
        (lambda root: (root / "memory/stream.cpp").rename(root / "memory/other.cpp"), False),
        (lambda root: (root / "cmake/find.cmake").write_text("set(d)"), False),
        (lambda root: (root / "tests/test_clock.cpp").write_text("int e;"), True),
        (lambda root: (root / "README.md").write_text("other words"), True),
        (lambda root: (root / "memory/stream.o").write_bytes(b"\x7fELF"), True),
    ],
)
def test_a_change_that_matters_changes_the_hash(
    tmp_path: Path, change: Callable[[Path], object], same: bool
) -> None:
    root = tree(tmp_path)
    before = source_hash(root)
    change(root)
    assert (source_hash(root) == before) is same


def test_moving_text_from_one_file_to_the_next_changes_the_hash(tmp_path: Path) -> None:
    hashes = set()
    for name, (first, second) in enumerate((("ab", "c"), ("a", "bc"))):
        root = tmp_path / str(name)
        root.mkdir()
        (root / "1.cpp").write_text(first)
        (root / "2.cpp").write_text(second)
        hashes.add(source_hash(root))
    assert len(hashes) == 2


def test_this_checkout_has_its_native_sources() -> None:
    assert (native_sources() / "CMakeLists.txt").is_file()
