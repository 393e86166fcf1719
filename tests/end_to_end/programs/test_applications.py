"""Applications that come with machmeter, measured from one command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from machmeter.api.programs.known import app
from machmeter.apps.builtin import app_names
from machmeter.model.plan.description import EchoOf
from machmeter.store.records import read_record
from tests.support.processes.machmeter_command import MachmeterCommand

# Launches of other tests would be seen, and these rejected as contended.
pytestmark = pytest.mark.alone


# With `make test-full`: test_described_programs.py goes the same way with a program of its own. The
# others have `make test-apps`.
OFTEN = ("hpcc",)


def parameters() -> list[ParameterSet]:
    marks = {name: pytest.mark.full if name in OFTEN else pytest.mark.apps for name in app_names()}
    return [pytest.param(name, marks=marks[name]) for name in app_names()]


@pytest.mark.parametrize("name", parameters())
def test_an_application_is_measured_under_its_layouts(
    name: str,
    command_beside_others: MachmeterCommand,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = app(name)
    if not known.program:
        pytest.skip(f"needs {name}: {' or '.join(known.description.provided.commands)}")
    monkeypatch.chdir(tmp_path)
    command = command_beside_others
    described = known.description
    # A program of threads alone has the number of them that both layouts can have.
    echoes = {one.what for one in described.echoes}
    layout = ("--ranks", "2") if EchoOf.RANKS in echoes else ("--threads", "2")
    words = ("explore", name, *layout, "--launches", "2", "--json")
    done = command.run(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    layouts = {one["point"]["layout"]["binding"] for one in result["estimates"]}
    assert layouts == {"close", "default"}
    metrics = {one["metric"] for one in result["estimates"]}
    assert metrics == {*(figure.name for figure in described.figures), "wall"}
    assert all(one["value"] > 0 for one in result["estimates"])
    assert len(result["findings"]) == 1
    # The version is recorded, and what was read is that of two ranks, or of two threads.
    folder = Path(command.data) / "runs" / result["header"]["id"]
    outputs = [read_record(path).output for path in folder.glob("launches/*.jsonl")]
    read = [one for one in outputs if one]
    assert len(read) >= 4
    assert all(one.version for one in read)
    assert all(set(one.values) == set(described.extractions) for one in read)
    said = command.run("runs").stdout
    assert f"explore {' '.join(layout)} " in said
    assert f" {name} " in said
