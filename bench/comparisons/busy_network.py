"""Change of results between two runs while another process uses one of the CPUs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext

from bench.comparisons.network_tables import AvailableQuantity, available, contenders
from bench.context import Bench, Outcome, empty_outcome
from bench.network.catalogue import quantities
from bench.network.contenders import our_key, our_name, peer_key
from bench.network.quantity import NO_SIZE, RANKS
from bench.network.reductions import launch_result
from bench.network.run_changes import TwoRuns, change_row, results_of_run, run_changes
from bench.rounds import RoundResults, measure_rounds
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
    """Two runs with and two without a spinning process, equal launches of every tool."""
    outcome = empty_outcome("Change between runs, on a quiet and on a busy machine")
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
            both = [
                TwoRuns(results_of_run(runs[first], keys), results_of_run(runs[second], keys))
                for keys in (ours, theirs)
            ]
            changes = run_changes(*both)
            if changes.ours:
                outcome.rows.append(change_row(f"{what} : {tool}", changes))
    outcome.failures += [f"{name}: {line}" for name in RUNS for line in runs[name].failure_lines()]
    outcome.notes.append(
        f"{launches} launches of each program per run, interleaved; a result is the geometric mean "
        f"of its launches, of machmeter's own launch values and of what the others print; busy: "
        f"another process spins on CPU {cpu}, where a rank runs; n: points; ratio: the peer's "
        "change over ours"
    )
    return outcome


def _run(
    bench: Bench, wanted: Sequence[AvailableQuantity], name: str, launches: int, cpu: int
) -> RoundResults:
    options = bench.options
    with busy_cpu(cpu) if name.startswith("busy") else nullcontext():
        return measure_rounds(
            contenders(bench, wanted, launch_result),
            launches,
            options.budget / len(RUNS),
            options.seed,
            bench.notify,
            f"{TITLE}: {name}",
        )


@contextmanager
def busy_cpu(cpu: int) -> Iterator[int]:
    """A process that spins on that CPU until the block ends; its id."""
    process = subprocess.Popen((sys.executable, "-c", _SPIN, str(cpu)))
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _keys(
    wanted: Sequence[AvailableQuantity], tool: str
) -> tuple[Mapping[str, tuple[str, str]], Mapping[str, tuple[str, str]]]:
    """Contender and metric of every point, of ours and of that tool's."""
    ours, theirs = {}, {}
    for quantity, programs in wanted:
        for one in programs:
            for size in quantity.sizes or (NO_SIZE,):
                if one.tool == tool:
                    point = f"{quantity.name} {size}"
                    ours[point] = (our_name(quantity), our_key(size))
                    theirs[point] = (one.command_name, peer_key(one, size))
    return ours, theirs
