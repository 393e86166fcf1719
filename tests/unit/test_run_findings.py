"""What a run knows of its places when it answers questions."""

from __future__ import annotations

from fake_launcher import synthetic_machine
from hypothesis import given
from hypothesis import strategies as st
from made_up_estimates import made_up
from sysfs_tree import Shape

from machmeter.model.benchmark import Executable
from machmeter.model.launch import LaunchSpec
from machmeter.model.layout import Binding, Layout
from machmeter.model.run import Plan, Precision
from machmeter.model.study import Question, Rule
from machmeter.run.findings import assigned, findings, kinds_of
from machmeter.studies.scalemp import SCALEMP

BOARDS = synthetic_machine(Shape(packages=4, domains=1, cores=2, smt=1)).topology


def test_pairs_of_cpus_are_known_by_what_they_share() -> None:
    first, last = BOARDS.cpus[0].number, BOARDS.cpus[-1].number
    kinds = kinds_of((f"{first}-{first}", f"{first}-{last}"), BOARDS)
    assert kinds[f"{first}-{first}"] == "same CPU"
    assert kinds[f"{first}-{last}"].startswith("same machine")


@given(st.text("0123456789-² ", max_size=6) | st.text(max_size=12))
def test_what_is_no_pair_of_this_machine_is_left_out(text: str) -> None:
    known = {cpu.number for cpu in BOARDS.cpus}
    for pair in kinds_of((text,), BOARDS):
        assert {int(number) for number in pair.split("-")} <= known


def test_layouts_that_do_not_fit_have_no_cpus() -> None:
    fits, too_large = Layout(threads_per_rank=2), Layout(threads_per_rank=4096)
    found = assigned((fits, too_large), BOARDS)
    assert set(found) == {fits}


def test_a_question_of_binding_is_decided_only_where_the_cpus_differ() -> None:
    (across,) = [q for q in SCALEMP.questions if q.benchmark == "threads.sync" and "far" in q.text]
    layouts = [Layout(threads_per_rank=2, binding=b) for b in (Binding.CLOSE, Binding.SPREAD)]
    plan = _plan(across, layouts)
    estimates = [
        made_up("threads.sync", {"construct": "for"}, layout, "overhead", value)
        for layout, value in zip(layouts, (0.62e-6, 279.91e-6), strict=True)
    ]
    (on_boards,) = findings(plan, BOARDS, estimates)
    assert across.rule is Rule.BANDS
    assert on_boards.answer.startswith("far more for for, 451x: ")
    two_cores = synthetic_machine().topology
    (here,) = findings(plan, two_cores, estimates)
    assert here.answer == f"this machine cannot decide: {across.undecided}"


def _plan(question: Question, layouts: list[Layout]) -> Plan:
    points = [
        made_up("threads.sync", {"construct": "for"}, one, "overhead", 1.0).point for one in layouts
    ]
    specs = tuple(
        LaunchSpec("sync", Executable.NODE, "threads.sync", point.layout, (point,), 0.01)
        for point in points
    )
    return Plan(specs, Precision(), questions=(question,))
