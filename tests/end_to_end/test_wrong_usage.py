"""Nonsense on the command line: exit code 2, what is wrong, what would be right."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.support.processes.machmeter_command import MachmeterCommand, assert_refused


@pytest.fixture
def command(tmp_path: Path) -> MachmeterCommand:
    """Nothing here measures: it needs neither the shared cache nor the machine for itself."""
    return MachmeterCommand(tmp_path / "cache", tmp_path / "data")


def test_nonsense_is_refused_by_the_command_itself(command: MachmeterCommand) -> None:
    """All the rest of it is in `tests/unit/cli/test_wrong_usage.py`."""
    assert_refused(command.run("run", "nothing.known"), 2, "nothing called 'nothing.known'")
    assert not list(command.data.glob("runs/*"))
    assert not command.cache.exists(), "refused before anything is fetched or compiled"


def test_an_error_is_a_document_in_json_mode(command: MachmeterCommand) -> None:
    done = command.run("run", "--threads", "0", "--json")
    error = json.loads(done.stdout)
    jsonschema.validate(error, json.loads(command.run("schema", "error").stdout))
    assert (done.returncode, error["exit_code"]) == (2, 2)
    assert "--threads" in error["error"]
    assert error["remedy"]


def test_a_folder_that_holds_another_file_named_run_json_is_refused(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text('{"id": ["no", "run"]}')
    for name in ("show", "report", "export"):
        assert_refused(
            command.run(name, tmp_path), 1, "not what this version of machmeter writes", "run.json"
        )
