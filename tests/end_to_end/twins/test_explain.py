"""`machmeter twin explain`: parts of a simulated time, by the program that simulates."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from machmeter.api.context import Context
from machmeter.api.twins.explaining import TimeQuestion, explained
from machmeter.api.twins.simulating import estimates_on
from machmeter.cli.schemas import schema_of
from machmeter.model.layout import Layout
from machmeter.model.point import Point
from machmeter.simulation.builtin import find_twin
from tests.support.processes.machmeter_command import MachmeterCommand, assert_refused

FARTHEST = ("twin", "explain", "ping-pong 8 B, farthest", "--on", "hopper")


@pytest.fixture(scope="module")
def command(cache_for_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> MachmeterCommand:
    return MachmeterCommand(cache_for_runs, tmp_path_factory.mktemp("explained") / "data")


def test_the_parts_add_up_as_printed(command: MachmeterCommand) -> None:
    done = command.run(*FARTHEST)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if " µs " in line and "%" in line]
    *parts, total = ([float(line[1]), float(line[3])] for line in lines)
    assert [sum(column) for column in zip(*parts, strict=True)] == pytest.approx(total, abs=1e-9)
    assert "24 links between routers x 105 ns" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_a_program_gets_the_parts(command: MachmeterCommand) -> None:
    done = command.run(*FARTHEST, "--with", "network.hop_latency=2x", "--json")
    found = json.loads(done.stdout)
    jsonschema.validate(found, schema_of("twin-explain"))
    assert found["hops"] == 24
    seconds = {part["name"]: part["seconds"] for part in found["parts"]}
    assert sum(seconds.values()) == pytest.approx(found["seconds"], rel=1e-12)
    assert seconds["hops"] == pytest.approx(24 * 210e-9)
    assert found["changes"][0].startswith("network.hop_latency = 210 ns")


def test_a_word_that_cannot_be_written_is_refused(command: MachmeterCommand) -> None:
    assert_refused(command.run("twin", "explain", "ping 8 B", "--on", "hopper"), 2, "ping-pong")


def test_the_whole_is_the_latency_that_a_run_states(cache_for_runs: Path) -> None:
    context = Context(cache=cache_for_runs)
    found = explained(find_twin("edison"), TimeQuestion("ping-ping", 2**20, "farthest"), context)
    values: dict[str, int | str] = {
        "size": 2**20,
        "pattern": "ping-ping",
        "way": "blocking",
        "data": "contiguous",
        "buffers": "hot",
    }
    point = Point("network.latency", tuple(sorted(values.items())), Layout(nodes=2))
    (stated,) = estimates_on(find_twin("edison"), (point,), context, pair="far")
    assert found.seconds == pytest.approx(stated.value, rel=1e-12)
