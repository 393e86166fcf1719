"""A study on a model of a machine: from the command to the page, by the program that simulates."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.processes.machmeter_command import MachmeterCommand, assert_refused

# Of the twin `two-nodes`, seconds and bytes per second.
OVERHEAD, NIC, BANDWIDTH, EAGER = 0.25e-6, 0.5e-6, 10e9, 8192
RUN = ("run", "network.latency", "network.bandwidth", "network.pairs", "--on", "two-nodes")


@pytest.fixture(scope="module")
def command(cache_for_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> MachmeterCommand:
    return MachmeterCommand(cache_for_runs, tmp_path_factory.mktemp("twin") / "data")


@pytest.fixture(scope="module")
def folder(command: MachmeterCommand) -> Path:
    return command.data.parent / "a run"


@pytest.fixture(scope="module")
def result(command: MachmeterCommand, folder: Path) -> Any:
    return json_of(command, *RUN, "--output", folder)


def json_of(command: MachmeterCommand, *words: str | Path) -> Any:
    done = command.run(*words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def latencies(result: Any) -> dict[int, float]:
    """Of plain messages over the network, seconds by size."""
    found = {}
    for one in result["estimates"]:
        point = one["point"]
        parameters = dict(map(tuple, point["parameters"]))
        plain = parameters.get("pattern") == "ping-pong" and point["layout"]["nodes"] == 2
        if point["benchmark"] == "network.latency" and plain:
            found[parameters["size"]] = one["value"]
    return found


def test_every_result_says_that_it_is_simulated(result: Any) -> None:
    assert {one["origin"] for one in result["estimates"]} == {"simulated"}
    assert {one["launches"] for one in result["estimates"]} == {1}
    assert not any(one["reached"] for one in result["estimates"])
    assert result["caveats"][0]["kind"] == "a model of a machine states the results"
    assert {one["confidence"] for one in result["findings"]} <= {
        "simulated",
        "inconclusive",
        "none",
    }
    assert "simulated" in {one["confidence"] for one in result["findings"]}


def test_its_document_is_as_the_schema_says(command: MachmeterCommand, result: Any) -> None:
    schema = json.loads(command.run("schema", "run").stdout)
    jsonschema.validate(result, schema)


def test_times_are_those_of_the_model(result: Any) -> None:
    short = 2 * OVERHEAD + NIC
    found = latencies(result)
    assert found[8] == pytest.approx(short + 8 / BANDWIDTH, rel=1e-9)
    assert found[EAGER] == pytest.approx(short + EAGER / BANDWIDTH, rel=1e-9)
    assert found[2**20] == pytest.approx(3 * short + 2**20 / BANDWIDTH, rel=1e-9)


def test_it_states_the_same_every_time(command: MachmeterCommand, result: Any) -> None:
    again = json_of(command, *RUN)
    assert [one["value"] for one in again["estimates"]] == [
        one["value"] for one in result["estimates"]
    ]


def test_a_changed_model_changes_what_depends_on_it(command: MachmeterCommand, result: Any) -> None:
    change = ("--with", "network.injection_bandwidth=2x")
    before, after = latencies(result), latencies(json_of(command, *RUN, *change))
    assert after[8] == pytest.approx(before[8], rel=1e-3)
    gained = 2**20 / BANDWIDTH / 2
    assert after[2**20] == pytest.approx(before[2**20] - gained, rel=1e-9)


def test_the_page_and_exports_say_so(command: MachmeterCommand, result: Any, folder: Path) -> None:
    del result
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Simulated on a model of two-nodes" in page
    assert "error band" in page
    assert "confidence interval over launches" not in page
    assert '"origin":"simulated"' in (folder / "launches" / "00001.jsonl").read_text().replace(
        " ", ""
    )
    shown = command.run("show", folder)
    assert shown.returncode == 0
    assert "Simulated on a model" in shown.stdout


def test_it_is_compared_with_another_run_without_a_test(
    command: MachmeterCommand, folder: Path, result: Any
) -> None:
    del result
    other = command.data.parent / "hopper"
    words = ("network.latency", "--set", "size=8,1MiB", "--on", "hopper", "--output", other)
    json_of(command, "run", *words)
    done = command.run("compare", folder, other)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(("simulated hopper", "simulated two-nodes"))
    figures = command.run("export", other)
    assert {row["origin"] for row in csv.DictReader(io.StringIO(figures.stdout))} == {"simulated"}
    listed = next(line for line in command.run("runs").stdout.splitlines() if "--on hopper" in line)
    assert "simulated hopper" in listed
    assert "--on hopper" in listed


def test_a_plan_is_printed_and_nothing_launched(command: MachmeterCommand) -> None:
    planned = json_of(command, *RUN, "--dry-run")
    assert planned["launches_at_least"] == len(planned["plan"]["specs"]) + 1
    assert planned["request"]["twin"]["name"] == "two-nodes"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--on", "hoper"), "hopper"),
        (("--on", "no-such-file.toml"), "no-such-file.toml"),
        (("--on", "two-nodes", "--nodes", "3"), "2 nodes"),
        (("--on", "two-nodes", "--hosts", "a,b"), "--hosts"),
        (("--on", "two-nodes", "--with", "network.hop_latncy=2x"), "network.hop_latency"),
        (("--on", "two-nodes", "--with", "network.hop_latency=2 GB/s"), "GB/s"),
        (("--on", "two-nodes", "--name", "mine"), "--name"),
        (("--with", "network.hop_latency=2x"), "--on"),
        (("--on", "two-nodes", "--mpi", "/opt/openmpi"), "not modeled"),
        (("--on", f"{'x' * 300}.toml"), "cannot read"),
        (("--on", "two-nodes", "--nodes", "1000000"), "2 nodes"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_refused(
    command: MachmeterCommand, words: tuple[str, ...], named: str
) -> None:
    assert_refused(command.run("run", "network.latency", *words), 2, named)


def test_the_page_shows_how_sensitive_results_are(folder: Path, result: Any) -> None:
    del result
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Sensitivity of the results to each parameter" in page
    rows = page[page.index("Sensitivity of the results") :]
    # Of a message of 1 MiB nearly all, and its bandwidth.
    assert rows.index("network.injection_bandwidth") < rows.index("network.nic_latency")
    assert "Without effect on these results: " in rows


def test_a_simulated_run_is_no_baseline(
    command: MachmeterCommand, folder: Path, result: Any
) -> None:
    del result
    assert_refused(command.run("run", "--against", folder), 2, "simulated")


def test_simulated_runs_are_not_pooled(
    command: MachmeterCommand, folder: Path, result: Any
) -> None:
    del result
    both = f"{folder},{folder}"
    other = command.data.parent / "again"
    json_of(command, *RUN, "--output", other)
    assert_refused(command.run("compare", f"{folder},{other}", both), 2)


def test_what_models_lack_does_not_stop_a_run(command: MachmeterCommand) -> None:
    names = ("memory.stream", "network.bandwidth")
    found = json_of(command, "run", *names, "--on", "two-nodes", "--nodes", "2")
    assert {one["point"]["benchmark"] for one in found["estimates"]} == {"network.bandwidth"}
    assert any(one["what"] == "memory.stream" for one in found["plan"]["skipped"])


def test_an_interrupted_run_is_continued(command: MachmeterCommand) -> None:
    target = command.data.parent / "interrupted"
    whole = json_of(command, *RUN, "--output", target)
    last = max(target.glob("launches/*.outcome.json"))
    for path in target.glob(f"launches/{last.name[:5]}.*"):
        path.unlink()
    (target / "state.json").write_text('{"state": "interrupted", "wall_seconds": 1.0}')
    resumed = json_of(command, "run", "--resume", target)
    assert [one["value"] for one in resumed["estimates"]] == [
        one["value"] for one in whole["estimates"]
    ]
    assert resumed["state"] == "finished"
