"""Multiply-adds of a device."""

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
from machmeter.model.display import Display, Headline, Selection
from machmeter.model.layout import WaitPolicy
from machmeter.model.units import FLOPS

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
    ),
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
)
