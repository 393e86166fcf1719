"""Reads damaged files, one after the other, within limits of time and memory: a process of its own.

python -m tests.support.fuzzing.worker READER NUMBER        one again, with what it raises
python -m tests.support.fuzzing.worker READER FIRST COUNT   many, a line of JSON each
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.model.errors import MachmeterError
from tests.support.fuzzing.mutations import mutated
from tests.support.fuzzing.readers import READERS, FileReader, Input

MOST_SECONDS = 10
"""CPU time of one input; machmeter is to need a tenth of it for such files."""
MOST_MEMORY = 3 * 2**30
"""Address space of the process, which libraries reserve and do not use."""
_LAST_LINES = 8


class Report(Struct, frozen=True):
    """How one input was read."""

    number: int
    file: str
    bytes: int
    cpu_seconds: float
    outcome: str
    """`read`, `refused`, or the last lines of what it raised."""


def damaged_input(sound: Sequence[Input], reader: FileReader, number: int) -> Input:
    """The input of that number: the same each time."""
    chance = random.Random(f"{reader.name} {number}")
    one = sound[number % len(sound)]
    return Input(one.name, mutated(one.content, [other.content for other in sound], chance))


def _limit_time() -> None:
    """From now on: the signal ends the process, whatever the code does."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (spent + MOST_SECONDS + 1, resource.RLIM_INFINITY))


def report(reader: FileReader, folder: Path, sound: Sequence[Input], number: int) -> Report:
    """How the input of that number is read; `folder` is the reader's own."""
    one = damaged_input(sound, reader, number)
    begun = time.process_time()
    outcome = "read"
    try:
        reader.read(folder, one)
    except MachmeterError:
        outcome = "refused"
    except Exception:
        outcome = "\n".join(traceback.format_exc().splitlines()[-_LAST_LINES:])
    return Report(number, one.name, len(one.content), time.process_time() - begun, outcome)


def main(name: str, first: str, count: str = "") -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    reader = next(one for one in READERS if one.name == name)
    sound = tuple(reader.inputs())
    with tempfile.TemporaryDirectory(prefix="fuzzed-") as made:
        if count:
            for number in range(int(first), int(first) + int(count)):
                _limit_time()
                said = report(reader, Path(made), sound, number)
                print(msgspec.json.encode(said).decode(), flush=True)
            return
        one = damaged_input(sound, reader, int(first))
        kept = Path(tempfile.gettempdir()) / f"{name}-{first}-{Path(one.name).name}"
        kept.write_bytes(one.content)
        print(f"{one.name}, damaged: {kept}", flush=True)
        _limit_time()
        reader.read(Path(made), one)


if __name__ == "__main__":
    main(*sys.argv[1:])
