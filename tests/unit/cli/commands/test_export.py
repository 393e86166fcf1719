"""Exports for other programs and for papers, as a person asks for them."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call, document
from tests.support.made_up.ab_runs import measured, two_sided

pytestmark = pytest.mark.usefixtures("home")


def test_bencher_metrics_go_to_a_file_or_to_standard_output(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    code, out, _ = call(capfd, "export", "--format", "bencher", "--what", "figures")
    assert code == ExitCode.DONE
    metrics = json.loads(out)
    latency = next(m for name, m in metrics.items() if name.startswith("network.latency ["))
    assert latency["latency-seconds"].keys() == {"value", "lower_value", "upper_value"}
    target = tmp_path / "metrics ü.json"
    words = ("export", "last", "--format", "bencher", "-o", str(target))
    assert document(capfd, "export", *words)["size_bytes"] == target.stat().st_size
    assert json.loads(target.read_text()) == metrics


def test_figures_and_estimates_are_the_same(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    assert (
        call(capfd, "export", "--what", "figures")[1]
        == call(capfd, "export", "--what", "estimates")[1]
        == call(capfd, "export")[1]
    )


@pytest.mark.parametrize("name", ["a crate ü", "crate.zip"])
def test_a_crate_holds_the_run_its_figures_and_its_page(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path, name: str
) -> None:
    rocrate = pytest.importorskip("rocrate.rocrate")
    target = tmp_path / name
    words = ("export", "last", "--format", "ro-crate", "-o", str(target))
    author = ("--author", "A. Name <https://orcid.org/0000-0001-2345-6789>")
    found = document(capfd, "export", *words, *author)
    assert found["path"] == str(target)
    crate = rocrate.ROCrate(target)
    files = {entity.id for entity in crate.get_by_type("File")}
    assert {"run.json", "plan.json", "figures.csv", "report.html"} <= files
    measured, _ = crate.root_dataset["mentions"]
    assert measured["agent"]["name"] == "A. Name"
    if target.is_dir():
        page = (target / "report.html").read_text()
        assert 'href="launches/' in page
        assert str(one_run.path) not in page
        assert found["size_bytes"] == sum(
            p.stat().st_size for p in target.rglob("*") if p.is_file()
        )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--format", "ro-crate"], "add -o FOLDER"),
        (["--format", "ro-crate", "-o", "missing/crate"], "there is no folder"),
        (["--format", "ro-crate", "-o", "there.zip"], "exists"),
        (["--format", "ro-crate", "-o", "c", "--author", "<x>"], "is not a web address"),
        (["--format", "ro-crate", "-o", "c", "--author", "A <B> C"], "invalid name"),
        (["--format", "ro-crate", "-o", "c", "--license", "mine"], "is not a web address"),
        (["--format", "bencher", "--what", "samples"], "cannot hold samples alone"),
        (["--format", "ro-crate", "--what", "samples", "-o", "c"], "cannot hold samples alone"),
        (["--author", "A"], "need `--format ro-crate`"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_remedy(
    capfd: pytest.CaptureFixture[str],
    one_run: RunFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    told: str,
) -> None:
    pytest.importorskip("rocrate")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.zip").write_text("earlier")
    before = sorted(tmp_path.iterdir())
    code, out, err = call(capfd, "export", "last", *words)
    assert code == ExitCode.WRONG_USAGE
    assert out == ""
    assert told in err
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "there.zip").read_text() == "earlier"


def test_samples_of_a_run_of_two_sides_say_whose_they_are(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    folder = measured(two_sided(home / "runs" / "two"))
    _, out, _ = call(capfd, "export", "two", "--what", "samples", "--format", "json")
    sides = {row["launch"]: row["role"] for row in json.loads(out)}
    expected = {n: folder.launch(n).spec.variant.role.value for n in folder.launch_numbers()}
    assert {"baseline", "candidate"} == set(expected.values())
    assert sides == expected


def test_without_rocrate_the_remedy_is_named(
    capfd: pytest.CaptureFixture[str],
    one_run: RunFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("rocrate", "rocrate.rocrate", "rocrate.model.contextentity"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "machmeter.report.exports.ro_crate", raising=False)
    code, _, err = call(capfd, "export", "--format", "ro-crate", "-o", str(tmp_path / "crate"))
    assert code == ExitCode.MACHINE_LACKS
    assert "-m pip install rocrate" in err


def test_a_crate_holds_each_file_once_whatever_lies_beside_the_run(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    pytest.importorskip("rocrate")
    for name in ("figures.csv", "ro-crate-metadata.json"):
        (one_run.path / name).write_text("mine")
    target = tmp_path / "crate.zip"
    code, _, err = call(capfd, "export", "--format", "ro-crate", "-o", str(target))
    assert (code, err) == (ExitCode.DONE, "")
    with zipfile.ZipFile(target) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names))
        metadata = json.loads(archive.read("ro-crate-metadata.json"))
    measured, made = (one for one in metadata["@graph"] if one["@type"] == "CreateAction")
    both = [{one["@id"] for one in action["result"]} for action in (measured, made)]
    assert not both[0] & both[1]


def test_nothing_is_written_over_or_into_what_a_run_recorded(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    pytest.importorskip("rocrate")
    before = (one_run.path / "run.json").read_bytes()
    for words, told in (
        (("report", "last", "-o", "run.json"), "would replace what a run recorded"),
        (("export", "last", "-o", "launches/00001.jsonl"), "would replace what a run recorded"),
        (("export", "--format", "ro-crate", "-o", "crate"), "is inside the folder of the run"),
    ):
        *others, name = words
        code, _, err = call(capfd, *others, str(one_run.path / name))
        assert code == ExitCode.WRONG_USAGE
        assert told in err
    assert (one_run.path / "run.json").read_bytes() == before
    assert not (one_run.path / "crate").exists()
