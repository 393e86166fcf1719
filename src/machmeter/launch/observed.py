"""The record of a program that writes none: what machmeter sees of its launch."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from machmeter.launch.process import ProcessResult
from machmeter.model.errors import MachmeterError
from machmeter.model.layout import ThreadPlace
from machmeter.model.plan.launch import (
    RECORD_FORMAT,
    Check,
    ClockProperties,
    Closing,
    Header,
    Launch,
    PointRecord,
    Toolchain,
)
from machmeter.model.plan.observation import ObservedRank
from machmeter.store.files import read_bounded

_CLOCK: Final = "monotonic"


def observed_record(
    launch: Launch, result: ProcessResult, started: datetime, ranks: Sequence[ObservedRank] = ()
) -> bytes:
    """The record of a launch that ended well; empty for one that did not.

    Its one sample is the wall time of the command. What does not apply is empty: the toolchain,
    places of threads by their number, and noise, which nobody observed. ranks: as the wrapper saw
    them.
    """
    if result.timed_out or result.printed_too_much or result.exit_code:
        return b""
    header = Header(
        format=RECORD_FORMAT,
        benchmark=launch.spec.benchmark,
        launch=launch.number,
        seed=launch.seed,
        world_size=launch.spec.layout.ranks,
        started=started.isoformat(),
        places=tuple(
            ThreadPlace(number, 0, one.host, one.cpus, -1) for number, one in enumerate(ranks)
        ),
        toolchain=Toolchain(compiler="", flags="", source_hash=""),
        clock=ClockProperties(_CLOCK, 0.0, time.get_clock_info(_CLOCK).resolution),
        noise=(),
    )
    (point,) = launch.spec.points
    wall = PointRecord(
        parameters=dict(point.parameters),
        series={"seconds": (result.wall_seconds,)},
        batch=1,
        check=Check(passed=True, what="the program ended with exit code 0"),
    )
    closing = Closing(
        ended=(started + timedelta(seconds=result.wall_seconds)).isoformat(),
        points=1,
        noise=(),
        timed_seconds=result.wall_seconds,
    )
    return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, wall, *ranks, closing))


def take_observed(begin: str, ranks: int) -> tuple[ObservedRank, ...]:
    """What the wrapper wrote of each rank of one node, whose files are removed: they are a part of
    the record now. begin: of their names.

    A file that is missing or damaged counts as no rank. Raises OSError where one cannot be removed.
    """
    found = []
    for number in range(ranks):
        path = Path(f"{begin}.{number}")
        with suppress(MachmeterError, msgspec.DecodeError):
            found.append(_decoder.decode(read_bounded(path, _LARGEST)))
        path.unlink(missing_ok=True)
    return tuple(found)


_LARGEST = 16 * 2**20
_decoder = msgspec.json.Decoder(ObservedRank)
