"""Neighbors of points by a k-d tree: the one code here whose tasks walk a tree."""

from __future__ import annotations

from machmeter.benchmarks.codes.shared import SCALED, TOUCH, code
from machmeter.model.benchmark import Parameter, ParameterKind, ParameterRole
from machmeter.model.units import QUERIES_PER_SECOND

KDTREE = code(
    name="codes.kdtree",
    title="Neighbors by a k-d tree",
    summary="How many of all points are within a radius of each, by a k-d tree (Bentley, CACM 18, "
    "1975): tasks halve the points at the median of the widest side, then tasks of 256 queries "
    "walk it. Every point, every box and the counts, by a list of cells, are checked in every "
    "launch.",
    stands_for="neighbor searches by trees: clustering, tracing, smoothed particles",
    parameters=(
        Parameter(
            "points",
            ParameterKind.COUNT,
            (300_000,),
            "points, at random in a cube; each is searched for once",
            minimum=64,
            maximum=4_000_000_000,
            bytes_each=72,
            counted=("point", "points"),
            role=ParameterRole.WORK,
            grows=1,
        ),
        Parameter(
            "found",
            ParameterKind.COUNT,
            (24,),
            "points within the radius in the mean",
            minimum=1,
            maximum=1_000_000,
            phrase="{} found",
            role=ParameterRole.WORK,
        ),
        Parameter(
            "sequence",
            ParameterKind.CHOICE,
            ("tree",),
            "queries one after the other in the tree, so that what they read is in caches, or "
            "shuffled",
            choices=("tree", "random"),
            phrase="queries in {} order",
        ),
        TOUCH,
        SCALED,
    ),
    unit=QUERIES_PER_SECOND,
    amount="queries",
    shares=(("build_share", "Building"), ("search_share", "Searching")),
)
