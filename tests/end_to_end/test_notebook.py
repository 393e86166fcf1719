"""The example notebook runs from its first cell to its last."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from machmeter.model.results.run import RunState
from tests.support.documents.notebooks import run_notebook
from tests.support.paths import ROOT


def test_the_example_notebook_measures_compares_and_writes_a_page(
    cache_for_runs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MACHMETER_CACHE", str(cache_for_runs))
    monkeypatch.setenv("MACHMETER_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    ran = run_notebook(ROOT / "docs" / "examples" / "first_steps.py")
    result = ran["run"].result
    assert result.state is RunState.FINISHED
    measured = {estimate.point.benchmark for estimate in result.estimates}
    assert measured == {"threads.sync", "network.latency"}
    assert ran["comparison"].results
    assert ran["comparison"].refusals
    assert len(ran["rows"]) == len(result.estimates)
    questions = [finding.question for finding in result.findings]
    printed = capsys.readouterr().out
    assert questions
    assert all(question in printed for question in questions)
    for page in (ran["page"], ran["comparison_page"]):
        assert page.read_text(encoding="utf-8").startswith("<!")
