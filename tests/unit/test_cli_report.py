"""The page of a run and of several machines, as a person asks for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_calls import call, document
from fake_launcher import FakeLauncher, new_folder, run_to_end
from msgspec.structs import replace

from machmeter.model.errors import ExitCode
from machmeter.published.load import machine_names
from machmeter.store.files import write_json
from machmeter.store.run_folder import RunFolder

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def other_run(home: Path) -> RunFolder:
    """A second run of the same machine."""
    folder = new_folder(home / "runs" / "b-run")
    write_json(folder.path / "run.json", replace(folder.header(), id="b-run", seed=8))
    return run_to_end(folder, FakeLauncher())


def test_a_page_in_the_runs_folder_links_beside_it_and_elsewhere_to_the_folder(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    target = tmp_path / "page.html"
    document(capfd, "report", "report", "-o", str(target))
    assert f'href="{one_run.path.resolve().as_uri()}/launches/' in target.read_text()
    found = document(capfd, "report", "report")
    page = Path(found["path"]).read_text()
    assert 'href="launches/' in page
    assert "machmeter run network.latency --set size=8 --ranks 2 --mpi mpich" in page


def test_several_machines_are_a_page_of_their_comparison(
    capfd: pytest.CaptureFixture[str],
    one_run: RunFolder,
    other_run: RunFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    found = document(capfd, "report", "report", "a-run", "b-run", "--charts", "plots")
    assert found["path"] == str(tmp_path / "comparison.html")
    page = (tmp_path / "comparison.html").read_text()
    assert "made-up (a-run) beside made-up (b-run)" in page
    for run in (one_run, other_run):
        assert f'href="{run.path.resolve().as_uri()}/launches/' in page
    drawn = sorted(Path(chart["path"]).name for chart in found["charts"])
    assert drawn == ["forest.png", "forest.svg"]


def test_a_run_is_set_beside_a_published_machine(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    target = tmp_path / "page.html"
    code, out, err = call(capfd, "report", machine_names()[0], "last", "-o", str(target))
    assert (code, err) == (ExitCode.DONE, "")
    assert f"Page: {target}" in out
    assert "machmeter comparison" in target.read_text()


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["a-run", "a-run"], "named twice"),
        (["a-run", "unheard-of"], "unheard-of"),
        (["a-run"] * 9, "more than a page can set beside one another"),
    ],
)
def test_names_without_meaning_are_refused(
    capfd: pytest.CaptureFixture[str],
    one_run: RunFolder,
    tmp_path: Path,
    names: list[str],
    told: str,
) -> None:
    target = tmp_path / "page.html"
    code, _, err = call(capfd, "report", *names, "-o", str(target))
    assert code == ExitCode.WRONG_USAGE
    assert told in err
    assert not target.exists()
