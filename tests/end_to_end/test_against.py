"""Old and new settings in one run, by the programs that measured the old run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from machmeter.store.run_folder import RunFolder
from tests.support.processes.machmeter_command import (
    MachmeterCommand,
    assert_refused,
    tiny,
    verdicts,
)

BASE = tiny("threads.sync", "construct=barrier")


@pytest.fixture
def command(command_beside_others: MachmeterCommand) -> MachmeterCommand:
    return command_beside_others


@pytest.mark.full
def test_another_layout_is_measured_in_turn_with_that_of_an_earlier_run(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    assert command.run(*BASE, "--wait", "active", "--output", old, seconds=580).returncode == 0
    words = (
        "run",
        "--against",
        old,
        "--wait",
        "passive",
        "--min-launches",
        "3",
        "--max-launches",
        "3",
    )
    done = command.run(*words, "--output", new, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    layouts = {side["point"]["layout"]["wait_policy"] for side in result["baseline"]["estimates"]}
    assert layouts == {"active"}
    assert {e["point"]["layout"]["wait_policy"] for e in result["estimates"]} == {"passive"}
    assert (result["baseline"]["name"], result["baseline"]["new_name"]) == (
        "active wait",
        "passive wait",
    )
    figures = result["baseline"]["comparison"]["results"]
    assert figures
    for figure in figures:
        assert figure["a"]["rounds"] == figure["b"]["rounds"] == [1, 2, 3]
    assert result["baseline"]["comparison"]["paired"]
    for spec, ended in verdicts(new).items():
        assert set(ended) == {"accepted"}, spec
    _each_variant_by_its_own_program(old, new)
    against = result["header"]["baseline"]
    assert [one["construct"] for one in against["planned_parameters"]["threads.sync"]] == [
        "barrier"
    ]
    # The very programs of the same minute load what they loaded then.
    assert not any("the baseline ran with" in caveat["text"] for caveat in result["caveats"])
    compared = command.run("compare", f"{new}@baseline", f"{new}@candidate", "--json")
    assert json.loads(compared.stdout)["comparisons"] == [result["baseline"]["comparison"]]


def _each_variant_by_its_own_program(old: Path, new: Path) -> None:
    def programs(run: Path, variant: str) -> set[str]:
        folder = RunFolder.open(run)
        launched = ((one.command, folder.launch(one.launch).spec) for one in folder.outcomes())
        return {
            command[0]
            for command, spec in launched
            if spec.of_points and spec.variant.role == variant
        }

    assert len(programs(old, "candidate")) == 1
    assert programs(new, "baseline") == programs(old, "candidate")


def test_what_has_no_meaning_is_refused_before_anything_is_compiled(
    command: MachmeterCommand,
) -> None:
    assert_refused(command.run("run", "--against", "nosuch"), 2, "there is no run 'nosuch'")
    assert_refused(command.run("run", "--fail-on", "regression"), 2, "--against")
    assert_refused(command.run("run", "--flags=-O2;id", "--dry-run"), 2, "--flags")
