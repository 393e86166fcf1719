"""Pressure solves versus OpenFOAM: conjugate gradients preconditioned by the diagonal, on a cube of
as many cells."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bench.comparisons.proxies.by_ranks import RATE, compare_by_ranks
from bench.comparisons.proxies.pressure_case import write_case, write_iterations
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, Statistic, one_point
from bench.peers import PeerPrograms, find_program
from bench.rounds import Contender, ContenderError
from machmeter.benchmarks.proxies.ofp import OFP
from machmeter.model.layout import Layout
from machmeter.model.units import CELL_ITERATIONS_PER_SECOND

TITLE = "pressure"
CELLS, ITERATIONS = 100, 50
# Of two solves of OpenFOAM, whose assembly their difference is without.
FEW, MANY = 50, 150
# Time steps, each with one solve.
STEPS = 2
# Where a distribution keeps what OpenFOAM reads when it starts.
_SHARE = "/usr/share/openfoam"
_SOLVE = re.compile(r"^diagonalPCG: +Solving for T, .* No Iterations (\d+)$", re.M)
_PRECISION = re.compile(r"^Arch *: .*\bscalar=(\d+)", re.M)
_RANKS = re.compile(r"^nProcs *: (\d+)", re.M)


def compare(bench: Bench) -> Outcome:
    """One rank, and one on each of two cores, both with the MPI that OpenFOAM is linked with."""
    outcome = empty_outcome(f"Pressure solve, {CELLS}^3 cells, conjugate gradients, diagonal")
    path = find_program(bench.options.peer("laplacian-foam"))
    if not path:
        outcome.skipped.append(
            "laplacianFoam of OpenFOAM is not installed (Debian: apt install openfoam), or not on "
            "PATH (--laplacian-foam PATH)"
        )
        return outcome
    tools = {name: tool_next_to(path, name) for name in ("blockMesh", "decomposePar")}
    missing = [name for name, found in tools.items() if not found]
    if missing:
        outcome.skipped.append(
            f"OpenFOAM: {' and '.join(missing)} not found in {Path(path).parent} or on PATH"
        )
        return outcome
    outcome.notes.append(
        f"time of an iteration: OpenFOAM's as the difference of launches with {MANY} and {FEW} "
        f"iterations in each of {STEPS} solves, machmeter's of whole solves of {ITERATIONS}; "
        "OpenFOAM's matrix is of a mesh without structure, with addresses of both cells of each "
        "face, machmeter's of a block of cells; both have coefficients for each face in memory, in "
        "double precision"
    )
    with tempfile.TemporaryDirectory() as folder:
        return compare_by_ranks(
            bench,
            outcome,
            TITLE,
            "OpenFOAM",
            _ours,
            partial(_foam, {**tools, "laplacianFoam": path}, Path(folder)),
            unit=CELL_ITERATIONS_PER_SECOND,
            statistic="mean of a launch",
        )


def _ours(ours: OurPrograms, ranks: int) -> Contender:
    spec = one_point(
        OFP.name,
        {"cells": CELLS, "iterations": ITERATIONS, "scaling": "strong"},
        Layout(ranks_per_node=ranks, page_bytes=ours.base_pages),
        samples=6,
        seconds=3,
        name=f"machmeter, {ranks}",
    )
    return ours.point_contender(spec.name, spec, {RATE: ("cell_iterations", Statistic.MEAN)})


def tool_next_to(path: str, name: str) -> str:
    """The program of that name in the folder of another one, otherwise on PATH; empty if none."""
    return find_program(str(Path(path).with_name(name))) or find_program(name)


def _foam(programs: Mapping[str, str], parent: Path, peers: PeerPrograms, ranks: int) -> Contender:
    folder = parent / f"ranks-{ranks}"
    prepared = folder / "prepared"
    environment = f"WM_PROJECT_DIR={os.environ.get('WM_PROJECT_DIR', _SHARE)}"

    def run(name: str, *options: str, on: int = 1) -> str:
        command = ("/usr/bin/env", environment, programs[name], *options)
        return peers.run_ranks(command, on, folder)

    def prepare() -> None:
        # What a failed attempt left.
        shutil.rmtree(folder, ignore_errors=True)
        write_case(folder, CELLS, STEPS, ranks)
        run("blockMesh")
        if ranks > 1:
            run("decomposePar")
        prepared.touch()

    def start(_round: int) -> dict[str, float]:
        if not prepared.exists():
            prepare()
        seconds = []
        for iterations in (FEW, MANY):
            write_iterations(folder, iterations)
            began = time.perf_counter()
            output = run("laplacianFoam", *(("-parallel",) if ranks > 1 else ()), on=ranks)
            seconds.append(time.perf_counter() - began)
            check_solves(output, iterations, ranks)
        return {RATE: iteration_rate(*seconds)}

    return Contender(f"OpenFOAM, {ranks}", start)


def check_solves(output: str, iterations: int, ranks: int) -> None:
    """Raises ContenderError for another number of ranks, of solves or of iterations, and for other
    than double precision where the release prints it."""
    started, solves = _RANKS.search(output), [int(count) for count in _SOLVE.findall(output)]
    if started is None or int(started[1]) != ranks:
        raise ContenderError(f"OpenFOAM did not run on {ranks} ranks")
    precision = _PRECISION.search(output)
    if precision is not None and precision[1] != "64":
        raise ContenderError(
            f"OpenFOAM computes with {precision[1]} bits: give one compiled for double precision"
        )
    # Some releases count one iteration more than they were told to make.
    if len(solves) != STEPS or not set(solves) <= {iterations, iterations + 1}:
        raise ContenderError(f"OpenFOAM made {solves} iterations, not {iterations} {STEPS} times")


def iteration_rate(few: float, many: float) -> float:
    """Iterations of one cell per second, of the seconds of both launches. Raises ContenderError
    where more iterations took no longer."""
    if many <= few:
        raise ContenderError(f"{MANY} iterations took {many:.2f} s, {FEW} took {few:.2f} s")
    return CELLS**3 * STEPS * (MANY - FEW) / (many - few)
