"""How to start a program is advised only where layouts were compared with nothing set."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.results.run import RunResult
from machmeter.report.views.launch_lines import job_of
from tests.support.synthetic.explored import ALONE, NONE_SET, ONE_RANK, SET, make_explored

FASTER = "no layout is shown to be faster than nothing set"


def planned_as(whole: RunResult, counted: RunResult) -> RunResult:
    """A run that was planned as `whole` and in which only what `counted` has was counted."""
    return replace(counted, plan=whole.plan)


def test_where_nothing_set_is_as_fast_it_is_the_advice() -> None:
    job = job_of(make_explored({SET: 1.0, NONE_SET: 1.0, ALONE: 2.0}))
    assert FASTER in job.title
    assert job.lines


def test_without_a_counted_launch_of_nothing_set_nothing_is_advised_against_it() -> None:
    tied = {SET: 1.0, ONE_RANK: 1.0}
    job = job_of(planned_as(make_explored({**tied, NONE_SET: 1.0}), make_explored(tied)))
    assert not job.lines
    assert "launches of nothing set" in job.sentence
    assert FASTER not in job.title + job.sentence


def test_the_fastest_of_others_is_not_called_faster_than_nothing_set() -> None:
    others = {SET: 1.0, ONE_RANK: 2.0}
    job = job_of(planned_as(make_explored({**others, NONE_SET: 1.0}), make_explored(others)))
    assert job.lines
    assert "nothing set" in job.title
    assert FASTER not in job.title


def test_one_launch_of_nothing_set_compares_with_nothing() -> None:
    run = make_explored({SET: 1.0, NONE_SET: 1.0}, spread=0.5)
    first, second = run.estimates
    few = replace(run, estimates=(first, replace(second, launches=1)))
    assert job_of(run).lines
    assert not job_of(few).lines


def test_where_no_other_layout_fits_nothing_was_compared() -> None:
    job = job_of(make_explored({NONE_SET: 1.0}))
    assert not job.lines
    assert "no other layout" in job.sentence


def test_where_no_launch_of_another_layout_counts_nothing_was_compared() -> None:
    alone = make_explored({NONE_SET: 1.0})
    job = job_of(planned_as(make_explored({NONE_SET: 1.0, SET: 1.0}), alone))
    assert not job.lines
    assert "every layout other than nothing set" in job.sentence


def test_what_nobody_observed_is_compared_with_nothing() -> None:
    run = replace(make_explored({SET: 1.0, NONE_SET: 1.0}, spread=0.5), not_observed=(NONE_SET,))
    assert not job_of(run).lines


def test_the_answer_never_advises_nothing_set_where_it_was_not_compared() -> None:
    run = make_explored({SET: 1.0, ONE_RANK: 1.0}, spread=0.0001)
    (finding,) = run.findings
    assert "nothing set" not in finding.answer
    assert "set nothing" not in finding.answer
