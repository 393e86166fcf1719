"""A machine that others use too: real programs take the CPUs of a real run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from machmeter.model.plan.launch import Verdict
from machmeter.store.run_folder import RunFolder
from tests.support.processes.machmeter_command import MachmeterCommand

SHORT = (
    "compute.fma",
    "--threads",
    "1",
    "--budget",
    "6s",
    "--min-launches",
    "2",
    "--max-launches",
    "2",
)


@pytest.fixture
def others() -> Iterator[None]:
    """A process a CPU that computes until the test is over."""
    computes = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"
    every = [
        subprocess.Popen([sys.executable, "-c", computes, str(cpu)])
        for cpu in os.sched_getaffinity(0)
    ]
    try:
        yield
    finally:
        for one in every:
            one.kill()
            one.wait()


# Alone: what others do is what it is about.
@pytest.mark.alone
@pytest.mark.usefixtures("others")
def test_launches_that_others_disturb_wait_and_are_no_result(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    judged = MachmeterCommand(command.cache, command.data, {"MACHMETER_BESIDE_OTHERS": ""})
    done = judged.run("run", *SHORT, "--json", "--output", tmp_path / "run")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert result["estimates"] == []
    assert result["disturbed"]
    outcomes = tuple(RunFolder.open(tmp_path / "run").outcomes())
    assert {one.verdict for one in outcomes} == {Verdict.CONTENDED}
    # Launches shorter than half a second are judged by how often others took their CPUs.
    assert min(one.share_of_others for one in outcomes if one.share_of_others is not None) > 0.2
    assert any(one.waited and one.waited.seconds > 0.1 for one in outcomes)
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Disturbed by other programs" in page
    shown = judged.run("show", tmp_path / "run")
    assert "other programs used" in shown.stdout.lower()
