"""A bunch of charged particles versus IMPACT-T: as many particles on a grid of the same size."""

from __future__ import annotations

import re
import tempfile
from functools import partial
from pathlib import Path

from bench.comparisons.proxies.by_ranks import RATE, compare_by_ranks
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, Statistic, one_point
from bench.peers import PeerPrograms
from bench.rounds import Contender, ContenderError
from machmeter.benchmarks.proxies.beampic import BEAMPIC
from machmeter.model.layout import Layout
from machmeter.model.units import PARTICLE_STEPS_PER_SECOND

TITLE = "beam"
CELLS, PARTICLES, STEPS = 32, 200_000, 80
# Of IMPACT-T: deposit and sums of layers around domains, solve, exchange of the potential's layers,
# gather and push, drift, migration; in the solve, the Green function and its transform.
_TIMERS = ("rhofas", "guardsum", "ufield", "guardexch", "ntrslo", "map1", "ptsmv")
_GREEN = "greenf"
# A round bunch of 10 MeV in its own frame, on its way through an empty pipe, charge deposited in
# three dimensions (element -5).
_INPUT = f"""\
1 {{ranks}}
1.0e-12 {STEPS} 1
6 {PARTICLES} 1 0 0 0 0.0
{CELLS} {CELLS} {CELLS} 1 0.15 0.15 1.0e5
3 0 0 -1 0.0
1.0e-3 1.0e-4 0.0 1.0 1.0 0.0 0.0
1.0e-3 1.0e-4 0.0 1.0 1.0 0.0 0.0
5.0e-5 1.0e-3 0.0 1.0 1.0 0.1 19.57
1.0e-3 1.0e7 0.511005e6 -1.0 1.3e9 0.0
0.0 1 1 -5 0.0 0.0 0.0 /
10.0 10 10 0 0.0 0.15 /
"""
_SHARE = re.compile(r"^\s*avgpts:\s+(\d+)", re.M)
_STEP = re.compile(r"^\s*i,t,<z>:", re.M)
_TIME = re.compile(r"^\s*(\w+)\s+(\S+) seconds", re.M)


def compare(bench: Bench) -> Outcome:
    """One rank, and one on each of two cores, both with the MPI that IMPACT-T is linked with."""
    outcome = empty_outcome(f"Particle beam, {PARTICLES:,} particles, {CELLS}^3 points")
    path = bench.options.peer("impact")
    if not path:
        outcome.skipped.append("IMPACT-T was not given (--impact PATH)")
        return outcome
    outcome.notes.append(
        "IMPACT-T by its own timers of deposit, solve, push and migration, less that of the Green "
        "function, which it computes and transforms in each step and machmeter once; its gradient "
        "of the potential, range of the bunch, lost particles and output, which these leave out, "
        "count for nothing, machmeter's whole steps count. IMPACT-T's push is relativistic, with "
        "five components of the field where machmeter has three; fewer of its particles change "
        "cells. On two ranks its times are means over ranks, without its exchange of the field and "
        "its waits at the barriers before a timer starts, so that it looks faster than it is, and "
        "the speedups of both are not compared"
    )
    return compare_by_ranks(
        bench,
        outcome,
        TITLE,
        "IMPACT-T",
        _ours,
        partial(_impact, path),
        unit=PARTICLE_STEPS_PER_SECOND,
        statistic="mean of a launch",
        has_speedup=False,
    )


def _ours(ours: OurPrograms, ranks: int) -> Contender:
    spec = one_point(
        BEAMPIC.name,
        {"cells": CELLS, "particles": PARTICLES, "steps": STEPS, "scaling": "strong"},
        Layout(ranks_per_node=ranks, page_bytes=ours.base_pages),
        samples=6,
        seconds=5,
        name=f"machmeter, {ranks}",
    )
    return ours.point_contender(spec.name, spec, {RATE: ("particle_steps", Statistic.MEAN)})


def _impact(path: str, peers: PeerPrograms, ranks: int) -> Contender:
    def start(_round: int) -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder:
            text = _INPUT.format(ranks=ranks)
            (Path(folder) / "ImpactT.in").write_text(text, encoding="ascii")
            output = peers.run_ranks((path,), ranks, Path(folder))
        return {RATE: impact_rate(output, ranks)}

    return Contender(f"IMPACT-T, {ranks}", start)


def impact_rate(output: str, ranks: int) -> float:
    """Particle steps per second, by the timers. Raises ContenderError where the output is not that
    of all steps of all particles on so many ranks, or its clock stood still."""
    times = {name: float(seconds) for name, seconds in _TIME.findall(output)}
    shares = {int(share) * ranks for share in _SHARE.findall(output)}
    is_whole = times.keys() >= {*_TIMERS, _GREEN} and len(_STEP.findall(output)) == STEPS
    if shares != {PARTICLES} or not is_whole:
        raise ContenderError(
            f"IMPACT-T ran no {STEPS} steps of {PARTICLES} particles on {ranks} ranks"
        )
    seconds = sum(times[name] for name in _TIMERS) - times[_GREEN]
    if seconds <= 0:
        raise ContenderError("IMPACT-T has no clock: compile it with MPI")
    return PARTICLES * STEPS / seconds
