"""Runs of many nights, made up: an index and the few files of each run that a history reads."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec.structs import replace

from machmeter.analysis.stats.estimates import estimate
from machmeter.analysis.stats.launch_value import LaunchValue
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import ClockProperties, Header, Toolchain
from machmeter.model.point import Point, make_point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.run.history.indexing import index_of
from machmeter.store.files import write_json
from machmeter.store.index import Index
from machmeter.store.remembered_runs import runs_home
from tests.support.synthetic.machine import make_machine
from tests.support.synthetic.run import make_run

START = datetime(2026, 9, 1, 3, 0, tzinfo=UTC)
TOOLCHAIN = Toolchain("GNU 12.2.0", "-O3 -march=native", "a" * 16, "201511", "MPICH 5.0.1")

Levels = Callable[[int], float]


def night_id(night: int, machine: str = "node17") -> str:
    return f"{START + timedelta(days=night):%Y%m%d-%H%M%S}-{machine}-{night:04x}"


def latency_point(size: int) -> Point:
    parameters: dict[str, Value] = {"buffers": "hot", "start": "barrier", "size": size}
    return make_point("network.latency", parameters, Layout(ranks_per_node=2))


def stream_point() -> Point:
    parameters: dict[str, Value] = {"kernel": "triad", "size": 2**27, "stores": "plain"}
    return make_point("memory.stream", parameters, Layout(threads_per_rank=2))


def a_figure(point: Point, metric: str, value: float, draw: random.Random) -> Estimate:
    """Three launches around `value`."""
    launched = [LaunchValue(value * draw.gauss(1, 0.004), 200, 0, 0) for _ in range(3)]
    known = find(point.benchmark).metric(metric)
    return estimate(point, known, launched, (1, 2, 3), 0.02, 3, 1, {})


@functools.cache
def _one_run() -> RunResult:
    return make_run()


def add_night(
    data: Path,
    night: int,
    figures: Sequence[Estimate],
    machine: Machine | None = None,
    toolchain: Toolchain = TOOLCHAIN,
    version: str = "0.1.0",
) -> str:
    """One finished run in the index of `data`, with its folder; its id."""
    here = machine or make_machine("node17", 2)
    name = night_id(night, here.name)
    header = replace(
        _one_run().header,
        id=name,
        started=(START + timedelta(days=night)).isoformat(),
        machine=here,
        version=version,
    )
    folder = runs_home(data) / name
    (folder / "launches").mkdir(parents=True)
    write_json(folder / "run.json", header)
    write_json(folder / "state.json", {"state": "finished", "wall_seconds": 60.0})
    (folder / "launches" / "00001.launch.json").write_text("{}")
    first_line = Header(
        1, "network.latency", 1, 7, 2, header.started, (), toolchain,
        ClockProperties("tsc", 1e-8, 1e-9), (), libraries={"openmp": "libgomp.so.1"},
    )  # fmt: skip
    (folder / "launches" / "00001.jsonl").write_bytes(msgspec.json.encode(first_line) + b"\n")
    index = index_of(data)
    index.add(replace(_one_run(), header=header, estimates=tuple(figures), outcomes=()), folder, ())
    return name


def nightly(
    data: Path,
    nights: int,
    levels: dict[int, Levels],
    spread: float = 0.01,
    machine: Callable[[int], Machine] = lambda _: make_machine("node17", 2),
    toolchain: Callable[[int], Toolchain] = lambda _: TOOLCHAIN,
) -> Index:
    """`nights` runs with one latency a message size: its level, seconds, by night."""
    draw = random.Random(20)
    for night in range(nights):
        figures = [
            a_figure(latency_point(size), "latency", level(night) * draw.gauss(1, spread), draw)
            for size, level in levels.items()
        ]
        add_night(data, night, figures, machine(night), toolchain(night))
    return index_of(data)
