"""`machmeter report NAME` of a published machine or of a file, as a person asks for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call, document
from tests.support.importing_data import FOLDER as DATA

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_a_published_machine_has_a_page_named_after_it(
    capfd: pytest.CaptureFixture[str], here: Path
) -> None:
    found = document(capfd, "report", "report", "tigerton", "--charts", "plots")
    assert found["path"] == str(here / "tigerton.html")
    assert "imported machine" not in (here / "tigerton.html").read_text()
    drawn = [Path(chart["path"]).suffix for chart in found["charts"]]
    assert drawn.count(".png") == drawn.count(".svg") == 2
    code, out, err = call(capfd, "report", "tigerton", "-o", "other.html")
    assert (code, err) == (ExitCode.DONE, "")
    assert "Page: other.html" in out


def test_a_file_has_a_page_whatever_made_it(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    shutil.copy(DATA / "osu/osu_latency.txt", here / "my osu.txt")
    call(capfd, "machine", "import", "my osu.txt", "-o", "mine.toml")
    for name, page in (("my osu.txt", "my osu.html"), ("mine.toml", "mine.html")):
        code, out, _ = call(capfd, "report", name)
        assert code == ExitCode.DONE
        assert f"Page: {page}" in out
        content = (here / page).read_text()
        assert "imported machine" in content
    assert "machmeter compare &#39;my osu.txt&#39; last" in (here / "my osu.html").read_text()


def test_a_folder_of_a_run_wins_over_a_published_machine(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, here: Path
) -> None:
    shutil.copytree(one_run.path, here / "edison")
    found = document(capfd, "report", "report", "edison")
    assert Path(found["path"]) == here / "edison" / "report.html"


@pytest.mark.parametrize("words", [("mine.toml",), ("mine.toml", "-o", "mine.toml")])
def test_no_file_of_others_is_replaced_unasked(
    capfd: pytest.CaptureFixture[str], here: Path, words: tuple[str, ...]
) -> None:
    call(capfd, "machine", "import", str(DATA / "tools/stream.txt"), "-o", "mine.toml")
    before = (here / "mine.toml").read_text()
    (here / "mine.html").write_text("<html>of another program</html>")
    code, _, err = call(capfd, "report", *words)
    assert code == ExitCode.WRONG_USAGE
    assert "-o" in err
    assert (here / "mine.toml").read_text() == before
    assert "another program" in (here / "mine.html").read_text()


def test_a_page_is_written_again(capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert call(capfd, "report", "ec2")[0] == ExitCode.DONE


def test_what_cannot_be_read_is_told(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "notes.txt").write_text("nothing that a tool prints\n")
    (here / "bad.toml").write_text("format = 1\n")
    for name, told in (
        ("notes.txt", "not the output of a supported tool"),
        ("bad.toml", "docs/published.md"),
    ):
        code, _, err = call(capfd, "report", name)
        assert code == ExitCode.SOMETHING_FAILED
        assert told in " ".join(err.split())
        assert not (here / f"{Path(name).stem}.html").exists()


def test_a_machine_without_curves_has_no_charts(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capfd, "report", "ec2", "--charts", "plots")
    assert code == ExitCode.DONE
    assert "no chart was written" in err
