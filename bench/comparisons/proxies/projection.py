"""Projections of low-Mach-number flow versus hypre: multigrid on the same cells, coefficients and
right side, to the same residual."""

from __future__ import annotations

from bench.comparisons.proxies.by_ranks import RATE
from bench.comparisons.proxies.peers.compiled import LibraryPeer, compare_with_library
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, Statistic, one_point, time_of
from bench.parsers import ProjectionRun, parse_projection
from bench.peers import PeerPrograms
from bench.rounds import Contender, ContenderError
from machmeter.benchmarks.proxies.lowmach import LOWMACH
from machmeter.model.layout import Layout
from machmeter.model.units import CELL_UPDATES_PER_SECOND

TITLE = "projection"
CELLS, BOX = 96, 16
# Of the residual, over the first one; what rounding leaves of solutions after that.
TARGET, MOST_DEVIATION = 1e-11, 1e-9
SAMPLES = 6
PEER = LibraryPeer(
    "hypre", "projection.cpp", "libhypre-dev", ("-isystem", "/usr/include/hypre", "-lHYPRE")
)


def compare(bench: Bench) -> Outcome:
    """One rank, and one on each of two cores, both with the MPI that hypre is linked with."""
    outcome = empty_outcome(f"Projection by multigrid, {CELLS}^3 cells")
    outcome.notes.append(
        f"the solve of the proxy's first step, to {TARGET:g} of the first residual: hypre's PFMG "
        "as preconditioner of conjugate gradients, with its set-up, on one box for each rank; "
        f"machmeter's V-cycles on boxes of {BOX} cells an edge, with all else of a step: "
        "prediction, coefficients, correction and advection. Both solutions are the same"
    )
    return compare_with_library(bench, outcome, TITLE, PEER, _ours, _hypre, CELL_UPDATES_PER_SECOND)


def solve_rate(run: ProjectionRun, ranks: int) -> float:
    """Cells that hypre projects per second. Raises ContenderError where it ran on another number
    of ranks, or has another solution."""
    if run.ranks != ranks:
        raise ContenderError(f"hypre ran on {run.ranks} ranks, not {ranks}")
    if not (run.residual <= TARGET and run.deviation <= MOST_DEVIATION):
        raise ContenderError(
            f"hypre's solution is not machmeter's: residual {run.residual:g}, deviation "
            f"{run.deviation:g} after {run.iterations} iterations"
        )
    return CELLS**3 / time_of(run.seconds, Statistic.MEAN)


def _ours(ours: OurPrograms, ranks: int) -> Contender:
    spec = one_point(
        LOWMACH.name,
        {"cells": CELLS, "steps": 1, "box": BOX, "scaling": "strong"},
        Layout(ranks_per_node=ranks, page_bytes=ours.base_pages),
        samples=SAMPLES,
        seconds=5,
        name=f"machmeter, {ranks}",
    )
    return ours.point_contender(spec.name, spec, {RATE: ("cell_updates", Statistic.MEAN)})


def _hypre(program: str, peers: PeerPrograms, ranks: int) -> Contender:
    command = (program, *map(str, (CELLS, BOX, SAMPLES)))

    def start(_round: int) -> dict[str, float]:
        run = parse_projection(peers.run_ranks(command, ranks))
        return {RATE: solve_rate(run, ranks)}

    return Contender(f"hypre, {ranks}", start)
