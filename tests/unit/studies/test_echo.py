"""Study `echo`: an LU factorization beside the peak that is measured with it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.lu import LU
from machmeter.benchmarks.memory.assembly import ASSEMBLY
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.estimate import Estimate
from machmeter.run.compare.published_answers import answers_of_source
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.run.results.findings import findings
from machmeter.studies.echo import ECHO
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.made_up.estimates import made_up
from tests.support.sysfs_tree import Shape

QUESTION = ECHO.questions[-1]
PEAK = 100e9


@pytest.mark.parametrize(
    ("share", "answer"),
    [(0.3, "below half"), (0.6, "half or more"), (0.824, "three quarters or more")],
)
def test_the_largest_order_is_a_share_of_the_peak_of_all_cores(share: float, answer: str) -> None:
    machine = synthetic_machine(Shape(packages=1, domains=1, cores=4, smt=1))
    machine = replace(
        machine, software=replace(machine.software, blas={"openblas": "/lib/libopenblas.so"})
    )
    study = replace(
        ECHO,
        experiments=tuple(e for e in ECHO.experiments if e.benchmark.startswith("compute.")),
    )
    plan = make_plan(study, machine, LayoutOptions(), PRECISION, NO_SIZES)
    estimates: list[Estimate] = []
    orders = [int(point.get("order")) for point in plan.points if point.benchmark == LU.name]
    for point in plan.points:
        order = dict(point.parameters).get("order", 0)
        largest = PEAK * share if order == max(orders) else 0.1 * PEAK
        of_all = point.layout.threads / 4
        rate = largest if point.benchmark == LU.name else PEAK * of_all
        estimates.append(
            made_up(point.benchmark, dict(point.parameters), point.layout, "flops", rate)
        )
    found = {one.question: one for one in findings(plan, machine, estimates)}[QUESTION.text]
    assert found.answer.startswith(f"openblas: {answer}, {100 * share:.0f}")


def test_the_printed_share_stands_beside_it() -> None:
    (source,) = QUESTION.published
    (printed,) = answers_of_source(QUESTION, source, None)
    assert "82.4 %" in printed.published


def test_an_assembly_is_asked_for_threads_table_and_files() -> None:
    machine = synthetic_machine(Shape(packages=1, domains=1, cores=4, smt=1))
    study = replace(
        ECHO, experiments=tuple(e for e in ECHO.experiments if e.benchmark == ASSEMBLY.name)
    )
    plan = make_plan(study, machine, LayoutOptions(), PRECISION, NO_SIZES)
    estimates: list[Estimate] = []
    for point in plan.points:
        table, handover = point.get("table"), point.get("handover")
        rate = 1e5 if table == "owned" else 1.3e5
        rate *= 1.0 if handover == "memory" else 0.8
        # Half of the threads' work is lost.
        rate *= (1 + point.layout.threads) / 2
        estimates.append(
            made_up(point.benchmark, dict(point.parameters), point.layout, "rate", rate)
        )
    found = [one for one in findings(plan, machine, estimates) if "Assembly" in one.question]
    scale, table, files = (one.answer for one in found)
    assert scale.startswith("partly for owned table and shared table, 62 %")
    assert table.startswith("yes, 1.30x")
    assert files.startswith("yes for owned table and shared table, 1.25x")


def test_a_shared_table_is_not_asked_for_passes_that_it_does_not_make() -> None:
    machine = synthetic_machine(Shape(packages=1, domains=1, cores=2, smt=1))
    experiment = replace(
        next(e for e in ECHO.experiments if e.benchmark == ASSEMBLY.name),
        parameters={"passes": (1, 3)},
    )
    study = replace(ECHO, experiments=(experiment,), questions=())
    plan = make_plan(study, machine, LayoutOptions(), PRECISION, NO_SIZES)
    asked = {(point.get("table"), point.get("passes")) for point in plan.points}
    assert asked == {("owned", 1), ("owned", 3), ("shared", 1)}
