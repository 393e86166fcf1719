"""Arithmetic of a device: multiply-adds, and counters that all items share."""

from __future__ import annotations

from machmeter.benchmarks.compute import PRECISIONS
from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    ThreadSweep,
)
from machmeter.model.display import ChartKind, Display, Headline, Selection, TableKind
from machmeter.model.layout import WaitPolicy
from machmeter.model.units import FLOPS, INCREMENTS_PER_SECOND

DEVICE_FMA = Benchmark(
    name="device.fma",
    title="Multiply-adds of a device",
    summary="Multiply-adds of all items of a device, eight chains an item with operands in "
    "registers: compute.fma on a device. Chains count their steps, and each lane of each must have "
    "made all of them.",
    program=DEVICE_PROGRAM,
    parameters=(
        Parameter(
            "precision",
            ParameterKind.CHOICE,
            PRECISIONS,
            "precision of the numbers",
            choices=PRECISIONS,
        ),
    ),
    metrics=(Metric("flops", "Rate", FLOPS, Direction.HIGHER, Formula.RATE, amount="flops"),),
    display=Display(
        headlines=(
            Headline(
                title="Device arithmetic, {precision} precision",
                select=Selection(metrics=("flops",)),
                by="precision",
                values=PRECISIONS,
                hide=("precision",),
            ),
        ),
        tables=(TableKind.DEVICE_ROOFLINE,),
        charts=(ChartKind.DEVICE_ROOFLINE,),
    ),
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
)
DEVICE_ATOMICS = Benchmark(
    name="device.atomics",
    title="Atomic increments of a device",
    summary="Increments of 32-bit counters in the memory of a device by all of its items at once, "
    "neighbors in neighboring counters. Every counter must have all of its increments.",
    program=DEVICE_PROGRAM,
    parameters=(
        Parameter(
            "bins",
            ParameterKind.COUNT,
            (1, 1024, 2**20),
            "counters, a power of two",
            minimum=1,
            maximum=2**30,
            bytes_each=4,
            counted=("counter", "counters"),
        ),
    ),
    metrics=(
        Metric(
            "rate",
            "Rate",
            INCREMENTS_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="increments",
        ),
    ),
    display=Display(
        headlines=(Headline(title="Atomic increments", by="bins"),),
    ),
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
)
