"""Phylogenetic likelihood: conditional likelihoods and Newton's method, as RAxML does it."""

from __future__ import annotations

from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.benchmarks.proxies.shared import SCALING, proxy_display, proxy_metrics
from machmeter.model.benchmark import (
    Benchmark,
    Parameter,
    ParameterKind,
    ParameterRole,
    RankSweep,
    Subject,
    ThreadSweep,
)
from machmeter.model.units import SITE_UPDATES_PER_SECOND

PLF = Benchmark(
    name="proxies.plf",
    title="Phylogenetic likelihood",
    subject=Subject.APPLICATIONS,
    summary="The likelihood of a tree of DNA sequences (Felsenstein, J. Mol. Evol. 17, 1981; GTR, "
    "four rates), on which RAxML and ExaML spend their time. A round computes every inner node "
    "again and optimizes each branch by two steps of Newton's method; ranks and threads share the "
    "sites, and add up two numbers after each step. An update is the conditional likelihoods of "
    "one site at one node; the steps' sums are in the time alone. Roots, sites, and derivatives "
    "are checked in every launch.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "taxa",
            ParameterKind.COUNT,
            (128,),
            "sequences of the tree",
            minimum=3,
            maximum=100_000,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "sites",
            ParameterKind.COUNT,
            (2000,),
            "different columns of the alignment",
            minimum=1,
            maximum=1_000_000_000_000,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "rounds",
            ParameterKind.COUNT,
            (20,),
            "traversals, each with every branch optimized once",
            minimum=1,
            maximum=1_000_000,
            role=ParameterRole.WORK,
        ),
        SCALING,
    ),
    metrics=proxy_metrics(SITE_UPDATES_PER_SECOND, "Rate", "site_updates"),
    display=proxy_display(
        "Phylogenetic likelihood",
        "plf",
        "counted bytes: values of a node and of the two below it, the table for a branch when it "
        "is made and at each step",
        ("taxa", "sites", "rounds"),
    ),
    seconds_per_point=0.5,
    ranks=RankSweep.EVERY,
    threads=ThreadSweep.ENDS,
)
