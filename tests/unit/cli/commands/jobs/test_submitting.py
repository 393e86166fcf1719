"""`machmeter run --submit`: what it prints for programs, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode
from tests.support.cli_calls import call, document
from tests.support.processes.native_programs import executable

ASKED = ("run", "network.latency", "--mpi", "mpich", "--nodes", "2", "--submit")


@pytest.fixture(autouse=True)
def _slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose jobs have ended whenever it is asked."""
    executable(tmp_path / "sbatch", "echo 12")
    executable(tmp_path / "squeue", "true")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


def test_a_job_is_one_document_whether_submitted_or_not(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = ("--output", str(tmp_path / "run"))
    planned = document(capfd, "run-submit-dry-run", *ASKED, *run, "--dry-run")
    assert (planned["folder"], planned["allocation"]["nodes"]) == (run[1], 2)
    submitted = document(capfd, "run-submit", *ASKED, *run, "--yes")
    assert (submitted["folder"], submitted["submission"]["job"]) == (run[1], "12")
    again = ("run", "--resume", run[1], "--submit")
    assert document(capfd, "run-submit-dry-run", *again, "--dry-run")["folder"] == run[1]
    assert document(capfd, "run-submit", *again, "--yes")["folder"] == run[1]
    assert not list(home.glob("runs/*"))


@pytest.mark.parametrize("option", ["--trust", "--report=page.html", "--fail-on=regression"])
def test_a_run_that_another_job_continues_takes_no_option_that_would_be_ignored(
    option: str, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = call(capfd, "run", "--resume", "last", "--submit", option)
    assert code == ExitCode.WRONG_USAGE
    assert f"takes no {option.partition('=')[0]}" in err
    assert not home.exists()
