"""Launches of machmeter's own programs, verified as in a run, reduced as the peer's are."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from msgspec.structs import replace

from bench.rounds import Contender, ContenderError, Notify
from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.programs import DEVICE_PROGRAM, MPI_PROGRAM, NODE_PROGRAM
from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import MpiInstall, resolve_mpi
from machmeter.build.programs import build_program
from machmeter.build.toolchains import BuildTools
from machmeter.launch.launcher import ProgramLauncher
from machmeter.launch.libraries import Libraries
from machmeter.launch.ready import Ready, ReadyProgram
from machmeter.layout.assign import assign
from machmeter.model.benchmark import Value
from machmeter.model.device import NamedDevice
from machmeter.model.layout import Assignment, Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchSpec, PointRecord, Verdict
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import make_point
from machmeter.model.results.run import Precision, Request
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.session import Session
from machmeter.run.measuring.start import create_run
from machmeter.store.run_folder import RunFolder
from machmeter.studies.quick import QUICK


class Statistic(StrEnum):
    """How the samples of a launch become one value: as the peer's do."""

    MEAN = "mean"
    BEST = "best"
    BEST_OF_NINE = "best of nine, first skipped"


def time_of(samples: tuple[float, ...], statistic: Statistic) -> float:
    """Seconds of one event. Raises ValueError where there is no sample left."""
    kept = samples[1:10] if statistic is Statistic.BEST_OF_NINE else samples
    if not kept:
        raise ValueError("a launch of machmeter has no sample left")
    return statistics.fmean(kept) if statistic is Statistic.MEAN else min(kept)


def rate_of(
    point: PointRecord, amount: str, statistic: Statistic, series: str = "seconds"
) -> float:
    """The quantity `amount` over the time of one event, per second."""
    return point.quantities[amount] / time_of(point.series[series], statistic)


class OurPrograms:
    """Programs compiled with one MPI (or none), and the folder of their launches."""

    def __init__(
        self,
        machine: Machine,
        ready: Ready,
        mpi: MpiInstall | None,
        folder: RunFolder,
        environment: Mapping[str, str],
        libraries: Libraries | None = None,
    ) -> None:
        self.machine = machine
        self.wrapper = next(iter(ready.values())).wrapper
        self.mpi = mpi
        self.folder = folder
        launcher = ProgramLauncher(ready, environment, libraries)
        precision = folder.header().request.precision
        self.session = Session(folder, launcher, machine.topology, precision, ignore_progress)

    @property
    def default_pages(self) -> int:
        """Page size of arrays that request none, bytes."""
        always = self.machine.memory.transparent_huge_pages == "always"
        return self.huge_pages if always else self.base_pages

    @property
    def base_pages(self) -> int:
        """The smallest pages of this kernel, bytes."""
        return self.machine.memory.base_page_bytes

    @property
    def huge_pages(self) -> int:
        """Page size of arrays that request huge pages, bytes."""
        return self.machine.memory.huge_page_bytes or self.base_pages

    def assignment(self, layout: Layout) -> Assignment:
        """The CPUs that machmeter and peer are bound to. Raises LayoutError for too few."""
        return assign(layout, self.machine.topology)

    def launch(self, spec: LaunchSpec, round_number: int) -> tuple[PointRecord, ...]:
        """The points of one accepted launch. Raises ContenderError for any other."""
        points, dropped = self.launch_points(spec, round_number)
        if dropped:
            raise ContenderError("; ".join(dropped.values()))
        return points

    def launch_points(
        self, spec: LaunchSpec, round_number: int
    ) -> tuple[tuple[PointRecord, ...], Mapping[str, str]]:
        """The usable points of one accepted launch, and why others are not, by key.

        Raises ContenderError for a launch that was not accepted.
        """
        outcome = self.session.launch(spec, round_number)
        if outcome.verdict is not Verdict.ACCEPTED:
            raise ContenderError(f"{outcome.verdict.value}: {'; '.join(outcome.reasons)}")
        dropped = outcome.dropped_points
        usable = tuple(
            record
            for record in self.folder.record(outcome.launch).points
            if make_point(spec.benchmark, record.parameters, spec.layout).key not in dropped
        )
        return usable, dropped

    def point_contender(
        self,
        name: str,
        spec: LaunchSpec,
        metrics: Mapping[str, tuple[str, Statistic]],
    ) -> Contender:
        """A contender that launches the one point of `spec`.

        metrics: by name, the quantity that is divided by the time (empty: the time itself) and
        the statistic.
        """

        def start(round_number: int) -> dict[str, float]:
            (point,) = self.launch(spec, round_number)
            return {
                metric: rate_of(point, amount, statistic)
                if amount
                else time_of(point.series["seconds"], statistic)
                for metric, (amount, statistic) in metrics.items()
            }

        return Contender(name, start)


def build_ours(
    machine: Machine,
    mpi_name: str,
    cache: Path,
    environment: Mapping[str, str],
    notify: Notify,
    compiler_name: str = "",
    device: NamedDevice | None = None,
) -> OurPrograms:
    """Build machmeter's programs. Raises MachineLacksError if compiler or MPI is missing or fails.

    mpi_name: empty where no MPI is needed; compiler_name: empty for the one that machmeter finds;
    device: one that layouts may name.
    """
    compiler = find_compiler(compiler_name, environment)
    notify(f"compiling machmeter with {compiler.version}, MPI: {mpi_name or 'none'} (once)")
    mpi = resolve_mpi(mpi_name, cache, environment) if mpi_name else None
    features = f"{machine.cpu_model}\0{' '.join(machine.features)}"
    tools = BuildTools(compiler, features, mpi)
    ready = {
        ("", one.name): ReadyProgram(
            build_program(cache, one, tools, environment), mpi if one.has_ranks else None
        )
        for one in (
            NODE_PROGRAM,
            *[MPI_PROGRAM] * (mpi is not None),
            *[DEVICE_PROGRAM] * (device is not None),
        )
    }
    request = Request(("bench",), QUICK, LayoutOptions(), Precision(), mpi_name, "")
    path = Path(tempfile.mkdtemp(prefix="machmeter-bench-"))
    if device:
        machine = replace(machine, devices=(device,))
    folder = create_run(path, f"bench-{path.name[-8:]}", request, machine, ("bench",))
    return OurPrograms(machine, ready, mpi, folder, environment, Libraries(cache))


def one_point(
    benchmark: str,
    parameters: dict[str, Value],
    layout: Layout,
    *,
    samples: int,
    seconds: float,
    name: str,
) -> LaunchSpec:
    """A spec of one point, with as many samples as the peer takes, within `seconds`.

    parameters: those left out take the first of their default values.
    """
    declared = find(benchmark)
    plain = {parameter.name: parameter.values[0] for parameter in declared.parameters}
    return LaunchSpec(
        name=name,
        program=declared.program.name,
        benchmark=benchmark,
        layout=layout,
        points=(make_point(benchmark, plain | parameters, layout),),
        seconds_per_point=seconds,
        samples=samples,
    )
