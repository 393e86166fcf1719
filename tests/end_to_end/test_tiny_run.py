"""A small real run from the command to the page, and everything that can be done with it after."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet
import pytest

from tests.support.processes.machmeter_command import (
    MachmeterCommand,
    assert_refused,
    tiny,
    verdicts,
)

HOSTILE = "<script>alert(1)</script>"
SIZES = {"4096", "65536"}
FRESH = ("--fresh-sizes",)


@pytest.fixture(scope="module")
def command(cache_for_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> MachmeterCommand:
    return MachmeterCommand(cache_for_runs, tmp_path_factory.mktemp("tiny") / "data")


@pytest.fixture(scope="module")
def folder(command: MachmeterCommand) -> Path:
    return command.data.parent / "Messung an Gerät № 7, 測定"


@pytest.fixture(scope="module")
def result(command: MachmeterCommand, folder: Path) -> Any:
    words = (*tiny("memory.latency", "size=4KiB,64KiB"), "network.latency", "--name", HOSTILE)
    done = command.run(*words, "--output", folder, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def schema(command: MachmeterCommand, name: str) -> Any:
    return json.loads(command.run("schema", name).stdout)


def test_the_run_has_what_was_asked_and_no_more(result: Any, folder: Path) -> None:
    benchmarks = Counter(one["point"]["benchmark"] for one in result["estimates"])
    # Two sizes, and for memory.latency two page sizes where the machine has huge ones.
    assert benchmarks["network.latency"] == 2
    assert benchmarks["memory.latency"] in (2, 4)
    assert all(one["low"] <= one["value"] <= one["high"] for one in result["estimates"])
    assert all(one["value"] > 0 and one["launches"] == 2 for one in result["estimates"])
    assert {one["value"] for one in result["estimates"]} != {result["estimates"][0]["value"]}
    assert result["state"] == "finished"
    for spec, ended in verdicts(folder).items():
        wanted = 3 if spec == "sizing" else 2
        assert ended == ["accepted"] * wanted, spec


def test_its_json_is_what_the_schema_says(result: Any, command: MachmeterCommand) -> None:
    jsonschema.validate(result, schema(command, "run"))


def test_time_is_accounted_for(result: Any) -> None:
    use = result["time_use"]
    assert 0 < use["timed"] <= use["launches"] <= use["wall"]


def test_a_run_in_a_folder_with_spaces_and_unicode_is_listed_and_shown(
    result: Any, command: MachmeterCommand, folder: Path
) -> None:
    listed = command.run("runs", "--json")
    runs = json.loads(listed.stdout)
    jsonschema.validate(runs, schema(command, "runs"))
    assert [(run["folder"], run["state"], run["rejected"]) for run in runs["runs"]] == [
        (str(folder), "finished", 0)
    ]
    shown = command.run("show", folder)
    assert shown.returncode == 0
    assert len(shown.stdout.splitlines()) <= 40
    assert "network" in shown.stdout or "Message latency" in shown.stdout
    jsonschema.validate(
        json.loads(command.run("show", result["header"]["id"], "--json").stdout),
        schema(command, "show"),
    )


def test_the_page_escapes_the_name_of_the_machine(result: Any, folder: Path) -> None:
    page = (folder / "report.html").read_text()
    assert HOSTILE not in page
    assert "alert(1)" in page
    assert len(page.encode()) < 2_000_000


def test_figures_come_out_as_csv_json_and_parquet(result: Any, command: MachmeterCommand) -> None:
    target = command.data / "figures.parquet"
    as_csv = command.run("export", "last", "--format", "csv")
    as_json = command.run("export", "last", "--format", "json")
    as_parquet = command.run("export", "last", "--format", "parquet", "-o", target, "--json")
    assert [done.returncode for done in (as_csv, as_json, as_parquet)] == [0, 0, 0]
    jsonschema.validate(json.loads(as_parquet.stdout), schema(command, "export"))
    rows = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    expected = sorted(one["value"] for one in result["estimates"])
    assert sorted(float(row["value"]) for row in rows) == pytest.approx(expected)
    assert sorted(row["value"] for row in json.loads(as_json.stdout)) == pytest.approx(expected)
    table = pyarrow.parquet.read_table(target)
    assert sorted(table.column("value").to_pylist()) == pytest.approx(expected)


def test_raw_samples_are_those_of_the_records(
    result: Any, command: MachmeterCommand, folder: Path
) -> None:
    done = command.run("export", folder, "--what", "samples")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    recorded: list[float] = []
    for path in sorted((folder / "launches").glob("*.jsonl")):
        for line in map(json.loads, path.read_text().splitlines()):
            for samples in line.get("series", {}).values():
                recorded += samples
    assert [float(row["seconds"]) for row in rows] == pytest.approx(recorded)


def test_the_index_is_made_again_from_the_records(
    result: Any, command: MachmeterCommand, folder: Path
) -> None:
    before = json.loads(command.run("runs", "--json").stdout)
    (command.data / "index.sqlite").write_bytes(b"rubbish, no index of ours" * 100)
    rebuilt = command.run("store", "rebuild", "--json")
    assert rebuilt.returncode == 0, rebuilt.stderr
    jsonschema.validate(json.loads(rebuilt.stdout), schema(command, "store-rebuild"))
    assert json.loads(rebuilt.stdout)["runs"] == 1
    assert json.loads(command.run("runs", "--json").stdout) == before


def test_a_run_folder_that_was_moved_is_shown_by_its_path(
    result: Any, command: MachmeterCommand, folder: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "else where" / "measured"
    shutil.copytree(folder, moved)
    stranger = MachmeterCommand(command.cache, tmp_path / "another user")
    shown = json.loads(stranger.run("show", moved, "--json").stdout)
    assert shown["estimates"] == result["estimates"]
    page = tmp_path / "page.html"
    assert stranger.run("report", moved, "-o", page).returncode == 0
    assert page.stat().st_size > 100_000
    assert_refused(stranger.run("show", result["header"]["id"]), 2, "there is no run")


def test_a_finished_run_is_not_measured_again(
    result: Any, command: MachmeterCommand, folder: Path
) -> None:
    before = sorted((folder / "launches").iterdir())
    done = command.run("run", "--resume", folder)
    assert done.returncode == 0
    assert "has ended: nothing is left to measure" in done.stderr
    assert sorted((folder / "launches").iterdir()) == before
    again = command.run(*tiny("memory.latency", "size=4KiB"), "--output", folder)
    assert_refused(again, 2, "holds a run already", "--resume")
    assert sorted((folder / "launches").iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "words", ["show last", "show last --json", "export last", "export last --format parquet"]
)
def test_a_full_disk_behind_standard_output_is_told(
    words: str, result: Any, command: MachmeterCommand
) -> None:
    under = ("sh", "-c", 'exec "$@" > /dev/full', "sh")
    done = command.run(*words.split(), under=under)
    assert done.returncode == 3, done.stderr
    assert "internal error" not in done.stderr
    if "--json" not in words:
        assert_refused(done, 3, "the output is full")


@pytest.mark.parametrize("words", ["list", "list --json", "schema run"])
def test_a_reader_who_leaves_is_no_error(words: str, command: MachmeterCommand) -> None:
    under = ("bash", "-o", "pipefail", "-c", '"$@" | head -n 1', "bash")
    done = command.run(*words.split(), under=under)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_the_next_run_has_the_sizes_of_this_one(command_beside_others: MachmeterCommand) -> None:
    words = (*tiny("memory.stream", "kernel=triad"), "--threads", "1", "--pages", "4KiB")
    done = command_beside_others.run(*words, "--json")
    first = json.loads(done.stdout)
    known = first["last_cache"]
    for options, names in (((), [first["header"]["id"]] * bool(known["measured"])), (FRESH, [])):
        planned = command_beside_others.run(*words, *options, "--dry-run", "--json")
        cache = json.loads(planned.stdout)["plan"]["last_cache"]
        assert cache.get("runs", []) == names
        assert cache["size"] == (known["size"] if names else known["described"] or 32 * 2**20)


@pytest.mark.parametrize("name", ["report", "export"])
def test_a_pipe_is_never_replaced_by_a_file(
    name: str, result: Any, command: MachmeterCommand, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = command.run(name, "last", "-o", tmp_path / "pipe")
    assert_refused(done, 2, "is a device or pipe, not a file")
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("cut", [10, "closing line"])
def test_a_truncated_record_is_reported_and_never_used(
    cut: int | str, result: Any, command: MachmeterCommand, folder: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged)
    launch = next(o["launch"] for o in result["outcomes"] if o["spec"].startswith("network"))
    record = damaged / "launches" / f"{launch:05d}.jsonl"
    content = record.read_bytes()
    whole_lines = content[: content.rstrip(b"\n").rfind(b"\n") + 1]
    record.write_bytes(content[:-cut] if isinstance(cut, int) else whole_lines)
    shown = json.loads(command.run("show", damaged, "--json").stdout)
    outcome = next(o for o in shown["outcomes"] if o["launch"] == launch)
    assert outcome["verdict"] == "incomplete"
    assert "verified when it was accepted" in outcome["reasons"][0]
    for estimate in shown["estimates"]:
        if estimate["point"]["benchmark"] == "network.latency":
            assert launch not in estimate["launch_numbers"]
            assert estimate["launches"] == 1
    assert any("1 launch incomplete" in caveat["text"] for caveat in shown["caveats"])
    (damaged / "report.html").unlink()
    resumed = command.run("run", "--resume", damaged)
    assert resumed.returncode == 1
    assert "verified when it was accepted" in " ".join(resumed.stdout.split()), resumed.stderr
    assert (damaged / "report.html").is_file(), "one launch alone has no interval, but a page"
