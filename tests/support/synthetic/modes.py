"""A run of study `edison` made up for tests: its codes in the launch modes that a node can form."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from msgspec.structs import replace

from machmeter.apps.benchmark import benchmark_of
from machmeter.apps.builtin import app_file
from machmeter.apps.read import read_description
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import RankSweep
from machmeter.model.layout import LaunchMode
from machmeter.model.machine import Machine
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.point import Point
from machmeter.model.results.run import RunResult
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.run.results.findings import findings
from machmeter.studies.edison.modes import EDISON, MEASURED_MODES
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.made_up.estimates import made_up
from tests.support.synthetic.run import make_run
from tests.support.sysfs_tree import Shape

NODE = synthetic_machine(Shape(packages=2, domains=1, cores=8, smt=2))
WITHOUT_SMT = synthetic_machine(Shape(packages=1, domains=1, cores=4, smt=1))
GAINS = {
    LaunchMode.MPI: 1.0,
    LaunchMode.MPI_SMT: 1.3,
    LaunchMode.MPI_SMT_RESERVED: 1.2,
    LaunchMode.HYBRID_SMT: 1.299,
    LaunchMode.HYBRID_SMT_RESERVED: 0.8,
    LaunchMode.DEFAULT: 0.9,
}
SHARES = {"compute_share": 0.7, "halo_share": 0.15, "collective_share": 0.1}


def with_described(*names: str) -> Study:
    """The study on a machine that has these of its applications."""
    found = [benchmark_of(read_description(app_file(name)), of_ranks=True) for name in names]
    experiments = (
        Experiment(one.name, {"input": ("crc",)}, ranks=RankSweep.EVERY, modes=MEASURED_MODES)
        for one in found
    )
    questions = (q for one in EDISON.applications if one.name in names for q in one.questions)
    return replace(
        EDISON,
        experiments=(*EDISON.experiments, *experiments),
        benchmarks=tuple(found),
        questions=(*EDISON.questions, *questions),
    )


def usual_gain(point: Point) -> float:
    """What a node does at a point, over one rank on each core."""
    mode = point.layout.mode
    return GAINS.get(mode, 0.9) if mode else 1.0


def make_modes(
    gain: Callable[[Point], float] = usual_gain,
    machine: Machine = NODE,
    options: LayoutOptions | None = None,
    spread: float = 0.004,
    study: Study = EDISON,
) -> RunResult:
    """The run with these rates of a node over those of one rank on each core; a gain of 0 is of a
    point without a result. spread: between launches."""
    plan = make_plan(study, machine, options or LayoutOptions(), PRECISION, NO_SIZES)
    codes = {one.benchmark for one in study.experiments}
    measured = [p for p in plan.points if p.benchmark in codes and gain(p)]
    estimates = tuple(
        made_up(
            point.benchmark,
            dict(point.parameters),
            point.layout,
            metric.name,
            1e9 * gain(point) if metric.name == "rate" else SHARES[metric.name],
            spread,
            own=study.benchmarks,
        )
        for point in measured
        for metric in find(point.benchmark, study.benchmarks).metrics
        if metric.name in ("rate", *SHARES)
    )
    run = make_run()
    request = replace(run.header.request, study=study, names=(study.name,))
    return replace(
        run,
        header=replace(run.header, request=request, machine=machine),
        plan=plan,
        estimates=estimates,
        findings=tuple(findings(plan, machine, estimates)),
    )


@cache
def usual_modes() -> RunResult:
    """The run with usual gains on `NODE`, made once."""
    return make_modes()
