"""What is around an explored program: names of its folders, CPUs that are left, changed inputs."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.processes.machmeter_command import (
    Done,
    MachmeterCommand,
    assert_refused,
    verdicts,
    wait_until,
)

NO_UTF8 = os.fsdecode(b"caf\xe9")
CPUS = sorted(os.sched_getaffinity(0))
# What it was given, and the CPUs that it may use.
WITNESS = """#!/bin/sh
echo "$1 $(grep Cpus_allowed_list /proc/self/status)" >> "$SEEN"
cat in.txt
"""
DESCRIBED = """
name = "witness"
title = "A witness"
command = ["./program", "{run}"]
[[figures]]
name = "rate"
pattern = 'rate (\\S+)'
unit = "1/s"
better = "higher"
[[inputs]]
path = "in.txt"
"""


@pytest.fixture
def command(command_beside_others: MachmeterCommand, tmp_path: Path) -> MachmeterCommand:
    extra = {**command_beside_others.extra, "SEEN": str(tmp_path / "seen")}
    return replace(command_beside_others, extra=extra)


def assert_measured(done: Done) -> None:
    """Every launch counts."""
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = json.loads(done.stdout)["outcomes"]
    assert {one["verdict"] for one in outcomes} == {"accepted"}, outcomes


def seen(tmp_path: Path) -> list[str]:
    return (tmp_path / "seen").read_text().splitlines()


def make_witness(folder: Path, more: str = "") -> Path:
    folder.mkdir()
    (folder / "program").write_text(WITNESS + more)
    (folder / "program").chmod(0o755)
    (folder / "in.txt").write_text("rate 5\n")
    (folder / "witness.toml").write_text(DESCRIBED)
    return folder


def test_braces_in_the_path_of_a_program_are_no_placeholders(
    command: MachmeterCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = make_witness(tmp_path / "{threads} {x}")
    monkeypatch.chdir(here)
    words = ("--launches", "2", "--threads", "1")
    done = command.run("explore", "--json", *words, "--", here / "program", "{x}{threads}")
    assert_measured(done)
    assert json.loads(done.stdout)["estimates"]
    assert {line.split()[0] for line in seen(tmp_path)} >= {"{x}1"}
    described = command.run("explore", "--json", *words, here / "witness.toml")
    assert_measured(described)
    assert json.loads(described.stdout)["estimates"]


def test_launches_in_a_folder_that_is_not_utf8_run_there(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    here = make_witness(tmp_path / "case")
    elsewhere = replace(command, data=tmp_path / NO_UTF8)
    words = ("--launches", "2", "--threads", "1", "--keep", here / "witness.toml")
    assert_measured(elsewhere.run("explore", "--json", *words))
    assert len(list(elsewhere.data.glob("runs/*/launches/*.files/in.txt"))) == 4


def test_a_program_in_a_folder_that_is_not_utf8_is_refused(
    command: MachmeterCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_witness(tmp_path / NO_UTF8))
    for words in (("--", "./program"), ("witness.toml",)):
        assert_refused(command.run("explore", *words), 2, "caf\\udce9", "not UTF-8")
    assert not (tmp_path / "seen").exists()


@pytest.mark.skipif(len(CPUS) < 2, reason="needs 2 CPUs")
def test_no_launch_leaves_the_cpus_that_machmeter_was_given(
    command: MachmeterCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = make_witness(tmp_path / "case")
    monkeypatch.chdir(here)
    last = str(CPUS[-1])

    def explored(*asked: str) -> Done:
        words = ("explore", "--launches", "2", *asked, "--", "./program", "x")
        return command.run(*words, under=("taskset", "-c", last))

    refused = explored("--threads", "2")
    assert_refused(refused, 2, "2 threads need 2 cores; this machine lets machmeter use 1")
    for asked in ((), ("--threads", "1,2")):
        done = explored("--json", *asked)
        assert_measured(done)
        specs = json.loads(done.stdout)["plan"]["specs"]
        layouts = [one["layout"] for one in specs if one["command"]]
        found = {(one["threads_per_rank"], one["binding"]) for one in layouts}
        assert found == {(1, "close"), (1, "default")}
    assert [line.split()[-1] for line in seen(tmp_path)] == [last] * 10, "lines were tried, too"


@pytest.mark.full
def test_a_run_whose_input_was_changed_is_not_resumed(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    here = make_witness(tmp_path / "case", "sleep 0.3\n")
    folder = tmp_path / "run"
    words = ("--launches", "4", "--threads", "1", "--output", folder, here / "witness.toml")
    process = command.start("explore", *words)
    try:
        wait_until(lambda: len(verdicts(folder)) > 2, "the program was launched")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 1
    finally:
        process.kill()
        process.communicate()
    before = verdicts(folder)
    (here / "in.txt").write_text("rate 6\n")
    refused = command.run("run", "--resume", folder)
    assert_refused(refused, 2, str(here), "changed since the run began", "start a new run")
    assert verdicts(folder) == before
    (here / "in.txt").write_text("rate 5\n")
    done = command.run("run", "--resume", folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_launches_of_a_program_that_was_changed_before_the_run_went_on_are_rejected(
    command: MachmeterCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = make_witness(tmp_path / "case", "sleep 0.3\n")
    monkeypatch.chdir(here)
    folder = tmp_path / "run"
    words = ("--launches", "4", "--threads", "1", "--output", folder, "--", here / "program")
    process = command.start("explore", *words)
    try:
        wait_until(lambda: len(verdicts(folder)) > 2, "the program was launched")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 1
    finally:
        process.kill()
        process.communicate()
    before = verdicts(folder)
    (here / "program").write_text(WITNESS + "sleep 0.6\n")
    done = command.run("run", "--resume", folder)
    assert done.returncode == 1, done.stdout + done.stderr
    written = (path.read_text() for path in sorted((folder / "launches").glob("*.outcome.json")))
    outcomes = [json.loads(text) for text in written]
    rejected = [one["reasons"] for one in outcomes if one["verdict"] == "rejected"]
    assert all(str(here / "program") in " ".join(reasons) for reasons in rejected)
    assert "No advice how to start it" in done.stdout, "one launch of a layout compares nothing"
    after = {name: every[len(before.get(name, ())) :] for name, every in verdicts(folder).items()}
    of_program = {
        one for name, every in after.items() if name.startswith("explore") for one in every
    }
    # Of the launch that was interrupted the run that goes on may be the first to say so.
    assert of_program - {"incomplete"} == {"rejected"}
