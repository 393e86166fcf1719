"""Bandwidth of the CPUs as a device: triad by OpenCL versus OpenMP, same arrays and CPUs."""

from __future__ import annotations

from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, Statistic, one_point, rate_of
from bench.rounds import Contender, RoundResults
from bench.verdicts import Row, at_least, measured_row
from machmeter.benchmarks.device.stream import DEVICE_STREAM
from machmeter.benchmarks.memory.access import STREAM
from machmeter.machine.opencl import INSTALL
from machmeter.model.device import NamedDevice
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.units import STREAM_BYTES_PER_SECOND, format_bytes
from machmeter.run.programs.compiled import BuildContext
from machmeter.run.programs.devices import listed_devices

TITLE = "device"
SWEEPS = 20
_MEAN = Statistic.MEAN.value


def compare(bench: Bench) -> Outcome:
    """Both kernels of ours in rounds, on the first device that is the CPUs."""
    outcome = empty_outcome("Triad by OpenCL on the CPUs, STREAM bytes")
    context = BuildContext(bench.environment, bench.cache)
    try:
        listed = listed_devices("", (), context, bench.notify)
    except MachineLacksError as error:
        outcome.skipped.append(f"{error.message}: {error.remedy}")
        return outcome
    device = next((one for one in listed.devices if one.device.kind == "cpu"), None)
    if device is None:
        outcome.skipped.append(f"no device of this machine is its CPUs: {INSTALL}")
        return outcome
    ours, size = bench.ours(device=device), bench.options.array_bytes
    pairs = [
        (_by_opencl(ours, device, threads, size), _by_openmp(ours, threads, size))
        for threads in bench.thread_counts()
    ]
    measured = bench.measure(TITLE, [one for pair in pairs for one in pair])
    outcome.rows += [_row(measured, *(one.name for one in pair)) for pair in pairs]
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        f"{device.device.name} by {device.device.platform} {device.device.driver}; arrays of "
        f"{format_bytes(size)}, {SWEEPS} sweeps per launch; ours is a launch of a kernel for each "
        "sweep, timed until the host knows that it has finished"
    )
    return outcome


def _by_opencl(ours: OurPrograms, device: NamedDevice, threads: int, size: int) -> Contender:
    name = f"device.stream, {threads}"
    layout = Layout(
        threads_per_rank=threads,
        page_bytes=ours.base_pages,
        wait_policy=WaitPolicy.PASSIVE,
        device=device.name,
    )
    spec = one_point(
        DEVICE_STREAM.name, {"size": size}, layout, samples=SWEEPS, seconds=5.0, name=name
    )

    def start(round_number: int) -> dict[str, float]:
        (point,) = ours.launch(spec, round_number)
        return {_MEAN: rate_of(point, "triad_bytes", Statistic.MEAN, "triad")}

    return Contender(name, start)


def _by_openmp(ours: OurPrograms, threads: int, size: int) -> Contender:
    name = f"memory.stream, temporal, {threads}"
    layout = Layout(threads_per_rank=threads, page_bytes=ours.base_pages)
    spec = one_point(
        STREAM.name,
        {"kernel": "triad", "stores": "temporal", "size": size},
        layout,
        samples=SWEEPS,
        seconds=5.0,
        name=name,
    )
    return ours.point_contender(name, spec, {_MEAN: ("stream_bytes", Statistic.MEAN)})


def _row(measured: RoundResults, by_opencl: str, by_openmp: str) -> Row:
    threads = int(by_opencl.rsplit(", ", 1)[1])
    return measured_row(
        f"triad, {threads} thread{'s' * (threads > 1)}\n: {by_openmp.rsplit(', ', 1)[0]}",
        measured.values(by_opencl, _MEAN),
        measured.values(by_openmp, _MEAN),
        unit=STREAM_BYTES_PER_SECOND,
        higher_is_better=True,
        statistic=_MEAN,
        target=at_least(1.0),
    )
