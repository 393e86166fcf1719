"""The real command, run as a person or a batch system runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Done = subprocess.CompletedProcess[str]

# What is set here would be taken for a wish of the person who runs the command.
STEERING = ("MACHMETER_", "OMP_", "GOMP_", "CXX", "PMI_", "MPI")
# Without bytecode every start compiles all modules again, which takes longer than most commands.
SLOWING = ("PYTHONDONTWRITEBYTECODE",)


@dataclass(frozen=True)
class MachmeterCommand:
    """The command with a cache and a data folder; `extra` is added to its environment."""

    cache: Path
    data: Path
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        left = (*STEERING, *SLOWING)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(left)}
        folders = {"MACHMETER_CACHE": str(self.cache), "MACHMETER_DATA": str(self.data)}
        # What the machine has installed changes no test that does not ask for it.
        steered = {"MACHMETER_MPI": "mpich", "MACHMETER_BESIDE_OTHERS": "1"}
        return {**kept, **folders, **steered, **self.extra}

    def run(self, *words: str | Path, under: tuple[str, ...] = (), seconds: float = 240) -> Done:
        """Run to the end, at most `seconds`; `under`: a command that starts it (`taskset -c 0`)."""
        return subprocess.run(
            [*under, *self._words(words)],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )

    def start(self, *words: str | Path) -> subprocess.Popen[str]:
        """Start it and come back at once."""
        return subprocess.Popen(
            self._words(words),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    @staticmethod
    def _words(words: tuple[str | Path, ...]) -> list[str]:
        return [sys.executable, "-m", "machmeter", *map(str, words)]


def tiny(benchmark: str, *settings: str, budget: str = "20s") -> tuple[str, ...]:
    """The words that run a benchmark with two launches of each layout."""
    sets = [word for setting in settings for word in ("--set", setting)]
    return (
        "run",
        benchmark,
        *sets,
        "--min-launches",
        "2",
        "--max-launches",
        "2",
        "--budget",
        budget,
    )


def assert_refused(done: Done, code: int, *words: str) -> None:
    """It ended with `code`, said `words` on standard error, and showed no traceback."""
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    for word in words:
        assert word in " ".join(done.stderr.split()), said
    assert "Traceback" not in said
    assert "internal error" not in said


def wait_until(true: Callable[[], bool], what: str, seconds: float = 120) -> None:
    """Come back as soon as `true()` holds; fail the test when it never does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited {seconds} s in vain until {what}"
        time.sleep(0.002)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of the launches of a run that says what was measured, by name."""
    kept = (".jsonl", ".json")
    return {
        path.name: path.read_bytes()
        for path in sorted((folder / "launches").iterdir())
        if path.name.endswith(kept)
    }


def verdicts(folder: Path) -> dict[str, list[str]]:
    """The verdict of every launch that ended, by spec, in order."""
    found: dict[str, list[str]] = {}
    for path in sorted((folder / "launches").glob("*.outcome.json")):
        outcome: dict[str, Any] = json.loads(path.read_text())
        found.setdefault(outcome["spec"], []).append(outcome["verdict"])
    return found


def processes_about(text: str) -> dict[int, str]:
    """Command lines of living processes that name `text`, by their id, this one left out."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in words:
            found[int(entry.name)] = words
    return found
