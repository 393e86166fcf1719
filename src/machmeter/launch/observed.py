"""The record of a program that writes none: what machmeter sees of its launch. Pure."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Final

import msgspec

from machmeter.launch.process import ProcessResult
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

_CLOCK: Final = "monotonic"


def observed_record(launch: Launch, result: ProcessResult, started: datetime) -> bytes:
    """The record of a launch that ended well; empty for one that did not.

    Its one sample is the wall time of the command. What does not apply is empty: the toolchain,
    places of threads, and noise, which nobody observed.
    """
    if result.timed_out or result.exit_code:
        return b""
    header = Header(
        format=RECORD_FORMAT,
        benchmark=launch.spec.benchmark,
        launch=launch.number,
        seed=launch.seed,
        world_size=launch.spec.layout.ranks,
        started=started.isoformat(),
        places=(),
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
    return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, wall, closing))
