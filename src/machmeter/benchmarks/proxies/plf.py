"""Phylogenetic likelihood: conditional likelihoods and Newton's method, as RAxML does it."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.units import SITE_UPDATES_PER_SECOND

PLF = proxy(
    name="proxies.plf",
    title="Phylogenetic likelihood",
    summary="The likelihood of a tree of DNA sequences (Felsenstein, J. Mol. Evol. 17, 1981; GTR, "
    "four rates), on which RAxML and ExaML spend their time. A round computes every inner node "
    "again and optimizes each branch by two steps of Newton's method; ranks and threads share the "
    "sites, and add up two numbers after each step. An update is the conditional likelihoods of "
    "one site at one node; the steps' sums are in the time alone. Roots, sites, and derivatives "
    "are checked in every launch.",
    stands_for="phylogenies: RAxML, ExaML",
    parameters=(
        work("taxa", 128, "sequences of the tree", minimum=3, maximum=100_000),
        work(
            "sites",
            2000,
            "different columns of the alignment",
            maximum=1_000_000_000_000,
            # As for the smallest tree, of three taxa; larger ones need half as much more for each.
            bytes_each=91,
            times=("taxa",),
        ),
        work("rounds", 20, "traversals, each with every branch optimized once"),
        SCALING,
    ),
    unit=SITE_UPDATES_PER_SECOND,
    amount="site_updates",
    counted_bytes="values of a node and of the two below it, the table for a branch when it "
    "is made and at each step",
)
