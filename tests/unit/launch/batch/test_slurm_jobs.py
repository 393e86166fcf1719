"""What Slurm's commands answer, as jobs and times."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.launch.batch.slurm import (
    Job,
    SilentSlurmError,
    job_named,
    limit_seconds,
    seconds_left,
    submit_script,
)
from machmeter.model.errors import MachineLacksError
from tests.support.processes.native_programs import executable


def answering(folder: Path, command: str, script: str) -> dict[str, str]:
    """An environment with a command of Slurm that answers in its way."""
    executable(folder / command, script)
    return {"PATH": f"{folder}:/usr/bin:/bin", "USER": "somebody"}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0:07", 7.0),
        ("12:00", 720.0),
        ("1:00:00", 3600.0),
        ("2-01:00:05", 176_405.0),
        ("UNLIMITED", None),
        ("INVALID", None),
        ("", None),
    ],
)
def test_what_is_left_of_a_limit_is_read(text: str, seconds: float | None) -> None:
    assert seconds_left(text) == seconds


# sbatch(1), --time: "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours", ...
@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5", 300.0),
        ("5:30", 330.0),
        ("1:05:30", 3930.0),
        ("2-3", 183_600.0),
        ("2-3:04", 183_840.0),
        ("2-3:04:05", 183_845.0),
        ("1:2:3:4", None),
        ("-5", None),
        ("x", None),
    ],
)
def test_a_limit_is_read_as_sbatch_reads_it(text: str, seconds: float | None) -> None:
    assert limit_seconds(text) == seconds


def test_a_job_is_read_with_what_it_waits_for(tmp_path: Path) -> None:
    waiting = answering(tmp_path, "squeue", "echo 'PENDING|10:00||Resources'")
    assert job_named("7", waiting) == Job("7", "PENDING", "Resources", "", 600.0)
    running = answering(tmp_path, "squeue", "echo 'RUNNING|9:59|n[1-4]|None'")
    job = job_named("7", running)
    assert (job.hosts, job.reason, job.has_ended) == ("n[1-4]", "", False)
    ended = answering(tmp_path, "squeue", "echo 'TIMEOUT|0:00|n1|TimeLimit'")
    assert job_named("7", ended).has_ended


def test_a_job_that_slurm_knows_no_more_has_ended(tmp_path: Path) -> None:
    said = "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"
    assert job_named("7", answering(tmp_path, "squeue", said)).has_ended
    assert job_named("7", answering(tmp_path, "squeue", "true")).has_ended


@pytest.mark.parametrize(
    "script",
    [
        *("echo 'Usage: squeue [OPTIONS]'", "echo '{\"jobs\": []}'", "printf 'RUNNING 9:59 n1\\n'"),
        *("printf '\\033[2J<b>|1|n1|x\\n'", "head -c 5000 /dev/zero"),
    ],
)
def test_what_is_not_understood_is_no_job_that_has_ended(script: str, tmp_path: Path) -> None:
    with pytest.raises(SilentSlurmError, match="not read here") as told:
        job_named("7", answering(tmp_path, "squeue", script))
    assert len(told.value.message) < 1000
    assert told.value.message.isprintable()


def test_what_a_site_prints_before_is_skipped(tmp_path: Path) -> None:
    script = "echo 'Maintenance on Monday'; echo 'RUNNING|9:59|n1|a|b'"
    assert job_named("7", answering(tmp_path, "squeue", script)) == Job(
        "7", "RUNNING", "a|b", "n1", 599.0
    )


@pytest.mark.parametrize("script", ["echo 'Unable to contact slurm controller' >&2; exit 1"])
def test_a_controller_that_is_away_is_no_job_that_has_ended(script: str, tmp_path: Path) -> None:
    with pytest.raises(SilentSlurmError, match="Unable to contact"):
        job_named("7", answering(tmp_path, "squeue", script))
    with pytest.raises(MachineLacksError, match="has no squeue"):
        job_named("7", {"PATH": str(tmp_path / "nowhere")})


def test_the_number_of_a_submitted_job_may_have_a_cluster_behind_it(tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    assert submit_script(script, answering(tmp_path, "sbatch", "echo '42;mini'")) == "42"
    with pytest.raises(MachineLacksError, match="no job's number"):
        submit_script(script, answering(tmp_path, "sbatch", "echo Submitted"))
    refusing = answering(tmp_path, "sbatch", "echo 'invalid partition specified' >&2; exit 1")
    with pytest.raises(MachineLacksError, match="invalid partition specified"):
        submit_script(script, refusing)
    with pytest.raises(MachineLacksError, match="has no sbatch"):
        submit_script(script, {"PATH": str(tmp_path / "nowhere")})


def test_a_late_answer_may_be_of_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("machmeter.launch.batch.slurm._SUBMIT_SECONDS", 0.05)
    late = answering(tmp_path, "sbatch", "exec sleep 5")
    with pytest.raises(MachineLacksError, match="may have been submitted") as told:
        submit_script(tmp_path / "job.sh", late)
    assert "squeue --me" in told.value.remedy


def test_variables_of_sbatch_do_not_change_what_the_script_says(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    asked = answering(tmp_path, "sbatch", f"env > {seen}; echo 42")
    known = {"SBATCH_TIMELIMIT": "600", "SLURM_CONF": "/etc/slurm.conf"}
    assert submit_script(tmp_path / "job.sh", {**asked, **known}) == "42"
    names = {line.partition("=")[0] for line in seen.read_text().splitlines()}
    assert names & set(known) == {"SLURM_CONF"}
