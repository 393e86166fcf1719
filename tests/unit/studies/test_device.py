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
from tests.support.sysfs_tree import Shape

BARE = synthetic_machine()
GPU = NamedDevice("cuda:0", "cuda:GPU-1", Device("cuda", "a GPU", "gpu"))
CPUS = NamedDevice("opencl:0", "opencl:libpocl.so:0", Device("opencl", "pocl", "cpu"))
MACHINE = replace(
    BARE, software=replace(BARE.software, opencl=("libpocl.so",)), devices=(GPU, CPUS)
)
METRICS = {one.benchmark: (one.metric,) for one in DEVICE.questions} | {
    "memory.stream": ("stream_bandwidth",),
    "compute.fma": ("flops",),
    "device.copy": ("bandwidth", "time"),
}


def plan_on(machine: Machine) -> Plan:
    sizes = choose_sizes(machine, ())
    plan = make_plan(DEVICE, machine, LayoutOptions(), PRECISION, sizes)
    assert not plan.skipped
    return plan


def value_at(point: Point) -> float:
    """A GPU is 20 times the host, pins, and is beside package 0; the CPUs by OpenCL are the host,
    and pin nothing. Large copies are hidden."""
    values = dict(point.parameters)
    gpu = point.layout.device == "cuda:0"
    if point.benchmark == "device.launch":
        return 1e-6 if gpu and values["together"] == 100 else 1e-5
    if point.benchmark == "device.copy":
        pins = gpu and values["host_memory"] == "pinned"
        near = 1.0 if point.layout.package <= 0 else 0.7
        return 1e9 * (1.1 if values["way"] == "both" else 1.0) * (2 if pins else 1) * near
    if point.benchmark == "device.overlap":
        return 0.9 if values["size"] == 2**26 else 0.1
    if point.benchmark == "device.atomics":
        return 1e9 / (10 if values["bins"] == 1 else 1)
    return 1e9 * (20 if gpu else 1) * (2 if values.get("precision") == "single" else 1)


def estimate_of(point: Point, metric: str) -> Estimate:
    return made_up(point.benchmark, dict(point.parameters), point.layout, metric, value_at(point))


def estimates_of(plan: Plan) -> list[Estimate]:
    return [
        estimate_of(point, metric)
        for point in plan.points
        for metric in METRICS.get(point.benchmark, ())
    ]


def test_devices_are_layouts_of_their_benchmarks_alone() -> None:
    specs = plan_on(MACHINE).specs
    found = {(one.benchmark.split(".")[0], str(one.layout.device or "")) for one in specs}
    hosts = {(name, "") for name in ("compute", "memory", "machine")}
    assert found == {("device", "cuda:0"), ("device", "opencl:0"), *hosts}


def test_every_question_is_answered_for_every_device() -> None:
    plan = plan_on(MACHINE)
    found = {one.question: one.answer for one in findings(plan, MACHINE, estimates_of(plan))}
    assert len(found) == len(DEVICE.questions)
    expected = {
        "bandwidth has the device": "more for device cuda:0, 20.0x",
        "peak has the device": "more for device cuda:0, 20.0x",
        "single precision faster": "yes for device cuda:0 and device opencl:0, 2.00x",
        "faster than ordinary memory": "yes for device cuda:0",
        "hidden behind a kernel": "from 64 MiB",
        "atomic increments": "many times more",
        "other direction": "next to nothing for device cuda:0 and device opencl:0, 1.10x",
        "cheaper each": "yes for device cuda:0, 10.0x",
        "From which package": "requires 2 packages (1 available)",
    }
    for question, answer in found.items():
        (wanted,) = (text for words, text in expected.items() if words in question)
        assert wanted in answer


def test_a_gpu_alone_is_beside_all_of_the_host_and_near_one_package() -> None:
    two = synthetic_machine(Shape(packages=2, domains=1, cores=4, smt=1))
    machine = replace(two, software=MACHINE.software, devices=(GPU,))
    plan = plan_on(machine)
    found = {one.question: one.answer for one in findings(plan, machine, estimates_of(plan))}
    answers = list(found.values())
    assert not [one for one in answers if "not answer" in one or "inconclusive" in one], found
    (package,) = (answer for words, answer in found.items() if "From which package" in words)
    assert package.startswith("package 0 for device cuda:0 to-device"), package
