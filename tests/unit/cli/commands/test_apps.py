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


@pytest.fixture
def bare_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH that has one folder, without any program."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_applications_are_listed_with_what_installs_them(
    capfd: pytest.CaptureFixture[str], bare_path: Path
) -> None:
    (listed,) = [
        one
        for one in document(capfd, "list", "list", "apps")["apps"]
        if one["description"]["name"] == "hpcc"
    ]
    assert listed["program"] == ""
    _, out, _ = call(capfd, "list", "apps")
    assert "not installed: apt install hpcc" in out
    program = bare_path / "hpcc"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    _, out, _ = call(capfd, "list", "apps")
    assert str(program) in "".join(out.split())
    _, out, _ = call(capfd, "list", "apps", "--format", "markdown")
    assert "apt install hpcc" in out


def test_an_application_is_shown_as_text(capfd: pytest.CaptureFixture[str]) -> None:
    shown = document(capfd, "apps-show", "apps", "show", "hpcc")
    assert shown["description"]["name"] == "hpcc"
    _, out, _ = call(capfd, "apps", "show", "hpcc")
    for words in ("HPC Challenge", "apt install hpcc", "flop/s", "explore hpcc"):
        assert words in out
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_a_description_of_a_user_is_shown_as_text(capfd: pytest.CaptureFixture[str]) -> None:
    call(capfd, "apps", "new", "lj", "--", "cat", "case.in")
    code, out, _ = call(capfd, "apps", "show", "lj.toml")
    assert code == ExitCode.DONE
    assert "case.in" in out


@pytest.mark.parametrize(
    ("name", "title", "way"),
    [
        ("hpcc", "HPC Challenge", "apt install hpcc"),
        ("hadoop-terasort", "Hadoop, TeraSort", "https://hadoop.apache.org/releases.html"),
    ],
)
@pytest.mark.parametrize("words", [("explore",), ("apps", "check")])
def test_an_application_that_is_not_installed_lacks(
    capfd: pytest.CaptureFixture[str],
    bare_path: Path,
    words: tuple[str, ...],
    name: str,
    title: str,
    way: str,
) -> None:
    code, out, err = call(capfd, *words, name)
    assert code == ExitCode.MACHINE_LACKS
    assert out == ""
    assert f"{title} is not installed" in err
    assert way in err


@pytest.mark.parametrize(
    "words", [("explore", "hpc"), ("apps", "show", "hpc"), ("apps", "check", "hpc")]
)
def test_a_name_that_no_application_has_is_refused_with_those_there_are(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    code, _, err = call(capfd, *words)
    assert code == ExitCode.WRONG_USAGE
    assert "hpcc" in err
