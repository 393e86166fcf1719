"""Study `device`: what a device can do, beside what its host can."""

from __future__ import annotations

from machmeter.benchmarks.compute import FMA
from machmeter.benchmarks.device.arithmetic import DEVICE_ATOMICS, DEVICE_FMA
from machmeter.benchmarks.device.copies import DEVICE_COPY, DEVICE_OVERLAP
from machmeter.benchmarks.device.latency import DEVICE_LATENCY, DEVICE_LAUNCH
from machmeter.benchmarks.device.stream import DEVICE_STREAM
from machmeter.benchmarks.memory.access import LATENCY, STREAM
from machmeter.model.benchmark import ThreadSweep, Value
from machmeter.model.layout import Binding
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    Band,
    BestRule,
    BetterRule,
    CostRule,
    Question,
    Resource,
    Selector,
    ShareRule,
    ThresholdRule,
)
from machmeter.model.plan.study import Experiment, Study

_ALL: dict[str, Value] = {"smt": SMALLEST, "threads_per_rank": LARGEST}
# The host's threads are on all packages, or on each in turn.
_FIRST: dict[str, Value] = {"package": SMALLEST}
# Bytes of a copy whose latency no longer counts.
_LARGE = 2**26


def _copies(memory: Value, layout: dict[str, Value] | None = None, **which: Value) -> Selector:
    return Selector({"host_memory": memory, "size": _LARGE, **which}, layout or {})


DEVICE = Study(
    name="device",
    title="What can the devices of this machine do, and when is one worth a copy?",
    summary="Memory, copies, launches and arithmetic of GPUs and other devices, and of CPUs by "
    "OpenCL, beside what the cores of the host reach: both rooflines in one picture. --device "
    "names devices; without it the first that is not the CPUs is measured, else the CPUs.",
    experiments=(
        Experiment(
            FMA.name,
            threads=ThreadSweep.ALL,
            bindings=(Binding.CLOSE,),
            seconds_per_point=0.03,
        ),
        Experiment(
            STREAM.name,
            {"kernel": ("triad", "read"), "stores": ("temporal", "nontemporal")},
            threads=ThreadSweep.ALL,
            bindings=(Binding.CLOSE,),
            pages=False,
            seconds_per_point=0.06,
        ),
        Experiment(LATENCY.name, {"size": (2**24, 2**26)}, pages=False, seconds_per_point=0.05),
        Experiment(DEVICE_STREAM.name),
        Experiment(DEVICE_LATENCY.name, seconds_per_point=0.1),
        Experiment(DEVICE_LAUNCH.name),
        Experiment(DEVICE_COPY.name, {"size": (2**12, 2**16, 2**20, _LARGE)}),
        Experiment(DEVICE_OVERLAP.name, seconds_per_point=0.2),
        Experiment(DEVICE_FMA.name, seconds_per_point=0.1),
        Experiment(DEVICE_ATOMICS.name, seconds_per_point=0.1),
    ),
    budget_seconds=150.0,
    questions=(
        Question(
            text="What share of the host's memory bandwidth has the device?",
            benchmark=DEVICE_STREAM.name,
            metric="triad_bandwidth",
            rule=ShareRule(
                Selector({"size": LARGEST}),
                Selector({"kernel": "triad"}, _ALL),
                STREAM.name,
                (
                    Band(0.0, "less", "leave what streams through memory on the host"),
                    Band(0.9, "as much", "a device in the host's memory streams as its cores do"),
                    Band(1.1, "more", "data that stay there stream faster on the device"),
                ),
                "stream_bandwidth",
            ),
            each=("device",),
        ),
        Question(
            text="What share of the host's peak has the device, in double precision?",
            benchmark=DEVICE_FMA.name,
            metric="flops",
            rule=ShareRule(
                Selector({"precision": "double"}),
                Selector({"precision": "double"}, _ALL),
                FMA.name,
                (
                    Band(0.0, "less", "leave arithmetic in double precision on the host"),
                    Band(0.9, "as much", "choose by where the data are"),
                    Band(1.1, "more", "what computes much for each byte belongs on the device"),
                ),
            ),
            each=("device",),
        ),
        Question(
            text="Is single precision faster than double on the device?",
            benchmark=DEVICE_FMA.name,
            metric="flops",
            rule=BetterRule(
                Selector({"precision": "single"}),
                Selector({"precision": "double"}),
                yes="compute in single precision where the result allows it",
                no="compute in double precision",
                same="compute in double precision: single gains nothing but memory",
            ),
            each=("device",),
        ),
        Question(
            text="Is pinned memory faster than ordinary memory for copies?",
            benchmark=DEVICE_COPY.name,
            metric="bandwidth",
            rule=BetterRule(
                _copies("pinned", _FIRST),
                _copies("pageable", _FIRST),
                yes="copy from and to pinned memory",
                no="copy from and to ordinary memory",
                same="copy from and to ordinary memory: pinning gains nothing",
            ),
            each=("device", "way"),
        ),
        Question(
            text="From which package are copies fastest?",
            benchmark=DEVICE_COPY.name,
            metric="bandwidth",
            rule=BestRule(
                _copies("pinned"),
                ("package",),
                otherwise="bind the threads that feed the device there",
                same="bind the threads that feed the device anywhere",
            ),
            each=("device", "way"),
            requires={Resource.PACKAGES: 2},
        ),
        Question(
            text="What does a copy in the other direction at the same time cost?",
            benchmark=DEVICE_COPY.name,
            metric="time",
            rule=CostRule(
                _copies("pinned", _FIRST, way="both"),
                _copies("pinned", _FIRST, way="to-device"),
                (
                    Band(0.0, "next to nothing", "copy both ways at once"),
                    Band(1.2, "less than a copy of its own", "copy both ways at once"),
                    Band(1.8, "as much as one after the other", "both at once gains nothing"),
                ),
            ),
            each=("device",),
        ),
        Question(
            text="Are many kernels that are launched before the host waits cheaper each?",
            benchmark=DEVICE_LAUNCH.name,
            metric="time",
            rule=BetterRule(
                Selector({"together": LARGEST}),
                Selector({"together": 1}),
                yes="launch what follows without waiting for each kernel",
                no="wait after each kernel",
                same="waiting after each kernel costs nothing",
            ),
            each=("device",),
        ),
        Question(
            text="From which size is half of a copy hidden behind a kernel?",
            benchmark=DEVICE_OVERLAP.name,
            metric="copy_hidden",
            rule=ThresholdRule(
                Selector(),
                "size",
                0.5,
                reached="copy such blocks while kernels run",
                never="copies are not hidden behind kernels here",
                partly="copy blocks of these sizes alone while kernels run",
            ),
            each=("device", "way"),
        ),
        Question(
            text="What do atomic increments of one counter cost, over those of many?",
            benchmark=DEVICE_ATOMICS.name,
            metric="rate",
            rule=CostRule(
                Selector({"bins": 1}),
                Selector({"bins": LARGEST}),
                (
                    Band(0.0, "no more", "count in one place where that is simpler"),
                    Band(1.5, "more", "spread counters that all items change"),
                    Band(8.0, "many times more", "give each group a counter of its own"),
                ),
            ),
            each=("device",),
        ),
    ),
)
