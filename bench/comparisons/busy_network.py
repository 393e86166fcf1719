"""How far figures move between two runs where another process takes one of the CPUs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext

from bench.comparisons.network_tables import Wanted, available, contenders
from bench.context import Bench, Outcome, empty_outcome
from bench.network.contenders import our_key, our_name, their_key
from bench.network.everything import quantities
from bench.network.figures import launch_figure
from bench.network.movement import TwoRuns, figures_of_run, movement, movement_row
from bench.network.quantity import NO_SIZE, RANKS
from bench.rounds import Measured, measure_rounds
from machmeter.model.layout import Layout

TITLE = "busy-network"
LAUNCHES = 5
QUANTITIES = (
    "ping-pong",
    "bandwidth, window 64",
    "barrier",
    "allreduce, float",
    "alltoall",
    "put, create",
)
# In the order in which they are made.
RUNS = ("quiet, run 1", "busy, run 1", "quiet, run 2", "busy, run 2")
BETWEEN = (
    ("quiet, run 2 over run 1", "quiet, run 1", "quiet, run 2"),
    ("busy, run 2 over run 1", "busy, run 1", "busy, run 2"),
    ("run 1, busy over quiet", "quiet, run 1", "busy, run 1"),
    ("run 2, busy over quiet", "quiet, run 2", "busy, run 2"),
)
_SPIN = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"


def compare(bench: Bench) -> Outcome:
    """Two runs with and two without a spinning process, as many launches of every tool."""
    outcome = empty_outcome("Change between runs, on a quiet machine and on a busy one")
    found = available(bench, quantities(), outcome)
    wanted = [(q, t) for q, t in found if q.name in QUANTITIES]
    if not wanted:
        return outcome
    cpu = bench.ours(bench.options.mpi).assignment(Layout(ranks_per_node=RANKS)).cpus[1][0][0]
    launches = min(LAUNCHES, bench.options.rounds)
    runs = {name: _run(bench, wanted, name, launches, cpu) for name in RUNS}
    for tool in ("OSU", "IMB"):
        ours, theirs = _keys(wanted, tool)
        for what, first, second in BETWEEN:
            sides = [
                TwoRuns(figures_of_run(runs[first], keys), figures_of_run(runs[second], keys))
                for keys in (ours, theirs)
            ]
            moved = movement(*sides)
            if moved.ours:
                outcome.rows.append(movement_row(f"{what} : {tool}", moved))
    outcome.failures += [f"{name}: {line}" for name in RUNS for line in runs[name].failure_lines()]
    outcome.notes.append(
        f"{launches} launches of each program a run, interleaved; a figure is the geometric mean "
        f"of its launches, of machmeter's own launch values and of what the others print; busy: "
        f"another process spins on CPU {cpu}, where a rank runs; n: points; the ratio is how many "
        "times as far theirs moves"
    )
    return outcome


def _run(bench: Bench, wanted: Sequence[Wanted], name: str, launches: int, cpu: int) -> Measured:
    options = bench.options
    with busy_cpu(cpu) if name.startswith("busy") else nullcontext():
        return measure_rounds(
            contenders(bench, wanted, launch_figure),
            launches,
            options.budget / len(RUNS),
            options.seed,
            bench.tell,
            f"{TITLE}: {name}",
        )


@contextmanager
def busy_cpu(cpu: int) -> Iterator[int]:
    """A process that does nothing else but use that CPU; its id. It ends with the block."""
    process = subprocess.Popen((sys.executable, "-c", _SPIN, str(cpu)))
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _keys(
    wanted: Sequence[Wanted], tool: str
) -> tuple[Mapping[str, tuple[str, str]], Mapping[str, tuple[str, str]]]:
    """Contender and figure of every point, of ours and of that tool's."""
    ours, theirs = {}, {}
    for quantity, programs in wanted:
        for one in programs:
            for size in quantity.sizes or (NO_SIZE,):
                if one.tool == tool:
                    point = f"{quantity.name} {size}"
                    ours[point] = (our_name(quantity), our_key(size))
                    theirs[point] = (one.command_name, their_key(one, size))
    return ours, theirs
