"""Which hosts a run reaches: this machine first, and a program that can be started."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from machmeter.cli.options.hosts import hosts_named, remote_shell_named
from machmeter.model.errors import MachineLacksError, UsageError


@pytest.mark.parametrize("first", [socket.gethostname(), "localhost", "127.0.0.1"])
def test_this_machine_may_be_called_by_any_of_its_names(first: str) -> None:
    assert hosts_named(f"{first}, far-away") == (first, "far-away")


@pytest.mark.parametrize("first", ["far-away.invalid", "192.0.2.1"])
def test_another_machine_may_not_stand_first(first: str) -> None:
    with pytest.raises(UsageError, match="is not this machine"):
        hosts_named(f"{first},localhost")


def test_two_names_of_one_host_are_refused() -> None:
    with pytest.raises(UsageError, match=r"localhost and 127\.0\.0\.1 are one host"):
        hosts_named("localhost,127.0.0.1")


def test_no_hosts_are_this_machine_alone() -> None:
    assert hosts_named("") == ()


def test_outside_a_job_slurm_has_no_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    with pytest.raises(MachineLacksError, match="Slurm job"):
        hosts_named("slurm")


def test_an_agent_is_a_program_at_a_plain_path(tmp_path: Path) -> None:
    assert remote_shell_named("") == ""
    assert remote_shell_named("/bin/sh") == "/bin/sh"
    with pytest.raises(UsageError, match="no program"):
        remote_shell_named(str(tmp_path / "nothing"))
    spaced = tmp_path / "an agent"
    spaced.write_text("#!/bin/sh\n")
    spaced.chmod(0o755)
    with pytest.raises(UsageError, match="space, colon or comma"):
        remote_shell_named(str(spaced))
