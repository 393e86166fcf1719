"""The page of a run and of several machines, as a person asks for them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.model.errors import ExitCode
from machmeter.published.load import machine_names
from machmeter.store.files import write_json
from machmeter.store.run_folder import RunFolder
from machmeter.text.numbers import ratio_text
from tests.support.cli_calls import call, document
from tests.support.documents.page_outline import Outline
from tests.support.fake_launcher import FakeLauncher, new_folder, run_to_end
from tests.support.importing_data import FOLDER as DATA

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


def test_a_summary_is_the_first_screen_and_of_one_run_only(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, other_run: RunFolder
) -> None:
    found = document(capfd, "report", "report", "a-run", "--brief")
    assert found["path"] == str(one_run.path.resolve() / "summary.html")
    words = Outline(Path(found["path"]).read_text()).words
    assert "Key results" in words
    assert "Reproduce one row" not in words
    code, _, error = call(capfd, "report", "a-run", other_run.header().id, "--brief")
    assert code == ExitCode.WRONG_USAGE
    assert "--brief is the summary of one run" in error


@pytest.mark.parametrize("options", [("--charts", "c"), ("--score", "spec"), ("--benchmark", "x")])
def test_a_summary_takes_no_option_of_other_reports(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, options: tuple[str, str]
) -> None:
    code, _, error = call(capfd, "report", one_run.header().id, "--brief", *options)
    assert code == ExitCode.WRONG_USAGE
    assert f"{options[0]} and --brief do not go together" in error


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
    words = Outline(page).words
    assert "10:00 UTC, b-run) versus made-up (small, 10:00 UTC, a-run)" in words
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
        (["a-run"] * 9, "at most 8 machines"),
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
                shutil.copy(DATA / "osu/osu_latency.txt", name)
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
        shutil.copy(DATA / "osu/osu_latency.txt", name)
    target = tmp_path / "page.html"
    code, _, _ = call(capfd, "report", *names, "-o", str(target), "--charts", str(tmp_path / "c"))
    assert code == ExitCode.DONE
    page = target.read_text()
    assert all(name in page for name in names)
    code, _, err = call(capfd, "report", names[0], names[0], "-o", str(target))
    assert code == ExitCode.WRONG_USAGE
    assert "named twice" in err


def test_a_score_stands_on_the_page_and_its_chart_beside_the_plot(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target = tmp_path / "page.html"
    words = ("gordon", "comet", "--score", "throughput", "--adjusted", "-b", "workload")
    options = ("-o", str(target), "--charts", str(tmp_path / "plots"))
    found = document(capfd, "report", "report", *words, *options)
    (score,) = document(capfd, "compare", "compare", *words)["scores"]
    page = Outline(target.read_text()).words
    for component in score["components"]:
        assert f"{component['name']} {ratio_text(component['value'])} no CI" in page
        assert component["sources"][0] in page
    assert f"adjusted score of 3 codes: {ratio_text(score['value'])}" in page
    assert "Restricted to workload" in page
    drawn = {Path(chart["path"]).name for chart in found["charts"]}
    assert {"forest.svg", "score-throughput.svg"} <= drawn


def test_a_score_that_cannot_be_made_is_refused_on_the_page_and_in_the_exit_code(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target = tmp_path / "page.html"
    words = ("report", "gordon", "comet", "--score", "ssi", "-o", str(target))
    code, out, err = call(capfd, *words)
    assert code == ExitCode.SOMETHING_FAILED
    assert f"Page: {target}" in out
    for told in (Outline(target.read_text()).words, " ".join(err.split())):
        assert "o base SSI score of comet: it lacks raxml" in told
        assert "--adjusted: an adjusted score" in told


def test_scores_are_of_several_machines(capfd: pytest.CaptureFixture[str]) -> None:
    for options in (("--score", "spec"), ("-b", "memory")):
        code, _, err = call(capfd, "report", "gordon", *options)
        assert code == ExitCode.WRONG_USAGE
        assert "needs two machines or more" in err


def test_what_is_neither_a_run_nor_a_machine_is_told_what_has_a_page(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    code, _, err = call(capfd, "report", "unheard-of")
    assert code == ExitCode.WRONG_USAGE
    assert "no published machine or file of that name" in " ".join(err.split())
    assert "machmeter list machines" in " ".join(err.split())


def test_charts_of_nothing_in_common_are_told_of(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = [str(DATA / name) for name in ("osu/osu_latency.txt", "tools/hyperfine.json")]
    options = ("-o", str(tmp_path / "page.html"), "--charts", str(tmp_path / "plots"))
    code, _, err = call(capfd, "report", *words, *options)
    assert code == ExitCode.DONE
    assert "no chart was written" in err


def test_a_run_in_a_folder_whose_name_is_no_text_has_a_page(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    folder = tmp_path / os.fsdecode(b"bad \xff")
    shutil.copytree(one_run.path, folder)
    document(capfd, "report", "report", str(folder))
    assert "Memory latency" in (folder / "report.html").read_text()
    document(capfd, "report", "report", str(folder), "-o", str(tmp_path / "page.html"))
    assert "/bad%20%FF/launches/" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("name", ["a-run,", "a-run,,"])
def test_every_name_of_a_machine_has_its_records_on_a_page(
    capfd: pytest.CaptureFixture[str],
    one_run: RunFolder,
    other_run: RunFolder,
    home: Path,
    name: str,
    tmp_path: Path,
) -> None:
    target = tmp_path / "page.html"
    document(capfd, "report", "report", "b-run", name, "-o", str(target))
    assert f'href="{one_run.path.resolve().as_uri()}/launches/' in target.read_text()
