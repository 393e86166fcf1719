"""What a launch writes into its folder is told from what was there and from what others write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.launch.files import written_files
from machmeter.launch.files.written_files import WrittenFiles

MIB = 2**20


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on a disk of 10 MiB, of which tests say how much is free."""
    monkeypatch.setattr(written_files, "_PAUSE_SECONDS", 0.0)
    left_free(monkeypatch, 10)
    folder = tmp_path / "launch"
    folder.mkdir()
    return folder


def left_free(monkeypatch: pytest.MonkeyPatch, mebibytes: int) -> None:
    monkeypatch.setattr(written_files, "_free_bytes", lambda _: mebibytes * MIB)


def write(path: Path, mebibytes: int) -> None:
    with path.open("wb") as file:
        file.write(os.urandom(mebibytes * MIB))
        os.fsync(file.fileno())


def test_no_launch_takes_more_than_half_of_the_free_space(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = WrittenFiles(here)
    (here / "deep").mkdir()
    write(here / "deep/first", 4)
    left_free(monkeypatch, 6)
    assert not watched.are_too_many()
    write(here / "second", 2)
    left_free(monkeypatch, 4)
    assert watched.are_too_many()


def test_a_launch_is_not_ended_for_what_others_write(
    here: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    watched = WrittenFiles(here)
    write(tmp_path / "outside", 6)
    (here / "link").symlink_to(tmp_path / "outside")
    left_free(monkeypatch, 2)
    assert not watched.are_too_many()


def test_what_was_in_the_folder_before_does_not_count(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(here / "data", 6)
    later = (here / "data").stat().st_ctime + 1
    monkeypatch.setattr(written_files.time, "time", lambda: later)
    watched = WrittenFiles(here)
    left_free(monkeypatch, 2)
    assert not watched.are_too_many()


def test_the_files_are_gone_through_only_when_the_disk_lost_as_much(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = WrittenFiles(here)
    write(here / "data", 6)
    assert not watched.are_too_many()


def test_it_is_looked_at_seldom_and_a_folder_that_is_gone_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = WrittenFiles(tmp_path / "gone")
    assert not watched.are_too_many()
    looked: list[Path] = []
    monkeypatch.setattr(written_files, "_free_bytes", lambda one: len(looked.append(one) or "."))
    assert not watched.are_too_many()
    assert not looked


def test_a_file_that_was_there_counts_by_no_more_than_the_disk_lost(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = WrittenFiles(here)
    write(here / "updated", 9)
    left_free(monkeypatch, 4)
    assert watched.are_too_many()
    assert not WrittenFiles(here).are_too_many()


def test_free_space_that_is_not_known_ends_nothing(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = WrittenFiles(here)
    write(here / "data", 6)
    monkeypatch.setattr(written_files, "_free_bytes", lambda _: None)
    assert not watched.are_too_many()
    left_free(monkeypatch, 4)
    assert watched.are_too_many()


def test_a_folder_of_many_files_is_looked_at_for_a_short_time_and_then_seldom(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = WrittenFiles(here)
    monkeypatch.setattr(written_files, "_LONGEST_LOOK_SECONDS", -1.0)
    monkeypatch.setattr(written_files, "_SHARE_OF_LOOKING", 1e-9)
    (here / "deep").mkdir()
    write(here / "deep/data", 6)
    left_free(monkeypatch, 4)
    # Time was up before the folder below, and the next look is far.
    assert not watched.are_too_many()
    monkeypatch.setattr(written_files, "_LONGEST_LOOK_SECONDS", 10.0)
    assert not watched.are_too_many()
