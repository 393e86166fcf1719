"""How long a person waits: commands that answer at once, a store of many runs, a short run.

The peer of every row is the time that it may take.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from bench.context import Bench, Outcome, empty_outcome
from bench.rounds import Contender, ContenderError, RoundResults
from bench.verdicts import Row, at_least, center, ratio_row
from machmeter.model.units import SECONDS, format_value
from machmeter.store.files import write_json
from machmeter.store.remembered_runs import runs_home
from machmeter.store.run_folder import RunFolder

TITLE = "first-minute"
RUNS = 1000
AT_ONCE = 0.2
WITH_MANY_RUNS = 0.5
LISTED = 0.35
TO_FIRST_LAUNCH = 1.0
OUTSIDE_LAUNCHES = 2.0
TO_FIRST_OF_PROGRAM = 2.0
WALL = "wall time"
FIRST = "to the first launch"
OUTSIDE = "outside launches"
_LIMIT_SECONDS = 600
_SHORT_RUN = ("run", "memory.stream", "--threads", "1", "--budget", "3s")
_EXPLORATION = ("explore", "--threads", "1", "--launches", "2", "--", "true")
_COMPLETION = MappingProxyType(
    {
        "_MACHMETER_COMPLETE": "complete_bash",
        "COMP_WORDS": "machmeter run --thr",
        "COMP_CWORD": "2",
    }
)


class Wait(Struct, frozen=True):
    """A command that a person waits for, and the time that each part of it may take."""

    name: str
    """What stands in the table."""
    words: tuple[str, ...]
    """The words after `machmeter`."""
    limits: Mapping[str, float]
    """Seconds by what is timed."""
    environment: Mapping[str, str] = MappingProxyType({})
    """What its environment has more than that of bench."""


WAITS = (
    Wait("machmeter --version", ("--version",), {WALL: AT_ONCE}),
    Wait("machmeter --help", ("--help",), {WALL: AT_ONCE}),
    Wait("completion of `run --thr`", (), {WALL: AT_ONCE}, _COMPLETION),
    Wait(f"machmeter list, {RUNS} runs", ("list",), {WALL: LISTED}),
    Wait(f"machmeter runs, {RUNS} runs", ("runs",), {WALL: WITH_MANY_RUNS}),
    Wait(f"machmeter show last, {RUNS} runs", ("show", "last"), {WALL: WITH_MANY_RUNS}),
    Wait(
        "a short run of one benchmark",
        _SHORT_RUN,
        {FIRST: TO_FIRST_LAUNCH, OUTSIDE: OUTSIDE_LAUNCHES},
    ),
    Wait("an exploration of `true`", _EXPLORATION, {FIRST: TO_FIRST_OF_PROGRAM}),
)


class Places(Struct, frozen=True):
    """Where the commands find their runs and what they keep."""

    data: Path
    """The folder of runs and their index."""
    environment: Mapping[str, str]
    """Of every command."""


def compare(bench: Bench) -> Outcome:
    """Each command once a round; the store is filled with copies of one short run before."""
    outcome = empty_outcome("What a person waits for, against the time that it may take")
    with tempfile.TemporaryDirectory(prefix="machmeter-bench-store-") as name:
        data = Path(name) / "data"
        variables = {"MACHMETER_DATA": str(data), "MACHMETER_CACHE": str(bench.cache)}
        places = Places(data, {**bench.environment, **variables})
        try:
            fill_store(places, bench)
        except ContenderError as error:
            outcome.failures.append(str(error))
            return outcome
        measured = bench.measure(TITLE, [_contender(wait, places) for wait in WAITS])
    outcome.rows += rows(measured)
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        "a short run: machmeter " + " ".join(_SHORT_RUN) + "; its programs are compiled before"
    )
    return outcome


def fill_store(places: Places, bench: Bench) -> None:
    """A short run, its copies under names of their own, and the index. Raises ContenderError."""
    bench.notify(f"{TITLE}: a run and {RUNS - 1} copies of it")
    _timed(_SHORT_RUN, places.environment)
    (first,) = runs_home(places.data).iterdir()
    for number in range(1, RUNS):
        copied = RunFolder(first.with_name(f"{first.name[:-4]}{number:04}"))
        shutil.copytree(first, copied.path)
        write_json(copied.path / "run.json", replace(copied.header(), id=copied.path.name))
    _timed(("store", "rebuild"), places.environment)
    for words in (("runs",), ("show", "last")):
        _timed(words, places.environment)


def rows(measured: RoundResults) -> list[Row]:
    """A row of each time with two rounds at least; above 1 it is shorter than it may be."""
    return [
        ratio_row(
            f"{wait.name}\n: {part}, at most",
            values := measured.values(wait.name, part),
            dict.fromkeys(values, limit),
            higher_is_better=False,
            statistic="time",
            target=at_least(1.0),
            text=(format_value(center(values), SECONDS), format_value(limit, SECONDS)),
        )
        for wait in WAITS
        for part, limit in wait.limits.items()
        if measured.has(wait.name, part)
    ]


def _contender(wait: Wait, places: Places) -> Contender:
    environment = {**places.environment, **wait.environment}

    def start(_round: int) -> dict[str, float]:
        if FIRST not in wait.limits:
            return {WALL: _timed(wait.words, environment)}
        began = time.time()
        with tempfile.TemporaryDirectory(prefix="machmeter-bench-run-") as name:
            folder = RunFolder(Path(name) / "run")
            command, *further = wait.words
            words = (command, "--output", str(folder.path), *further)
            wall = _timed(words, environment)
            return {FIRST: _first_launch(folder) - began, OUTSIDE: wall - _in_launches(folder)}

    return Contender(wait.name, start)


def _first_launch(folder: RunFolder) -> float:
    """When the first launch was written down, which is right before it starts; epoch seconds."""
    return min(file.stat().st_mtime for file in folder.path.glob("launches/*.launch.json"))


def _in_launches(folder: RunFolder) -> float:
    return sum(outcome.wall_seconds for outcome in folder.outcomes())


def _timed(words: Sequence[str], environment: Mapping[str, str]) -> float:
    """Seconds that a command takes. Raises ContenderError where it fails."""
    command = [sys.executable, "-m", "machmeter", *words]
    began = time.perf_counter()
    try:
        done = subprocess.run(
            command,
            env=dict(environment),
            check=False,
            capture_output=True,
            timeout=_LIMIT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise ContenderError(f"{' '.join(words)} took over {_LIMIT_SECONDS} s") from error
    seconds = time.perf_counter() - began
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ContenderError(f"{' '.join(words)} ended with {done.returncode}: {said[-1:]}")
    return seconds
