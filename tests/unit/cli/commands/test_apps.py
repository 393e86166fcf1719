"""`machmeter apps` as a person or a program meets it, without launching anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode
from tests.support.cli_calls import call, document

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.in").write_text("20")


def test_a_description_is_begun_and_checked(capfd: pytest.CaptureFixture[str]) -> None:
    words = ("apps", "new", "lj", "--json", "--", "cat", "case.in", "/etc/hostname")
    code, _, _ = call(capfd, *words)
    assert code == ExitCode.DONE
    checked = document(capfd, "apps-check", "apps", "check", "lj.toml")
    assert list(checked["inputs"]) == ["case.in"]
    assert checked["program"].endswith("/cat")
    assert checked["launch"] is None
    Path("case.in").write_text("21")
    code, out, err = call(capfd, "apps", "check", "lj.toml")
    assert code == ExitCode.WRONG_USAGE
    assert "SHA-256" in out + err


def test_nothing_is_written_over(capfd: pytest.CaptureFixture[str]) -> None:
    Path("mine.toml").write_text("kept")
    code, _, _ = call(capfd, "apps", "new", "mine", "--", "cat")
    assert code == ExitCode.WRONG_USAGE
    assert Path("mine.toml").read_text() == "kept"


@pytest.mark.parametrize("name", ["", "A b", "../x", "x" * 61])
def test_a_name_that_cannot_be_one_is_refused(capfd: pytest.CaptureFixture[str], name: str) -> None:
    code, _, _ = call(capfd, "apps", "new", name, "--", "cat")
    assert code == ExitCode.WRONG_USAGE
    assert not list(Path().parent.rglob("*.toml"))


@pytest.mark.parametrize("words", [("absent-program",), ("./case.in",), ("cat", "{rank}")])
def test_a_program_that_cannot_be_started_is_refused(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    code, _, _ = call(capfd, "apps", "new", "one", "--", *words)
    assert code == ExitCode.WRONG_USAGE
    assert not Path("one.toml").exists()
