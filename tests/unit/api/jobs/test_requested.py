"""Inside a job: what it may measure, for how long, and that it is the only one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.jobs.alone import LOCK, alone_in
from machmeter.api.jobs.folder import submission_in
from machmeter.api.jobs.requested import measure_requested, read_request
from machmeter.api.requests import request
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import (
    MachineLacksError,
    MachmeterError,
    RunInterruptedError,
    UsageError,
)
from machmeter.store.files import write_json
from tests.support.processes.native_programs import executable

ASKED = request("network.latency", mpi=("mpich",))
HOSTS = Hosts(("n1",))


def in_job(folder: Path, squeue: str, number: str = "12", **more: str) -> Context:
    """A context in a job of a Slurm that answers in its way."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    executable(tools / "squeue", squeue)
    environment = {"PATH": f"{tools}:/usr/bin:/bin", "SLURM_JOB_ID": number, **more}
    return Context(environment=environment, data=folder / "data", cache=folder / "cache")


def running(left: str) -> str:
    """What squeue says of a job that has so much time."""
    return f"echo 'RUNNING|{left}|n1|None'"


def written(folder: Path) -> Path:
    """What is requested, in a file."""
    write_json(folder / "request.json", ASKED)
    return folder / "request.json"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What was to be measured, or continued, and how."""
    seen: dict[str, Any] = {}
    room = "machmeter.api.jobs.requested"
    monkeypatch.setattr(f"{room}.measure", lambda asked, **how: seen.update(how, asked=asked))
    monkeypatch.setattr(f"{room}.resume", lambda folder, **how: seen.update(how, again=folder))
    return seen


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("machmeter.api.jobs.folder._PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr("machmeter.api.jobs.folder._PAUSE_SECONDS", 0.02)


def test_a_job_measures_in_the_folder_and_is_named_there(
    tmp_path: Path, measured: dict[str, Any]
) -> None:
    context = in_job(tmp_path, running("30:00"))
    measure_requested(written(tmp_path), tmp_path, HOSTS, context=context)
    assert measured["asked"].layout_options.hosts == ("n1",)
    submission = submission_in(tmp_path)
    assert submission is not None
    assert (submission.job, submission.allocation.nodes) == ("12", 1)
    assert submission.allocation.seconds == 1800.0
    (tmp_path / "run.json").touch()
    measure_requested(written(tmp_path), tmp_path, HOSTS, context=context)
    assert (measured["again"], measured["hosts"]) == (tmp_path, HOSTS)


def test_a_request_with_flags_that_are_none_is_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "request.json", replace(ASKED, flags=("-O2; rm",)))
    with pytest.raises(UsageError, match="is no flag"):
        read_request(tmp_path / "request.json")


def test_another_users_run_is_continued_only_where_it_is_trusted(
    tmp_path: Path, measured: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    context, file = in_job(tmp_path, running("9:00")), written(tmp_path)
    (tmp_path / "run.json").touch()
    if os.geteuid() == 0:
        os.chown(tmp_path / "run.json", 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        monkeypatch.setattr("machmeter.api.jobs.requested.read_request", lambda *_, **_how: ASKED)
    with pytest.raises(UsageError, match=r"run\.json is another user's"):
        measure_requested(file, tmp_path, HOSTS, context=context)
    assert not measured
    measure_requested(file, tmp_path, HOSTS, trust=True, context=context)
    assert measured["again"] == tmp_path


def test_an_interrupted_job_advises_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_request: object, **_how: object) -> None:
        raise RunInterruptedError("interrupted", "continue it here")

    monkeypatch.setattr("machmeter.api.jobs.requested.measure", interrupted)
    folder = tmp_path / "a b"
    with pytest.raises(MachmeterError) as ended:
        measure_requested(
            written(tmp_path), folder, HOSTS, context=in_job(tmp_path, running("9:00"))
        )
    assert f"machmeter run --resume '{folder}' --submit" in ended.value.remedy
    assert not (folder / LOCK).exists()


@contextmanager
def measuring(folder: Path, number: str = "12") -> Iterator[None]:
    """A job that measures in a folder, and the others of which run."""
    with alone_in(folder / "run", in_job(folder, running("9:00"), number)):
        yield


def test_two_jobs_never_measure_in_one_folder(tmp_path: Path) -> None:
    with (
        measuring(tmp_path),
        pytest.raises(UsageError, match=r"job 12 on .* measures in"),
        measuring(tmp_path, "13"),
    ):
        pass
    with measuring(tmp_path, "13"):
        assert '"13"' in (tmp_path / "run" / LOCK).read_text()
    assert list((tmp_path / "run").iterdir()) == []


def left_by(folder: Path, number: str) -> Path:
    """A folder in which a job was killed."""
    with measuring(folder, number):
        content = (folder / "run" / LOCK).read_bytes()
    (folder / "run" / LOCK).write_bytes(content)
    return folder / "run"


def test_what_a_job_left_that_has_ended_or_was_begun_again_stops_none(tmp_path: Path) -> None:
    run = left_by(tmp_path, "12")
    with measuring(tmp_path, "12"):
        pass
    run = left_by(tmp_path, "12")
    ended = in_job(tmp_path, "echo 'NODE_FAIL|0:00|n1|None'", "13")
    with alone_in(run, ended):
        assert [one.name for one in run.iterdir()] == [LOCK]
        assert '"13"' in (run / LOCK).read_text()


@pytest.mark.usefixtures("_impatient")
def test_where_slurm_does_not_say_that_a_job_has_ended_it_may_measure(tmp_path: Path) -> None:
    run = left_by(tmp_path, "12")
    with (
        pytest.raises(MachineLacksError, match="does not answer"),
        alone_in(run, in_job(tmp_path, "exit 1", "13")),
    ):
        pass
    assert '"12"' in (run / LOCK).read_text()


@pytest.mark.parametrize("content", ["", "{", '{"job": "--all", "host": "n1"}'])
def test_a_damaged_lock_is_removed_by_a_person(content: str, tmp_path: Path) -> None:
    path = tmp_path / "run" / LOCK
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(MachmeterError, match="names no job") as refused, measuring(tmp_path):
        pass
    assert f"rm {path}" in refused.value.remedy


def test_a_job_that_another_one_overtook_gives_back_what_it_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = left_by(tmp_path, "11")
    ended = in_job(tmp_path, "echo 'FAILED|0:00|n1|None'", "13")

    def overtaken(*_words: object) -> Any:
        (run / LOCK).write_text('{"job": "12", "host": "n2"}')
        return type("Ended", (), {"has_ended": True})

    monkeypatch.setattr("machmeter.api.jobs.alone.job_in_time", overtaken)
    with pytest.raises(UsageError, match="job 12 on n2 measures in"), alone_in(run, ended):
        pass
    assert [one.name for one in run.iterdir()] == [LOCK]
    assert '"12"' in (run / LOCK).read_text()
