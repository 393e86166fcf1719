"""The Lennard-Jones liquid versus LAMMPS: the same atoms, steps, cutoff and lists of pairs."""

from __future__ import annotations

import re
import tempfile
from functools import partial
from pathlib import Path

from bench.comparisons.proxies.by_ranks import RATE, compare_by_ranks
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, Statistic, one_point
from bench.peers import PeerPrograms, find_program
from bench.rounds import Contender, ContenderError
from machmeter.benchmarks.proxies.ljmd import LJMD
from machmeter.model.layout import Layout
from machmeter.model.units import ATOM_STEPS_PER_SECOND

TITLE = "liquid"
CELLS, STEPS = 20, 100
ATOM_STEPS = 4 * CELLS**3 * STEPS
_INPUT = f"""\
units lj
atom_style atomic
lattice fcc 0.8442
region whole block 0 {CELLS} 0 {CELLS} 0 {CELLS}
create_box 1 whole
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix motion all nve
timestep 0.005
run {STEPS}
"""
_LOOP_TIME = re.compile(
    r"^Loop time of (\S+) on (\d+) procs for (\d+) steps with (\d+) atoms", re.M
)


def compare(bench: Bench) -> Outcome:
    """One rank, and one on each of two cores, both with the MPI that LAMMPS is linked with."""
    outcome = empty_outcome("Lennard-Jones liquid, 32,000 atoms, 100 steps")
    path = find_program(bench.options.peer("lammps"))
    if not path:
        outcome.skipped.append("LAMMPS is not installed (Debian: apt install lammps)")
        return outcome
    outcome.notes.append(
        "LAMMPS as Debian compiles it, for any x86-64, with half of the pairs in its lists and "
        "their forces used twice; machmeter for this processor. Loops of time steps alone, without "
        "the set-up of either"
    )
    return compare_by_ranks(
        bench,
        outcome,
        TITLE,
        "LAMMPS",
        _ours,
        partial(_lammps, path),
        unit=ATOM_STEPS_PER_SECOND,
        statistic="one run",
    )


def _ours(ours: OurPrograms, ranks: int) -> Contender:
    spec = one_point(
        LJMD.name,
        {"cells": CELLS, "steps": STEPS, "scaling": "strong", "potential": "unshifted"},
        Layout(ranks_per_node=ranks, page_bytes=ours.base_pages),
        samples=1,
        seconds=0.1,
        name=f"machmeter, {ranks}",
    )
    return ours.point_contender(spec.name, spec, {RATE: ("atom_steps", Statistic.BEST)})


def _lammps(path: str, peers: PeerPrograms, ranks: int) -> Contender:
    def start(_round: int) -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "in.liquid").write_text(_INPUT, encoding="ascii")
            output = peers.run_ranks((path, "-in", "in.liquid"), ranks, Path(folder))
        return {RATE: lammps_rate(output, ranks)}

    return Contender(f"LAMMPS, {ranks}", start)


def lammps_rate(output: str, ranks: int) -> float:
    """Atom steps per second of the loop of time steps. Raises ContenderError where the output has
    none of this problem on so many ranks."""
    found = _LOOP_TIME.search(output)
    if found is None or int(found[3]) * int(found[4]) != ATOM_STEPS or int(found[2]) != ranks:
        raise ContenderError(
            f"LAMMPS printed no loop of {STEPS} steps of {4 * CELLS**3} atoms on {ranks} ranks"
        )
    return ATOM_STEPS / float(found[1])
