"""Bandwidth of the memory of a device."""

from __future__ import annotations

from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.model.benchmark import (
    AUTO,
    AutoRule,
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
from machmeter.model.units import STREAM_BYTES_PER_SECOND

_KERNELS = ("triad", "copy", "mul", "add", "dot")

DEVICE_STREAM = Benchmark(
    name="device.stream",
    title="Bandwidth of device memory",
    summary="Sweeps over arrays in the memory of a device, by OpenCL: copy, mul, add, triad and "
    "dot in turn, as BabelStream defines and counts them (Deakin et al. 2018); each from its "
    "launch until the host knows that it has finished, and by the device's own clock.",
    program=DEVICE_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of each array; rounded up to whole sweeps of the device",
            minimum=8,
            maximum=2**46,
            auto=AutoRule.CACHES_DEVICE,
        ),
    ),
    metrics=(
        *(
            Metric(
                f"{kernel}_bandwidth",
                f"Bandwidth of {kernel}",
                STREAM_BYTES_PER_SECOND,
                Direction.HIGHER,
                Formula.RATE,
                series=(kernel,),
                amount=f"{kernel}_bytes",
            )
            for kernel in _KERNELS
        ),
        *(
            Metric(
                f"{kernel}_event_bandwidth",
                f"Bandwidth of {kernel}, by the device's clock",
                STREAM_BYTES_PER_SECOND,
                Direction.HIGHER,
                Formula.RATE,
                series=(f"{kernel}_event",),
                amount=f"{kernel}_bytes",
                primary=False,
            )
            for kernel in _KERNELS
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Device memory, triad", select=Selection(largest=("size",)), by="device"
            ),
        ),
    ),
    arrays=3,
    # Filled and compared by the host.
    setup_seconds_per_byte=8e-9,
    threads=ThreadSweep.ALL,
    # Threads of the host wait while the device works, which may be on their CPUs.
    wait_policies=(WaitPolicy.PASSIVE,),
)
