"""A weather model versus miniWeather on as many cells, both by the fluxes that they compute."""

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
from bench.verdicts import Target
from machmeter.benchmarks.proxies.nwp import NWP
from machmeter.model.layout import Layout
from machmeter.model.units import Unit

TITLE = "weather"
CELLS, LEVELS, STEPS = 48, 32, 20
# As many cells in a plane.
ALONG, UP = 384, 192
# Of one variable through one face of a cell in a step: three stages, three dimensions and four
# variables; miniWeather takes each of two dimensions through three stages by itself.
FLUXES = 3 * 3 * 4
FLUXES_OF_MINIWEATHER = 2 * 3 * 4
FLUXES_PER_SECOND = Unit("fluxes of one variable through one face per second", "flux/s")
_SIZE = re.compile(r"^\s*nx_glob, nz_glob:\s+(\d+)\s+(\d+)\s*$", re.M)
_STEP = re.compile(r"^\s*Elapsed Time:", re.M)
_FILE = re.compile(r"^\s*\*\*\* OUTPUT \*\*\*", re.M)
_LOOP_TIME = re.compile(r"^\s*CPU Time:\s+([\d.]\S*)", re.M)


def compare(bench: Bench) -> Outcome:
    """One rank, and one on each of two cores, both with the MPI that miniWeather is linked with."""
    outcome = empty_outcome(f"Weather model, {CELLS**2 * LEVELS:,} cells, double precision")
    path = bench.options.peer("miniweather")
    if not path:
        outcome.skipped.append("miniWeather was not given (--miniweather PATH)")
        return outcome
    outcome.notes.append(
        f"not the same work: the rates count fluxes alone, {FLUXES} of a cell and step in "
        f"machmeter and {FLUXES_OF_MINIWEATHER} in miniWeather, over the time of whole steps. "
        "machmeter's are of fifth order along x and y, third upwards, and its steps also have "
        "seven short ones for sound, and radiation; miniWeather's are of fourth order with "
        "hyperviscosity, in a plane, and take a power for the pressure at each face. Loops of time "
        "steps alone, without set-up or output"
    )
    return compare_by_ranks(
        bench,
        outcome,
        TITLE,
        "miniWeather",
        _ours,
        partial(_miniweather, path),
        unit=FLUXES_PER_SECOND,
        statistic="mean of a launch",
        target=Target(),
    )


def _ours(ours: OurPrograms, ranks: int) -> Contender:
    spec = one_point(
        NWP.name,
        {"cells": CELLS, "levels": LEVELS, "steps": STEPS, "scaling": "strong"},
        Layout(ranks_per_node=ranks, page_bytes=ours.base_pages),
        samples=6,
        seconds=5,
        name=f"machmeter, {ranks}",
    )
    updates = ours.point_contender(spec.name, spec, {RATE: ("cell_updates", Statistic.MEAN)})
    return Contender(spec.name, lambda number: {RATE: FLUXES * updates.start(number)[RATE]})


def _miniweather(path: str, peers: PeerPrograms, ranks: int) -> Contender:
    def start(_round: int) -> dict[str, float]:
        # It writes a file where it runs.
        with tempfile.TemporaryDirectory() as folder:
            output = peers.run_ranks((path,), ranks, Path(folder))
        return {RATE: miniweather_rate(output)}

    return Contender(f"miniWeather, {ranks}", start)


def miniweather_rate(output: str) -> float:
    """Fluxes per second of the loop of time steps. Raises ContenderError where the output has none
    of so many cells, or those of several programs: ranks that are not connected; and where files
    were written inside the loop, or no time passed."""
    sizes = [tuple(map(int, found)) for found in _SIZE.findall(output)]
    times = _LOOP_TIME.findall(output)
    steps = len(_STEP.findall(output))
    if sizes != [(ALONG, UP)] or len(times) != 1 or not steps:
        raise ContenderError(
            f"miniWeather timed no steps of {ALONG} x {UP} cells: compile it with MPI for as many"
        )
    if len(_FILE.findall(output)) > 1:
        raise ContenderError(
            "miniWeather wrote files between its steps, inside the time that it prints: compile it "
            "for 10 s of simulated time without output between steps"
        )
    seconds = float(times[0])
    if seconds <= 0:
        raise ContenderError(
            "miniWeather printed a time of 0: compile it for 10 s of simulated time"
        )
    return FLUXES_OF_MINIWEATHER * ALONG * UP * steps / seconds
