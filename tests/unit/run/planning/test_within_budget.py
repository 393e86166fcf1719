"""What a short budget leaves out, and when it is refused."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.benchmark import ThreadSweep
from machmeter.model.errors import UsageError
from machmeter.model.plan.question import LARGEST, SMALLEST, BetterRule, Question, Selector
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.run import Plan, Precision, Request, SkipCause
from machmeter.run.planning.plan import expected, make_plan
from machmeter.run.planning.sizing import NO_SIZES, choose_sizes
from machmeter.run.planning.within_budget import (
    CLEARLY_OVER,
    budget_remark,
    needs_of,
    refuse_short_budget,
    within_budget,
    without,
)
from machmeter.studies.quick import QUICK
from tests.support.fake_launcher import MIB, synthetic_machine

MACHINE = synthetic_machine()
THREADS = {"threads_per_rank": 0}


def overhead(text: str, construct: str) -> Question:
    """A question to the largest team, with active and with passive waiting."""
    sides = (
        Selector({"construct": construct}, {**THREADS, "wait_policy": policy})
        for policy in ("active", "passive")
    )
    return Question(text, "threads.sync", "overhead", BetterRule(*sides))


LATENCY_QUESTION = Question(
    "Is memory slow?",
    "memory.latency",
    "latency",
    BetterRule(
        Selector({"size": LARGEST}, {"page_bytes": SMALLEST}),
        Selector({"size": SMALLEST}, {"page_bytes": SMALLEST}),
    ),
)
STUDY = Study(
    "made-up",
    "",
    "",
    (
        Experiment("memory.stream", {"size": (64 * MIB,), "kernel": ("triad",)}, pages=False),
        Experiment("memory.latency", {"size": (8192, 64 * MIB)}),
        Experiment("threads.sync", {"construct": ("barrier",)}, threads=ThreadSweep.ENDS),
    ),
    (overhead("Is waiting fast?", "barrier"), LATENCY_QUESTION),
)


def request_for(
    seconds: float, study: Study = STUDY, names: tuple[str, ...] = (), *, force: bool = False
) -> Request:
    precision = Precision(budget_seconds=seconds)
    names = names or (study.name,)
    return Request(names, study, LayoutOptions(), precision, "mpich", "", force=force)


def planned(request: Request) -> Plan:
    sizes = NO_SIZES if request.study is STUDY else choose_sizes(MACHINE, ())
    return make_plan(request.study, MACHINE, request.layout_options, request.precision, sizes)


def seconds_of(plan: Plan, study: Study = STUDY) -> float:
    return expected(plan, study, MACHINE).seconds


def measured(plan: Plan) -> list[str]:
    return [spec.name for spec in plan.specs if spec.of_points]


FULL = seconds_of(planned(request_for(1000)))


def test_questions_need_the_specs_that_their_selectors_pick() -> None:
    plan = planned(request_for(1000))
    waiting, memory = needs_of(plan)
    assert waiting.question.text == "Is waiting fast?"
    assert {name.split(",")[1].strip() for name in waiting.specs} == {"1 x 2"}
    assert len(waiting.specs) == 2
    (name,) = memory.specs
    assert name.startswith("memory.latency")
    assert "4 KiB" in name


@pytest.mark.parametrize("seconds", [FULL, FULL / CLEARLY_OVER])
def test_a_budget_that_the_guess_does_not_clearly_exceed_leaves_nothing_out(seconds: float) -> None:
    request = request_for(seconds)
    plan = planned(request)
    assert within_budget(plan, request, MACHINE) == plan
    assert not budget_remark(plan, request, MACHINE)


def test_what_no_question_needs_goes_first() -> None:
    plan = planned(request_for(1000))
    needed = frozenset[str]().union(*(one.specs for one in needs_of(plan)))
    of_questions = replace(
        plan, specs=tuple(s for s in plan.specs if not s.of_points or s.name in needed)
    )
    request = request_for(1.001 * seconds_of(of_questions))
    plan = planned(request)
    assert seconds_of(plan) > CLEARLY_OVER * request.precision.budget_seconds
    shorter = within_budget(plan, request, MACHINE)
    assert set(measured(shorter)) == needed
    assert seconds_of(shorter) <= request.precision.budget_seconds
    assert shorter.questions == STUDY.questions
    left_out = [one.what for one in shorter.skipped if one.cause is SkipCause.BUDGET]
    assert sorted(left_out) == sorted(set(measured(plan)) - needed)
    remark = budget_remark(shorter, request, MACHINE)
    assert "decides about 2 of 2 questions; about" in remark
    assert remark.endswith(f"{len(left_out)} layouts are left out, --force keeps them")


def test_then_the_last_question_goes_and_the_first_one_stays() -> None:
    request = request_for(1)
    shorter = within_budget(planned(request), request, MACHINE)
    assert {name.split(" ")[0] for name in measured(shorter)} == {"threads.sync"}
    assert len(measured(shorter)) == 2
    assert [one.text for one in shorter.questions] == ["Is waiting fast?"]
    assert "Is memory slow?" in [one.what for one in shorter.skipped]
    assert [spec.role for spec in shorter.specs].count("reference") == 2
    assert "1 s decides about 0 of 2 questions" in budget_remark(shorter, request, MACHINE)


def test_what_is_left_out_once_is_left_out_after_sizing() -> None:
    request = request_for(1)
    plan = planned(request)
    shorter = within_budget(plan, request, MACHINE)
    assert without(plan, shorter.skipped) == shorter


@pytest.mark.parametrize("name", ["memory.stream", "memory"])
def test_what_was_named_stays(name: str) -> None:
    request = request_for(1, names=("made-up", name))
    shorter = within_budget(planned(request), request, MACHINE)
    assert any(one.startswith("memory.stream") for one in measured(shorter))


def test_all_is_measured_where_it_is_forced() -> None:
    request = request_for(1, force=True)
    plan = planned(request)
    assert within_budget(plan, request, MACHINE) == plan
    refuse_short_budget(plan, request, MACHINE)
    assert "1 s is short for " in budget_remark(plan, request, MACHINE)


def test_without_questions_nothing_is_left_out_and_the_remark_says_it_is_short() -> None:
    study = replace(STUDY, questions=())
    request = request_for(1, study)
    plan = planned(request_for(1))
    plan = replace(plan, questions=())
    assert within_budget(plan, request, MACHINE) == plan
    assert "1 s is short for 10 launches of each layout" in budget_remark(plan, request, MACHINE)


def test_fewest_launches_beyond_the_budget_are_refused() -> None:
    large = Study("large", "", "", (Experiment("memory.latency", {"size": (8 * 2**30,)}),))
    request = request_for(5, large)
    with pytest.raises(UsageError) as refused:
        refuse_short_budget(planned(request), request, MACHINE)
    assert "and the budget is 5 s" in refused.value.message
    assert "--force" in refused.value.remedy
    refuse_short_budget(planned(request_for(1)), request_for(1), MACHINE)


def test_quick_keeps_all_within_its_own_budget() -> None:
    request = request_for(QUICK.budget_seconds, QUICK)
    plan = planned(request)
    assert within_budget(plan, request, MACHINE) == plan
