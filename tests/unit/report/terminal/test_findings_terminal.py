"""The findings of a run in a terminal."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from machmeter.model.results.finding import (
    AnswerStatus,
    CaseEvidence,
    Confidence,
    Finding,
    PublishedAnswer,
)
from machmeter.model.results.run import RunResult
from machmeter.report.terminal.findings_terminal import MAX_COLUMNS, print_findings
from tests.support.synthetic.network import make_network_run
from tests.support.synthetic.node import make_node_run
from tests.support.synthetic.run import make_run


def printed(result: RunResult, width: int = 100, *, every: bool = False) -> str:
    stream = io.StringIO()
    print_findings(result, Console(file=stream, width=width), every=every)
    return stream.getvalue()


def flat(text: str) -> str:
    return " ".join(text.split())


def ground(
    label: str, answer: str = "yes, 2.00x [1.90, 2.10]", decided: bool = True
) -> CaseEvidence:
    return CaseEvidence(
        answer,
        AnswerStatus.DECIDED if decided else AnswerStatus.UNRESOLVED,
        Confidence.SURE if decided else Confidence.OPEN,
        label,
        "do it",
        launches=12,
    )


ONE = Finding(
    "Does it pay?",
    "yes, 2.00x [1.90, 2.10]: do it",
    "1 s against 2 s",
    source="Somebody 2010",
    standing=AnswerStatus.DECIDED,
    grounds=(ground(""),),
    would_change=("a true ratio below 1.02x (no difference)",),
    beside=(
        PublishedAnswer(
            "m", "Machine", 2010, "yes, 3.00x", "yes, 2.00x [1.90, 2.10]", "Paper, p. 3"
        ),
    ),
)
MANY = Finding(
    "Does it pay for each?",
    "yes for some",
    "",
    standing=AnswerStatus.DECIDED,
    grounds=(ground("open", "not resolved", False), *(ground(f"case {i}") for i in range(6))),
)
LACKING = Finding(
    "Could it pay?",
    "this machine cannot decide: it takes four cores",
    "",
    standing=AnswerStatus.UNDECIDABLE,
    would_change=("cores: 4 needed, 2 here",),
)
RUN = replace(make_run(), findings=(LACKING, MANY, ONE))


def test_a_decision_says_what_carries_it_what_to_do_and_what_would_change_it() -> None:
    text = flat(printed(RUN))
    for said in (
        "2 of 3 questions decided, 1 cannot be decided here",
        "yes, 2.00x [1.90, 2.10] Do: do it Confidence: sure 1 s against 2 s, 12 launches",
        "What would change it: a true ratio below 1.02x (no difference)",
        "Machine 2010: yes, 3.00x; here yes, 2.00x [1.90, 2.10]",
    ):
        assert said in text
    assert "Paper, p. 3" not in text
    assert "Could it pay?" not in text


def test_all_tells_every_case_every_question_and_every_source() -> None:
    text = flat(printed(RUN, every=True))
    for said in ("Could it pay?", "What it lacks: cores: 4 needed, 2 here", "Paper, p. 3"):
        assert said in text
    assert all(f"- case {i}: yes" in text for i in range(6))
    assert "- open: not resolved" in text
    assert "--all" not in text


def test_of_many_cases_the_decided_come_first_and_the_rest_is_counted() -> None:
    text = flat(printed(RUN))
    assert "- case 0: yes" in text
    assert "- open" not in text
    assert "and 3 more cases: --all" in text


def test_what_holds_for_many_findings_is_told_once() -> None:
    many = tuple(replace(ONE, question=f"{i}?", would_change=("more nodes",)) for i in range(4))
    text = printed(replace(RUN, findings=many))
    assert text.count("more nodes") == 1
    assert "What would change 1, 2, 3 and 4: more nodes" in text


def test_what_would_decide_is_told_of_the_open_ones_by_number() -> None:
    both = ("more launches", "more nodes")
    open_one = replace(ONE, standing=AnswerStatus.UNRESOLVED, grounds=(ground("", decided=False),))
    decided = [replace(ONE, question=f"decided {i}?", would_change=both) for i in range(2)]
    not_yet = [replace(open_one, question=f"open {i}?", would_change=both[:1]) for i in range(3)]
    text = flat(printed(replace(RUN, findings=(*not_yet, *decided))))
    assert "What would decide 3, 4 and 5: more launches" in text
    assert text.count("What would change it: more launches; more nodes") == 2
    assert "of these" not in text


def test_a_run_without_questions_says_who_asks() -> None:
    assert "list studies" in printed(replace(RUN, findings=()))


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("width", [40, 100, 240])
@pytest.mark.parametrize("make", [make_run, make_node_run, make_network_run])
def test_lines_fit(make: object, width: int, every: bool) -> None:
    assert callable(make)
    run = make()
    wide = Finding("ü漢" * 200, "漢字 " * 90, "", would_change=("x" * 300,))
    lines = printed(replace(run, findings=(*run.findings, wide)), width, every=every).splitlines()
    assert max(cell_len(line) for line in lines) <= min(width, MAX_COLUMNS)


def test_text_of_a_run_does_not_steer_the_terminal() -> None:
    hostile = Finding("a\x1b[31m\u202e?", "b\x07", "", grounds=(ground("\x1b[2J"),))
    text = printed(replace(RUN, findings=(hostile,)))
    assert "\x1b" not in text
    assert "\u202e" not in text
