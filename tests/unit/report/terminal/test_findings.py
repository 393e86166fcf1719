"""The findings of a run in a terminal."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.finding import (
    AnswerStatus,
    CaseEvidence,
    Confidence,
    Finding,
    PublishedAnswer,
)
from machmeter.model.results.run import RunResult
from machmeter.report.documents.findings import findings_document
from machmeter.report.terminal.findings import MAX_COLUMNS, print_findings
from tests.support.synthetic.modes import usual_modes
from tests.support.synthetic.network import make_network_run
from tests.support.synthetic.node import make_node_run
from tests.support.synthetic.run import make_run


def printed(result: RunResult, width: int = 100, *, every: bool = False) -> str:
    stream = io.StringIO()
    print_findings(result, Console(file=stream, width=width), every=every)
    return stream.getvalue()


def test_what_is_published_of_all_codes_follows_the_findings() -> None:
    text = printed(usual_modes())
    head, _, totals = text.partition("Published of all codes together")
    assert "1.47x of its node, where 1.4x is printed" in flat(totals)
    assert "in which launch mode" in flat(head)
    assert max(map(cell_len, text.splitlines())) <= MAX_COLUMNS
    assert "Published of all codes" not in printed(make_run())


@pytest.mark.parametrize("findings", [(), make_run().findings], ids=["none", "some"])
def test_findings_of_nodes_that_were_one_machine_say_so(findings: tuple[Finding, ...]) -> None:
    caveat = Caveat(CaveatKind.ONE_MACHINE, "nodes a, b were one machine")
    result = replace(make_run(), findings=findings, caveats=(caveat,))
    assert "! Nodes a, b were one machine." in printed(result)
    assert "Nodes a, b were one machine" in findings_document(result, every=False).lines
    plain = replace(result, caveats=())
    assert "one machine" not in printed(plain) + "".join(
        findings_document(plain, every=False).lines
    )


def flat(text: str) -> str:
    return " ".join(text.split())


def case(label: str, answer: str = "yes, 2.00x [1.90, 2.10]", decided: bool = True) -> CaseEvidence:
    return CaseEvidence(
        answer,
        AnswerStatus.DECIDED if decided else AnswerStatus.INCONCLUSIVE,
        Confidence.SURE if decided else Confidence.OPEN,
        label,
        "do it",
        evidence="1 s against 2 s",
        launches=12,
    )


ONE = Finding(
    "Does it pay?",
    "yes, 2.00x [1.90, 2.10]: do it",
    AnswerStatus.DECIDED,
    cases=(case(""),),
    sensitivity=("would change if the true ratio were below 1.02x (no difference)",),
    source="Somebody 2010",
    published=(
        PublishedAnswer(
            "m", "Machine", 2010, "yes, 3.00x", "yes, 2.00x [1.90, 2.10]", "Paper, p. 3"
        ),
    ),
)
MANY = Finding(
    "Does it pay for each?",
    "yes for some",
    AnswerStatus.DECIDED,
    cases=(case("open", "inconclusive", False), *(case(f"case {i}") for i in range(6))),
)
LACKING = Finding(
    "Could it pay?",
    "not answerable here: requires 4 cores (2 available)",
    AnswerStatus.UNDECIDABLE,
)
RUN = replace(make_run(), findings=(LACKING, MANY, ONE))


def test_a_decision_says_what_carries_it_what_to_do_and_what_would_change_it() -> None:
    text = flat(printed(RUN))
    for said in (
        "2 of 3 questions decided, 1 not answerable here",
        "yes, 2.00x [1.90, 2.10] Advice: do it Confidence: sure 1 s against 2 s, 12 launches",
        "Would change if the true ratio were below 1.02x (no difference)",
        "Machine 2010: yes, 3.00x; here: yes, 2.00x [1.90, 2.10]",
    ):
        assert said in text
    assert "Paper, p. 3" not in text
    assert "Could it pay?" not in text


def test_all_tells_every_case_every_question_and_every_source() -> None:
    text = flat(printed(RUN, every=True))
    for said in ("Could it pay?", "requires 4 cores (2 available)", "Paper, p. 3"):
        assert said in text
    assert all(f"- case {i}: yes" in text for i in range(6))
    assert "- open: inconclusive" in text
    assert "--all" not in text


def test_of_many_cases_the_decided_come_first_and_the_rest_is_counted() -> None:
    text = flat(printed(RUN))
    assert "- case 0: yes" in text
    assert "- open" not in text
    assert "and 3 more cases: --all" in text


def test_what_holds_for_many_findings_is_told_once() -> None:
    many = tuple(replace(ONE, question=f"{i}?", sensitivity=("more nodes",)) for i in range(4))
    text = printed(replace(RUN, findings=many))
    assert text.count("more nodes") == 1
    assert "Findings 1, 2, 3 and 4: more nodes" in text


def test_what_would_decide_is_stated_for_the_open_ones_by_number() -> None:
    both = ("more launches", "more nodes")
    open_one = replace(ONE, status=AnswerStatus.INCONCLUSIVE, cases=(case("", decided=False),))
    decided = [replace(ONE, question=f"decided {i}?", sensitivity=both) for i in range(2)]
    not_yet = [replace(open_one, question=f"open {i}?", sensitivity=both[:1]) for i in range(3)]
    text = flat(printed(replace(RUN, findings=(*not_yet, *decided))))
    assert "Findings 3, 4 and 5: more launches" in text
    assert text.count("More launches; more nodes") == 2
    assert "of these" not in text


def test_a_run_without_questions_says_who_asks() -> None:
    assert "list studies" in printed(replace(RUN, findings=()))


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("width", [40, 100, 240])
@pytest.mark.parametrize("make", [make_run, make_node_run, make_network_run])
def test_lines_fit(make: object, width: int, every: bool) -> None:
    assert callable(make)
    run = make()
    wide = Finding("ü漢" * 200, "漢字 " * 90, sensitivity=("x" * 300,))
    lines = printed(replace(run, findings=(*run.findings, wide)), width, every=every).splitlines()
    assert max(cell_len(line) for line in lines) <= min(width, MAX_COLUMNS)


def test_text_of_a_run_does_not_steer_the_terminal() -> None:
    hostile = Finding("a\x1b[31m\u202e?", "b\x07", cases=(case("\x1b[2J"),))
    text = printed(replace(RUN, findings=(hostile,)))
    assert "\x1b" not in text
    assert "\u202e" not in text
