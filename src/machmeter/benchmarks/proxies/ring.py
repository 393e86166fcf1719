"""Rings of nerve cells: cables with channels that excite each other, as NEURON simulates them."""

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
from machmeter.model.units import CELL_MILLISECONDS_PER_SECOND

RING = Benchmark(
    name="proxies.ring",
    title="Rings of nerve cells",
    subject=Subject.APPLICATIONS,
    summary="Nerve cells as NEURON simulates them, at the problem of the application neuron-ring: "
    "a soma with the channels of Hodgkin and Huxley (J. Physiol. 117, 1952), a tree of dendrites "
    "that Hines's elimination solves (Int. J. Bio-Med. Comp. 15, 1984) every 0.025 ms, and a spike "
    "that goes around each ring of cells; ranks own cells, threads share a rank's cells, all ranks "
    "exchange spikes every 5 ms of simulated time. Spikes, charge, the last step and some cells "
    "are checked in every launch. The rate is the simulated time of all cells over time, as the "
    "application prints it.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "rings",
            ParameterKind.COUNT,
            (32,),
            "rings of cells",
            minimum=1,
            maximum=100_000_000,
            bytes_each=3000,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (8,),
            "cells of a ring",
            minimum=5,
            maximum=1_000_000,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "branches",
            ParameterKind.COUNT,
            (3,),
            "levels of a cell's binary tree of dendrites, each of five compartments",
            minimum=1,
            maximum=4,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "milliseconds",
            ParameterKind.COUNT,
            (250,),
            "simulated time",
            minimum=1,
            maximum=10_000_000,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "imbalance",
            ParameterKind.COUNT,
            (0,),
            "percent of more compartments in every second cell: where ranks are even in number, "
            "every second rank has all of those",
            maximum=1000,
        ),
        SCALING,
    ),
    metrics=proxy_metrics(CELL_MILLISECONDS_PER_SECOND, "Rate", "cell_milliseconds"),
    display=proxy_display(
        "Rings of nerve cells",
        "ring",
        "counted bytes: parameters and voltages of every node, once in each exchange interval, "
        "through which a cell stays in cache",
        ("rings", "cells", "branches", "milliseconds"),
    ),
    seconds_per_point=0.5,
    ranks=RankSweep.EVERY,
    threads=ThreadSweep.ENDS,
)
