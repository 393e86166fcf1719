"""How long large machines take to simulate, and how much memory, versus their limits.

The peer is the limit. Every case is one launch of the program that simulates, on one core.
"""

from __future__ import annotations

import math
import os
import tempfile
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench.context import Bench, Outcome, empty_outcome
from bench.rounds import Contender, ContenderError
from bench.verdicts import at_least, measured_row
from machmeter.launch.simulated import simulated_arguments
from machmeter.model.benchmark import Value
from machmeter.model.layout import Assignment, Layout
from machmeter.model.plan.launch import Launch, LaunchSpec
from machmeter.model.point import make_point
from machmeter.model.program import SIMULATOR
from machmeter.model.twin import Twin
from machmeter.model.units import BYTES, SECONDS
from machmeter.run.programs.compiled import BuildContext, compiled_simulator
from machmeter.simulation.builtin import find_twin

TITLE = "simulation"
_TIME, _MEMORY, _EACH = "time", "memory", "time / (P log2 P)"
_MOST_BYTES = 1e9
_MOST_GROWTH = 3.0
_Parameters = dict[str, Value]
_ALL_TO_ALL: _Parameters = {"operation": "alltoall", "size": 65536}
_ALLREDUCE: _Parameters = {"operation": "allreduce", "size": 8}
_COLLECTIVE: _Parameters = {"form": "blocking", "start": "time", "datatype": "float"}


class Case(Struct, frozen=True):
    """One operation of so many ranks, and the seconds that it may take (0: no limit).

    large: on a machine with places for 2^20 nodes; else on Hopper's twin.
    """

    name: str
    benchmark: str
    parameters: _Parameters
    nodes: int
    ranks_per_node: int
    seconds: float = 0.0
    large: bool = True

    @property
    def ranks(self) -> int:
        """Ranks over all nodes."""
        return self.nodes * self.ranks_per_node


def _collective(name: str, one: _Parameters, ranks: int, seconds: float = 0.0) -> Case:
    return Case(name, "network.collective", {**one, **_COLLECTIVE}, ranks // 2, 2, seconds)


LIMITED = (
    _collective("allreduce 8 B, 100,000 ranks", _ALLREDUCE, 100_000, 10.0),
    Case(
        "barrier, 100,000 ranks",
        "network.barrier",
        {"form": "blocking", "start": "time"},
        50_000,
        2,
        10.0,
    ),
    _collective("all-to-all 64 KiB, 100,000 ranks", _ALL_TO_ALL, 100_000, 10.0),
    Case(
        "all-to-all 8 KiB, 1,024 nodes of Hopper",
        "network.collective",
        {"operation": "alltoall", "size": 8192, **_COLLECTIVE},
        1024,
        1,
        2.0,
        large=False,
    ),
)
SMALL, LARGE = (
    _collective(f"allreduce 8 B, {ranks:,} ranks", _ALLREDUCE, ranks)
    for ranks in (10_000, 1_000_000)
)


def compare(bench: Bench) -> Outcome:
    """Every case in each round, and how the time of each message grows with the ranks."""
    outcome = empty_outcome("How long large machines take to simulate")
    context = BuildContext(bench.environment, bench.cache)
    program = compiled_simulator("", (), context, bench.notify)
    contenders = [
        Contender(case.name, partial(simulate, program, case)) for case in (*LIMITED, SMALL, LARGE)
    ]
    measured = bench.measure(TITLE, contenders)
    for case in LIMITED:
        seconds, memory = (measured.values(case.name, what) for what in (_TIME, _MEMORY))
        for what, values, limit, unit in (
            (_TIME, seconds, case.seconds, SECONDS),
            (_MEMORY, memory, _MOST_BYTES, BYTES),
        ):
            outcome.rows.append(
                measured_row(
                    f"{case.name}\n: {what}, at most",
                    values,
                    dict.fromkeys(values, limit),
                    unit=unit,
                    higher_is_better=False,
                    statistic=what,
                    target=at_least(1.0),
                )
            )
    outcome.rows.append(
        measured_row(
            f"{_EACH}: 10^6 ranks\n: over 10^4",
            measured.values(LARGE.name, _EACH),
            measured.values(SMALL.name, _EACH),
            unit=SECONDS,
            higher_is_better=False,
            statistic=_TIME,
            target=at_least(1 / _MOST_GROWTH),
        )
    )
    outcome.failures += measured.failure_lines()
    return outcome


def large_machine() -> Twin:
    """A torus as Hopper's, with places for 2^20 nodes."""
    return replace(find_twin("hopper"), name="large", nodes=2**20, shape=(64, 64, 128))


def simulate(program: str, case: Case, _round: int = 0) -> dict[str, float]:
    """Seconds and bytes of memory of one launch. Raises ContenderError where it fails."""
    layout = Layout(nodes=case.nodes, ranks_per_node=case.ranks_per_node)
    point = make_point(case.benchmark, case.parameters, layout)
    spec = LaunchSpec(case.name, SIMULATOR, case.benchmark, layout, (point,), 0.01)
    launch = Launch(1, spec, 1, Assignment(()))
    with tempfile.TemporaryDirectory(prefix="machmeter-bench-") as folder:
        record = Path(folder) / "record.jsonl"
        twin = large_machine() if case.large else find_twin("hopper")
        words = simulated_arguments(launch, record, twin, "mpich")
        began = os.times().elapsed
        child = os.posix_spawn(program, (program, *words), {})
        _, status, used = os.wait4(child, 0)
        seconds = os.times().elapsed - began
    if status:
        raise ContenderError(f"{case.name} ended with status {status}")
    return {
        _TIME: seconds,
        _MEMORY: used.ru_maxrss * 1024.0,
        _EACH: seconds / (case.ranks * math.log2(case.ranks)),
    }
