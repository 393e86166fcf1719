"""The page of a run and of several machines, as a person asks for them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cli_calls import call, document
from fake_launcher import FakeLauncher, new_folder, run_to_end
from importing_data import DATA
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


def test_files_of_the_working_folder_never_stand_for_published_machines(
    capfd: pytest.CaptureFixture[str],
    one_run: RunFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere, here = tmp_path / "empty", tmp_path / "work"
    pages = []
    for folder in (elsewhere, here):
        folder.mkdir()
        monkeypatch.chdir(folder)
        if folder is here:
            for name in machine_names():
                shutil.copy(DATA / "osu_latency.txt", name)
        code, _, err = call(capfd, "report", "last", "-o", str(tmp_path / "page.html"))
        assert (code, err) == (ExitCode.DONE, "")
        pages.append((tmp_path / "page.html").read_text())
    assert "OSU micro-benchmarks" not in pages[1]
    assert pages[0] == pages[1]


def test_files_of_one_name_are_set_beside_one_another(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["a/osu_latency.txt", "b/osu_latency.txt"]
    for name in names:
        Path(name).parent.mkdir()
        shutil.copy(DATA / "osu_latency.txt", name)
    target = tmp_path / "page.html"
    code, _, _ = call(capfd, "report", *names, "-o", str(target), "--charts", str(tmp_path / "c"))
    assert code == ExitCode.DONE
    page = target.read_text()
    assert all(name in page for name in names)
    code, _, err = call(capfd, "report", names[0], names[0], "-o", str(target))
    assert code == ExitCode.WRONG_USAGE
    assert "named twice" in err


def test_one_machine_alone_is_told_how_to_become_a_page(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    code, _, err = call(capfd, "report", machine_names()[0])
    assert code == ExitCode.WRONG_USAGE
    assert f"machmeter report {machine_names()[0]} last" in " ".join(err.split())


def test_charts_of_nothing_in_common_are_told_of(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = [str(DATA / name) for name in ("osu_latency.txt", "hyperfine.json")]
    options = ("-o", str(tmp_path / "page.html"), "--charts", str(tmp_path / "plots"))
    code, _, err = call(capfd, "report", *words, *options)
    assert code == ExitCode.DONE
    assert "no chart was written" in err
