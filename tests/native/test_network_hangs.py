"""A rank that stops or dies in the middle of a measurement ends the launch, which says in what."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.build.mpi import MpiInstall
from machmeter.launch.local import LocalLauncher
from machmeter.model.launch import Launch, Outcome, Verdict
from machmeter.model.layout import Layout
from machmeter_command import processes_about, wait_until
from native_programs import built_with, launch_of, start, two_cpus

pytestmark = pytest.mark.native

POINT = {"size": 65536, "side": "send", "work_percent": 100}
WORDS = "it was measuring side=send,size=65536,work_percent=100"


def long_launch() -> Launch:
    """A launch of one point that would take minutes."""
    two_cpus()
    launch = launch_of(
        "network.overlap", [POINT], Layout(ranks_per_node=2, page_bytes=os.sysconf("SC_PAGE_SIZE"))
    )
    return replace(launch, spec=replace(launch.spec, seconds_per_point=200.0, samples=10**9))


def ranks_of(record: Path) -> list[int]:
    """Processes that became the measured program, not those that start it."""
    return [
        number
        for number, words in processes_about(str(record)).items()
        if Path(words.split(" ", 1)[0]).name == "machmeter-mpi"
    ]


def outcome_after(
    number: signal.Signals, mpi: MpiInstall, cache: Path, folder: Path, limit_seconds: float
) -> Outcome:
    """What becomes of a launch of which one rank gets a signal while it measures."""
    launcher = LocalLauncher(built_with(mpi, cache), mpi, os.environ)
    launch = long_launch()
    record = folder / f"{launch.number:05d}.jsonl"
    partial = record.with_name(record.name + ".partial")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(start, launcher, launch, folder, limit_seconds)
        wait_until(
            lambda: partial.exists() and b'"begun"' in partial.read_bytes(), "a point was begun", 60
        )
        os.kill(ranks_of(record)[-1], number)
        outcome, _ = running.result()
    wait_until(lambda: not processes_about(str(record)), "every rank ended", 10)
    return outcome


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_a_killed_rank_ends_the_launch_long_before_its_limit(
    family: str, cache: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    mpi: MpiInstall = request.getfixturevalue(family)
    outcome = outcome_after(signal.SIGKILL, mpi, cache, tmp_path, 100.0)
    assert outcome.verdict is Verdict.FAILED
    assert outcome.wall_seconds < 60
    assert WORDS in outcome.reasons


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_a_rank_that_hangs_is_ended_at_the_limit(
    family: str, cache: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    mpi: MpiInstall = request.getfixturevalue(family)
    outcome = outcome_after(signal.SIGSTOP, mpi, cache, tmp_path, 6.0)
    assert outcome.verdict is Verdict.TIMED_OUT
    assert "0 of 1 points were recorded" in outcome.reasons[0]
    assert WORDS in outcome.reasons
