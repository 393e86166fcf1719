"""One measurement at a time, and who holds the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from machmeter.model.errors import MachineLacksError
from machmeter.run.lock import machine_to_ourselves, measuring_now, refuse_while_measuring


def test_a_second_run_is_told_which_one_holds_the_machine(tmp_path: Path) -> None:
    with machine_to_ourselves(tmp_path, "run-a"):
        assert measuring_now(tmp_path) == "run-a"
        with pytest.raises(MachineLacksError, match="run-a") as caught:
            refuse_while_measuring(tmp_path)
        assert "wait" in caught.value.remedy
        with (
            pytest.raises(MachineLacksError, match=f"run-a, process {os.getpid()}"),
            machine_to_ourselves(tmp_path, "run-b"),
        ):
            pytest.fail("two runs at once")


def test_the_lock_of_a_process_that_died_holds_nothing(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, sys; from machmeter.run.lock import machine_to_ourselves\n"
        "with machine_to_ourselves(pathlib.Path(sys.argv[1]), 'run-a'): os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert done.returncode == -9
    assert "run-a" in (tmp_path / "measuring.lock").read_text()
    assert measuring_now(tmp_path) == ""
    refuse_while_measuring(tmp_path)
    with machine_to_ourselves(tmp_path, "run-b"):
        assert measuring_now(tmp_path) == "run-b"


@pytest.mark.parametrize(
    "text", ["", "rubbish", "run x, process " + "9" * 30, "run x, process 0x1"]
)
def test_what_the_lock_file_says_is_not_trusted(tmp_path: Path, text: str) -> None:
    (tmp_path / "measuring.lock").write_text(text)
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
