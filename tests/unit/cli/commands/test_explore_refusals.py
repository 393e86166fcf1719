"""What `machmeter explore` refuses before anything is launched or written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode
from tests.support.cli_calls import call

pytestmark = pytest.mark.usefixtures("home")
DESCRIBED = """
name = "a"
title = "A"
command = ["/bin/cat", "in"]
threads = false
[[inputs]]
path = "in"
"""


@pytest.mark.parametrize(
    "words",
    [
        ("--rate", "(x)" + "|y" * 300, "--", "/bin/true"),
        ("--rate", "(x)", "--unit", "u" * 201, "--", "/bin/true"),
        ("--rate", "x", "--", "/bin/true"),
        ("--rate", "(x)", "--", "/bin/echo", "x" * 10_001),
        ("--unit", "u", "--", "/bin/true"),
        ("--threads", "2", "a.toml"),
        ("--rate", "(x)", "a.toml"),
        ("--rate", "(x)", "proxies.ring"),
        ("--copies", "2", "proxies.ring"),
        ("proxies.none",),
        ("--nodes", "1,2", "--ranks", "2", "--", "/bin/true"),
        ("--nodes", "1,2", "proxies.ring"),
        ("--nodes", "1", "--", "/bin/true"),
        ("--hosts", "localhost", "--nodes", "2", "--ranks", "3", "--", "/bin/true"),
        ("--nodes", "1", "--copies", "2", "--", "/bin/true"),
        ("twice.toml",),
        ("absent.toml",),
        (),
    ],
)
def test_what_cannot_be_recorded_or_has_no_meaning_is_refused(
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_text("x")
    (tmp_path / "a.toml").write_text(DESCRIBED)
    (tmp_path / "twice.toml").write_text(f'{DESCRIBED}[[inputs]]\npath = "./in"\n')
    code, _, err = call(capfd, "explore", "--dry-run", *words)
    assert code == ExitCode.WRONG_USAGE, err
    assert "internal error" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no program was named"),
        (("--", "./absent"), "there is no program ./absent"),
        (("--", "no-such-program"), "there is no program no-such-program"),
        (("--", "./data.txt"), "chmod +x ./data.txt"),
        (("--launches", "1", "--", "true"), "an interval takes two"),
        (("--threads", "0", "--", "true"), "numbers from 1 on"),
        (("--threads", "99999", "--", "true"), "--oversubscribe"),
        (("--mpi", "mpich", "--ranks", "99999", "--", "true"), "--oversubscribe"),
        (("--threads", "99999", "--dry-run", "--", "true"), "--oversubscribe"),
        (("--threads", "99999", "proxies.ring"), "--oversubscribe"),
        (("--copies", "0", "--", "true"), "numbers from 1 on"),
        (("--copies", "2", "--ranks", "2", "--", "true"), "without MPI"),
        (("--copies", "2", "--rate", "(.)", "--", "true"), "runs of the program"),
        (("--modes", "all", "--", "true"), "unknown value"),
        (("--modes", "hybrid", "--", "true"), "launch modes"),
        (("--smt", "0", "--", "true"), "hardware threads"),
        (("--smt", "", "--", "true"), "hardware threads"),
        (("--", "x" * 300), "there is no program"),
        (("--budget", "5", "--", "true"), "no unit"),
        (("--", "true", "x" * 30_000), "too long"),
    ],
)
def test_what_cannot_be_explored_is_refused(
    capfd: pytest.CaptureFixture[str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.txt").write_text("no program")
    code, _, err = call(capfd, "explore", *words)
    assert code == ExitCode.WRONG_USAGE, err
    assert said in " ".join(err.split())
    assert "internal error" not in err
    assert not list(home.glob("runs/*"))


def test_a_standard_input_that_no_launch_would_get_is_refused(
    capfd: pytest.CaptureFixture[str], home: Path, tmp_path: Path
) -> None:
    (tmp_path / "input").write_text("5\n")
    before = os.dup(0)
    try:
        with (tmp_path / "input").open("rb") as file:
            os.dup2(file.fileno(), 0)
        code, _, err = call(capfd, "explore", "--dry-run", "--", "cat")
    finally:
        os.dup2(before, 0)
        os.close(before)
    assert code == ExitCode.WRONG_USAGE, err
    assert "standard input is not given to launches" in " ".join(err.split())
    assert "as an argument" in " ".join(err.split())
    assert not list(home.glob("runs/*"))
