"""Which hosts a run reaches: this machine first, and a program that can be started."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from machmeter.cli.options.hosts import hosts_named, remote_shell_named
from machmeter.model.errors import MachineLacksError, UsageError
from tests.support.processes.native_programs import executable


@pytest.mark.parametrize("first", [socket.gethostname(), "localhost", "127.0.0.1"])
def test_this_machine_may_be_called_by_any_of_its_names(first: str) -> None:
    assert hosts_named(f"{first}, far-away") == (first, "far-away")


@pytest.mark.parametrize("first", ["far-away.invalid", "192.0.2.1"])
def test_another_machine_may_not_stand_first(first: str) -> None:
    with pytest.raises(UsageError, match="is not this machine"):
        hosts_named(f"{first},localhost")


def test_two_names_of_one_host_are_refused() -> None:
    with pytest.raises(UsageError, match=r"localhost and 127\.0\.0\.1 are the same host"):
        hosts_named("localhost,127.0.0.1")


def test_no_hosts_are_this_machine_alone() -> None:
    assert hosts_named("") == ()


def test_outside_a_job_slurm_has_no_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    with pytest.raises(MachineLacksError, match="Slurm job"):
        hosts_named("slurm")


@pytest.fixture
def on_login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """What takes the place of this process, which has a job and is not on its hosts."""
    executable(tmp_path / "scontrol", "printf 'far-a.invalid\\nfar-b.invalid\\n'")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    job = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "far-[a-b]", "SLURM_NTASKS": "8"}
    for name, value in (*job.items(), ("SRUN_DEBUG", "3"), ("OMP_PROC_BIND", "true")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("SLURM_STEP_ID", raising=False)
    monkeypatch.setattr(sys, "argv", ["machmeter", "run", "quick", "--hosts", "slurm"])
    started: dict[str, Any] = {}

    def replaced(program: str, words: Sequence[str], environment: dict[str, str]) -> NoReturn:
        started.update(program=program, words=words, environment=environment)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "execvpe", replaced)
    return started


def test_from_outside_the_hosts_of_a_job_the_command_goes_to_the_first(
    on_login: dict[str, Any],
) -> None:
    with pytest.raises(KeyboardInterrupt):
        hosts_named("slurm")
    words = on_login["words"]
    assert words[0] == on_login["program"] == "srun"
    assert "--nodelist=far-a.invalid" in words
    assert words[-6:] == ("-m", "machmeter", "run", "quick", "--hosts", "slurm")
    told = on_login["environment"]
    assert told["SLURM_JOB_ID"] == "7"
    assert told["OMP_PROC_BIND"] == "true"
    assert not {"SLURM_NTASKS", "SRUN_DEBUG"} & told.keys()


def test_from_another_host_of_a_job_the_way_to_the_first_is_told(
    on_login: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_STEP_ID", "0")
    with pytest.raises(UsageError, match="is not this machine") as refused:
        hosts_named("slurm")
    assert "srun" in refused.value.remedy
    assert "--nodelist=far-a.invalid" in refused.value.remedy
    assert not on_login


def test_an_agent_is_a_program_at_a_plain_path(tmp_path: Path) -> None:
    assert remote_shell_named("") == ""
    assert remote_shell_named("/bin/sh") == "/bin/sh"
    with pytest.raises(UsageError, match="cannot find the program"):
        remote_shell_named(str(tmp_path / "nothing"))
    spaced = tmp_path / "an agent"
    spaced.write_text("#!/bin/sh\n")
    spaced.chmod(0o755)
    with pytest.raises(UsageError, match="space, colon or comma"):
        remote_shell_named(str(spaced))
