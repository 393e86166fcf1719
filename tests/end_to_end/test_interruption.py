"""Runs that are killed, stopped or refused: nothing is lost, nothing is measured without need."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from machmeter.store.run_folder import RunFolder
from tests.support.processes.machmeter_command import (
    MachmeterCommand,
    assert_refused,
    files_of,
    processes_about,
    tiny,
    verdicts,
    wait_until,
)

ACCEPTED = "accepted"
BENCHMARKS = (*tiny("memory.latency", "size=4KiB,64KiB"), "network.latency", "--pages", "4KiB")


@pytest.fixture
def command(command_beside_others: MachmeterCommand) -> MachmeterCommand:
    """It has its programs already: how long they take to compile is no part of any moment."""
    return command_beside_others


def launches(folder: Path, ending: str) -> int:
    found = folder / "launches"
    return len(list(found.glob(f"*{ending}"))) if found.is_dir() else 0


def during(folder: Path, number: int) -> bool:
    """Launch `number` has begun to write its record and has no outcome yet."""
    return (folder / "launches" / f"{number:05d}.jsonl.partial").exists()


def spec_running(folder: Path, spec: str) -> bool:
    """A launch of `spec` is on its way."""
    if not launches(folder, ".launch.json"):
        return False
    run = RunFolder(folder)
    on_its_way = (number for number in run.launch_numbers() if run.outcome(number) is None)
    return any(run.launch(number).spec.name.startswith(spec) for number in on_its_way)


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "before the first launch": lambda folder: (folder / "run.json").exists(),
    "in the first launch": lambda folder: during(folder, launches(folder, ".launch.json")),
    "after two outcomes": lambda folder: launches(folder, ".outcome.json") >= 2,
    "in a reference launch": lambda folder: spec_running(folder, "reference at the start"),
    "under mpiexec": lambda folder: spec_running(folder, "network.latency"),
    "in the reference at the end": lambda folder: spec_running(folder, "reference at the end"),
}


def await_moment(process: subprocess.Popen[str], folder: Path, moment: str) -> None:
    """Come back at that moment of a run that is on its way."""
    reached = MOMENTS[moment]
    try:
        wait_until(lambda: process.poll() is not None or reached(folder), moment)
    except AssertionError:
        process.kill()  # it would keep every later test from measuring
        raise
    assert process.poll() is None, f"the run ended before: {moment}\n{process.communicate()}"


def kill_at(process: subprocess.Popen[str], folder: Path, moment: str) -> None:
    """Wait for the moment, then kill -9 the command alone: its children must end by themselves."""
    await_moment(process, folder, moment)
    process.kill()
    process.communicate()


def test_a_run_killed_at_any_moment_is_resumed_with_nothing_lost_and_nothing_measured_twice(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    words: tuple[str | Path, ...] = (*BENCHMARKS, "--budget", "120s", "--output", folder)
    before: dict[str, bytes] = {}
    for moment in MOMENTS:
        kill_at(command.start(*words), folder, moment)
        wait_until(lambda: not processes_about(str(folder)), "its processes ended", 20)
        now = files_of(folder)
        assert {name: now[name] for name in before} == before, f"changed by a resumption: {moment}"
        before = now
        words = ("run", "--resume", folder)
    assert json.loads(command.run("show", folder, "--json").stdout)["state"] == "interrupted"
    done = command.run(*words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    now = files_of(folder)
    assert {name: now[name] for name in before} == before
    assert result["state"] == "finished"
    for spec, ended in verdicts(folder).items():
        wanted = 3 if spec == "sizing" else 2
        assert ended.count(ACCEPTED) == wanted, (spec, ended)
        # Each kill cost one launch at the most, and only the one it fell into.
        assert len(ended) <= wanted + len(MOMENTS)
    lost = sum(verdict != ACCEPTED for ended in verdicts(folder).values() for verdict in ended)
    assert lost <= len(MOMENTS)
    for outcome in result["outcomes"]:
        if outcome["verdict"] != ACCEPTED:
            assert "interrupted during this launch" in outcome["reasons"][0]


@pytest.mark.alone
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_cleanly_while_a_second_one_is_refused(
    number: signal.Signals, command: MachmeterCommand, tmp_path: Path
) -> None:
    folder, second = tmp_path / "first run", tmp_path / "second"
    # It must go on for longer than a second command takes to start, however busy the machine.
    long = ("--min-launches", "100", "--max-launches", "100", "--budget", "120s")
    process = command.start(*BENCHMARKS, *long, "--output", folder)
    await_moment(process, folder, "in the first launch")
    refused = command.run(*tiny("memory.latency", "size=4KiB"), "--output", second)
    run = json.loads((folder / "run.json").read_text())["id"]
    still_measuring = process.poll() is None
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert still_measuring
    assert_refused(refused, 3, f"measuring already: run {run}, process {process.pid}", "wait")
    assert not second.exists(), "a run that was refused leaves no folder behind"
    assert process.returncode == 1, said
    hint = re.search(r"machmeter run --resume (.*)", said)
    assert hint, said
    assert hint.group(1).strip("`'") == str(folder)
    assert "Traceback" not in said
    assert not processes_about(str(folder))
    shown = json.loads(command.run("runs", "--json").stdout)
    assert [run["state"] for run in shown["runs"]] == ["interrupted"]


def test_what_was_interrupted_before_anything_was_measured_says_so(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    folder = tmp_path / "begun"
    # Forced: with a last cache of hundreds of MiB, sizing alone is beyond the budget.
    words = (*tiny("memory.latency"), "--force", "--output", folder)
    kill_at(command.start(*words), folder, "in the first launch")
    for name in ("show", "report", "export"):
        assert_refused(command.run(name, folder), 1, "interrupted before it measured", "--resume")


def test_a_run_is_not_resumed_on_another_machine(command: MachmeterCommand, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    kill_at(command.start(*BENCHMARKS, "--output", folder), folder, "in the first launch")
    header = json.loads((folder / "run.json").read_text())
    header["machine"]["host"] = "another-" + os.uname().nodename
    (folder / "run.json").write_text(json.dumps(header))
    assert_refused(
        command.run("run", "--resume", folder), 2, "was started on another-", "start a new run"
    )


def building(cache: Path) -> list[Path]:
    return list(cache.glob("build/*.building"))


def test_what_an_interrupted_compilation_left_is_cleared(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    fresh = replace(command, cache=tmp_path / "cache")
    words = tiny("memory.latency", "size=4KiB")
    killed = fresh.start(*words)
    wait_until(lambda: bool(building(fresh.cache)), "the compilation began")
    killed.kill()
    killed.communicate()
    for number in processes_about(str(tmp_path)):
        os.kill(number, signal.SIGKILL)
    left = building(fresh.cache)
    assert left
    interrupted = fresh.start(*words)
    wait_until(lambda: building(fresh.cache) not in ([], left), "it is compiled again")
    # As a tool does that outlived the build that was killed.
    (left[0] / "CMakeFiles").mkdir(parents=True, exist_ok=True)
    interrupted.send_signal(signal.SIGINT)
    _, said = interrupted.communicate(timeout=60)
    assert interrupted.returncode == 1, said
    assert "machmeter: interrupted" in said
    assert not building(fresh.cache), said
    assert not list(fresh.data.glob("runs/*"))
    wait_until(lambda: not processes_about(str(tmp_path)), "every compiler ended", 60)
