"""Rings of nerve cells: the proxy versus NEURON at the problem of the application, on one core and
on two ranks."""

from __future__ import annotations

from bench.comparisons.proxies.by_ranks import AS_FAST, RATE, Pair, speedup_row
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import Statistic, one_point
from bench.parsers import NeuronRun, parse_neuron
from bench.peers import find_program
from bench.rounds import Contender, ContenderError, RoundResults
from bench.verdicts import Row, measured_row
from machmeter.apps.builtin import app_file
from machmeter.benchmarks.proxies.ring import RING
from machmeter.model.layout import Layout
from machmeter.model.units import CELL_MILLISECONDS_PER_SECOND

TITLE = "ring"
PROBLEM = {"rings": 8, "cells": 8, "branches": 3, "milliseconds": 250}
# Of the problem, by either program.
SPIKES, CHECKSUM = 334, 1366942.4
SECONDS, SAMPLES = 0.5, 20
_STATISTIC = "mean of a launch"
# Debian's NEURON is linked with Debian's MPI, and embeds the Python that is first on this path.
MPI_OF_NEURON = "/usr"
SYSTEM_PATH = "PATH=/usr/bin:/bin"


def compare(bench: Bench) -> Outcome:
    """One rank and two, in rounds."""
    outcome = empty_outcome("Rings of nerve cells, the proxy and NEURON")
    path = find_program(bench.options.peer("nrniv"))
    if not path:
        outcome.skipped.append("NEURON is not installed (Debian: apt install neuron)")
        return outcome
    ranks = bench.thread_counts()
    measured = bench.measure(
        TITLE,
        [one for count in ranks for one in (_ours(bench, count), _neuron(bench, path, count))],
    )
    outcome.rows = ring_rows(ranks, measured)
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        "the same cells, compartments, channels and steps: 64 cells of 71 compartments for 250 ms, "
        f"NEURON's {SPIKES} spikes as known, or a launch counts for nothing; simulated time of all "
        "cells over time, NEURON's of its one solve, machmeter's mean of up to "
        f"{SAMPLES} in {SECONDS} s; NEURON reads the rates of its channels from a table, "
        "machmeter computes them; NEURON's ranks are started by the MPI of the system"
    )
    return outcome


def ring_rows(ranks: tuple[int, ...], measured: RoundResults) -> list[Row]:
    """A row for each number of ranks, and one for the speedup."""
    pairs: list[Pair] = [(count, f"machmeter, {count}", f"NEURON, {count}") for count in ranks]
    rows = [
        measured_row(
            f"{_ranks_text(count)}\n: NEURON",
            measured.values(mine, RATE),
            measured.values(other, RATE),
            unit=CELL_MILLISECONDS_PER_SECOND,
            higher_is_better=True,
            statistic=_STATISTIC,
            target=AS_FAST,
        )
        for count, mine, other in pairs
    ]
    if len(pairs) > 1:
        rows.append(speedup_row(measured, "NEURON", pairs[0], pairs[-1], _STATISTIC))
    return rows


def checked_rate(run: NeuronRun, ranks: int) -> float:
    """Of NEURON. Raises ContenderError for another number of ranks, or other spikes."""
    if run.ranks != ranks:
        raise ContenderError(f"NEURON ran on {run.ranks} ranks, not {ranks}")
    if run.spikes != SPIKES or abs(run.checksum / CHECKSUM - 1) > 1e-9:
        raise ContenderError(f"other spikes: {run.spikes}, checksum {run.checksum}")
    return run.rate


def _ranks_text(ranks: int) -> str:
    return f"{ranks} rank{'s' * (ranks > 1)}"


def _ours(bench: Bench, ranks: int) -> Contender:
    name = f"machmeter, {ranks}"
    layout = Layout(ranks_per_node=ranks)
    spec = one_point(RING.name, {**PROBLEM}, layout, samples=SAMPLES, seconds=SECONDS, name=name)
    metrics = {RATE: (RING.metrics[0].amount, Statistic.MEAN)}
    return bench.ours(bench.options.mpi).point_contender(name, spec, metrics)


def _neuron(bench: Bench, path: str, ranks: int) -> Contender:
    script = app_file("neuron-ring").with_name("ring.py")
    sizes = (str(size) for size in PROBLEM.values())
    command = ("/usr/bin/env", SYSTEM_PATH, path, "-python", str(script), *sizes)

    def start(_round: int) -> dict[str, float]:
        if ranks > 1:
            text = bench.peers_with_their_own_mpi(MPI_OF_NEURON).run_ranks(command, ranks)
        else:
            text = bench.peers(bench.options.mpi).run_threads(command, 1)
        return {RATE: checked_rate(parse_neuron(text), ranks)}

    return Contender(f"NEURON, {ranks}", start)
