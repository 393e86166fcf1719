"""Lattice fermions versus MILC: conjugate gradients on a lattice of the same size, both by MILC's
count of operations."""

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
from machmeter.benchmarks.proxies.lqcd import LQCD
from machmeter.model.layout import Layout
from machmeter.model.units import FLOPS

TITLE = "lattice"
EXTENT = 16
# About as many as a solve of MILC takes at this mass.
ITERATIONS = 60
# One short trajectory from ordered links: three solves of its steps, three of its measurement.
_INPUT = f"""\
prompt 0
nflavors1 2
nflavors2 2
nx {EXTENT}
ny {EXTENT}
nz {EXTENT}
nt {EXTENT}
iseed 1234
warms 0
trajecs 1
traj_between_meas 1
beta 5.6
mass1 0.02
mass2 0.02
u0 0.9
microcanonical_time_step 0.01
steps_per_trajectory 1
max_cg_iterations 100
max_cg_restarts 5
error_per_site 1e-9
error_for_propagator 1e-9
npbp_reps 1
prec_pbp 2
fresh
forget
"""
_LAYOUT = re.compile(r"^ON EACH NODE \(RANK\) (\d+) x (\d+) x (\d+) x (\d+)", re.M)
_SOLVE = re.compile(
    r"^CONGRAD5: time = (\S+) \(fn D\) masses = 1 iters = (\d+) mflops = (\S+)", re.M
)


def compare(bench: Bench) -> Outcome:
    """One rank, and one on each of two cores, both with the MPI that MILC is linked with."""
    outcome = empty_outcome(f"Lattice fermions, {EXTENT}^4 sites, double precision")
    path = bench.options.peer("milc")
    if not path:
        outcome.skipped.append("MILC's su3_rmd was not given (--milc PATH)")
        return outcome
    outcome.notes.append(
        "1187 operations for each site and iteration, both; MILC's solves of one trajectory, with "
        "links that it fattens outside of them, machmeter's with random ones; both keep the links "
        "backward too"
    )
    return compare_by_ranks(
        bench,
        outcome,
        TITLE,
        "MILC",
        _ours,
        partial(_milc, path),
        unit=FLOPS,
        statistic="all solves of a launch",
    )


def _ours(ours: OurPrograms, ranks: int) -> Contender:
    spec = one_point(
        LQCD.name,
        {"extent": EXTENT, "iterations": ITERATIONS, "scaling": "strong"},
        Layout(ranks_per_node=ranks, page_bytes=ours.base_pages),
        samples=6,
        seconds=5,
        name=f"machmeter, {ranks}",
    )
    return ours.point_contender(spec.name, spec, {RATE: ("flops", Statistic.MEAN)})


def _milc(path: str, peers: PeerPrograms, ranks: int) -> Contender:
    def start(_round: int) -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "in.lattice").write_text(_INPUT, encoding="ascii")
            output = peers.run_ranks((path, "in.lattice"), ranks, Path(folder))
        return {RATE: milc_rate(output, ranks)}

    return Contender(f"MILC, {ranks}", start)


def milc_rate(output: str, ranks: int) -> float:
    """Operations per second of all ranks over all solves that the output times. Raises
    ContenderError where it has none, of this lattice on so many ranks."""
    layout = _LAYOUT.search(output)
    sites = 1
    for extent in layout.groups() if layout else ():
        sites *= int(extent)
    solves = [(float(s), float(rate)) for s, _, rate in _SOLVE.findall(output)]
    if not solves or sites * ranks != EXTENT**4:
        raise ContenderError(f"MILC timed no solve of {EXTENT}^4 sites on {ranks} ranks")
    # Its rate is that of one rank.
    work = sum(seconds * rate * 1e6 * ranks for seconds, rate in solves)
    return work / sum(seconds for seconds, _ in solves)
