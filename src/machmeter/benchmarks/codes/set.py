"""The codes that stand for those of a suite of OpenMP programs, each in one process.

SPEC OMP2012 has fourteen; Younge et al. (IPDPSW 2016) scored two shared-memory machines by them.
Nothing of SPEC's text, code or inputs is used: each code here is of the same kind as one of them.
"""

from __future__ import annotations

from msgspec import Struct

from machmeter.benchmarks.codes.align import ALIGNLONG, ALIGNPAIRS
from machmeter.benchmarks.codes.blocklu import BLOCKLU
from machmeter.benchmarks.codes.born import BORN
from machmeter.benchmarks.codes.coulomb import COULOMB
from machmeter.benchmarks.codes.elements import ELEMENTS
from machmeter.benchmarks.codes.kdtree import KDTREE
from machmeter.benchmarks.codes.lbm import LBM
from machmeter.benchmarks.codes.shallow import SHALLOW
from machmeter.benchmarks.proxies.ljmd import LJMD
from machmeter.benchmarks.proxies.lowmach import LOWMACH
from machmeter.benchmarks.proxies.nwp import NWP
from machmeter.benchmarks.proxies.ofp import OFP
from machmeter.model.benchmark import OF_MEMORY, Benchmark, Value
from machmeter.model.plan.code_set import CodeSet

SECONDS, MINUTE = "seconds", "minute"
"""And `memory`: 80 % of what is available; codes whose data are small keep their size."""


class Code(Struct, frozen=True):
    """A code of the set."""

    benchmark: Benchmark
    """What is measured."""
    stands_for: str
    """The kind of program that it stands for."""
    limit: str
    """What limits that kind."""
    printed: str
    """What Younge et al. 2016 print of the code of SPEC OMP2012 that is of its kind; empty where
    that is nothing."""
    sizes: dict[str, dict[str, Value]]
    """Its parameters by the size that a person names; where none is named, the first."""
    version: int = 1
    """Raised when its work or its checks change."""


CODES = (
    Code(
        OFP,
        "implicit flow solvers that sum over all cells in every iteration",
        "memory bandwidth",
        "",
        {SECONDS: {}, MINUTE: {"cells": 250, "iterations": 200}, OF_MEMORY: {"cells": OF_MEMORY}},
    ),
    Code(
        LOWMACH,
        "multigrid, whose coarse levels have no work for many threads",
        "memory bandwidth and coarse levels",
        "370.mgrid331 does not scale well, on neither machine",
        {SECONDS: {}, MINUTE: {"cells": 256, "steps": 3}},
    ),
    Code(
        LJMD,
        "molecular dynamics with a cutoff",
        "arithmetic and lists of neighbors",
        "",
        {SECONDS: {}, MINUTE: {"cells": 60, "steps": 200}},
    ),
    Code(
        NWP,
        "shallow water and weather: explicit steps on a grid",
        "memory bandwidth",
        "",
        {SECONDS: {}, MINUTE: {"cells": 256, "steps": 40}, OF_MEMORY: {"cells": OF_MEMORY}},
    ),
    Code(
        KDTREE,
        "searches for neighbors by trees, with tasks",
        "comparisons, branches and caches",
        "376.kdtree scales well on both machines",
        {SECONDS: {}, MINUTE: {"points": 20_000_000}, OF_MEMORY: {"points": OF_MEMORY}},
    ),
    Code(
        ALIGNPAIRS,
        "alignments of all pairs of many sequences, a task each",
        "integer arithmetic",
        "358.botsalgn scales well on both machines",
        {SECONDS: {}, MINUTE: {"sequences": 1500}},
    ),
    Code(
        ALIGNLONG,
        "the alignment of two long sequences by a wavefront of blocks",
        "integer arithmetic and waits of the wavefront",
        "372.smithwa scales well on both machines",
        {SECONDS: {}, MINUTE: {"length": 400_000, "block": 1024}},
    ),
    Code(
        BLOCKLU,
        "sparse factorizations by tasks with dependences",
        "arithmetic, then memory and the grain of tasks",
        "",
        {SECONDS: {}, MINUTE: {"blocks": 120}, OF_MEMORY: {"blocks": OF_MEMORY}},
    ),
    Code(
        SHALLOW,
        "shallow water: few operations for every number from memory",
        "memory bandwidth",
        "",
        {SECONDS: {}, MINUTE: {"cells": 4096, "steps": 150}, OF_MEMORY: {"cells": OF_MEMORY}},
    ),
    Code(
        LBM,
        "lattice Boltzmann flow over a list of fluid cells",
        "memory bandwidth and loads by a list",
        "",
        {SECONDS: {}, MINUTE: {"cells": 256, "steps": 60}, OF_MEMORY: {"cells": OF_MEMORY}},
    ),
    Code(
        COULOMB,
        "molecular dynamics in which every pair of ions acts in every step",
        "arithmetic: exponentials, roots and divisions",
        "350.md scales well on both machines",
        {SECONDS: {}, MINUTE: {"cells": 24, "steps": 20}},
    ),
    Code(
        BORN,
        "molecules in water, whose forces each thread adds up in an array of its own",
        "arithmetic, then sums over threads",
        "352.nab does not scale well, on neither machine",
        {SECONDS: {}, MINUTE: {"atoms": 30_000, "evaluations": 60}},
    ),
    Code(
        ELEMENTS,
        "explicit finite elements, of which some cost more and all add forces to shared nodes",
        "memory bandwidth, barriers between small loops, and unequal elements",
        "362.fma3d does not scale well, on neither machine",
        {SECONDS: {}, MINUTE: {"cells": 128, "steps": 150}, OF_MEMORY: {"cells": OF_MEMORY}},
    ),
)
"""In the order of the set."""
CODE_SET = CodeSet("codes", 9, {code.benchmark.name: code.version for code in CODES})
