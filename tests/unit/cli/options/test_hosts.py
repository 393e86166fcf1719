"""Which hosts a run reaches: this machine first, and a program that can be started."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from machmeter.cli.options.hosts import hosts_named, parse_hosts, remote_shell_named
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


def test_ranges_of_hosts_are_names() -> None:
    assert parse_hosts(" a,n[1-2,7] ,b[01-02]x,") == ("a", "n1", "n2", "n7", "b01x", "b02x")
    assert len(parse_hosts("n[00001-50000]")) == 50_000
    assert len(parse_hosts(",".join(f"node{number}" for number in range(50_000)))) == 50_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n[1-3,n2", "invalid host name"),
        ("n[1-2]]", "invalid host name"),
        ("n[3-1]", "invalid host name"),
        ("n[1-3],n2", "n2 is named twice"),
        ("n[0-999999999]", "more than 100,000 names"),
        ("n" + "[0-9]" * 8, "more than 100,000 names"),
        ("[" * 100_000, "invalid host name"),
        ("<b>n1</b>", "invalid host name"),
        ("n1\x1b[2J", "invalid host name"),
        ("n1\n", ""),
        ("n1\nn2", "invalid host name"),
        ("-oProxyCommand=x", "invalid host name"),
    ],
)
def test_what_are_no_names_is_refused_with_few_words(text: str, said: str) -> None:
    if not said:
        assert parse_hosts(text) == ("n1",)
        return
    with pytest.raises(UsageError, match=said) as refused:
        parse_hosts(text)
    assert len(refused.value.message) < 1000


def test_names_that_nobody_knows_are_not_looked_up_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def slow(name: str, *_: object, **_how: object) -> NoReturn:
        asked.append(name)
        time.sleep(0.05)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    monkeypatch.setattr("machmeter.cli.options.hosts._LOOK_SECONDS", 0.1)
    names = (socket.gethostname(), *(f"unknown{number}" for number in range(1000)))
    assert hosts_named(",".join(names)) == names
    assert len(asked) < 100


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
