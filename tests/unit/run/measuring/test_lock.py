"""One measurement at a time, and who holds the machine."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from machmeter.model.errors import MachineLacksError
from machmeter.run.measuring import lock
from machmeter.run.measuring.lock import lock_path, machine_to_ourselves, measuring_now


def test_a_second_run_is_told_which_one_holds_the_machine(tmp_path: Path) -> None:
    with machine_to_ourselves(tmp_path, "run-a"):
        assert measuring_now(tmp_path) == "run-a"
        with (
            pytest.raises(MachineLacksError, match=f"run-a, process {os.getpid()}") as caught,
            machine_to_ourselves(tmp_path, "run-b"),
        ):
            pytest.fail("two runs at once")
        assert "wait" in caught.value.remedy


def test_the_lock_of_a_process_that_died_holds_nothing(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, sys; from machmeter.run.measuring.lock import machine_to_ourselves\n"
        "with machine_to_ourselves(pathlib.Path(sys.argv[1]), 'run-a'): os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert done.returncode == -9
    assert "run-a" in lock_path(tmp_path).read_text()
    assert measuring_now(tmp_path) == ""
    with machine_to_ourselves(tmp_path, "run-b"):
        assert measuring_now(tmp_path) == "run-b"


@pytest.mark.parametrize(
    "text",
    [
        *("", "rubbish", "run x, process 1", "run x, process 0x1, started at tick 1"),
        f"run x, process {'9' * 30}, started at tick 1",
    ],
)
def test_what_the_lock_file_says_is_not_trusted(tmp_path: Path, text: str) -> None:
    lock_path(tmp_path).write_text(text)
    assert measuring_now(tmp_path) == ""


def test_without_a_lock_nobody_measures(tmp_path: Path) -> None:
    assert measuring_now(tmp_path / "missing") == ""


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(MachineLacksError) as caught,
        machine_to_ourselves(tmp_path / "file", "run-a"),
    ):
        pytest.fail("a lock in a file")
    assert caught.value.remedy


def test_a_number_that_another_process_has_now_measures_nothing(tmp_path: Path) -> None:
    with machine_to_ourselves(tmp_path, "run-a"):
        said = lock_path(tmp_path).read_text()
    assert said.startswith(f"run run-a, process {os.getpid()}, started at tick ")
    assert measuring_now(tmp_path) == "run-a"
    lock_path(tmp_path).write_text(said.rpartition(" ")[0] + " 1")
    assert measuring_now(tmp_path) == ""


def test_machines_that_share_a_home_have_locks_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lock_path(tmp_path)
    assert here == lock_path(tmp_path)
    other = tmp_path / "boot_id"
    other.write_text("another/boot\n")
    monkeypatch.setattr(lock, "_BOOT_ID", other)
    with machine_to_ourselves(tmp_path, "run-a"):
        assert lock_path(tmp_path) == tmp_path / "measuring-another-boot.lock" != here
    monkeypatch.setattr(lock, "_BOOT_ID", tmp_path / "missing")
    assert platform.node() in lock_path(tmp_path).name


def test_a_link_as_the_lock_is_named_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    lock_path(tmp_path).symlink_to(victim)
    with (
        pytest.raises(MachineLacksError, match="is a link") as caught,
        machine_to_ourselves(tmp_path, "run-a"),
    ):
        pytest.fail("it was followed")
    assert str(lock_path(tmp_path)) in caught.value.message
    assert victim.read_text() == "theirs"
    assert measuring_now(tmp_path) == ""
