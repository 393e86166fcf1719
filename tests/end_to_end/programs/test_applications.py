"""Applications that come with machmeter, measured from one command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from machmeter.store.records import read_record
from tests.support.processes.machmeter_command import MachmeterCommand

# Launches of other tests would be seen, and these rejected as contended.
pytestmark = pytest.mark.alone


@pytest.mark.skipif(not shutil.which("hpcc"), reason="needs HPC Challenge: apt install hpcc")
def test_hpc_challenge_is_measured_under_its_layouts(
    command_beside_others: MachmeterCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = command_beside_others
    words = ("explore", "hpcc", "--ranks", "2", "--launches", "2", "--json")
    done = command.run(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    layouts = {one["point"]["layout"]["binding"] for one in result["estimates"]}
    assert layouts == {"close", "default"}
    metrics = {one["metric"] for one in result["estimates"]}
    assert metrics == {"hpl", "stream-triad-per-rank", "fft", "random-access", "wall"}
    assert all(one["value"] > 0 for one in result["estimates"])
    assert len(result["findings"]) == 1
    # The version is recorded; the grid of the input file is that of the ranks.
    folder = Path(command.data) / "runs" / result["header"]["id"]
    outputs = [read_record(path).output for path in folder.glob("launches/*.jsonl")]
    assert {one.version for one in outputs if one} == {"1.5.0"}
    said = command.run("runs").stdout
    assert "explore --ranks 2 " in said
    assert " hpcc " in said
