"""An exploration is decided where its question has an answer, whatever single launches did."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.cli.commands.run import exit_code_for
from machmeter.model.errors import ExitCode
from machmeter.model.plan.launch import Verdict
from machmeter.model.results.run import RunResult
from tests.support.synthetic.explored import ALONE, NONE_SET, SET, make_explored

DONE, FAILED = ExitCode.DONE, ExitCode.SOMETHING_FAILED
FASTER = make_explored({SET: 1.0, NONE_SET: 2.0})
AS_FAST = make_explored({SET: 1.0, NONE_SET: 1.0}, spread=0.0001)
NOISY = make_explored({SET: 1.0, NONE_SET: 1.1, ALONE: 1.2}, spread=0.5)
LONE = make_explored({NONE_SET: 1.0})


def all_accepted(run: RunResult) -> RunResult:
    return replace(run, outcomes=tuple(o for o in run.outcomes if o.verdict is Verdict.ACCEPTED))


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (FASTER, DONE),
        (AS_FAST, DONE),
        (NOISY, FAILED),
        (LONE, FAILED),
        (all_accepted(NOISY), DONE),
        (all_accepted(LONE), DONE),
        (replace(FASTER, estimates=(), findings=()), FAILED),
    ],
)
def test_the_exit_code_is_that_of_the_question(run: RunResult, code: ExitCode) -> None:
    assert any(one.verdict is not Verdict.ACCEPTED for one in FASTER.outcomes)
    assert exit_code_for(run) is code
