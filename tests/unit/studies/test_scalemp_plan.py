"""Study `scalemp` on synthetic machines: its plan holds both sides of every question it can decide.

The values are made up after a machine of four boards: what its questions must find out is known.
"""

from __future__ import annotations

import math
from functools import cache

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Value
from machmeter.model.layout import Binding, Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Finding
from machmeter.model.results.run import Plan, Precision
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import choose_sizes
from machmeter.run.results.findings import findings
from machmeter.studies.scalemp.node import SCALEMP
from tests.support.fake_launcher import synthetic_machine
from tests.support.made_up.estimates import made_up
from tests.support.sysfs_tree import Shape

BOARDS = Shape(packages=4, domains=1, cores=4, smt=1)
TWO_CORES = Shape(packages=1, domains=1, cores=2, smt=1)


def machine_of(shape: Shape) -> Machine:
    machine = synthetic_machine(shape)
    software = replace(
        machine.software,
        openmp_runtimes={"libgomp": "/libgomp.so", "libomp": "/libomp.so"},
        allocators={"glibc": "", "jemalloc": "/libjemalloc.so"},
    )
    return replace(machine, software=software)


def plan_of(machine: Machine) -> Plan:
    sizes = choose_sizes(machine, ())
    return make_plan(SCALEMP, machine, LayoutOptions(), Precision(budget_seconds=450), sizes)


def value_of(point: Point, metric: str, domain_of: dict[int, int]) -> float:
    """What a machine of slow boards would give: remote pages 17x, synchronization 200x."""
    parameters, layout = dict(point.parameters), point.layout
    makers = {
        "memory.pages": lambda: 1e-6 * (17 if _remote(parameters, domain_of) else 1),
        "memory.matrix": lambda: _between_domains(parameters, metric),
        "memory.stream": lambda: 1e9 * _reached(layout),
        "memory.timeline": lambda: 1e9 * _reached(layout),
        "memory.loaded": lambda: 1e-7 * (4 if parameters["pause"] == 0 else 1),
        "memory.allocation": lambda: _allocation(parameters, layout),
        "threads.sync": lambda: 1e-6 * _crossing(layout),
        "threads.schedule": lambda: 1e-6 / max(int(parameters["chunk"]), 1),
        "threads.nested": lambda: 1e-6 if layout.openmp == "libomp" else 60e-6,
        "sparse.spmv": lambda: 2e9 if parameters["schedule"] == "balanced" else 1e9,
        "apps.retrieval": lambda: _nested(18, layout),
        "apps.heatflow": lambda: (
            _nested(int(parameters["derivatives"]), layout)
            * (1.5 if parameters["arrays"] == "inside" else 1.0)
        ),
    }
    return float(makers.get(point.benchmark, lambda: 1e-6)())


def _remote(parameters: dict[str, Value], domain_of: dict[int, int]) -> bool:
    owner, visitor = (domain_of[int(cpu)] for cpu in str(parameters["pair"]).split("-"))
    return owner != visitor


def _between_domains(parameters: dict[str, Value], metric: str) -> float:
    first, second = str(parameters["pair"]).split("-")
    if metric == "latency":
        return 5e-7 if first != second else 1e-7
    return 1e9 / (5 if first != second else 1)


def _reached(layout: Layout) -> float:
    domains = 4 if layout.binding is Binding.SPREAD else -(-layout.threads // 4)
    share = min(layout.threads, 2 * domains)
    return share / (2 if layout.binding is Binding.NONE else 1)


def _allocation(parameters: dict[str, Value], layout: Layout) -> float:
    pages = 1.0 if parameters["pages"] == "base" else 0.5
    inside = 2.0 if parameters["way"] == "malloc-inside" else 1.0
    return pages * inside * (0.5 if layout.allocator == "jemalloc" else 1.0)


def _crossing(layout: Layout) -> float:
    across = layout.binding is Binding.SPREAD or layout.threads_per_rank > 4
    return 200.0 if across else 1.0


def _nested(units: int, layout: Layout) -> float:
    """Waves over the outer threads; four at once on a domain take twice the time of one."""
    waves, rest = divmod(units, layout.threads_per_rank)
    crowded = 2.0 if layout.threads_per_rank >= 4 else 1.0
    free = 1.3 if layout.binding is Binding.NONE else 1.0
    seconds = free * (waves * crowded + (1.0 if rest else 0.0))
    return seconds / math.sqrt(layout.inner_threads)


@cache
def found_on(shape: Shape) -> dict[str, Finding]:
    machine = machine_of(shape)
    plan = plan_of(machine)
    domain_of = {cpu.number: cpu.numa for cpu in machine.topology.cpus}
    estimates = [
        _estimate(point, metric.name, domain_of)
        for point in plan.points
        for metric in find(point.benchmark).metrics
    ]
    return {f.question: f for f in findings(plan, machine, estimates)}


def _estimate(point: Point, metric: str, domain_of: dict[int, int]) -> Estimate:
    value = value_of(point, metric, domain_of)
    return made_up(point.benchmark, dict(point.parameters), point.layout, metric, value)


def about(found: dict[str, Finding], words: str) -> str:
    (answer,) = (finding.answer for question, finding in found.items() if words in question)
    return answer


def test_boards_decide_every_question_but_that_of_a_pool_they_lack() -> None:
    undecided = [q for q, f in found_on(BOARDS).items() if f.status is AnswerStatus.UNDECIDABLE]
    assert undecided == [q for q in found_on(BOARDS) if "pool of 2 MiB pages" in q]


def test_two_cores_say_what_they_cannot_decide() -> None:
    undecided = {
        q: f.answer for q, f in found_on(TWO_CORES).items() if f.status is AnswerStatus.UNDECIDABLE
    }
    assert all(text.startswith("not answerable here: requires") for text in undecided.values())
    assert sorted(undecided) == sorted(
        question
        for question in found_on(TWO_CORES)
        for words in (
            "remote NUMA memory",
            "spreading threads",
            "pool of 2 MiB pages",
            "distant threads",
            "all cores than on two",
            "when every outer thread leads one",
        )
        if words in question
    )


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("uniform, NUMA", "software-shared memory for read and write, 17.0x"),
        ("latency penalty", "strongly NUMA, 5.0"),
        ("bandwidth penalty", "strongly NUMA, 5.0"),
        ("bandwidth over time", "yes, 2.0"),
        ("improve STREAM bandwidth", "yes, 2.0"),
        ("allocation scale", "hardly for base pages and transparent huge pages, "),
        ("allocating inside", "no for 1 thread, 2 threads, 4 threads, 8 threads"),
        ("Which allocator", "jemalloc, 2.0"),
        ("scale to all cores", "partly, parallel efficiency 50 % ["),
        ("under load from all", "strongly for read, two-to-one and write, 4.0"),
        ("between distant threads", "far more for parallel, for, "),
        ("all cores than on two", "far more for parallel, for, "),
        ("sparse matrices", "balanced for banded, ramp, power-law and random, 2.0"),
        ("small chunks", "very much, 64.0x ["),
        ("Which OpenMP runtime", "libomp, 60.0x ["),
        ("slices of one array", "yes, 1.5"),
        (
            "levels of threads speed up image",
            "yes for 1 x 16, 2 x 8, 4 x 4, 8 x 2 and 16 x 1, 1.30x",
        ),
    ],
)
def test_the_slow_boards_are_found_out(words: str, answer: str) -> None:
    assert about(found_on(BOARDS), words).startswith(answer)


def test_waves_are_found_where_units_fill_the_boards() -> None:
    # 33 units: two waves of 16 at the crowded pace and one unit alone, as the values have it.
    assert about(found_on(BOARDS), "wave model").startswith("at the model, 100 % [")
    assert "4 at once on one domain run at 50 % of the pace of one" in about(
        found_on(BOARDS), "wave model"
    )


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (1.0, "uniform for read and write, "),
        (1.5, "uniform memory, but lines in another core's cache"),
    ],
)
def test_one_domain_is_uniform_memory(value: float, answer: str) -> None:
    (question,) = [q for q in SCALEMP.questions if "uniform, NUMA" in q.text]
    machine = machine_of(TWO_CORES)
    plan = replace(plan_of(machine), questions=(question,))
    domain_of = {cpu.number: cpu.number for cpu in machine.topology.cpus}
    estimates = []
    for point in plan.points:
        if point.benchmark == "memory.pages":
            remote = _remote(dict(point.parameters), domain_of)
            seconds = 1e-6 * (value if remote else 1)
            estimates.append(
                made_up(
                    point.benchmark, dict(point.parameters), point.layout, "visit_time", seconds
                )
            )
    (finding,) = findings(plan, machine, estimates)
    assert finding.answer.startswith(answer)
    assert "NUMA" not in finding.answer
