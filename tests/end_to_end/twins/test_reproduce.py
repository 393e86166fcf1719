"""The printed figures of a study beside those of twins, by the program that simulates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from machmeter.api.context import Context
from machmeter.api.twins.simulating import estimates_on
from machmeter.model.layout import Layout
from machmeter.model.point import make_point
from machmeter.simulation.builtin import find_twin
from tests.support.processes.machmeter_command import MachmeterCommand


@pytest.fixture(scope="module")
def command(cache_for_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> MachmeterCommand:
    return MachmeterCommand(cache_for_runs, tmp_path_factory.mktemp("reproduce") / "data")


@pytest.fixture(scope="module")
def edison_and_hopper(command: MachmeterCommand) -> Any:
    return reproduced(command, "edison-network")


def reproduced(command: MachmeterCommand, *words: str) -> Any:
    done = command.run("reproduce", *words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def figure(document: Any, machine: str, name: str) -> Any:
    figures = next(one["figures"] for one in document["machines"] if one["machine"] == machine)
    return next(one for one in figures if one["printed"]["id"] == name)


def near_latency(name: str, size: int) -> float:
    """Seconds of a message between the two nodes of a job, on the NIC's package."""
    value = find_twin(name).value
    return (
        2 * value("network.software_overhead")
        + value("network.nic_latency")
        + value("network.pair_hops") * value("network.hop_latency")
        + size / value("network.injection_bandwidth")
    )


def test_a_study_is_reproduced_on_all_its_machines(
    command: MachmeterCommand, edison_and_hopper: Any
) -> None:
    schema = json.loads(command.run("schema", "reproduce").stdout)
    jsonschema.validate(edison_and_hopper, schema)
    assert [one["machine"] for one in edison_and_hopper["machines"]] == ["edison", "hopper"]
    for machine in edison_and_hopper["machines"]:
        assert sum(machine["counts"].values()) == len(machine["figures"])
        assert machine["changes"] == []
        stated = [one for one in machine["figures"] if one["figure_class"] == "predicted"]
        assert len(stated) == machine["predicted"]
        sizes = [abs(one["twin"]["deviation"]) for one in stated]
        assert sizes == sorted(sizes, reverse=True)
        assert machine["figures"][: len(stated)] == stated


def test_without_a_name_all_machines_are_reproduced(
    command: MachmeterCommand, edison_and_hopper: Any
) -> None:
    every = reproduced(command)
    assert every["name"] == ""
    assert len(every["machines"]) == 6
    for machine in edison_and_hopper["machines"]:
        assert machine in every["machines"]


def test_a_latency_is_that_of_the_closed_form(edison_and_hopper: Any) -> None:
    found = figure(edison_and_hopper, "edison", "latency-first-socket")
    microseconds = near_latency("edison", 8) * 1e6
    assert found["twin"]["value"] == pytest.approx(microseconds, rel=1e-9)
    assert found["twin"]["deviation"] == pytest.approx(microseconds / 1.5 - 1, rel=1e-9)
    assert found["rule"]["value"] == 1.3


def test_a_figure_is_the_result_of_its_point(
    command: MachmeterCommand, edison_and_hopper: Any
) -> None:
    point = make_point(
        "network.pairs",
        {"size": 8, "definition": "classic"},
        Layout(nodes=2, ranks_per_node=8, package=1),
    )
    context = Context(data=command.data, cache=command.cache)
    found = estimates_on(find_twin("edison"), [point], context)
    seconds = next(one.value for one in found if one.metric == "mean_latency")
    stated = figure(edison_and_hopper, "edison", "latency-second-socket")["twin"]["value"]
    assert stated == pytest.approx(seconds * 1e6, rel=1e-12)


def test_a_changed_model_changes_what_depends_on_it(
    command: MachmeterCommand, edison_and_hopper: Any
) -> None:
    after = reproduced(command, "edison", "--with", "network.hop_latency=2x")
    assert after["machines"][0]["changes"] == ["network.hop_latency=2x"]
    value = find_twin("edison").value
    gained = value("network.pair_hops") * value("network.hop_latency") * 1e6
    for name in ("latency-first-socket", "latency-second-socket"):
        before = figure(edison_and_hopper, "edison", name)["twin"]["value"]
        now = figure(after, "edison", name)["twin"]["value"]
        assert now == pytest.approx(before + gained, rel=1e-9)
    before = figure(edison_and_hopper, "edison", "bandwidth-one-way")["twin"]["value"]
    now = figure(after, "edison", "bandwidth-one-way")["twin"]["value"]
    assert now == pytest.approx(before, rel=1e-3)


def test_the_table_names_every_figure(command: MachmeterCommand, edison_and_hopper: Any) -> None:
    done = command.run("reproduce", "edison-network")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    for machine in edison_and_hopper["machines"]:
        for one in machine["figures"]:
            assert one["printed"]["id"] in done.stdout


@pytest.mark.parametrize("study", ["louhi", "edison-network", "comet-network"])
def test_what_was_fitted_is_reproduced(command: MachmeterCommand, study: str) -> None:
    fitted = [
        one
        for machine in reproduced(command, study)["machines"]
        for one in machine["figures"]
        if one["figure_class"] == "fitted"
    ]
    assert fitted
    assert max(abs(one["twin"]["deviation"]) for one in fitted) < 0.01


# Predicted figures of single results, by machine: the benchmark that each is of.
OF_BENCHMARK = {
    "edison": {
        "latency-first-socket": "network.pairs",
        "latency-16-pairs": "network.pairs",
        "bandwidth-one-way": "network.bandwidth",
    },
    "hopper": {
        "bandwidth-both-ways": "network.bandwidth",
        "bandwidth-one-way": "network.bandwidth",
    },
    "comet": {
        "shmem-get": "network.onesided",
        "atomics-inc-time": "network.atomics",
        "atomics-compare-swap-time": "network.atomics",
    },
}


@pytest.mark.parametrize("study", ["edison-network", "comet-network"])
def test_bands_hold_what_was_predicted(command: MachmeterCommand, study: str) -> None:
    document = reproduced(command, study)
    for machine in {one["machine"] for one in document["machines"]} & OF_BENCHMARK.keys():
        for name, benchmark in OF_BENCHMARK[machine].items():
            share = find_twin(machine).band(benchmark)
            assert share is not None
            ratio = 1 + figure(document, machine, name)["twin"]["deviation"]
            assert max(ratio, 1 / ratio) <= 1 + share
