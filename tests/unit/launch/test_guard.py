"""A guarded command ends as it did by itself, and nothing of it stays."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from machmeter.launch.guard import guard_words
from tests.support.processes.living import is_living


@pytest.mark.parametrize(
    ("command", "code"),
    [(("sh", "-c", "exit 3"), 3), (("sh", "-c", "kill -9 $$"), 137), (("no-such-tool",), 127)],
)
def test_its_exit_code_is_that_of_the_command(command: tuple[str, ...], code: int) -> None:
    done = subprocess.run([*guard_words(), *command], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_what_the_command_leaves_is_ended(tmp_path: Path) -> None:
    number = tmp_path / "number"
    script = f"setsid sleep 971 & echo $! > {number}"
    subprocess.run([*guard_words(), "sh", "-c", script], check=True)
    assert not is_living(int(number.read_text()))


def test_what_is_set_for_python_is_for_the_command(tmp_path: Path) -> None:
    (tmp_path / "subprocess.py").write_text("raise SystemExit(9)\n")
    given = {**os.environ, "PYTHONHOME": "/no/such/home", "PYTHONPATH": str(tmp_path)}
    words = ("sh", "-c", "echo $PYTHONHOME $PYTHONPATH")
    done = subprocess.run(
        [*guard_words(), *words], env=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["/no/such/home", str(tmp_path)]
