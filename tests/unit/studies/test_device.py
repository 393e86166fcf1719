"""Study `device`: what it measures on a machine with devices, and what it answers."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.device import Device, NamedDevice
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import Plan
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import choose_sizes
from machmeter.run.results.findings import findings
from machmeter.studies.device import DEVICE
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.made_up.estimates import made_up

BARE = synthetic_machine()
GPU = NamedDevice("cuda:0", "cuda:GPU-1", Device("cuda", "a GPU", "gpu"))
CPUS = NamedDevice("opencl:0", "opencl:libpocl.so:0", Device("opencl", "pocl", "cpu"))
MACHINE = replace(
    BARE, software=replace(BARE.software, opencl=("libpocl.so",)), devices=(GPU, CPUS)
)
METRICS = {one.benchmark: one.metric for one in DEVICE.questions} | {
    "memory.stream": "stream_bandwidth",
    "compute.fma": "flops",
}


def plan_on(machine: Machine) -> Plan:
    sizes = choose_sizes(machine, ())
    plan = make_plan(DEVICE, machine, LayoutOptions(), PRECISION, sizes)
    assert not plan.skipped
    return plan


def value_at(point: Point) -> float:
    """A GPU is 20 times the host, and pins; the CPUs by OpenCL are the host, and pin nothing."""
    values = dict(point.parameters)
    gpu = point.layout.device == "cuda:0"
    if point.benchmark == "device.launch":
        return 1e-6 if gpu and values["together"] == 100 else 1e-5
    if point.benchmark == "device.copy":
        pins = gpu and values["host_memory"] == "pinned"
        return 1e9 * (1.1 if values["way"] == "both" else 1.0) * (2 if pins else 1)
    return 1e9 * (20 if gpu else 1) * (2 if values.get("precision") == "single" else 1)


def estimate_of(point: Point, metric: str) -> Estimate:
    return made_up(point.benchmark, dict(point.parameters), point.layout, metric, value_at(point))


def test_devices_are_layouts_of_their_benchmarks_alone() -> None:
    specs = plan_on(MACHINE).specs
    found = {(one.benchmark.split(".")[0], str(one.layout.device or "")) for one in specs}
    hosts = {(name, "") for name in ("compute", "memory", "machine")}
    assert found == {("device", "cuda:0"), ("device", "opencl:0"), *hosts}


def test_every_question_is_answered_for_every_device() -> None:
    plan = plan_on(MACHINE)
    estimates = [
        estimate_of(point, METRICS[point.benchmark])
        for point in plan.points
        if point.benchmark in METRICS and point.benchmark != "device.copy"
    ]
    estimates += [
        estimate_of(point, metric)
        for point in plan.points
        for metric in ("bandwidth", "time")
        if point.benchmark == "device.copy"
    ]
    found = {one.question: one.answer for one in findings(plan, MACHINE, estimates)}
    assert len(found) == len(DEVICE.questions)
    expected = {
        "bandwidth has the device": "more for device cuda:0, 20.0x",
        "peak has the device": "more for device cuda:0, 20.0x",
        "single precision faster": "yes for device cuda:0 and device opencl:0, 2.00x",
        "copies to the device": "no difference for device opencl:0",
        "copies from the device": "yes for device cuda:0, 2.00x",
        "other direction": "next to nothing for device cuda:0 and device opencl:0, 1.10x",
        "cheaper each": "yes for device cuda:0, 10.0x",
    }
    for question, answer in found.items():
        (wanted,) = (text for words, text in expected.items() if words in question)
        assert wanted in answer
