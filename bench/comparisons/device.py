"""Bandwidth of a device: triad versus BabelStream, and on the CPUs versus OpenMP; same arrays."""

from __future__ import annotations

from collections.abc import Iterator

from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, Statistic, one_point, rate_of
from bench.parsers import parse_babelstream
from bench.peers import PeerPrograms, find_program
from bench.rounds import Contender, RoundResults
from bench.verdicts import Row, Target, at_least, measured_row
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
_BEST = Statistic.BEST.value
_OURS, _OPENMP, _BABELSTREAM = "device.stream", "memory.stream, temporal", "BabelStream"


def compare(bench: Bench) -> Outcome:
    """All of them in rounds, on the device that was named, else the first that is the CPUs."""
    outcome = empty_outcome("Triad of a device, STREAM bytes")
    context = BuildContext(bench.environment, bench.cache)
    try:
        listed = listed_devices("", (), context, bench.notify)
    except MachineLacksError as error:
        outcome.skipped.append(f"{error.message}: {error.remedy}")
        return outcome
    named = bench.options.device
    device = next(
        (one for one in listed.devices if (one.name == named if named else _is_cpus(one))), None
    )
    if device is None:
        lacking = f"there is no device {named}" if named else "no device is the CPUs"
        outcome.skipped.append(f"{lacking} of this machine: {INSTALL}")
        return outcome
    ours, path = bench.ours(device=device), bench.options.peer("babelstream")
    if not path:
        outcome.skipped.append("BabelStream: no path given (--babelstream PATH)")
    counts = bench.thread_counts() if _is_cpus(device) else (1,)
    size = bench.options.array_bytes
    contenders = [
        one
        for threads in counts
        for one in _contenders(ours, bench.peers(), path, device, threads, size)
    ]
    measured = bench.measure(TITLE, contenders)
    outcome.rows += [row for n in counts for row in _rows(measured, n, device, bool(path))]
    outcome.failures += measured.failure_lines()
    outcome.notes.append(
        f"{device.device.name} by {device.device.platform} {device.device.driver}; arrays of "
        f"{format_bytes(size)}, {SWEEPS} sweeps per launch; ours is a launch of a kernel for each "
        "sweep, timed until the host knows that it has finished, as BabelStream's is"
    )
    return outcome


def _is_cpus(device: NamedDevice) -> bool:
    return device.device.kind == "cpu"


def _contenders(
    ours: OurPrograms,
    peers: PeerPrograms,
    path: str,
    device: NamedDevice,
    threads: int,
    size: int,
) -> Iterator[Contender]:
    yield _by_device(ours, device, threads, size)
    if _is_cpus(device):
        layout = Layout(threads_per_rank=threads, page_bytes=ours.base_pages)
        name = f"{_OPENMP}, {threads}"
        spec = one_point(
            STREAM.name,
            {"kernel": "triad", "stores": "temporal", "size": size},
            layout,
            samples=SWEEPS,
            seconds=5.0,
            name=name,
        )
        yield ours.point_contender(name, spec, {_MEAN: ("stream_bytes", Statistic.MEAN)})
    if path:
        yield _by_babelstream(peers, path, threads, size)


def _by_device(ours: OurPrograms, device: NamedDevice, threads: int, size: int) -> Contender:
    name = f"{_OURS}, {threads}"
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
        return {
            one.value: rate_of(point, "triad_bytes", one, "triad")
            for one in (Statistic.MEAN, Statistic.BEST)
        }

    return Contender(name, start)


def _by_babelstream(peers: PeerPrograms, path: str, threads: int, size: int) -> Contender:
    # As many threads as ours has, where OpenCL runs on CPUs.
    of_pocl = (f"POCL_MAX_PTHREAD_COUNT={threads}", f"POCL_CPU_MAX_CU_COUNT={threads}")
    options = ("--csv", "-n", str(SWEEPS + 1), "-s", str(size // 8))

    def start(_round: int) -> dict[str, float]:
        printed = peers.run_threads((find_program("env"), *of_pocl, path, *options), threads)
        mean, best = parse_babelstream(printed, "Triad")
        return {_MEAN: mean, _BEST: best}

    return Contender(f"{_BABELSTREAM}, {threads}", start)


def _rows(
    measured: RoundResults, threads: int, device: NamedDevice, with_babelstream: bool
) -> Iterator[Row]:
    if _is_cpus(device):
        yield _row(measured, threads, _OPENMP, _MEAN, at_least(1.0))
    if with_babelstream:
        # Its kernel takes one element an item, which compilers for GPUs do as well with.
        target = at_least(1.3 if _is_cpus(device) else 0.98)
        yield _row(measured, threads, _BABELSTREAM, _MEAN, target)
        yield _row(measured, threads, _BABELSTREAM, _BEST, target)


def _row(measured: RoundResults, threads: int, peer: str, statistic: str, target: Target) -> Row:
    return measured_row(
        f"triad, {threads} thread{'s' * (threads > 1)}\n: {peer}",
        measured.values(f"{_OURS}, {threads}", statistic),
        measured.values(f"{peer}, {threads}", statistic),
        unit=STREAM_BYTES_PER_SECOND,
        higher_is_better=True,
        statistic=statistic,
        target=target,
    )
