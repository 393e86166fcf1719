"""`machmeter findings` as a person and a program call it."""

from __future__ import annotations

import json

import pytest

from machmeter.model.errors import ExitCode
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call, document


def test_findings_are_printed_decisions_first(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    del one_run
    found = document(capfd, "findings", "findings")
    standings = [finding["standing"] for finding in found["findings"]]
    order = ["decided", "inconclusive", "cannot be decided here"]
    assert standings == sorted(standings, key=order.index)
    assert found["run"]
    code, out, err = call(capfd, "findings", "last", "--all")
    assert code == ExitCode.DONE
    assert not err
    for finding in found["findings"]:
        assert finding["question"].split()[0] in out


def test_a_plan_of_an_earlier_version_is_answered(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    """Its questions name no published machines."""
    path = one_run.path / "plan.json"
    plan = json.loads(path.read_text())
    plan["questions"] = [
        {name: value for name, value in question.items() if name != "published"}
        for question in plan["questions"]
    ]
    path.write_text(json.dumps(plan))
    found = document(capfd, "findings", "findings")
    assert len(found["findings"]) == len(plan["questions"])
    assert all(finding["beside"] == [] for finding in found["findings"])


def test_a_run_that_is_not_there_is_wrong_usage(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    del one_run
    code, _, err = call(capfd, "findings", "nothing")
    assert code == ExitCode.WRONG_USAGE
    assert "machmeter runs" in err


def test_help_has_examples(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capfd, "findings", "--help")
    assert code == ExitCode.DONE
    assert "machmeter findings last --all" in out
