"""A crate read back by the library of its makers says what the profile of process runs asks."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from machmeter.model.results.run import RunResult, RunState
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import FakeLauncher, new_folder, run_to_end

rocrate = pytest.importorskip("rocrate.rocrate")

from machmeter.report.exports.ro_crate import (  # noqa: E402 - only where rocrate is there
    METADATA,
    PROFILE,
    UNKNOWN,
    Author,
    CrateFile,
    describe_crate,
    ended,
    records_in,
    write_crate,
)

LICENSE = "https://spdx.org/licenses/CC-BY-4.0"
AUTHOR = Author("A. Näme", "https://orcid.org/0000-0001-2345-6789")


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return run_to_end(new_folder(tmp_path / "run ü"), FakeLauncher())


def made_now(tmp_path: Path) -> tuple[CrateFile, ...]:
    files = {"figures.csv": "value\n1\n", "report.html": "<!doctype html>"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tuple(CrateFile(tmp_path / name, name) for name in files)


def written(
    folder: RunFolder,
    target: Path,
    author: Author = UNKNOWN,
    result: RunResult | None = None,
    license_address: str = "",
) -> Path:
    measured, made = tuple(records_in(folder.path)), made_now(target.parent)
    crate = describe_crate(result or collect(folder), measured, made, author, license_address)
    write_crate(crate, (*measured, *made), target, lambda _: None)
    return target


def actions_of(crate: Any) -> tuple[Any, Any]:
    """The measuring and the making of figures."""
    measured, made = crate.root_dataset["mentions"]
    return measured, made


def test_the_root_is_what_the_profile_asks(folder: RunFolder, tmp_path: Path) -> None:
    crate = rocrate.ROCrate(written(folder, tmp_path / "crate", AUTHOR, license_address=LICENSE))
    root = crate.root_dataset
    assert crate.version == "1.1"
    assert root["conformsTo"].id == PROFILE
    assert "CreativeWork" in root["conformsTo"].type
    assert root["license"].id == LICENSE
    assert root["about"].id == "#machine"
    assert root["about"]["name"] == "made-up"
    for name in ("name", "description", "datePublished"):
        assert root[name]


def test_actions_say_who_with_what_when_from_what(folder: RunFolder, tmp_path: Path) -> None:
    result = collect(folder)
    crate = rocrate.ROCrate(written(folder, tmp_path / "crate", AUTHOR))
    measured, made = actions_of(crate)
    for action in (measured, made):
        assert action.type == "CreateAction"
        assert action.id.startswith("urn:uuid:")
        assert action["instrument"].type == "SoftwareApplication"
        assert action["instrument"]["name"] == "machmeter"
        assert action["agent"].id == AUTHOR.address
        assert action["agent"]["name"] == AUTHOR.name
        assert action["name"]
        assert action["description"]
        assert action["endTime"]
    assert measured["instrument"]["softwareVersion"] == result.header.version
    assert measured["startTime"] == result.header.started
    assert measured["endTime"] == ended(result) >= measured["startTime"]
    assert str(measured["actionStatus"]).endswith("/CompletedActionStatus")
    assert [file.id for file in measured["object"]] == ["run.json", "plan.json"]
    records = {file.id for file in measured["result"]}
    assert {folder.record_path(n).relative_to(folder.path).as_posix()
            for n in folder.launch_numbers()} <= records  # fmt: skip
    assert [file.id for file in made["result"]] == ["figures.csv", "report.html"]
    assert records < {file.id for file in made["object"]}


def test_every_file_is_there_as_it_was_with_its_size(folder: RunFolder, tmp_path: Path) -> None:
    target = written(folder, tmp_path / "crate")
    crate = rocrate.ROCrate(target)
    named = {entity.id: entity for entity in crate.get_by_type("File")}
    there = {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()}
    assert there - {METADATA} == named.keys()
    for path, entity in named.items():
        assert int(entity["contentSize"]) == (target / path).stat().st_size
        assert "/" in entity["encodingFormat"]
        assert entity["name"]
        original = folder.path / path
        assert not original.exists() or original.read_bytes() == (target / path).read_bytes()


def test_an_archive_holds_the_same(folder: RunFolder, tmp_path: Path) -> None:
    target = written(folder, tmp_path / "crate.zip")
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        names = set(archive.namelist())
        graph = json.loads(archive.read(METADATA))["@graph"]
    files = {one["@id"] for one in graph if one["@type"] == "File"}
    assert names == files | {METADATA}
    crate = rocrate.ROCrate(target)
    assert crate.root_dataset["conformsTo"].id == PROFILE


def test_every_reference_of_the_graph_leads_to_an_entity(folder: RunFolder, tmp_path: Path) -> None:
    document = json.loads((written(folder, tmp_path / "crate", AUTHOR) / METADATA).read_text())
    graph = document["@graph"]
    known = {one["@id"] for one in graph}
    assert len(known) == len(graph)
    assert document["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    outside = ("http://schema.org/", "https://w3id.org/ro/crate/1.1")
    for entity in graph:
        for value in entity.values():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict):
                    assert one["@id"] in known or one["@id"].startswith(outside)


def test_nobody_named_is_the_operator_and_no_license_is_made_up(
    folder: RunFolder, tmp_path: Path
) -> None:
    crate = rocrate.ROCrate(written(folder, tmp_path / "crate"))
    assert actions_of(crate)[0]["agent"]["name"] == "operator of made-up-host"
    assert crate.root_dataset.get("license") is None


def test_a_run_that_was_interrupted_says_so(folder: RunFolder, tmp_path: Path) -> None:
    result = replace(collect(folder), state=RunState.INTERRUPTED)
    measured, _ = actions_of(rocrate.ROCrate(written(folder, tmp_path / "crate", result=result)))
    assert str(measured["actionStatus"]).endswith("/FailedActionStatus")
    assert "interrupted" in measured["error"]


@pytest.mark.parametrize("name", ["crate", "crate.zip"])
def test_what_is_there_already_stays(folder: RunFolder, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    target.write_text("earlier")
    with pytest.raises(FileExistsError):
        written(folder, target)
    assert target.read_text() == "earlier"


@pytest.mark.parametrize("name", ["crate", "crate.zip"])
def test_a_crate_that_breaks_off_leaves_nothing(
    folder: RunFolder, tmp_path: Path, name: str
) -> None:
    files = tuple(records_in(folder.path))
    crate = describe_crate(collect(folder), files, ())
    (folder.path / "state.json").unlink()
    before = sorted(p.name for p in tmp_path.iterdir())
    with pytest.raises(FileNotFoundError):
        write_crate(crate, files, tmp_path / name, lambda _: None)
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_links_what_was_cut_off_and_what_is_not_the_runs_are_left_out(folder: RunFolder) -> None:
    (folder.path / "launches" / "00099.jsonl.partial").write_text("{")
    (folder.path / "link").symlink_to("/etc/hostname")
    before = {file.path for file in records_in(folder.path)}
    for name in ("report.html", "figures.csv", METADATA, "launches/00001.txt", "crate/run.json"):
        (folder.path / name).parent.mkdir(exist_ok=True)
        (folder.path / name).write_text("{}")
    paths = {file.path for file in records_in(folder.path)}
    assert paths == before
    assert {"run.json", "plan.json", "state.json", "launches/00001.jsonl"} <= paths
    assert not paths & {"launches/00099.jsonl.partial", "link"}
