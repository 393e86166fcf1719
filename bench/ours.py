"""machmeter's side: one launch of one benchmark, verified as in a run, reduced as peers do it."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from bench.rounds import Contender, ContenderError, Tell
from machmeter.benchmarks.catalogue import find
from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import MpiInstall, resolve_mpi
from machmeter.build.programs import Programs, build_programs
from machmeter.launch.local import LocalLauncher
from machmeter.launch.toolset import Toolset
from machmeter.layout.assign import assign
from machmeter.model.benchmark import Executable, Value
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
    """How one launch's samples become one value: as the peer beside it does."""

    MEAN = "mean"
    BEST = "best"
    BEST_OF_NINE = "best of nine, first left out"


def time_of(samples: tuple[float, ...], statistic: Statistic) -> float:
    """Seconds of one event. Raises ValueError where there is no sample left."""
    kept = samples[1:10] if statistic is Statistic.BEST_OF_NINE else samples
    if not kept:
        raise ValueError("a launch of machmeter has no sample left")
    return statistics.fmean(kept) if statistic is Statistic.MEAN else min(kept)


def rate_of(point: PointRecord, amount: str, statistic: Statistic) -> float:
    """The fact `amount` over the time of one event, per second."""
    return point.quantities[amount] / time_of(point.series["seconds"], statistic)


class OurSide:
    """Compiled programs with one MPI (or none) and a folder in which their launches are kept."""

    def __init__(
        self,
        machine: Machine,
        programs: Programs,
        mpi: MpiInstall | None,
        folder: RunFolder,
        environment: Mapping[str, str],
    ) -> None:
        self.machine = machine
        self.programs = programs
        self.mpi = mpi
        self.folder = folder
        launcher = LocalLauncher(
            {("", one): Toolset(programs, mpi) for one in Executable}, environment
        )
        precision = folder.header().request.precision
        self.session = Session(folder, launcher, machine.topology, precision, ignore_progress)

    @property
    def default_pages(self) -> int:
        """The pages a plain program's arrays get here, bytes."""
        always = self.machine.memory.transparent_huge_pages == "always"
        return self.huge_pages if always else self.base_pages

    @property
    def base_pages(self) -> int:
        """The smallest pages of this kernel, bytes."""
        return self.machine.memory.base_page_bytes

    @property
    def huge_pages(self) -> int:
        """The pages that a program asks for where it wants large ones, bytes."""
        return self.machine.memory.huge_page_bytes or self.base_pages

    def assignment(self, layout: Layout) -> Assignment:
        """The CPUs that both sides are bound to. Raises LayoutError where there are too few."""
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

    def point_launcher(
        self,
        name: str,
        spec: LaunchSpec,
        figures: Mapping[str, tuple[str, Statistic]],
    ) -> Contender:
        """A contender that launches the one point of `spec`.

        figures: by name, the fact that is divided by the time (empty: the time itself) and the
        statistic.
        """

        def start(round_number: int) -> dict[str, float]:
            (point,) = self.launch(spec, round_number)
            return {
                figure: rate_of(point, amount, statistic)
                if amount
                else time_of(point.series["seconds"], statistic)
                for figure, (amount, statistic) in figures.items()
            }

        return Contender(name, start)


def our_side(
    machine: Machine,
    mpi_asked: str,
    cache: Path,
    environment: Mapping[str, str],
    tell: Tell,
    compiler_asked: str = "",
) -> OurSide:
    """Build what is needed; `mpi_asked` is empty where no MPI is needed.

    compiler_asked: empty for the one that machmeter finds.

    Raises MachineLacksError when compiler or MPI is missing or fails.
    """
    compiler = find_compiler(compiler_asked, environment)
    tell(f"compiling machmeter with {compiler.version}, MPI: {mpi_asked or 'none'} (once)")
    mpi = resolve_mpi(mpi_asked, cache, environment) if mpi_asked else None
    features = f"{machine.cpu_model}\0{' '.join(machine.features)}"
    programs = build_programs(cache, compiler, mpi, features, environment)
    asked = Request(("bench",), QUICK, LayoutOptions(), Precision(), mpi_asked, "")
    path = Path(tempfile.mkdtemp(prefix="machmeter-bench-"))
    folder = create_run(path, f"bench-{path.name[-8:]}", asked, machine, ("bench",))
    return OurSide(machine, programs, mpi, folder, environment)


def one_point(
    benchmark: str,
    parameters: dict[str, Value],
    layout: Layout,
    *,
    samples: int,
    seconds: float,
    name: str,
) -> LaunchSpec:
    """A spec of one point, with as many samples as the peer takes, within `seconds`."""
    return LaunchSpec(
        name=name,
        executable=find(benchmark).executable,
        benchmark=benchmark,
        layout=layout,
        points=(make_point(benchmark, parameters, layout),),
        seconds_per_point=seconds,
        samples=samples,
    )
