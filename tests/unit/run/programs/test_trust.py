"""What an earlier run asked and today's machmeter does not know."""

from __future__ import annotations

import pytest

from machmeter.model.errors import UsageError
from machmeter.model.plan.question import Question, Selector
from machmeter.model.plan.study import Experiment, Study
from machmeter.run.programs.trust import still_declared

SYNC = Experiment("threads.sync", {"construct": ("barrier",)})
GONE = Experiment("memory.gone")
OTHERWISE = Experiment("threads.sync", {"gone": (1,)})


def test_what_is_known_is_as_it_was() -> None:
    study = Study("one", "", "", (SYNC,))
    assert still_declared(study, "r") == (study, ())


def test_what_is_gone_is_left_out_and_told_with_its_run() -> None:
    questions = tuple(
        Question("?", name, "t", Selector()) for name in ("memory.gone", SYNC.benchmark)
    )
    study = Study("one", "", "", (GONE, SYNC, OTHERWISE), questions=questions)
    known, left_out = still_declared(study, "a-run")
    assert known.experiments == (SYNC,)
    assert [one.benchmark for one in known.questions] == [SYNC.benchmark]
    benchmark, parameter = left_out
    assert (benchmark.what, parameter.what) == ("memory.gone", "threads.sync")
    assert "a-run" in benchmark.reason
    assert "no such benchmark" in benchmark.reason
    assert "no parameter gone" in parameter.reason


def test_a_run_of_which_nothing_is_known_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"a-run .*memory\.gone"):
        still_declared(Study("one", "", "", (GONE,)), "a-run")
