"""Copies between the memory of the host and that of a device."""

from __future__ import annotations

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
from machmeter.model.display import (
    Along,
    CurveChart,
    CurveForm,
    Display,
    Headline,
    Selection,
)
from machmeter.model.layout import WaitPolicy
from machmeter.model.units import BYTES_PER_SECOND_ONE_WAY, SECONDS

_WAYS = ("to-device", "from-device")
_SIZES = tuple(2**power for power in (12, 16, 20, 24, 28))

DEVICE_COPY = Benchmark(
    name="device.copy",
    title="Copies to and from a device",
    summary="Copies of one block between the memory of the host and that of a device, one after "
    "another, from ordinary memory of the host and from pinned memory, which the device reads "
    "itself where it can. Each has a stamp of its own that must arrive. The time is that of the "
    "copies alone.",
    program=DEVICE_PROGRAM,
    parameters=(
        Parameter(
            "way",
            ParameterKind.CHOICE,
            _WAYS,
            "where a copy goes",
            choices=_WAYS,
        ),
        Parameter(
            "host_memory",
            ParameterKind.CHOICE,
            ("pinned", "pageable"),
            "memory of the host: pinned by the device's library, or ordinary",
            choices=("pinned", "pageable"),
            phrase="{} memory",
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            _SIZES,
            "bytes of a copy",
            minimum=8,
            maximum=2**40,
        ),
    ),
    metrics=(
        Metric(
            "bandwidth",
            "Bandwidth",
            BYTES_PER_SECOND_ONE_WAY,
            Direction.HIGHER,
            Formula.RATE,
            amount="bytes",
        ),
        Metric("time", "Time of a copy", SECONDS, Direction.LOWER, Formula.TIME, primary=False),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Copy {way}, pinned memory",
                select=Selection(
                    metrics=("bandwidth",), where=(("host_memory", "pinned"),), largest=("size",)
                ),
                by="way",
                values=_WAYS,
                hide=("way", "host_memory"),
            ),
        ),
        charts=(
            CurveChart(
                name="device-copy",
                title="Copies to and from a device by {along}",
                description="Bandwidth of copies over {along}, a curve for each direction and kind "
                "of memory of the host, with 95 % bands.",
                value="bandwidth",
                select=Selection(metrics=("bandwidth",)),
                along=(Along.SIZE,),
                form=CurveForm.PANELS,
            ),
        ),
    ),
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
)
