"""Rings of nerve cells: cables with channels that excite each other, as NEURON simulates them."""

from __future__ import annotations

from machmeter.benchmarks.proxies.shared import SCALING, proxy, work
from machmeter.model.benchmark import Parameter, ParameterKind
from machmeter.model.units import CELL_MILLISECONDS_PER_SECOND

RING = proxy(
    name="proxies.ring",
    title="Rings of nerve cells",
    summary="Nerve cells as NEURON simulates them, at the problem of the application neuron-ring: "
    "a soma with the channels of Hodgkin and Huxley (J. Physiol. 117, 1952), a tree of dendrites "
    "that Hines's elimination solves (Int. J. Bio-Med. Comp. 15, 1984) every 0.025 ms, and a spike "
    "that goes around each ring of cells; ranks own cells, threads share a rank's cells, all ranks "
    "exchange spikes every 5 ms of simulated time. Spikes, charge, the last step and some cells "
    "are checked in every launch. The rate is the simulated time of all cells over time, as the "
    "application prints it.",
    stands_for="networks of nerve cells: NEURON",
    parameters=(
        work("rings", 32, "rings of cells", maximum=100_000_000, bytes_each=3000),
        work("cells", 8, "cells of a ring", minimum=5),
        work(
            "branches",
            3,
            "levels of a cell's binary tree of dendrites, each of five compartments",
            maximum=4,
        ),
        work("milliseconds", 250, "simulated time", maximum=10_000_000),
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
    unit=CELL_MILLISECONDS_PER_SECOND,
    amount="cell_milliseconds",
    counted_bytes="parameters and voltages of every node, once in each exchange interval, "
    "through which a cell stays in cache",
)
