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
from machmeter.model.units import BYTES_PER_SECOND_ONE_WAY, SECONDS, SHARE

_WAYS = ("to-device", "from-device")
_BOTH = (*_WAYS, "both")
_SIZES = tuple(2**power for power in (12, 16, 20, 26))

DEVICE_COPY = Benchmark(
    name="device.copy",
    title="Copies to and from a device",
    summary="Copies of one block between the memory of the host and that of a device, one after "
    "another, from ordinary memory of the host and from pinned memory, which the device reads "
    "itself where it can; or of two blocks at once, one each way, whose rate is that of each "
    "way. Each copy has a stamp of its own that must arrive. The time is that of the copies alone. "
    "On a machine with several packages GPUs are measured from the cores of each, near and far.",
    program=DEVICE_PROGRAM,
    parameters=(
        Parameter(
            "way",
            ParameterKind.CHOICE,
            _BOTH,
            "where a copy goes; both: one each way at once",
            choices=_BOTH,
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
                values=_BOTH,
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
                size="size",
                form=CurveForm.PANELS,
            ),
        ),
    ),
    # Made and compared by the host.
    setup_seconds_per_byte=1e-8,
    threads=ThreadSweep.ALL,
    sweep_packages=True,
    wait_policies=(WaitPolicy.PASSIVE,),
)
DEVICE_OVERLAP = Benchmark(
    name="device.overlap",
    title="Copies beside a kernel",
    summary="A copy between pinned memory of the host and a device, a kernel that computes in "
    "registers and takes about as long, and both at once: what share of the copy is hidden behind "
    "the kernel.",
    program=DEVICE_PROGRAM,
    parameters=(
        Parameter("way", ParameterKind.CHOICE, _WAYS, "where the copy goes", choices=_WAYS),
        Parameter(
            "size",
            ParameterKind.SIZE,
            (2**20, 2**26),
            "bytes of the copy",
            minimum=8,
            maximum=2**40,
        ),
    ),
    metrics=(
        Metric(
            "copy_hidden",
            "Share of the copy hidden",
            SHARE,
            Direction.HIGHER,
            Formula.COMMUNICATION_HIDDEN,
            series=("total", "work", "communication"),
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Copy {way} hidden behind a kernel",
                select=Selection(largest=("size",)),
                by="way",
                values=_WAYS,
                hide=("way",),
            ),
        ),
        charts=(
            CurveChart(
                name="device-overlap",
                title="Share of copies hidden behind a kernel by {along}",
                description="Share of a copy that is hidden behind a kernel over {along}, a curve "
                "for each direction, with 95 % bands. Dashed: none and all hidden. Values outside "
                "are shown as measured.",
                value="share hidden",
                form=CurveForm.SHARES,
                along=(Along.SIZE,),
                size="size",
            ),
        ),
    ),
    setup_seconds_per_byte=1e-8,
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
)
