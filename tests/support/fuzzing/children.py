"""Children that read damaged files, as many at once as there are cores, and what became of each."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import msgspec
from msgspec import Struct, field

from tests.support.fuzzing.readers import READERS
from tests.support.fuzzing.worker import MOST_SECONDS, Report
from tests.support.paths import ROOT

SOUND = ("read", "refused")
_CHUNK = 1250
_START_SECONDS = 60
_MOST_FAILURES = 10


class Tally(Struct):
    """What all inputs of a reader came to."""

    reader: str
    inputs: int = 0
    read: int = 0
    seconds: float = 0.0
    slowest: Report | None = None
    failures: list[Report] = field(default_factory=list)

    def add(self, reports: list[Report]) -> None:
        self.inputs += len(reports)
        self.read += sum(one.outcome == "read" for one in reports)
        self.seconds += sum(one.cpu_seconds for one in reports)
        known = [self.slowest] if self.slowest else []
        self.slowest = max((*known, *reports), key=lambda one: one.cpu_seconds, default=None)
        self.failures += [one for one in reports if one.outcome not in SOUND]

    @property
    def line(self) -> str:
        counts = f"{self.reader:14} {self.inputs:6} inputs {self.read:6} read {self.seconds:7.1f} s"
        one = self.slowest
        if one is None:
            return counts
        which = f"number {one.number}, {one.bytes} B, {one.file}"
        return f"{counts}; slowest {one.cpu_seconds:.3f} s: {which}"

    @property
    def told(self) -> str:
        """Each failure, and the command that shows it again."""
        return "\n".join(
            f"{self.reader} {one.number}, {one.file}:\n{one.outcome}\n"
            f"again: {sys.executable} -m tests.support.fuzzing.worker {self.reader} {one.number}\n"
            for one in self.failures[:_MOST_FAILURES]
        )


def read_damaged(each: int, first: int = 0, names: tuple[str, ...] = ()) -> tuple[Tally, ...]:
    """`each` inputs of every reader, from number `first` on."""
    known = (one.name for one in READERS)
    tallies = {name: Tally(name) for name in known if name in names or not names}
    chunks = [
        (name, begin, min(_CHUNK, first + each - begin))
        for begin in range(first, first + each, _CHUNK)
        for name in tallies
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, _, _), reports in zip(chunks, pool.map(_all_of, chunks), strict=True):
            tallies[name].add(reports)
    return tuple(tallies.values())


def _all_of(chunk: tuple[str, int, int]) -> list[Report]:
    """Where a child ends at an input, another one goes on behind it."""
    name, begin, count = chunk
    reports: list[Report] = []
    while len(reports) < count:
        if sum(one.outcome not in SOUND for one in reports) >= _MOST_FAILURES:
            break
        reports += _of_child(name, begin + len(reports), count - len(reports))
    return reports


def _of_child(name: str, begin: int, count: int) -> Iterator[Report]:
    command = (sys.executable, "-m", "tests.support.fuzzing.worker", name, str(begin), str(count))
    # A reader that waits uses no CPU time.
    patience = _START_SECONDS + count * MOST_SECONDS / 10
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=patience, check=False
        )
        output, error, code = done.stdout, done.stderr, _why(done.returncode)
    except subprocess.TimeoutExpired as late:
        output, error = (late.stdout or b"").decode(), (late.stderr or b"").decode()
        code = f"not at its end after {patience:.0f} s"
    lines = output.splitlines()
    for line in lines:
        yield msgspec.json.decode(line, type=Report)
    if len(lines) < count:
        why = f"the process ended: {code}; {error[-500:]}"
        yield Report(begin + len(lines), "", 0, MOST_SECONDS, why)


def _why(code: int) -> str:
    if code == -signal.SIGXCPU:
        return f"more than {MOST_SECONDS} s of CPU time"
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def main(each: str, first: str = "0", *names: str) -> None:
    for tally in read_damaged(int(each), int(first), names):
        print(tally.line, tally.told, sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
