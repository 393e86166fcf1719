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


SINFO = """\
case $* in
--version) echo slurm 22 ;;
*%P*%a*) echo 'cpu*|up|1:00:00|0/2/0/2|2' ;;
*%N*) printf 'cpu*|idle|n%s|2|1:2:1|(null)|f%s\\n' 1 1 2 2 ;;
esac
"""


def test_every_class_of_nodes_is_prepared_in_a_job(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    executable(tmp_path / "sinfo", SINFO)
    asked = ("prepare", "memory.latency", "--submit")
    planned = document(capfd, "prepare-submit-dry-run", *asked, "--dry-run")["jobs"]
    assert [one["allocation"]["options"] for one in planned] == [["--exclude=n2"], ["--exclude=n1"]]
    assert [Path(one["folder"], "job.sh").read_text() for one in planned] == [
        one["script"] for one in planned
    ]
    code, out, err = call(capfd, *asked, "--dry-run")
    assert (code, out.count("#!/bin/sh")) == (0, 2)
    assert err.count("cpu") == 1
    code, _, err = call(capfd, *asked, "--max-node-hours", "0.5")
    assert (code, "2 nodes" in err) == (ExitCode.WRONG_USAGE, True)


def test_a_class_whose_job_fails_leaves_the_others_to_their_end(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    executable(tmp_path / "sinfo", SINFO)
    executable(tmp_path / "sbatch", "grep -q exclude=n2 $2 && echo 12 && exit; echo no >&2; exit 1")
    executable(tmp_path / "squeue", f"echo $* >> {tmp_path}/asked; echo 'COMPLETED|0:00|n1|None'")
    code, _, err = call(capfd, "prepare", "memory.latency", "--submit", "--yes")
    assert (code, "takes no such job: no" in err) == (ExitCode.MACHINE_LACKS, True)
    assert "--jobs=12" in (tmp_path / "asked").read_text()


def test_scripts_of_jobs_are_printed_where_jobs_are_meant(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = call(capfd, "prepare", "memory.latency", "--dry-run")
    assert (code, "add --submit" in err) == (ExitCode.WRONG_USAGE, True)
