"""What `machmeter explore` refuses before anything is launched or written."""

from __future__ import annotations

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
