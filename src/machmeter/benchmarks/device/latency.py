"""Time of a load from the memory of a device, and of a launch of a kernel."""

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
    Display,
    Headline,
    Pick,
    Selection,
)
from machmeter.model.layout import WaitPolicy
from machmeter.model.units import SECONDS

_LINE = 128
_SIZES = tuple(2**power for power in (14, 17, 20, 22, 24, 26, 28))

DEVICE_LATENCY = Benchmark(
    name="device.latency",
    title="Latency of device memory",
    summary="Dependent loads of one item of a device, one a line (of 128 bytes, or of the host's "
    "caches where the device is the host), in random order over the whole working set: "
    "memory.latency on a device. A launch has loads enough that launching takes 1 % of it at most.",
    program=DEVICE_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            _SIZES,
            "bytes of the working set",
            minimum=2 * _LINE,
            maximum=(2**32 - 1) * _LINE,
        ),
    ),
    metrics=(
        Metric("latency", "Load latency", SECONDS, Direction.LOWER, Formula.TIME, series=("load",)),
        Metric(
            "event_latency",
            "Load latency, by the device's clock",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("load_event",),
            primary=False,
        ),
    ),
    display=Display(
        headlines=(Headline(title="Device memory, latency", select=Selection(largest=("size",))),),
        charts=(
            CurveChart(
                name="device-latency",
                title="Latency of device memory by {along}",
                description="Time of a dependent load over {along}, with 95 % bands.",
                value="latency",
                select=Selection(metrics=("latency",)),
                along=(Along.SIZE,),
                size="working set",
            ),
        ),
    ),
    seconds_per_point=0.5,
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
)
DEVICE_LAUNCH = Benchmark(
    name="device.launch",
    title="Launches of kernels",
    summary="Time from the launch of a kernel that adds 1 to a count until the host knows that it "
    "has finished; and of one of several that are launched before the host waits. By the "
    "device's own clock, where it says so: from the launch of one alone until it starts.",
    program=DEVICE_PROGRAM,
    parameters=(
        Parameter(
            "together",
            ParameterKind.COUNT,
            (1, 100),
            "launches before the host waits",
            minimum=1,
            maximum=4096,
            phrase="{} before the host waits",
        ),
    ),
    metrics=(
        Metric("time", "Time of a launch", SECONDS, Direction.LOWER, Formula.TIME),
        Metric(
            "start_time",
            "From launch to start, by the device's clock",
            SECONDS,
            Direction.LOWER,
            Formula.AMOUNT,
            amount="start_seconds",
            primary=False,
        ),
    ),
    display=Display(
        headlines=(Headline(title="Launch of a kernel, the fastest way", pick=Pick.BEST),),
    ),
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
)
