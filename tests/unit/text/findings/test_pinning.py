"""A gain that comes with pinning is not said to be one of threads."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.results.finding import Finding
from machmeter.text.findings.pinning import with_pinning
from tests.support.synthetic.explored import make_explored

BOUND = Layout(wait_policy=WaitPolicy.DEFAULT)
TWO = Layout(wait_policy=WaitPolicy.DEFAULT, threads_per_rank=2)
UNBOUND = Layout(wait_policy=WaitPolicy.DEFAULT, threads_per_rank=2, binding=Binding.NONE)
DEFAULT = Layout(wait_policy=WaitPolicy.DEFAULT, binding=Binding.DEFAULT)
RANKS = Layout(wait_policy=WaitPolicy.DEFAULT, ranks_per_node=2)
LAYOUTS = {"one": BOUND, "two": TWO, "unbound": UNBOUND, "default": DEFAULT, "ranks": RANKS}
OF_PINNING = "of pinning, not of the number of threads"
TOGETHER = "threads and pinning were set together"


def said(seconds: Mapping[str, float], working: Mapping[str, int], spread: float = 0.01) -> Finding:
    run = make_explored(seconds, layouts=LAYOUTS, spread=spread)
    (finding,) = run.findings
    points = {one.point.layout: one for one in run.estimates}
    counts = {points[LAYOUTS[name]].point: count for name, count in working.items()}
    found = with_pinning(finding, run.estimates, counts)
    assert found.cases[0].chosen == finding.cases[0].chosen
    assert [found.status, found.confidence] == [finding.status, finding.confidence]
    return found


@pytest.mark.parametrize("best", ["two", "default"])
def test_where_as_many_threads_worked_the_gain_is_of_pinning(best: str) -> None:
    seconds = {"two": 2.0, "default": 2.0, best: 1.0}
    found = said(seconds, {"two": 1, "default": 1})
    assert OF_PINNING in found.answer
    assert "1 thread" in found.answer
    assert OF_PINNING in found.cases[0].answer
    assert TOGETHER not in found.answer


@pytest.mark.parametrize("working", [{}, {"two": 2}, {"two": 2, "default": 1}])
def test_where_that_was_not_seen_both_were_set_together(working: dict[str, int]) -> None:
    found = said({"two": 1.0, "default": 2.0}, working)
    assert TOGETHER in found.answer
    assert OF_PINNING not in found.answer


def test_an_unbound_layout_of_as_many_threads_says_it_itself() -> None:
    seconds = {"two": 1.0, "unbound": 1.5, "default": 2.4}
    found = said(seconds, {})
    assert TOGETHER not in found.answer
    gains = re.search(r"of that pinning alone 1\.50x.*, .* without it 1\.60x", found.answer)
    assert gains
    assert gains.group() in found.cases[0].answer
    assert TOGETHER in said({"one": 1.0, "unbound": 1.5, "default": 2.0}, {}).answer


@pytest.mark.parametrize(
    "seconds",
    [
        {"two": 1.0, "one": 2.0},
        {"unbound": 1.0, "default": 2.0},
        {"default": 1.0, "two": 2.0},
    ],
)
def test_nothing_is_said_where_no_bound_layout_is_shown_to_be_better_than_nothing_set(
    seconds: dict[str, float],
) -> None:
    assert TOGETHER not in said(seconds, {}).answer


def test_other_numbers_of_ranks_are_no_matter_of_pinning() -> None:
    found = said({"ranks": 1.0, "default": 2.0}, {"ranks": 1, "default": 1})
    assert OF_PINNING not in found.answer
    assert TOGETHER not in found.answer


MORE_RANKS = Layout(wait_policy=WaitPolicy.DEFAULT, ranks_per_node=2, threads_per_rank=2)
RANKS_UNBOUND = replace(MORE_RANKS, binding=Binding.NONE)


def test_ranks_and_threads_that_differ_from_nothing_set_are_set_apart_from_pinning() -> None:
    layouts = {"best": MORE_RANKS, "unbound": RANKS_UNBOUND, "default": DEFAULT}
    run = make_explored(
        {"best": 1.0, "unbound": 1.5, "default": 2.4}, layouts=layouts, spread=0.001
    )
    found = with_pinning(run.findings[0], run.estimates, {})
    assert re.search(r"pinning alone 1\.50x.*, .* without it 1\.60x", found.answer)


def test_where_the_best_is_unbound_its_bound_partner_is_named() -> None:
    found = said({"two": 1.5, "unbound": 1.0, "default": 2.0}, {}, spread=0.001)
    assert re.search(r"pinning alone 0\.67x.*, .* without it 2\.00x", found.answer)


def test_what_was_not_launched_next_to_each_other_is_no_evidence() -> None:
    run = make_explored({"two": 1.0, "unbound": 1.5, "default": 2.4}, layouts=LAYOUTS)
    apart = [
        replace(one, rounds=tuple(number + 100 for number in one.rounds))
        if one.point.layout == UNBOUND
        else one
        for one in run.estimates
    ]
    found = with_pinning(run.findings[0], apart, {})
    assert "pinning alone" not in found.answer
    assert TOGETHER in found.answer


def test_what_is_not_decided_says_nothing_of_pinning() -> None:
    found = said({"two": 1.0, "default": 1.1}, {"two": 1, "default": 1}, spread=0.5)
    assert OF_PINNING not in found.answer


def test_nothing_set_is_said_to_have_no_number_of_threads() -> None:
    run = make_explored({"two": 1.0, "default": 2.0}, layouts=LAYOUTS)
    (case,) = run.findings[0].cases
    assert "1 rank on each node, nothing set" in case.answer
    assert "1 thread" not in case.answer
