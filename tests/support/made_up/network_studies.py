"""Studies of the network on synthetic machines: plans, made-up findings, and what they name."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET
from msgspec.structs import replace

from machmeter.analysis.rules.answer import selectors_of
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Benchmark
from machmeter.model.device import Device, NamedDevice
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.question import Question
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Finding
from machmeter.model.results.run import Plan, Precision
from machmeter.model.variant import ONLY
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import choose_sizes
from machmeter.run.results.findings import findings
from tests.support.fake_launcher import synthetic_machine
from tests.support.made_up.estimates import made_up
from tests.support.sysfs_tree import Shape

TWO_CORES = Shape(packages=1, domains=1, cores=2, smt=1)
TWO_PACKAGES = Shape(packages=2, domains=1, cores=32, smt=1)
SYMBOLS = {"threads", "split", "ranks"}

Model = Callable[[Point, str], float]


GPU = NamedDevice("cuda:0", "cuda:GPU-1", Device("cuda", "a GPU", "gpu"))


def machine_of(shape: Shape, *, shmem: bool = True, gpu: bool = False) -> Machine:
    machine = synthetic_machine(shape)
    software = replace(
        machine.software,
        shmem="/usr/bin/oshc++" if shmem else "",
        nvidia_driver="570.1" if gpu else "",
    )
    return replace(machine, software=software, devices=(GPU,) if gpu else UNSET)


def plan_of(
    study: Study,
    machine: Machine,
    hosts: tuple[str, ...] = (),
    *,
    nodes: tuple[int, ...] = (),
    reserved_cores: int = 0,
) -> Plan:
    wish = LayoutOptions(mpis=study.mpis, hosts=hosts, nodes=nodes, reserved_cores=reserved_cores)
    precision = Precision(budget_seconds=study.budget_seconds)
    return make_plan(study, machine, wish, precision, choose_sizes(machine, ()))


def found_in(
    plan: Plan, machine: Machine, model: Model, own: tuple[Benchmark, ...] = ()
) -> dict[str, Finding]:
    """The findings where every point has the value that `model` gives it; own: benchmarks of the
    study's own."""
    estimates = [
        _estimate(point, metric.name, model, spec.name, own)
        for spec in plan.specs
        if spec.of_points
        for point in spec.points
        for metric in find(point.benchmark, own).metrics
    ]
    return {one.question: one for one in findings(plan, machine, estimates)}


def _estimate(
    point: Point, metric: str, model: Model, spec: str, own: tuple[Benchmark, ...]
) -> Estimate:
    value = model(point, metric)
    made = made_up(point.benchmark, dict(point.parameters), point.layout, metric, value, own=own)
    first = 100_000 * (len(spec) + sum(map(ord, spec)))
    return replace(
        made, point=point, launch_numbers=tuple(first + number for number in made.rounds)
    )


def about(found: dict[str, Finding], words: str) -> str:
    (answer,) = (finding.answer for question, finding in found.items() if words in question)
    return answer


def names_of(question: Question) -> set[str]:
    """Every parameter or layout field that a question names."""
    rule = question.rule
    named = {n for of in selectors_of(rule) for n in (*of.parameters, *of.layout)}
    axes = {getattr(rule, name, "") for name in ("axis", "unit")} - {""}
    return named | axes | {*getattr(rule, "axes", ()), *question.each}


def problems_of(study: Study) -> list[str]:
    """What a study's questions and experiments name that there is not."""
    measured = {experiment.benchmark for experiment in study.experiments}
    fields = {*Layout.__struct_fields__, *ONLY.fields(), *SYMBOLS}
    problems = []
    for question in study.questions:
        benchmark = find(question.benchmark, study.benchmarks)
        known = {parameter.name for parameter in benchmark.parameters} | fields
        if question.metric not in {metric.name for metric in benchmark.metrics}:
            problems.append(f"{question.text}: no metric {question.metric}")
        if question.benchmark not in measured:
            problems.append(f"{question.text}: {question.benchmark} is not measured")
        problems += [f"{question.text}: no {name}" for name in names_of(question) - known]
        leasts = [band.least for band in getattr(question.rule, "bands", ())]
        if leasts != sorted(set(leasts)) or (leasts and leasts[0] > 0):
            problems.append(f"{question.text}: bands do not rise from 0")
    for experiment in study.experiments:
        declared = {p.name: p for p in find(experiment.benchmark, study.benchmarks).parameters}
        for name, values in experiment.parameters.items():
            refusals = [declared[name].refusal(value) for value in values]
            problems += [f"{experiment.benchmark}: {why}" for why in refusals if why]
    return problems


def undecided(found: dict[str, Finding]) -> dict[str, str]:
    return {q: one.answer for q, one in found.items() if one.status is AnswerStatus.UNDECIDABLE}
