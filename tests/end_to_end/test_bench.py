"""Two rounds against the peers that Debian has: a row of every quantity, and nothing failed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from machmeter.machine.detect import detect_machine
from tests.support.paths import ROOT
from tests.support.processes.machmeter_command import MachmeterCommand

pytestmark = [pytest.mark.alone, pytest.mark.full]

HPCC = {
    "triad, one process",
    "triad, each of two",
    "half round trip, 8 B",
    "ping-pong bandwidth, 2000000 B",
}
TRIAD = {"same kernel", "kernel of four arrays", "highest triad", "highest loop", "temporal"}
# It stores 16 bytes at addresses 8 bytes apart (issue 649 of likwid).
BROKEN_LOOP = "likwid stream_mem, "
NO_PATH = "STREAM: no path given"


def outcome_of(command: MachmeterCommand, name: str) -> dict[str, Any]:
    words = ("--only", name, "--rounds", "2", "--array-bytes", "32MB", "--json")
    done = subprocess.run(
        [sys.executable, "-m", "bench", *words],
        cwd=ROOT,
        env=command.environment,
        capture_output=True,
        encoding="utf-8",
        timeout=560,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)["outcomes"][name]
    missing = [line for line in outcome["skipped"] if not line.startswith(NO_PATH)]
    if missing:
        pytest.skip(missing[0])
    assert {row["launches"] for row in outcome["rows"]} == {2}, outcome
    assert all(row["low"] <= row["ratio"] <= row["high"] for row in outcome["rows"]), outcome
    return outcome


def test_every_quantity_of_hpcc_is_compared(command: MachmeterCommand) -> None:
    outcome = outcome_of(command, "hpcc")
    assert outcome["failures"] == []
    words = [row["what"].split(", ") for row in outcome["rows"]]
    assert {f"{first}, {last}" for first, *_, last in words} == HPCC


def test_every_quantity_of_likwid_is_compared(command: MachmeterCommand) -> None:
    outcome = outcome_of(command, "triad")
    assert [f for f in outcome["failures"] if not f.startswith(BROKEN_LOOP)] == []
    rows = [row["what"].split("\n", 1)[0].split(", ") for row in outcome["rows"]]
    for threads in ("1 thread", "2 threads")[: len(detect_machine().topology.usable_cores)]:
        found = {row[0] if row[0] == "temporal" else row[-1] for row in rows if threads in row}
        assert found == TRIAD


def test_the_cpus_as_a_device_are_compared_with_themselves(command: MachmeterCommand) -> None:
    outcome = outcome_of(command, "device")
    assert outcome["failures"] == []
    counts = ("1 thread", "2 threads")[: len(detect_machine().topology.usable_cores)]
    assert [row["what"].split("\n", 1)[0] for row in outcome["rows"]] == [
        f"triad, {threads}" for threads in counts
    ]
