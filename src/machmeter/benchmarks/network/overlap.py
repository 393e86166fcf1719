"""Benchmarks of messages behind work: what is hidden, and what is left for work."""

from __future__ import annotations

from machmeter.benchmarks.network.messages import LARGEST_MESSAGE
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    RankSweep,
)
from machmeter.model.units import SHARE

_SIDE = Parameter(
    "side",
    ParameterKind.CHOICE,
    ("send", "receive"),
    "the side that works",
    choices=("send", "receive"),
)
WORK_PERCENT = Parameter(
    "work_percent",
    ParameterKind.COUNT,
    (100,),
    "work as a share of the communication time, percent",
    minimum=1,
    maximum=10_000,
)
# Both definitions of overlap, of the same three series.
HIDDEN = (
    Metric(
        "work_hidden",
        "Share of work hidden",
        SHARE,
        Direction.HIGHER,
        Formula.WORK_HIDDEN,
        series=("total", "work", "communication"),
    ),
    Metric(
        "communication_hidden",
        "Share of communication hidden",
        SHARE,
        Direction.HIGHER,
        Formula.COMMUNICATION_HIDDEN,
        series=("total", "work", "communication"),
    ),
)

OVERLAP = Benchmark(
    name="network.overlap",
    title="Overlap of communication and work",
    summary="A non-blocking message against calibrated work: the share of the work hidden (Austin "
    "et al., CUG 2013) and the share of the communication hidden (as OSU and IMB define it).",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (16384, 65536, 262144, 1048576, 4194304),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        _SIDE,
        WORK_PERCENT,
    ),
    metrics=HIDDEN,
    seconds_per_point=0.05,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
)

AVAILABILITY = Benchmark(
    name="network.availability",
    title="Host availability",
    summary="The share of a message's time that is left for work (after Sandia's SMB): work of "
    "many lengths between start and wait, in random order; where two fitted lines say that work no "
    "longer hides, over the time of the message alone.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (1024, 8192, 16384, 32768, 131072, 1048576),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        _SIDE,
    ),
    metrics=(
        Metric(
            "availability",
            "Host availability",
            SHARE,
            Direction.HIGHER,
            Formula.AVAILABILITY,
            series=("total", "work", "base"),
        ),
    ),
    seconds_per_point=0.1,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
)

OVERLAPS = (OVERLAP, AVAILABILITY)
