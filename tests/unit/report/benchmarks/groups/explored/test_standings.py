"""How the layouts of a program stand is what the finding says of them."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.benchmarks.explore import RANKS
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.finding import Ranking
from machmeter.model.results.run import ResolvedProgram, RunResult
from machmeter.model.variant import Variant
from machmeter.report.benchmarks.groups.explored.standings import (
    LayoutResult,
    Standing,
    layout_names,
    layout_results,
    without_result,
)
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.report.benchmarks.section import section_of
from machmeter.report.views.launch_lines import job_of
from tests.support.synthetic.explored import ALONE, NONE_SET, ONE_RANK, SET, make_explored


def results(run: RunResult) -> tuple[LayoutResult, ...]:
    return layout_results(section_of(run, RANKS.name))


def standings(run: RunResult) -> dict[str, Standing]:
    return {one.spec: one.standing for one in results(run)}


def test_the_best_stands_first_and_the_others_by_their_values() -> None:
    run = make_explored()
    assert set(list(standings(run))[:2]) == {SET, NONE_SET}
    assert list(standings(run))[2:] == [ONE_RANK, ALONE]
    assert [one.is_default for one in results(run)].count(True) == 1


def test_ties_are_those_of_the_finding() -> None:
    run = make_explored()
    found = standings(run)
    ranking = run.findings[0].cases[0].ranking
    assert ranking is not None
    assert list(found.values()).count(Standing.TIED) == len(ranking.tied) == 1
    assert {name for name, one in found.items() if one is Standing.BEHIND} == {ONE_RANK, ALONE}


def test_what_a_noisy_run_cannot_tell_apart_is_all_tied() -> None:
    found = standings(make_explored({SET: 1.0, NONE_SET: 1.1, ALONE: 1.2}, spread=0.5))
    assert sorted(found.values()) == [Standing.BEST, Standing.TIED, Standing.TIED]


def test_what_dropped_out_is_behind_however_far_its_interval_reaches() -> None:
    run = make_explored({SET: 1.0, NONE_SET: 1.1, ALONE: 1.2}, (ALONE,), spread=0.5)
    assert standings(run)[ALONE] is Standing.BEHIND
    assert {one.spec for one in results(run) if one.dropped} == {ALONE}


def test_without_a_finding_nothing_is_compared() -> None:
    run = replace(make_explored(), findings=())
    assert set(standings(run).values()) == {Standing.NOT_COMPARED}


def test_names_tell_layouts_apart_and_repeat_nothing_that_all_have() -> None:
    run = make_explored()
    names = [one.name for one in results(run)]
    assert len(set(names)) == len(names)
    assert not any("wait" in name for name in names)


def test_names_have_what_else_the_question_tells_apart() -> None:
    run = make_explored()
    (question,) = run.plan.questions
    axes = ("ranks_per_node", "threads_per_rank", "binding", "wait_policy")
    asked = replace(question, rule=replace(question.rule, axes=axes))
    waits = [Layout(wait_policy=one) for one in (WaitPolicy.ACTIVE, WaitPolicy.PASSIVE)]
    nothing = Layout(binding=Binding.DEFAULT, wait_policy=WaitPolicy.DEFAULT)
    layouts = [*waits, nothing]
    run = replace(run, plan=replace(run.plan, questions=(asked,)))
    names = layout_names(section_of(run, RANKS.name), layouts)
    assert len(set(names.values())) == 3
    assert ["wait" in names[one] for one in layouts] == [True, True, False]


def test_layouts_that_differ_in_the_wait_policy_alone_are_told_apart_everywhere() -> None:
    waits = (WaitPolicy.PASSIVE, WaitPolicy.ACTIVE)
    layouts = {one.value: Layout(threads_per_rank=2, wait_policy=one) for one in waits}
    layouts[NONE_SET] = Layout(binding=Binding.DEFAULT, wait_policy=WaitPolicy.DEFAULT)
    run = make_explored(
        {"passive": 1.0, "active": 1.5, NONE_SET: 2.0},
        layouts=layouts,
        options=LayoutOptions(wait_policies=waits),
    )
    assert len({one.name for one in results(run)}) == 3
    labels = [one.label.partition(";")[0] for one in headline_results(run)]
    assert len(set(labels)) == 3
    assert "passive" in run.findings[0].answer
    assert "export OMP_WAIT_POLICY=passive" in job_of(run).text.splitlines()


def test_lines_to_copy_are_those_of_the_mpi_that_the_program_loaded() -> None:
    mpich, open_mpi = "/usr/lib/libmpich.so.12.2.2", "/opt/lib/libmpi.so.40.30.4"
    for loaded, family in (((mpich,), "MPICH"), ((open_mpi,), "Open MPI"), ((mpich, open_mpi), "")):
        resolved = ResolvedProgram(RANKS.name, libraries={"MPI": loaded})
        lines = job_of(replace(make_explored(), resolved=(resolved,))).lines
        whose = {line.why for line in lines if "-n " in line.command}
        assert len(whose) == (2 if family else 3) and all(family in one for one in whose)


def test_what_is_asked_of_another_benchmark_has_no_say() -> None:
    run = make_explored()
    (asked,), (found,) = run.plan.questions, run.findings
    (case,) = found.cases
    axes = replace(asked.rule, axes=("mpi",))
    libraries = replace(asked, text="Which library?", benchmark="network.latency", rule=axes)
    ranking = Ranking({"ranks_per_node": "1"})
    answer = replace(found, question=libraries.text, cases=(replace(case, ranking=ranking),))
    plan = replace(run.plan, questions=(libraries, asked))
    assert results(replace(run, plan=plan, findings=(answer, found))) == results(run)
    other = replace(run, plan=replace(plan, questions=(libraries,)), findings=(answer,))
    assert set(standings(other).values()) == {Standing.NOT_COMPARED}


def test_a_name_of_a_layout_has_only_what_layouts_have() -> None:
    run = make_explored()
    (asked,) = run.plan.questions
    library = replace(asked, rule=replace(asked.rule, axes=("mpi", "threads_per_rank")))
    run = replace(run, plan=replace(run.plan, questions=(library,)))
    assert {one.name for one in results(run)} == {"1 thread", "2 threads"}


def under(mpi: str, run: RunResult) -> RunResult:
    """The same run by that library of several."""
    by = Variant(mpi)
    estimates = (replace(one, point=replace(one.point, variant=by)) for one in run.estimates)
    specs = (
        replace(
            one,
            name=f"{one.name}, {mpi}",
            points=tuple(replace(point, variant=by) for point in one.points),
            variant=by,
        )
        for one in run.plan.specs
    )
    return replace(run, plan=replace(run.plan, specs=tuple(specs)), estimates=tuple(estimates))


def test_layouts_of_several_libraries_are_told_apart() -> None:
    one, other = (under(mpi, make_explored()) for mpi in ("mpich", "openmpi"))
    plan = replace(one.plan, specs=(*one.plan.specs, *other.plan.specs))
    both = replace(one, plan=plan, estimates=(*one.estimates, *other.estimates))
    names = [found.name for found in results(both)]
    assert len(set(names)) == len(names) == 8
    assert sum(name.endswith(", mpich") for name in names) == 4
    without = without_result(section_of(replace(both, estimates=one.estimates), RANKS.name))
    assert set(without) == {name for name in names if name.endswith(", openmpi")}
    assert not any("mpich" in found.name for found in results(one))
