"""Folders that a program wrote into are cleared, and nothing that stands elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from machmeter.store.folders import keep_smallest, remove_tree

NOBODY = 65534


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "thesis").write_text("x" * 1000)
    return folder


def fill(folder: Path, count: int, size: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"{size}.{number}").write_text("x" * size)


def test_a_folder_is_removed_with_all_that_is_in_it(tmp_path: Path, victim: Path) -> None:
    folder = tmp_path / "launch"
    fill(folder / "a" / "b", 3, 10)
    (folder / "a" / "link").symlink_to(victim)
    (folder / "hard").hardlink_to(victim / "thesis")
    os.mkfifo(folder / "pipe")
    assert remove_tree(folder) == ""
    assert not folder.exists()
    assert (victim / "thesis").exists()
    assert remove_tree(folder) == ""


@pytest.mark.parametrize("clears", [remove_tree, lambda path: keep_smallest(path, 10, 10)])
def test_a_link_in_the_place_of_a_folder_is_not_followed(
    tmp_path: Path, victim: Path, clears: object
) -> None:
    link = tmp_path / "launch"
    link.symlink_to(victim)
    assert callable(clears)
    assert clears(link) == ""
    assert not os.path.lexists(link)
    assert (victim / "thesis").read_text() == "x" * 1000


def test_the_largest_files_go_until_both_bounds_are_kept(tmp_path: Path, victim: Path) -> None:
    folder = tmp_path / "launch"
    fill(folder / "small", 4, 10)
    fill(folder / "large", 2, 100)
    (folder / "link").symlink_to(victim)
    assert keep_smallest(folder, 200, 100) == ""
    sizes = sorted(path.stat().st_size for path in folder.rglob("1*"))
    assert sizes == [10, 10, 10, 10, 100]
    assert keep_smallest(folder, 200, 3) == ""
    assert sum(path.is_file() or path.is_symlink() for path in folder.rglob("*")) == 3
    assert not (folder / "large").exists(), "an empty folder is gone too"
    assert (victim / "thesis").exists()


def test_many_files_are_bounded_by_their_number(tmp_path: Path) -> None:
    folder = tmp_path / "launch"
    folder.mkdir()
    empty = folder / "0"
    empty.touch()
    for number in range(1, 20_000):
        (folder / str(number)).hardlink_to(empty)
    assert keep_smallest(folder, 2**20, 100) == ""
    assert len(list(folder.iterdir())) == 100


AS_NOBODY = """
import os, sys
from pathlib import Path
from machmeter.store.folders import remove_tree
os.setgroups([]), os.setgid({nobody}), os.setuid({nobody})
print(remove_tree(Path(sys.argv[1])) or "gone")
"""


@pytest.fixture
def for_all() -> Iterator[Path]:
    """A folder that every user gets to."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def removed_by_nobody(folder: Path) -> str:
    """What a user without privileges gets to."""
    words = [sys.executable, "-c", AS_NOBODY.format(nobody=NOBODY), str(folder)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(os.getuid() != 0, reason="needs another user")
@pytest.mark.parametrize("mode", [0o500, 0o400, 0o000])
def test_a_folder_that_its_owner_may_not_enter_is_removed(for_all: Path, mode: int) -> None:
    folder = for_all / "launch"
    fill(folder / "a", 2, 10)
    for one in (folder, folder / "a", *folder.rglob("1*")):
        os.chown(one, NOBODY, NOBODY)
    for one in (folder / "a", folder):
        one.chmod(mode)
    assert removed_by_nobody(folder) == "gone"
    assert not folder.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="needs another user")
def test_what_belongs_to_somebody_else_is_named_and_the_rest_removed(for_all: Path) -> None:
    folder = for_all / "launch"
    fill(folder / "theirs", 1, 10)
    fill(folder / "own", 2, 10)
    for one in (folder, folder / "own"):
        os.chown(one, NOBODY, NOBODY)
    said = removed_by_nobody(folder)
    assert str(folder / "theirs") in said
    assert [one.name for one in folder.iterdir()] == ["theirs"]


def nest(folder: Path, levels: int) -> None:
    """Folders within folders, as `mkdir` and `cd` in turn make them, with a file in the last."""
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("folder", dir_fd=here)
        there = os.open("folder", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = there
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def test_a_folder_is_removed_that_is_deeper_than_a_path_may_be_long(for_all: Path) -> None:
    nest(for_all / "launch", 2000)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    assert remove_tree(for_all / "launch") == ""
    assert not (for_all / "launch").exists()
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


def test_what_is_kept_has_a_path_that_can_be_opened(for_all: Path) -> None:
    nest(for_all / "launch", 2000)
    (for_all / "launch" / "near").write_text("x")
    assert keep_smallest(for_all / "launch", 2**20, 100) == ""
    assert [one.name for one in (for_all / "launch").iterdir()] == ["near"]


@pytest.mark.skipif(os.getuid() != 0, reason="needs another user")
def test_a_long_path_that_cannot_be_removed_is_told_in_short(for_all: Path) -> None:
    folder = for_all / "launch"
    last = folder.joinpath(*["folder" * 30] * 10)
    fill(last, 1, 10)
    for one in (folder, *folder.rglob("folder*")):
        os.chown(one, 0 if one == last else NOBODY, NOBODY)
    said = removed_by_nobody(folder)
    assert said.startswith(f"cannot remove {folder}")
    assert said.endswith("Permission denied")
    assert len(said) < 300
